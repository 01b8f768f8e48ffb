"""What is to be asked about a clip now: what the gates of its metrics ask, and what lies behind those that are open."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

from lookaway.gates import GATES
from lookaway.outcomes import Abstain, Gated, NotApplicable
from lookaway.pipeline.items import Item, Said, Unasked, items_of
from lookaway.pipeline.obstacles import obstacle
from lookaway.pipeline.planned import Asking, PlannedScore
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.stage import Failure, attempt
from lookaway.readings import Case
from lookaway.records import Plan
from lookaway.store import Run

Closed = Gated | Abstain | NotApplicable | Failure


@dataclass(frozen=True)
class Unanswered:
    """What stands between a reading and its number: items that nobody has answered yet."""

    items: list[Item]


def due(readings: Iterable[PlannedScore], sheet: Sheet, case: Case, said: Said) -> dict[str, Item]:
    """All that is known to be needed of this clip, by key, as far as answers and gates say now."""
    met: list[Item] = []
    for reading in readings:
        if obstacle(sheet, case, reading.function, reading.lookers) is None:
            opened(reading, sheet, case, said, met)
    return {item.key: item for item in met}


def possible(readings: Iterable[PlannedScore], sheet: Sheet) -> dict[str, Item]:
    """All that could be asked of this clip if every gate were open and every frame shown."""
    found: dict[str, Item] = {}
    for reading in readings:
        for asking in reading.askings.values():
            items = items_of(asking, sheet, None, {})
            found |= {item.key: item for item in items} if isinstance(items, list) else {}
    return found


def opened(
    reading: PlannedScore, sheet: Sheet, case: Case, said: Said, met: list[Item] | None = None
) -> Case | Closed | Unanswered:
    """The case with all answers that the metric reads, or the first thing that stands in its way.

    Gates are tried in order, each once its own asks are answered; the metric's asks come last. `met` collects items.
    """
    met = met if met is not None else []
    seen = {name: arrays for name, arrays in case.seen.items() if name in reading.lookers}
    case = replace(case, seen=MappingProxyType(seen), round=reading.round)
    for name in reading.function.gates:
        gate = GATES.get(name)
        heard = _heard([reading.askings[ask] for ask in gate.asks], sheet, case, said, met)
        if not isinstance(heard, Case):
            return heard
        case = heard
        closed = attempt(gate, case)
        if closed is not None:
            return closed
    asks = [reading.askings[ask] for ask in reading.function.asks]
    return _heard(asks, sheet, case, said, met, reading.function.either)


def _heard(
    askings: Iterable[Asking], sheet: Sheet, case: Case, said: Said, met: list[Item], either: bool = False
) -> Case | Unasked | Failure | Unanswered:
    """The case with the answers to these asks; with `either`, to those of them that hold of the task."""
    open_items: list[Item] = []
    unheld: NotApplicable | None = None
    held = False
    waiting: set[str] = set()
    unasked: Unasked | Failure | None = None
    for asking in askings:
        if asking.ask.window.partition("@")[2] in waiting:
            continue  # what it shows is for that one to say
        items = items_of(asking, sheet, case, said)
        if either and isinstance(items, NotApplicable):
            unheld = unheld or items
            continue
        held = True
        if not isinstance(items, list):
            unasked = unasked or items
            continue
        met += items
        answers = {item.name: said[item.key] for item in items if item.key in said}
        unsaid = [item for item in items if item.key not in said]
        open_items += unsaid
        waiting |= {asking.name} if unsaid else set()
        failed = next((f"question {name}: {a.reason}" for name, a in answers.items() if a.status == "failed"), None)
        if failed is not None:
            unasked = unasked or Failure(failed)
        mine = {item.name: said[item.key] for item in items if item.key in said and item.ask == asking.ask}
        case = replace(case, answers=MappingProxyType({**case.answers, asking.name: mine}))
    if open_items:
        return Unanswered(open_items)
    return unasked or (case if held or unheld is None else unheld)


def asked_sheets(
    run: Run, plan: Plan, readings: Iterable[PlannedScore], of_tasks: Collection[str] | None = None
) -> list[Sheet]:
    """A sheet per clip, of these tasks if any are named, with all that these readings need of it."""
    lookers = {name: None for reading in readings for name in reading.lookers}
    beside = {asking.ask.beside for reading in readings for asking in reading.askings.values()}
    return sheets(run, plan, lookers, beside, of_tasks)
