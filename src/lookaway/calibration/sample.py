"""Which tasks and cases a calibration runs: spread evenly over halves, layouts, looks and processes, without chance."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import halves, layout_of
from lookaway.errors import UsageError
from lookaway.records import CaseId, Task, WorldSpec, content_key
from lookaway.suites import Draft, Suite
from lookaway.suites.known_world import Shot

T = TypeVar("T")

SMALL_SUITE = 12  # tasks up to which a suite is small


@dataclass(frozen=True)
class Quotas:
    """Clips per rung, by what it is; truth is made once per task."""

    fault: int  # at the middle of a ladder
    rung: int  # at every other severity
    harmless: int
    stress: int
    baseline: int
    seeds: int  # at most so many clips of one task

    def of(self, rung: Rung) -> int | None:
        if rung.kind == "truth":
            return None
        if rung.kind == "fault":
            return self.fault if rung.middle else self.rung
        return int(getattr(self, rung.kind))


LARGE = Quotas(fault=75, rung=15, harmless=30, stress=15, baseline=30, seeds=40)
SMALL = Quotas(fault=4, rung=1, harmless=2, stress=2, baseline=2, seeds=1)  # minutes, not hours
LARGE_TASKS = 160


def candidates(suite: Suite) -> list[Draft]:
    """Tasks of the known world that hide their subject and are nobody's twin."""
    drafts = suite.drafts()
    needed = {name for name, field in WorldSpec.model_fields.items() if field.is_required()}
    if not all(needed <= {name for name, _ in draft.facts} for draft in drafts):
        raise UsageError(f"suite '{suite.name}' has no known world; calibrate needs one, such as diorama-mini")
    found = [draft for draft in drafts if draft.hides and Shot.of(draft).twin is None]
    if not halves(Shot.of(draft).world.layout for draft in found)[1]:
        raise UsageError(f"suite '{suite.name}' hides its subject in fewer than two layouts; calibrate needs two")
    return found


def is_small(drafts: Sequence[Draft]) -> bool:
    return len(drafts) <= SMALL_SUITE


def choose_tasks(drafts: Sequence[Draft], most: int) -> list[str]:
    """Ids of at most that many drafts, as even as they come."""
    first, _ = halves(Shot.of(draft).world.layout for draft in drafts)

    def strata(draft: Draft) -> tuple[Hashable, ...]:
        made = Shot.of(draft)
        layout, process, look = made.world.layout, made.world.process, made.look
        return layout in first, ("look", look), ("layout", layout), ("process", process), (layout, look)

    return [draft.id for draft in spread(drafts, strata, lambda draft: draft.id, most)]


def choose_cases(rungs: Iterable[Rung], tasks: Mapping[str, Task], quotas: Quotas) -> list[CaseId]:
    """The cases of each rung: as many clips as its quota, on different tasks first, then with further seeds.

    Rungs of one ladder share their tasks as far as they go, so that a curve compares like with like.
    """
    first, _ = halves(map(layout_of, tasks.values()))

    def strata(task: Task) -> tuple[Hashable, ...]:
        layout, look = layout_of(task), task.observation_controls
        process = task.world.process if task.world is not None else task.category
        return layout in first, ("look", look), ("layout", layout), ("category", task.category), ("process", process)

    cases = []
    for rung in rungs:
        fit = [task for task in tasks.values() if not rung.applies(task)]
        quota = quotas.of(rung)
        order = spread(fit, strata, functools.partial(_shuffled, rung.name), quota or len(fit))
        clips = [CaseId(task=t.id, system=rung.system, seed=s) for s in range(quotas.seeds) for t in order]
        cases += clips[: len(fit) if quota is None else quota]
    return cases


def _shuffled(rung: str, task: Task) -> str:
    """Breaks ties between tasks, for each model in another order."""
    return content_key(rung, task.id)


def spread(
    items: Iterable[T], strata: Callable[[T], Sequence[Hashable]], name: Callable[[T], str], most: int
) -> list[T]:
    """At most that many items, each time the one whose strata have come up least, first stratum first."""
    used: Counter[Hashable] = Counter()
    left = {name(item): (item, strata(item)) for item in items}
    order = sorted(left)
    chosen: list[T] = []
    while order and len(chosen) < most:
        best = min(order, key=lambda key: tuple(used[stratum] for stratum in left[key][1]))
        order.remove(best)
        item, groups = left[best]
        used.update(groups)
        chosen.append(item)
    return chosen
