"""Promises that every registered metric keeps, run over every case of the demo run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway import protocols
from lookaway.calibration.thresholds import badness
from lookaway.gates import GATES
from lookaway.metrics import METRICS, Case, Metric, Outcome
from lookaway.observers import OBSERVERS
from lookaway.outcomes import Gated, Measured
from lookaway.pipeline import plans
from lookaway.pipeline.score import _score
from lookaway.pipeline.score import jobs as score_jobs
from lookaway.pipeline.sheets import case_of
from lookaway.records import Board, Score
from lookaway.store import open_run
from tests.looking.cases import looked_at_cases

EVERY = list(METRICS.all().values())
MEMORY = [m for m in EVERY if {"turned_away", "ever_hidden", "left_view", "subject_left"} & set(m.gates)]
MEMOBENCHES = ("memobench", "memobench_paper", "memobench_released", "memobench_sweeps")
IN_DEMO = set(protocols.load("diorama").metrics)
REAL_ONLY = [m for m in EVERY if m.ref in protocols.load("real").metrics and m.ref not in IN_DEMO]
LEARNED = {
    observer.name for observer in OBSERVERS.all().values() if observer.weights or observer.extra or observer.unverified
}
FOLLOWED = METRICS.get("tracked_support:sound")  # of the films of `look`, but a still camera is 0 and not gated
LAWS = [METRICS.get(str(ref)) for ref in protocols.load("session_laws").headline]  # tested by themselves
# in WRBench; the latter is tested beside its observer
ELSEWHERE = [FOLLOWED, METRICS.get("visual_integrity:plain"), *LAWS]
# MemoBench's, tested beside their observers
MEMOBENCH = [m for m in EVERY for name in MEMOBENCHES if m.ref in protocols.load(name).metrics and m.ref not in IN_DEMO]
UNJUDGED = [m for m in EVERY if m.ref in protocols.load("stevo_unjudged").metrics and m.ref not in IN_DEMO]
EXACT = [m for m in UNJUDGED if m.variant == "exact"]  # of the demo's observers, though not in its protocol
SEEN_IN_DEMO = [
    m
    for m in EVERY
    if not m.all_asks
    and not m.reads
    and not LEARNED & set(m.observers)
    and m not in (*REAL_ONLY, *ELSEWHERE, *MEMOBENCH, *UNJUDGED)
]
NOT_ASKED_IN_DEMO = {"static_hold"}  # every camera of the demo is asked to turn
VARIANTS = (
    *("paper", "released", "sound"),
    *("patch_mean", "plain"),  # integrity by other features
    *("exact", "followed"),  # beside a known world; from the subject's box alone
    "anchored",  # beside the true clip resampled phase by phase
    *("paper_dis", "released_dis", "sound_dis"),  # by optical flow without weights
    *("paper_text", "paper_prompt", "yoked"),  # StEvo-Bench's text and prompts differ; asked alike of both arms
)
SETTINGS = (
    "cover",
    "prompt",
    "size",
    "turn",
    "top",
    "tau",
    "sample",
)  # what is varied, and the clips it is about: `cover_0.1_50`
# The same pixels are coded a little differently after other frames, so pixel comparisons wobble in the last digits.
NOISE = {"dB": 0.05, "similarity": 0.002}


def name(metric: Metric) -> str:
    return f"{metric.name}:{metric.variant}"


@pytest.fixture(scope="module")
def cases(demo_run: Path) -> list[Case]:
    run = open_run(demo_run)
    return [case_of(run, job.payload.sheet) for job in score_jobs(run, plans.load(run))]


@pytest.mark.parametrize("metric", EVERY, ids=name)
def test_a_metric_says_what_it_is(metric: Metric) -> None:
    assert metric.doc
    assert metric.unit
    assert metric.version >= 1
    assert metric.variant in VARIANTS or metric.variant.partition("_")[0] in SETTINGS
    for name in (*metric.needs, *metric.reads):
        OBSERVERS.get(name)
    for gate in metric.gates:
        assert set(GATES.get(gate).needs) <= set(metric.looks_with(())), f"{gate} could not look"
    assert metric.looks_with(())[: len(metric.needs)] == metric.needs
    assert metric.rounds == bool({"posed"} & set(metric.gates)), "what is posed of a twin is posed of each round"


@pytest.mark.parametrize("metric", [*SEEN_IN_DEMO, *REAL_ONLY, FOLLOWED, *EXACT], ids=name)
def test_a_metric_returns_a_number_or_a_reason_and_the_same_one_twice(metric: Metric, cases: list[Case]) -> None:
    for case in looked_at_cases().values() if metric in (*REAL_ONLY, FOLLOWED) else cases:
        first, second = metric.function(case), metric.function(case)
        assert first == second
        if isinstance(first, float | Measured):
            numbers = (first.value, *first.bounds) if isinstance(first, Measured) else (first,)
            assert np.isfinite(numbers).all()
            if metric.range is not None:
                assert metric.range[0] <= min(numbers) <= max(numbers) <= metric.range[1]
        else:
            assert first.reason


@pytest.mark.parametrize("metric", SEEN_IN_DEMO, ids=name)
def test_a_fault_never_beats_the_true_world(metric: Metric, demo_board: Board) -> None:
    truth = demo_board.cell("truth", metric.name, variant=metric.variant)
    if metric.name in NOT_ASKED_IN_DEMO:
        assert truth.not_applicable == truth.n
        pytest.skip("no task of the demo asks for it")
    assert truth.value is not None
    for fault in ("frozen", "vanished"):
        cell = demo_board.cell(fault, metric.name, variant=metric.variant)
        if cell.value is not None:
            true, faulty = badness(np.array([truth.value, cell.value]), metric)
            noise = max(NOISE.get(metric.unit, 1e-9), metric.margin)
            assert true - faulty <= noise, f"{fault} beats the truth on {metric.name}"


@pytest.mark.parametrize("metric", [*REAL_ONLY, FOLLOWED], ids=name)
def test_a_fault_never_beats_the_true_film(metric: Metric) -> None:
    made = {kind: opened(metric, case) for kind, case in looked_at_cases().items()}
    values = {kind: value for kind, value in made.items() if isinstance(value, float | Measured)}
    assert "true" in values, made["true"]
    for kind in values.keys() - {"true"}:
        pair = [v.value if isinstance(v, Measured) else v for v in (values["true"], values[kind])]
        true, faulty = badness(np.array(pair), metric)
        assert true - faulty <= max(1e-9, metric.margin), f"{kind} beats the true film on {metric.name}"


@pytest.mark.parametrize("metric", [m for m in REAL_ONLY if m.gates], ids=name)
def test_a_still_camera_poses_no_question_without_truth(metric: Metric) -> None:
    assert isinstance(opened(metric, looked_at_cases()["static camera"]), Gated)


def opened(metric: Metric, case: Case) -> Outcome | Gated | None:
    """Whatever closes the metric's gates, or what it says."""
    closed = (GATES.get(gate)(case) for gate in metric.gates)
    return next((verdict for verdict in closed if verdict is not None), None) or metric.function(case)


