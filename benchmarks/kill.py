"""Kill -9 soak: a real stage with two workers is killed again and again, and must end as if nothing had happened.

What a killed process had acknowledged is known from a file that it appends to after each job came back to it. Odd
kills hit the main process alone, so that its workers must notice and leave; even ones hit the whole process group.
After every fifth kill half a line is added to a log, as a kill in the middle of a write would leave it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import psutil

from lookaway import protocols
from lookaway.analyses import Scale
from lookaway.analyses import board as boards
from lookaway.models import ingested
from lookaway.pipeline.stage import Entry, Job, Options, Outcome, Stage, StageReport, run_stage
from lookaway.records import Board, Observation, Plan, Score, Subject, Task, content_key
from lookaway.store import Run, json_lines

TASKS, SCENES, SYSTEMS = 30, 6, 5
METRICS = ("turned_away", "subject_hidden", "view_returned", "object_present")
PLAN = Plan(suite="soak", suite_version="1", protocols=(protocols.load("diorama"),))
LANES, PATIENCE_S = 2, 60.0
MUST_BE_ZERO = ("lost", "duplicate_keys", "different", "orphans")
COUNTS = ("kills", "folders", "acknowledged", "torn", "raw_duplicates", *MUST_BE_ZERO)

Results = tuple[list[tuple[object, ...]], Board, dict[str, Observation]]


# ---------------------------------------------------------------- the stage


def jobs(run: Run, plan: Plan) -> list[Job]:
    """150 jobs of one to four scores each; a task's five jobs make one group."""
    found = []
    for number in range(TASKS * SYSTEMS):
        task, system = f"task_{number // SYSTEMS}", f"model_{number % SYSTEMS}"
        metrics = METRICS[: 1 + number % len(METRICS)]
        expects = {content_key("score", task, system, metric): content_key(number) for metric in metrics}
        found.append(Job(f"{task}/{system}/0", task, (task, system, metrics), expects))
    return found


def work(run: Run, job: Job) -> list[Entry]:
    task, system, metrics = job.payload
    rng = random.Random(job.name)  # equal jobs, equal scores
    time.sleep(rng.uniform(0.001, 0.007))
    who = {"observer": "soak", "instrument": "soak@1", "instrument_key": "soak"}
    seen = Observation(media=job.name, task_instance=task, status="ok", **who)
    scores = [
        Entry(content_key("score", task, system, metric), score(task, system, metric, rng.random()))
        for metric in metrics
    ]
    return [Entry(content_key("seen", job.name), seen, log="observations"), *scores]


def score(task: str, system: str, metric: str, chance: float) -> Score:
    facts = {
        "task": task,
        "system": system,
        "seed": 0,
        "protocol": "diorama",
        "metric": metric,
        "variant": "sound",
        "version": 1,
        "instrument": "soak@1",
        "phase_source": "exact",
        "subject": "kettle",
    }
    if chance < 0.1:
        return Score(**facts, status="gated", gate="avoided", reason="never turned away")
    if chance < 0.2:
        return Score(**facts, status="abstained", reason="too dark – nothing to see")
    return Score(**facts, status="ok", value=chance)


STAGE = Stage("soak", "scores", jobs, work)


