"""Ray clusters on this machine, of two nodes with one CPU each: what they do, and what a death in them costs."""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from lookaway import extras
from lookaway.api import Silent
from lookaway.errors import CallFailed, LookawayError, StoreError, UsageError
from lookaway.executors import Group, Lost, Site
from lookaway.executors import ray as cluster_executor
from lookaway.executors.ray import cluster as clusters
from lookaway.executors.ray import crew as crews
from lookaway.executors.ray import crew_of, dismiss_all, judging
from lookaway.executors.ray import ray as execute
from lookaway.executors.ray.judging import Seats, on_cluster
from lookaway.judges import About, Probe, Said
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Ceiling, Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.models import system
from lookaway.pipeline import STAGES, plans, walk
from lookaway.pipeline.stage import Options, Outcome, run_stage
from lookaway.records import Answer, Observation, Plan, Score
from lookaway.store import Run, make_run
from tests.executors.greys import grey_suite
from tests.judges.server import Manner, serving

# Ray reads its environment when it is imported, so that is left to the fixture.
pytestmark = [pytest.mark.ray, pytest.mark.skipif(bool(extras.missing("ray")), reason="needs the extra ray")]


@dataclass
class TwoNodes:
    """A head without a CPU, and two nodes with one each, the first of them with a made-up GPU."""

    cluster: Any
    site: Site

    def one_more(self) -> Any:
        node = self.cluster.add_node(num_cpus=1)
        self.cluster.wait_for_nodes()
        return node

    def kill(self, node: Any) -> None:
        self.cluster.remove_node(node, allow_graceful=False)


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    dismiss_all()
    os.environ.update(clusters.QUIET | clusters.OWN)
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": clusters.STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1, num_gpus=1)
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield TwoNodes(cluster, Site(0, cluster.address))
    dismiss_all()
    cluster.shutdown()


@dataclass(frozen=True)
class Noting:
    """Notes in a file of its own which jobs it begins; then sleeps, or does worse."""

    folder: Path
    sleep_s: float = 0.0

    def __call__(self, jobs: Sequence[str]) -> list[tuple[str, int]]:
        return [self._one(job) for job in jobs]

    def _one(self, job: str) -> tuple[str, int]:
        with (self.folder / f"{os.getpid()}.txt").open("a") as notes:
            notes.write(f"{job}\n")
        if job == "kills":
            os.kill(os.getpid(), signal.SIGKILL)
        if job == "stops once" and self._is_first(job):
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(60)  # the main thread takes the signal; this one must not answer before all are stopped
        if job == "disk full":
            raise StoreError("disk full")
        time.sleep(self.sleep_s)
        return job, os.getpid()

    def _is_first(self, job: str) -> bool:
        return len([one for one in self.begun() if one == job]) == 1

    def begun(self) -> list[str]:
        return [job for notes in self.folder.glob("*.txt") for job in notes.read_text().splitlines()]

    def end(self) -> None:
        (self.folder / f"{os.getpid()}.ended").touch()


# ---------------------------------------------------------------- deaths


def test_a_node_that_dies_costs_what_it_was_doing_and_nothing_else(nodes: TwoNodes, tmp_path: Path) -> None:
    third = nodes.one_more()
    noting = Noting(tmp_path, sleep_s=1.1)  # longer than a slice, so each is sent alone
    jobs = [f"job {k}" for k in range(15)]
    done: list[str] = []
    for outcomes in execute(noting, [Group([job]) for job in jobs], nodes.site):
        assert isinstance(outcomes, list)
        done += [job for job, _ in outcomes]
        on_third = [
            hand for hand in crew_of(nodes.site).hands.values() if hand.place and hand.place.node == third.node_id
        ]
        if len(done) >= 4 and third.any_processes_alive() and any(hand.doing for hand in on_third):
            nodes.kill(third)
    assert not third.any_processes_alive(), "it was killed in the middle"
    assert sorted(done) == sorted(jobs), "each is told of once"
    assert len(noting.begun()) - len(jobs) <= 1, "begun twice was only what the node was doing"
    assert {path.suffix for path in tmp_path.iterdir()} == {".txt", ".ended"}


def test_a_job_that_kills_its_workers_fails_with_a_reason_and_the_rest_is_done(nodes: TwoNodes, tmp_path: Path) -> None:
    noting = Noting(tmp_path)
    found = list(execute(noting, [Group(["a", "kills", "b"]), Group(["c", "d"])], nodes.site))
    (lost,) = [one for one in found if isinstance(one, Lost)]
    assert lost.job == "kills"
    assert "3 workers died over it" in lost.reason
    assert sorted(job for one in found if isinstance(one, list) for job, _ in one) == ["a", "b", "c", "d"]
    assert Counter(noting.begun())["kills"] == 3


def test_a_stopped_worker_loses_its_lease(nodes: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crews, "LEASE_S", 3.0)
    monkeypatch.setattr(crews, "PULSE_S", 0.5)
    noting = Noting(tmp_path)
    found = [*execute(noting, [Group(["stops once"]), Group(["b"])], nodes.site)]
    assert sorted(job for one in found if isinstance(one, list) for job, _ in one) == ["b", "stops once"]
    assert Counter(noting.begun()) == {"stops once": 2, "b": 1}


