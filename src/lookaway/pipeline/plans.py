"""A run folder's plan: written whole, read by every stage."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from lookaway import protocols, suites
from lookaway.errors import StoreError, UsageError
from lookaway.judges import JUDGES
from lookaway.metrics import Metric
from lookaway.metrics import find as find_metric
from lookaway.records import Plan, Protocol, Setting, System
from lookaway.store import Run

DEFAULT_PROTOCOLS = ("diorama",)


def load(run: Run) -> Plan:
    path = run.root / "run.json"
    try:
        return Plan.model_validate_json(path.read_text())
    except FileNotFoundError as error:
        raise UsageError(
            f"{run.root}: no run here; start one with: lookaway run --suite S --models M --out {run.root}"
        ) from error
    except (OSError, ValidationError) as error:
        raise StoreError(f"{path}: cannot be read as a run's plan ({error})") from error


def save(run: Run, plan: Plan) -> None:
    path = run.root / "run.json"
    temporary = run.root / f".run-{os.getpid()}.json"
    try:
        run.root.mkdir(parents=True, exist_ok=True)
        temporary.write_text(plan.model_dump_json(indent=2) + "\n")
        temporary.replace(path)
    except OSError as error:
        raise StoreError(f"{run.root}: cannot write here: {error.strerror}; choose another --out") from error


def extend(
    run: Run,
    suite: str,
    systems: Iterable[System] = (),
    seeds: Iterable[int] = (0,),
    chosen: Iterable[str] = DEFAULT_PROTOCOLS,
    judge: str | None = None,
    settings: dict[str, Setting] | None = None,
    keep: bool = True,
) -> Plan:
    """The folder's plan with these systems added, and saved if `keep`. A run folder holds one suite."""
    found, suite = suites.find(suite), _lasting(suite)
    before = load(run) if (run.root / "run.json").exists() else None
    if before is not None and before.suite != suite:
        raise UsageError(f"{run.root} holds suite '{before.suite}', not '{suite}'; give another --out")
    if judge is not None:
        JUDGES.get(judge.partition(":")[0])
    kept = {s.name: s for s in (before.systems if before else ())} | {s.name: s for s in systems}
    plan = Plan(
        suite=suite,
        suite_version=str(found.version),
        systems=tuple(kept.values()),
        seeds=tuple(sorted({*(before.seeds if before else ()), *seeds})),
        protocols=tuple(({p.name: p for p in (before.protocols if before else ())} | _loaded(chosen)).values()),
        judge=judge or (before.judge if before else None),
        settings=(before.settings if before else {}) | (settings or {}),
    )
    if keep:
        save(run, plan)
    return plan


def _loaded(chosen: Iterable[str]) -> dict[str, Protocol]:
    return {p.name: p for p in map(protocols.load, chosen)}


def _lasting(name: str) -> str:
    """A name as it is; a path made absolute, so that the plan holds from any folder."""
    return str(Path(name).resolve()) if Path(name).exists() and ("/" in name or "." in name) else name


def planned_metrics(plan: Plan) -> list[tuple[str, Metric]]:
    """(protocol, metric) pairs that this plan can measure."""
    return [
        (protocol.name, metric)
        for protocol in plan.protocols
        for metric in map(find_metric, protocol.metrics)
        if plan.judge is not None or not metric.needs_answers
    ]


def not_measured(plan: Plan) -> dict[str, str]:
    """Metrics of the chosen protocols that will not be measured, and why."""
    return {
        metric: "needs a judge; give one with --judge"
        for protocol in plan.protocols
        for metric in protocol.metrics
        if plan.judge is None and find_metric(metric).needs_answers
    }


def planned_observers(plan: Plan) -> list[str]:
    return sorted({need for _, metric in planned_metrics(plan) for need in metric.needs})


def settings_of(plan: Plan, plugin: str) -> dict[str, Setting]:
    """The settings addressed to one plugin: `patch_features.model=...` reaches patch_features as `model`."""
    return {key.split(".", 1)[1]: value for key, value in plan.settings.items() if key.split(".", 1)[0] == plugin}
