"""The cases that a plan is about: task, system and seed of every clip to make."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from lookaway.controls import CONTROLS
from lookaway.generators import GENERATORS
from lookaway.pipeline.this_machine import is_elsewhere
from lookaway.records import CaseId, Plan, System


def generated_systems(plan: Plan) -> list[System]:
    """Systems whose clips can be made now; others brought theirs, or need what is not here."""
    here = [s for s in plan.systems if not missing_maker(s) and not is_elsewhere(s.card)]
    return [s for s in here if GENERATORS.get(s.card.generator).can_make(s.name)]


def missing_maker(system: System) -> str:
    """The generator or control that a system's card names and that is not installed here, or nothing."""
    if system.card.generator not in GENERATORS.all():
        return f"the generator '{system.card.generator}'"
    makes = GENERATORS.get(system.card.generator).can_make(system.name)
    return f"the control '{system.card.control}'" if makes and system.card.control not in CONTROLS.all() else ""


def planned_cases(plan: Plan, tasks: Iterable[str]) -> list[CaseId]:
    """The cases to make of these tasks, one task after the other: the plan's own, or all of them."""
    systems = [s.label for s in generated_systems(plan)]
    if not plan.cases:
        ways = list(itertools.product(systems, plan.seeds, plan.branches))
        return [CaseId(task=t, system=s, seed=n, branch=b) for t in tasks for s, n, b in ways]
    order = {task: number for number, task in enumerate(tasks)}
    known = [case for case in plan.cases if case.task in order and case.system in systems]
    return sorted(known, key=lambda case: order[case.task])