def test_an_error_that_ends_a_stage_comes_out_as_it_was(nodes: TwoNodes, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="disk full"):
        list(execute(Noting(tmp_path), [Group(["disk full"]), Group(["b"])], nodes.site))


# ---------------------------------------------------------------- resources


@dataclass(frozen=True)
class Devices:
    def __call__(self, jobs: Sequence[str]) -> list[tuple[str, str]]:
        return [(job, os.environ.get("CUDA_VISIBLE_DEVICES", "unset")) for job in jobs]

    def end(self) -> None:
        """Nothing is open."""


def test_what_wants_a_device_runs_on_one_and_nothing_else_sees_it(nodes: TwoNodes) -> None:
    groups = [Group([f"plain {k}"]) for k in range(3)] + [Group([f"fast {k}"], device=True) for k in range(3)]
    seen = dict(one for outcomes in execute(Devices(), groups, nodes.site) for one in outcomes)
    assert {seen[f"plain {k}"] for k in range(3)} == {""}
    assert {seen[f"fast {k}"] for k in range(3)} == {"0"}
    assert cluster_executor.has_gpus(nodes.site)


def test_addresses_that_are_none_are_refused_with_a_reason() -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        crew_of(Site(0, "ray://head:10001"))


# ---------------------------------------------------------------- whole stages


def tables(run: Run) -> dict[str, Any]:
    """All that was seen and measured, by key; blobs go by their content."""
    found: dict[str, Any] = {}
    for log, kind in (("observations", Observation), ("answers", Answer), ("scores", Score)):
        found |= {key: record.model_dump() for key, record in run.latest(log, kind).items()}
    return found


@dataclass
class Killing(Silent):
    """Kills a node at the first report of a stage."""

    nodes: TwoNodes
    node: Any
    stage: str
    now: str = ""
    done: list[str] = field(default_factory=list)

    def start(self, stage: str, total: int, skipped: int) -> None:
        self.now = stage

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        self.done += [outcome.name for outcome in outcomes if self.now == self.stage]
        if self.done and self.node.any_processes_alive():
            self.nodes.kill(self.node)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grey_suite(tmp_path_factory.mktemp("greys") / "suite", 12)


PROTOCOL = """
summary = "two metrics and an ask about every clip"
metrics = ["vqa_things:sound", "psnr_all:sound", "turned_away"]
headline = ["psnr_all:sound"]

[asks]
"answer:sound" = { prompt = "memobench/answer", variant = "sound", frames = "rate:3:24" }
"""


def planned(folder: Path, suite: Path, **more: Any) -> tuple[Run, Plan]:
    protocol = suite.parent / "small.toml"
    protocol.write_text(PROTOCOL)
    run = make_run(folder)
    return run, plans.extend(run, str(suite), [system("held-first-frame")], chosen=[str(protocol)], **more)


def test_the_same_tables_as_local_workers_even_with_a_node_killed(nodes: TwoNodes, suite: Path, tmp_path: Path) -> None:
    here, plan = planned(tmp_path / "local", suite)
    walk(here, plan, Options(), Silent())
    there, plan = planned(tmp_path / "ray", suite)
    killing = Killing(nodes, nodes.one_more(), "observe")
    reports = walk(there, plan, Options(executor=f"ray:{nodes.site.address}", workers=0), killing)
    assert not killing.node.any_processes_alive(), "it was killed in the middle of a stage"
    assert tables(there) == tables(here)
    assert len(tables(here)) >= 48
    assert len(killing.done) == len(set(killing.done)) == 12
    assert {report.stage: len(report.failures) for report in reports} == dict.fromkeys(
        ("tasks", "controls", "generate", "observe", "score"), 0
    )
    assert not [path for path in there.root.iterdir() if path.name.startswith(".shared")]


