"""The known world's full suite: every category under every look, from both sides, with twins.

Ten looks x six categories x two sides are a full factorial; event factors, layouts and turning directions are dealt out
so that every pair of them is as even as the processes allow. Five harder looks follow, each once per category, and the
processes that leave by themselves. Each task has an observed and a static twin, causal ones an opposite twin as well.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from lookaway.records import Event, Twin, WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.known_world import Shot, draft, paced, shot
from lookaway.suites.look_aways import Turn
from lookaway.worlds import LAYOUTS, PROCESSES
from lookaway.worlds.facts import Category

Side = Literal["left", "right"]

VERSION = 1
CATEGORIES: tuple[Category, ...] = get_args(Category)
EVENTS: tuple[Event, ...] = get_args(Event)
SIDES: tuple[Side, ...] = ("left", "right")
MAIN_LOOKS = (
    "yaw-left",
    "yaw-right",
    "tilt",
    "u-turn",
    "head-turn",
    "forward-turn",
    "vertical",
    "cardboard",
    "curtain",
    "lights-off",
)
HARD_LOOKS = ("loop", "other-view", "two-rounds", "three-rounds", "prefix")
ITSELF = "by-itself"
SCENES_PER_LAYOUT = 4
ROUNDS = 50


@dataclass(frozen=True)
class Choice:
    """One way to fill a cell: a process, run or held still."""

    process: str
    event: Event

    @property
    def still(self) -> bool:
        return self.event == "none"


@dataclass(frozen=True)
class TaskCell:
    """One task to be: its category, look and side are set."""

    category: Category
    look: str
    side: Side


@cache
def choices(cell: TaskCell) -> list[Choice]:
    """Everything that can be shown in a cell."""
    found = []
    for name in PROCESSES.names():
        traits = PROCESSES.find(name).traits
        if traits.category != cell.category or traits.leaves != (cell.look == ITSELF):
            continue
        if traits.glows and cell.look == "lights-off":
            continue
        found.append(Choice(name, traits.event))
        if traits.rests and cell.look != ITSELF:
            found.append(Choice(name, "none"))
    return found


def cells() -> list[TaskCell]:
    """All cells of the suite that some process can fill."""
    main = [TaskCell(category, look, side) for look in MAIN_LOOKS for category in CATEGORIES for side in SIDES]
    hard = [
        TaskCell(category, look, SIDES[(row + column) % 2])
        for row, look in enumerate(HARD_LOOKS)
        for column, category in enumerate(CATEGORIES)
    ]
    own = [TaskCell(category, ITSELF, side) for category in CATEGORIES for side in SIDES]
    return [cell for cell in (*main, *hard, *own) if choices(cell)]


@cache
def impossible() -> dict[tuple[str, str], str]:
    """Pairs of dimension values that no task can have, and why."""
    reasons: dict[tuple[str, str], str] = {}
    filled = [(cell, choice) for cell in cells() for choice in choices(cell)]
    for category, event in itertools.product(CATEGORIES, EVENTS):
        if not any(cell.category == category and choice.event == event for cell, choice in filled):
            reasons[category, event] = f"no process of this category is {event.replace('_', ' ')}"
    for category in CATEGORIES:
        if not any(cell.category == category and cell.look == ITSELF for cell, _ in filled):
            reasons[category, ITSELF] = "no process of this category leaves the view by itself"
    for event in EVENTS:
        if not any(choice.event == event and cell.look == ITSELF for cell, choice in filled):
            reasons[ITSELF, event] = "what leaves the view by itself moves and keeps its state"
    return reasons


def events(wanted: Sequence[TaskCell]) -> dict[TaskCell, Event]:
    """One event for each cell, moved about until no single change makes its pairs more even."""
    possible = {cell: sorted({choice.event for choice in choices(cell)}) for cell in wanted}
    chosen: dict[TaskCell, Event] = {}
    used: Counter[tuple[str, str]] = Counter()

    def crowding(cell: TaskCell, event: Event) -> int:
        return sum(weight * used[value, event] for value, weight in _weights(cell))

    for _ in range(ROUNDS):
        before = dict(chosen)
        for cell in wanted:
            if cell in chosen:
                used.subtract((value, chosen[cell]) for value, _ in _weights(cell))
            chosen[cell] = min(possible[cell], key=lambda event: crowding(cell, event))
            used.update((value, chosen[cell]) for value, _ in _weights(cell))
        if chosen == before:
            break
    return chosen


def _weights(cell: TaskCell) -> tuple[tuple[str, int], ...]:
    """The values whose events must be even; a look has fewer tasks than a category, a category fewer than a side."""
    return (cell.look, 6), (cell.category, 3), (cell.side, 1)


def dealt(wanted: Sequence[TaskCell]) -> Iterator[tuple[TaskCell, Choice, str, Turn]]:
    """Cells filled one by one, each with the process, layout and turn that have come up least so far."""
    used: Counter[tuple[str, ...]] = Counter()
    event_of_cell = events(wanted)
    for cell in wanted:
        options = [
            (choice, layout, turn)
            for choice in choices(cell)
            if choice.event == event_of_cell[cell]
            for layout in LAYOUTS.names()
            if LAYOUTS.find(layout).place in PROCESSES.find(choice.process).traits.places
            for turn in turns(cell.look)
        ]
        choice, layout, turn = min(options, key=lambda option: _crowding(used, cell, *option))
        used.update(_groups(cell, choice, layout, turn))
        yield cell, choice, layout, turn


def turns(look: str) -> tuple[Turn, ...]:
    match look:
        case "yaw-left":
            return ("left",)
        case "yaw-right":
            return ("right",)
        case _:
            return SIDES


def _groups(cell: TaskCell, choice: Choice, layout: str, turn: Turn) -> list[tuple[str, ...]]:
    """What must come up evenly, most important first."""
    return [
        ("process", choice.process, "still", str(choice.still)),
        ("layout", layout),
        ("side", cell.side, "turn", turn, "look", cell.look),
        ("layout", layout, "category", cell.category),
        ("layout", layout, "look", cell.look),
        ("layout", layout, "event", choice.event),
        ("layout", layout, "side", cell.side),
        ("process", choice.process, "side", cell.side),
        ("process", choice.process, "layout", layout),
    ]


def _crowding(
    used: Counter[tuple[str, ...]], cell: TaskCell, choice: Choice, layout: str, turn: Turn
) -> tuple[int, ...]:
    return tuple(used[group] for group in _groups(cell, choice, layout, turn))


@cache
def base_shots() -> tuple[Shot, ...]:
    """Every task without its twins."""
    shots = []
    rooms: Counter[str] = Counter()
    for cell, choice, layout, turn in dealt(cells()):
        spec = WorldSpec(
            layout=layout,
            process=choice.process,
            seed=rooms[layout] % SCENES_PER_LAYOUT,
            side=cell.side,
            variant="still" if choice.still else "plain",
        )
        rooms[layout] += 1
        shots.append(shot(paced(spec, cell.look), cell.look, turn))
    return tuple(shots)


def with_twins(name: str, version: str, made: Shot, ending: str = "") -> list[Draft]:
    """A task and its twins, next to each other so that they share the built world."""
    base = draft(name, version, made)
    base = replace(base, id=f"{base.id}{ending}")
    kinds: list[Twin] = ["observed", "static"]
    drafts = [base]
    for kind in kinds:
        twin = replace(made, twin=kind, twin_of=base.id)
        drafts.append(draft(name, version, twin, id=f"{base.id}_{kind}"))
    if PROCESSES.find(made.world.process).traits.opposite and made.world.variant == "plain":
        world = made.world.model_copy(update={"variant": "opposite"})
        twin = replace(made, world=world, twin="opposite", twin_of=base.id)
        drafts.append(draft(name, version, twin, id=f"{base.id}_opposite"))
    return drafts


@suite(
    "diorama",
    version=VERSION,
    summary="every category of change under every way of looking away, with twins; exact truth",
    extra="worlds",
)
def diorama() -> list[Draft]:
    return [twin for made in base_shots() for twin in with_twins("diorama", str(VERSION), made)]
