"""Ray against local workers, two nodes against one, a node that is killed, and memory over many clips.

    python benchmarks/ray_cluster.py workers [--rounds 3] [--models truth,frozen] [--only PATTERN]
    python benchmarks/ray_cluster.py nodes [--rounds 3] …
    python benchmarks/ray_cluster.py kill …
    python benchmarks/ray_cluster.py memory [--clips 10000]

The first three run the real observe stage of protocol `diorama` on clips of `diorama-mini`, filmed once and kept in
--clips-folder. Nodes are raylets of one machine, with one CPU each, as `ray start` starts them, on loopback. Workers
are there before the clock starts; how long they took is told apart. The load of the machine stands beside every time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import psutil
from sleeping_jobs import Sleeping

from lookaway.api import Silent
from lookaway.executors import Group, Site
from lookaway.executors.local import local
from lookaway.executors.ray import cluster as clusters
from lookaway.executors.ray import crew_of, dismiss_all
from lookaway.executors.ray import ray as on_ray
from lookaway.images import png_bytes
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, Outcome, run_stage
from lookaway.records import Observation, Plan
from lookaway.store import Run, json_lines, make_run
from lookaway.video import encode

TINY, TINY_FRAMES, TINY_FPS = (32, 24), 4, 8.0


@dataclass
class Watching(Silent):
    """Tells somebody how many jobs are done."""

    tell: Any
    done: list[str] = field(default_factory=list)

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        self.done += [outcome.name for outcome in outcomes]
        self.tell(len(self.done))


def filmed(folder: Path, models: str, only: str | None) -> tuple[Run, Plan]:
    """A run whose clips exist and were looked at by nobody."""
    run = make_run(folder)
    plan = plans.extend(run, "diorama-mini", [system(name) for name in models.split(",")])
    for stage in ("tasks", "controls", "generate"):
        run_stage(STAGES[stage], run, plan, Options(workers=os.cpu_count() or 1, only=only), Silent())
    return run, plan


@contextlib.contextmanager
def copied(run: Run) -> Iterator[Run]:
    with tempfile.TemporaryDirectory(prefix="ray-bench-", dir=run.root.parent) as folder:
        copy = Path(folder) / "run"
        shutil.copytree(run.root, copy, ignore=shutil.ignore_patterns("blobs", "observations"))
        shutil.copytree(run.root / "blobs", copy / "blobs", copy_function=os.link)
        yield make_run(copy)


@dataclass(frozen=True)
class Observed:
    """One observe stage."""

    seconds: float
    clips: int
    table: dict[str, Any]  # what was seen, by key; arrays by content
    lines: int  # written, which are more where work was done twice
    load: float  # of the machine, in the middle of it


def observed(run: Run, plan: Plan, options: Options, progress: Silent | None = None) -> Observed:
    with copied(run) as copy:
        report = run_stage(STAGES["observe"], copy, plan, options, progress or Silent())
        assert not report.failures, report.failures[0]
        table = {key: seen.model_dump() for key, seen in copy.latest("observations", Observation).items()}
        lines = sum(1 for log in copy.log_folder("observations").glob("*.jsonl") for _ in json_lines(log))
        return Observed(report.seconds, len(report.outcomes), table, lines, os.getloadavg()[0])


def started(executor: Any, site: Site, workers: int) -> float:
    """Seconds until so many workers have done something."""
    begun = time.monotonic()
    list(executor(Sleeping(), [Group([0.2])] * (2 * workers), site))
    return time.monotonic() - begun


@contextlib.contextmanager
def nodes(count: int) -> Iterator[tuple[Any, Site]]:
    """A cluster of so many nodes with one CPU each, and a head without."""
    dismiss_all()
    os.environ.update(clusters.QUIET | clusters.OWN)
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": clusters.STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(count):
        cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    try:
        yield cluster, Site(0, cluster.address)
    finally:
        dismiss_all()
        cluster.shutdown()


def told(what: str, one: Observed) -> str:
    return (
        f"{what}: {one.clips} clips in {one.seconds:.1f} s, {one.clips / one.seconds:.3f} a second, load {one.load:.1f}"
    )


def compare_workers(args: argparse.Namespace) -> None:
    run, plan = filmed(args.clips_folder, args.models, args.only)
    count = args.workers
    found: dict[str, list[Observed]] = {"local": [], "ray": []}
    print(f"local workers start in {started(local, Site(count), count):.1f} s")
    print(f"ray and its workers start in {started(on_ray, Site(count), count):.1f} s")
    for _ in range(args.rounds):
        for name in found:
            found[name].append(observed(run, plan, Options(executor=name, workers=count, only=args.only)))
            print(told(name, found[name][-1]), flush=True)
    best = {name: min(one.seconds for one in each) for name, each in found.items()}
    equal = len({json.dumps(one.table, sort_keys=True) for each in found.values() for one in each}) == 1
    print(f"ray has {best['local'] / best['ray']:.2f} of the throughput of local workers, best of {args.rounds}")
    print(f"tables bit-equal: {equal}")
    dismiss_all()


def compare_nodes(args: argparse.Namespace) -> None:
    run, plan = filmed(args.clips_folder, args.models, args.only)
    best: dict[int, float] = {}
    tables = set()
    for count in (1, 2):
        with nodes(count) as (_, site):
            started(on_ray, site, count)
            for _ in range(args.rounds):
                one = observed(run, plan, Options(executor=f"ray:{site.address}", workers=0, only=args.only))
                print(told(f"{count} nodes", one), flush=True)
                tables.add(json.dumps(one.table, sort_keys=True))
                best[count] = min(best.get(count, one.seconds), one.seconds)
    print(
        f"two nodes are {best[1] / best[2]:.2f} times one, best of {args.rounds}; tables bit-equal: {len(tables) == 1}"
    )


def kill_a_node(args: argparse.Namespace) -> None:
    run, plan = filmed(args.clips_folder, args.models, args.only)
    whole = observed(run, plan, Options(only=args.only))
    print(told("one process", whole))
    with nodes(2) as (cluster, site):
        started(on_ray, site, 2)
        victim = cluster.list_all_nodes()[-1]
        flying: list[int] = []

        def kill(done: int) -> None:
            hands = crew_of(site).hands.values()
            busy = sum(1 for h in hands if h.place and h.place.node == victim.node_id and h.doing)
            if done >= whole.clips // 3 and busy and not flying:
                flying.append(busy)
                cluster.remove_node(victim, allow_graceful=False)

        watching = Watching(kill)
        options = Options(executor=f"ray:{site.address}", workers=0, only=args.only)
        one = observed(run, plan, options, watching)
    print(told("two nodes, one of them killed", one))
    twice = one.lines - len(one.table)
    per_clip = max(1, len(one.table) // one.clips)
    print(f"tables bit-equal: {one.table == whole.table}; told twice: {max(Counter(watching.done).values()) - 1}")
    print(f"leases of the node when it was killed: {flying[0]}; lines written twice: {twice} ({per_clip} make a clip)")


def tiny_suite(folder: Path, count: int) -> Path:
    """So many tasks with small clips of noise, no two of which are the same."""
    if (folder / "tasks.jsonl").exists():
        return folder
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text('name = "noise"\nversion = 1\nsummary = "small clips of noise"\n')
    rng, rows = np.random.default_rng(0), []
    for number in range(count):
        frames = rng.integers(0, 255, (TINY_FRAMES, TINY[1], TINY[0], 3), np.uint8)
        (folder / f"{number}.png").write_bytes(png_bytes(frames[0]))
        encode(list(frames), folder / f"{number}.mp4", TINY_FPS, crf=20)
        rows.append(
            {
                **{"id": f"noise_{number}", "scene": f"scene_{number}", "prompt": "Noise.", "camera": "hold@0.5s"},
                **{"first_frame": f"{number}.png", "reference": f"{number}.mp4", "width": TINY[0], "height": TINY[1]},
                **{"fps": TINY_FPS, "seconds": TINY_FRAMES / TINY_FPS},
                **{"category": "kinematics", "moves": True, "changes_in_place": False, "hfov_deg": 60.0},
                **{"subjects": [{"name": "noise", "box": [0.4, 0.4, 0.6, 0.6], "side": "centre"}]},
                "expected_end": "noise",
            }
        )
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def memory(args: argparse.Namespace) -> None:
    """Resident memory of the driver and of the workers while many tiny clips are made and looked at."""
    protocol = args.clips_folder.with_suffix(".toml")
    protocol.write_text('summary = "small"\nmetrics = ["psnr_all:sound"]\nheadline = ["psnr_all:sound"]\n')
    suite = tiny_suite(args.clips_folder / f"noise-{args.clips}", args.clips)
    site = Site(args.workers)
    with tempfile.TemporaryDirectory(prefix="ray-bench-", dir=args.clips_folder) as folder:
        run = make_run(Path(folder) / "run")
        plan = plans.extend(run, str(suite), [system("held-first-frame")], chosen=[str(protocol)])
        for stage in ("tasks", "controls", "generate", "observe", "score"):
            step = max(1, args.clips // 10)

            def tell(done: int, stage: str = stage, step: int = step) -> None:
                if done in (1, step) or done % step == 0:
                    pids = [hand.place.pid for hand in crew_of(site).hands.values() if hand.place]
                    each = [psutil.Process(pid).memory_info().rss >> 20 for pid in (os.getpid(), *pids)]
                    print(f"| {stage} | {done} | {each[0]} | {', '.join(map(str, each[1:]))} |", flush=True)

            report = run_stage(STAGES[stage], run, plan, Options(executor="ray", workers=args.workers), Watching(tell))
            print(
                f"{stage}: {len(report.outcomes)} in {report.seconds:.0f} s, {len(report.failures)} failed", flush=True
            )
    dismiss_all()


def main() -> None:
    verbs = {"workers": compare_workers, "nodes": compare_nodes, "kill": kill_a_node, "memory": memory}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=verbs)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--models", default="truth,frozen,compressed,static-camera,reset")
    parser.add_argument("--only", default=None)
    parser.add_argument("--clips", type=int, default=10_000)
    parser.add_argument("--clips-folder", type=Path, default=Path(tempfile.gettempdir()) / "lookaway-ray-bench" / "run")
    args = parser.parse_args()
    args.clips_folder.mkdir(parents=True, exist_ok=True)
    verbs[args.verb](args)


if __name__ == "__main__":
    main()