def test_a_folder_that_is_not_shared_is_noticed(
    nodes: TwoNodes, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, plan = planned(tmp_path / "run", suite)
    monkeypatch.setattr(Path, "touch", lambda self: None)  # so the mark is not seen from elsewhere
    with pytest.raises(StoreError, match="must share the folder"):
        run_stage(STAGES["tasks"], run, plan, Options(executor=f"ray:{nodes.site.address}", workers=0), Silent())


def test_the_budget_is_a_hard_stop_and_answers_are_those_of_one_process(
    nodes: TwoNodes, suite: Path, tmp_path: Path
) -> None:
    with serving(Manner(says_true=True)) as server:
        judge = {"judges": [f"openai:{server.url}#one"], "settings": {"openai.attempt_s": 60}}
        run, plan = planned(tmp_path / "run", suite, **judge)
        for stage in ("tasks", "controls", "generate", "observe"):
            run_stage(STAGES[stage], run, plan, Options(), Silent())
        options = Options(executor=f"ray:{nodes.site.address}", workers=0)
        run_stage(STAGES["judge"], run, plan, replace(options, ceilings={None: Ceiling(calls=5)}), Silent())
        assert len(server.log) == 5
        run_stage(STAGES["judge"], run, plan, options, Silent())
        there = run.latest("answers", Answer)
        assert {answer.status for answer in there.values()} == {"ok"}
        assert len(server.log) == 12, "one call about every clip, and none twice"
        run_stage(STAGES["judge"], run, plan, Options(fresh=True), Silent())
        assert len(server.log) == 12, "the same frames and words, so all of it comes out of the cache"
        here = run.latest("answers", Answer)
    without = {"spent"}
    assert {k: a.model_dump(exclude=without) for k, a in here.items()} == {
        k: a.model_dump(exclude=without) for k, a in there.items()
    }


# ---------------------------------------------------------------- models in memory


class Parrot:
    """A backend that says who answers."""

    limits = Limits(concurrency=2, attempts=1)
    identity = "parrot"

    def estimate(self, probe: Probe) -> Cost:
        return Cost(1)

    async def send(self, probe: Probe) -> Received:
        if probe.prompt == "kills":
            os.kill(os.getpid(), signal.SIGKILL)
        if probe.prompt == "barred":
            raise CallFailed("barred", "no")
        return Received(str(os.getpid()), Cost(1))

    def read(self, raw: str, probe: Probe) -> Said:
        return Said(raw)

    async def __aenter__(self) -> Parrot:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Nothing to close."""


def test_a_model_in_memory_answers_on_devices_and_outlives_its_process(nodes: TwoNodes) -> None:
    probe = Probe("who?", (), About("q", "ab" * 32))

    async def asked() -> None:
        async with on_cluster(crew_of(nodes.site)) as helpers:
            async with await helpers.opened(Parrot) as backend:
                assert isinstance(backend, Seats)
                first = (await backend.send(probe)).raw
                assert (await backend.send(probe)).raw == first != str(os.getpid()), "a clip stays with one device"
                with pytest.raises(CallFailed, match="no"):
                    await backend.send(replace(probe, prompt="barred"))
                with pytest.raises(CallFailed, match="3 times the model's process died"):
                    await backend.send(replace(probe, prompt="kills"))
                assert (await backend.send(probe)).raw != first
            assert await helpers.call(pickle.loads, pickle.dumps("there and back")) == "there and back"
            with pytest.raises(LookawayError, match="3 workers died over it"):
                await helpers.call(os.abort)
            assert await helpers.call(os.getpid) != os.getpid()

    asyncio.run(asked())
    assert judging.STRIKES == 3


def test_single_calls_outlive_their_node(nodes: TwoNodes) -> None:
    more = nodes.one_more()

    async def asked() -> None:
        crew = crew_of(nodes.site)
        async with on_cluster(crew) as helpers:
            assert len({await one for one in [helpers.call(os.getpid) for _ in range(3)]}) >= 1
            nodes.kill(more)
            for _ in range(4):
                assert await helpers.call(os.getpid) != os.getpid()
            beside = [helpers.call(time.sleep, 1.0), helpers.call(os.abort)]
            slept, aborted = await asyncio.gather(*beside, return_exceptions=True)
            assert slept is None
            assert isinstance(aborted, LookawayError)
            assert await helpers.call(os.getpid) != os.getpid()
            assert isinstance(helpers, judging.ClusterHelpers)
            assert helpers._free.qsize() <= len(crew.hands), "nobody is free twice"

    asyncio.run(asked())


def test_workers_that_never_start_are_told_at_once(nodes: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_started(crew: crews.Crew, hand: crews.Hand) -> None:
        raise LookawayError("workers do not start on this cluster")

    async def asked() -> None:
        crew = crew_of(nodes.site)
        crew.kill()
        async with on_cluster(crew) as helpers, asyncio.timeout(250):  # sooner than START_S
            both = await asyncio.gather(*(helpers.call(os.getpid) for _ in range(2)), return_exceptions=True)
            assert [str(error) for error in both] == ["workers do not start on this cluster"] * 2

    monkeypatch.setattr(crews.Crew, "started", not_started)
    asyncio.run(asked())
    dismiss_all()


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("The actor died because its node has died. Node Id: 45c8", crews.NODE_GONE),
        ("the actor's node was terminated unexpectedly: health check failed", crews.NODE_GONE),
        ("The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR", "the process ended"),
        ("Task was killed due to the node running low on memory", "its node ran out of memory"),
    ],
)
def test_a_death_has_a_reason_in_a_line(told: str, reason: str) -> None:
    assert crews.why(RuntimeError(told)).startswith(reason)


# ---------------------------------------------------------------- our own cluster


def test_a_cluster_of_our_own_is_heard_on_loopback_only(tmp_path: Path) -> None:
    import psutil

    found = list(execute(Noting(tmp_path, sleep_s=0.1), [Group([f"job {k}"]) for k in range(4)], Site(2)))
    assert len(found) == 4
    me = psutil.Process()
    listening = [
        connection.laddr.ip
        for process in (me, *me.children(recursive=True))
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) >= 4
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
    dismiss_all()