class Tell:
    """Progress that writes down what the stage acknowledged."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def say(self, text: str) -> None: ...

    def start(self, stage: str, total: int, skipped: int) -> None: ...

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        os.write(self.fd, "".join(f"{outcome.name}\n" for outcome in outcomes).encode())

    def finish(self, report: StageReport) -> None: ...


def soak(root: Path) -> None:
    run_stage(STAGE, Run(root), PLAN, Options(workers=2), Tell(root / "acknowledged"))


# ---------------------------------------------------------------- the killing


def measure(rounds: int = 100) -> dict[str, float]:
    """Counts over `rounds` kills; `lost`, `duplicate_keys`, `different` and `orphans` must all be 0."""
    started = time.monotonic()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(LANES) as pool:
        whole = Path(folder) / "whole"
        finish(whole)
        expected = results(whole)
        shares = [rounds // LANES + (lane < rounds % LANES) for lane in range(LANES)]
        lanes = [pool.submit(kill_often, Path(folder), lane, share, expected) for lane, share in enumerate(shares)]
        found = [lane.result() for lane in lanes]
    longest = max(orphan_s for _, orphan_s in found)
    counts = {name: float(sum(counts[name] for counts, _ in found)) for name in COUNTS}
    return counts | {"orphan_s": longest, "seconds": time.monotonic() - started}


def kill_often(folder: Path, lane: int, rounds: int, expected: Results) -> tuple[Counter[str], float]:
    """One run folder after the other, each killed until it is done: what was counted, and the longest orphanhood."""
    found: Counter[str] = Counter()
    rng, longest = random.Random(lane), 0.0
    while found["kills"] < rounds:
        root = folder / f"run_{lane}_{found['folders']}"
        while found["kills"] < rounds and (orphan_s := killed(root, found, rng)) is not None:
            longest = max(longest, orphan_s)
            check(root, found)
            if found["kills"] % 5 == 0 and tear(root):
                found["torn"] += 1
                check(root, found)
        finish(root)
        found["folders"] += 1
        found["different"] += results(root) != expected
        found["raw_duplicates"] += raw_duplicates(root)
    return found, longest


def begin(root: Path) -> subprocess.Popen[bytes]:
    root.mkdir(exist_ok=True)
    quiet = os.environ | {"PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker"}
    return subprocess.Popen([sys.executable, __file__, "soak", str(root)], start_new_session=True, env=quiet)


def finish(root: Path) -> None:
    child = begin(root)
    if child.wait(PATIENCE_S):
        raise SystemExit(f"the soak's stage ended with {child.returncode}")


def killed(root: Path, found: Counter[str], rng: random.Random) -> float | None:
    """Start the stage and kill it at a random instant: how long its workers outlived it. None when it was done first.

    One kill in six comes whenever it comes, mostly while processes start; the others once lines are being written.
    """
    before = written(root)
    child = begin(root)
    until = time.monotonic() + (rng.uniform(0, 2) if rng.random() < 1 / 6 else PATIENCE_S)
    while child.poll() is None and written(root) == before and time.monotonic() < until:
        time.sleep(0.003)
    time.sleep(rng.uniform(0, 0.12))
    workers = offspring(child.pid)
    if child.poll() is not None:
        if child.returncode:
            raise SystemExit(f"the soak's stage ended with {child.returncode}")
        return None
    if found["kills"] % 2:
        os.killpg(child.pid, signal.SIGKILL)
    else:
        child.kill()
    child.wait()
    dead = time.monotonic()
    found["kills"] += 1
    while (left := [w for w in workers if alive(w)]) and time.monotonic() - dead < PATIENCE_S:
        time.sleep(0.003)
    for worker in left:
        found["orphans"] += 1
        worker.kill()
    return time.monotonic() - dead


def offspring(pid: int) -> list[psutil.Process]:
    try:
        return list(psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return []


def alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def written(root: Path) -> int:
    return sum(path.stat().st_size for path in logs(root))


def logs(root: Path) -> Iterator[Path]:
    return (root / "logs").glob("*/*.jsonl")


def tear(root: Path) -> bool:
    """Leave half a line at the end of the fullest log, if there is one."""
    fullest = max(logs(root), key=lambda path: path.stat().st_size, default=None)
    if fullest is None or not (data := fullest.read_bytes()).endswith(b"\n"):
        return False
    return fullest.write_bytes(data + data.splitlines()[0][: len(data) % 97 + 5]) > 0


# ---------------------------------------------------------------- the checks


def check(root: Path, found: Counter[str]) -> None:
    run = Run(root)
    known = run.latest("scores", Score).keys()
    expects = {job.name: job.expects.keys() for job in jobs(run, PLAN)}
    told = root / "acknowledged"
    names = told.read_text().split() if told.exists() else []
    found["lost"] += sum(not expects[name] <= known for name in names)
    found["acknowledged"] += len(names)
    table = run.table("scores", Score)
    found["duplicate_keys"] += table.height - table["key"].n_unique()
    found["different"] += set(table["key"]) != set(known)


def raw_duplicates(root: Path) -> int:
    lines = [(path.parent.name, line["key"]) for path in logs(root) for line in json_lines(path)]
    return len(lines) - len(set(lines))


def results(root: Path) -> Results:
    run = Run(root)
    table: pl.DataFrame = run.table("scores", Score)
    subject = Subject(name="kettle", box=(0.2, 0.3, 0.4, 0.6), side="left")
    tasks = [
        Task(
            id=f"task_{n}",
            suite="soak",
            version="1",
            scene=f"scene_{n % SCENES}",
            category=("pour", "roll")[n % 2],
            moves=True,
            changes_in_place=n % 3 == 0,
            prompt="Look away and back.",
            first_frame="0" * 64,
            subjects=(subject,),
            expected_end="as it was",
            camera="look_away",
            hfov_deg=60,
            width=320,
            height=180,
            fps=12,
            seconds=4,
        )
        for n in range(TASKS)
    ]
    systems = [ingested(f"model_{n}") for n in range(SYSTEMS)]
    scales = {(metric, "sound"): Scale(0.0, 1.0, 0.0) for metric in METRICS}
    known = {task.id: task for task in tasks}
    findings = boards.findings_of([protocols.load("diorama")], known, systems, table, scales)
    board = boards.board("soak", "1", systems, findings, {}, {})
    return table.sort("key").rows(), board, run.latest("observations", Observation)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        soak(Path(sys.argv[2]))
    else:
        for name, value in measure().items():
            print(f"{name} {value:g}")
