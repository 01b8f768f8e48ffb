"""The systems a calibration runs: truth, harmless and stress variations, every rung of every fault, baselines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookaway import models
from lookaway.records import DetectionKind, System, Task
from lookaway.worlds.reference import REFERENCE, ReferenceModel


def everywhere(task: Task) -> str:
    """A baseline takes any task."""
    return ""


@dataclass(frozen=True)
class Rung:
    """One system to run: a reference model at one severity, or a baseline, and what is declared of it."""

    system: str
    kind: DetectionKind
    name: str
    severity: float | None = None
    middle: bool = True  # of its ladder
    declared: str = ""  # the metric that must notice
    applies: Callable[[Task], str] = everywhere  # empty, or why the task cannot show it


def rungs() -> list[Rung]:
    """Everything there is to run: truth, harmless, stress, faults, baselines; each ladder from mild to severe."""
    kinds = ("truth", "harmless", "stress", "fault")
    known = sorted(map(REFERENCE.find, REFERENCE.names()), key=lambda model: (kinds.index(model.kind), model.name))
    found = [_rung(_named(model, step), model, step) for model in known for step in model.ladder or (None,)]
    baselines = [name for name in models.names() if models.load(name).condition_type == "baseline"]
    return found + [Rung(name, "baseline", name) for name in baselines]


def rung_of(system: System) -> Rung | None:
    """What a system of any run is, by its card; None if it is neither a reference model nor a baseline."""
    card = system.card
    if card.condition_type == "baseline":
        return Rung(system.name, "baseline", system.name)
    name, severity = card.settings.get("reference"), card.settings.get("severity")
    if name not in REFERENCE.names():
        return None
    model = REFERENCE.find(str(name))
    return _rung(system.name, model, model.plain if severity is None else float(severity))


def _rung(system: str, model: ReferenceModel, severity: float | None) -> Rung:
    return Rung(
        system=system,
        kind=model.kind,
        name=model.name,
        severity=severity,
        middle=severity == model.middle,
        declared=model.fails[0] if model.fails else "",
        applies=model.applies,
    )


def _named(model: ReferenceModel, severity: float | None) -> str:
    return model.name if severity is None else f"{model.name}@{severity:g}"
