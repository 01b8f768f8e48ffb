"""Run folders with scores that a test chooses: as a finished run leaves them, without its videos."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lookaway.metrics import METRICS
from lookaway.pipeline import plans
from lookaway.pipeline.planned import planned_scores
from lookaway.protocols import with_variants
from lookaway.records import Control, ModelCard, Plan, Protocol, Request, Score, Step, System, Task, content_key
from lookaway.store import Run
from tests.builders import task

METRIC_NAMES = ("left_view", "return_identity", "world_clock")
PROTOCOL = with_variants(
    Protocol(
        name="memory",
        summary="",
        metrics=METRIC_NAMES,
        headline=METRIC_NAMES,
        ledger=(
            Step(name="hidden", metric="left_view", at_least=0.5),
            Step(name="same", metric="return_identity", at_least=0.5),
        ),
    )
)
Values = Callable[[str, str, int], float | str]  # metric, task and seed to a number, or to why there is none


def tasks_in(scenes: int, per_scene: int = 2) -> list[Task]:
    return [
        task(id=f"t{scene:02}_{number}", scene=f"s{scene:02}", suite="a-suite", version="1")
        for scene in range(scenes)
        for number in range(per_scene)
    ]


def system(name: str) -> System:
    return System(name=name, card=ModelCard(name=name, summary="", control="none", generator="x"))


def write_run(
    folder: Path,
    values: Mapping[str, Values],
    tasks: Iterable[Task],
    seeds: Iterable[int] = (0,),
    **changes: Any,
) -> Path:
    """A run of these systems whose every score is chosen; seeds that are there already stay."""
    run, tasks, seeds = Run(folder), list(tasks), list(seeds)
    systems = {name: system(name) for name in values}
    facts: dict[str, Any] = {"suite": "a-suite", "suite_version": "1", "protocols": (PROTOCOL,)}
    looked = changes.pop("instruments", {})
    plan = Plan(
        **(facts | changes),
        tasks=tuple(one.id for one in tasks),
        systems=tuple(systems.values()),
        seeds=tuple(seeds),
    )
    plan = plans.with_instruments(plan)
    plan = plan.model_copy(update={"instruments": plan.instruments | looked})
    plans.save(run, plan)
    with run.writer("tasks") as writer:
        for one in tasks:
            writer.append(content_key("task", one.id), "", one)
    with run.writer("requests") as writer:
        for who in systems.values():
            for one, seed in ((one, seed) for one in tasks for seed in seeds):
                request = asked(one, who, seed)
                writer.append(content_key("request", str(request.case)), "", request)
    with run.writer("scores") as writer:
        for name, value_of in values.items():
            for reading in planned_scores(plan):
                for one, seed in ((one, seed) for one in tasks for seed in seeds):
                    score = scored(reading, one, systems[name], seed, value_of)
                    writer.append(content_key("score", str(score.case), reading.metric), "", score)
    return folder


def asked(one: Task, who: System, seed: int, **changes: Any) -> Request:
    facts: dict[str, Any] = {
        "case": {"task": one.id, "system": who.label, "seed": seed},
        "prompt": one.prompt,
        "first_frame": one.first_frame,
        "control": Control(kind="none"),
        "width": 32,
        "height": 18,
        "frames": 9,
        "fps": 4.0,
        "task_instance": one.instance,
        "system_key": who.key,
    }
    return Request(**(facts | changes))


def scored(reading: Any, one: Task, who: System, seed: int, value_of: Values) -> Score:
    metric = METRICS.get(reading.metric)
    found = value_of(metric.name, one.id, seed)
    has = not isinstance(found, str)
    return Score(
        task=one.id,
        system=who.label,
        seed=seed,
        protocol=reading.protocol,
        metric=metric.name,
        variant=metric.variant,
        version=reading.version,
        instrument=reading.instrument,
        instrument_key=reading.instrument_key,
        phase_source="none",
        subject="a red ball",
        status="ok" if has else "abstained",
        value=found if has else None,
        reason="" if has else found,
    )