@pytest.mark.parametrize("metric", MEMORY, ids=name)
def test_a_static_camera_gets_no_number_on_a_memory_question(metric: Metric, demo_run: Path) -> None:
    if metric not in SEEN_IN_DEMO:
        pytest.skip("not part of the demo run")
    scores = open_run(demo_run).latest("scores", Score).values()
    mine = [s for s in scores if (s.system, s.metric) == ("static-camera", metric.name)]
    assert mine
    assert all((s.status, s.gate, s.value) == ("gated", "avoided", None) for s in mine)


@pytest.mark.parametrize("metric", SEEN_IN_DEMO, ids=name)
def test_a_failing_metric_becomes_a_row_with_its_reason(
    metric: Metric, demo_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin's bug must cost its own cell, not the run."""
    run = open_run(demo_run)
    job = next(j for j in score_jobs(run, plans.load(run)) if "/truth/" in j.name)
    reading = next(r for r in job.payload.readings.values() if r.metric == name(metric))

    def broken(case: Case) -> float:
        raise KeyError("no such array")

    monkeypatch.setitem(METRICS._plugins, name(metric), _with(metric, broken))
    sheet = job.payload.sheet
    score, _ = _score(job.payload, sheet, case_of(run, sheet), reading)
    assert score.status == "failed"
    assert "KeyError" in score.reason
    assert "test_metrics.py" in score.reason
    monkeypatch.setitem(METRICS._plugins, name(metric), _with(metric, lambda case: float("inf")))
    endless, _ = _score(job.payload, sheet, case_of(run, sheet), reading)
    assert endless.status == "failed"


def _with(metric: Metric, function: object) -> Metric:
    import dataclasses

    return dataclasses.replace(metric, function=function, gates=())


@pytest.mark.parametrize("protocol", protocols.names())
def test_a_protocol_names_only_what_exists(protocol: str) -> None:
    loaded = protocols.load(protocol)
    assert set(map(str, loaded.metrics)) <= set(METRICS.all())
    assert set(loaded.headline) <= set(loaded.metrics)
    assert {step.metric for step in loaded.ledger} <= set(loaded.metrics)
    assert loaded.summary


def test_no_case_tells_who_made_the_video(cases: list[Case], demo_run: Path) -> None:
    """Metrics and gates see a Case and nothing else; no field of it may name a system."""
    import dataclasses

    assert {field.name for field in dataclasses.fields(Case)} == {
        "task",
        "truth",
        "seen",
        "answers",
        "questions",
        "round",
    }
    for case in cases:
        text = case.task.model_dump_json() + str({k: list(v) for k, v in case.seen.items()})
        for system in ("frozen", "vanished", "static-camera"):
            assert system not in text
