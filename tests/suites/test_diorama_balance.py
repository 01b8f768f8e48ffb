"""The full suite is balanced, and what it cannot have is listed."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from lookaway.suites import SUITES, Draft
from lookaway.suites.diorama import (
    CATEGORIES,
    EVENTS,
    HARD_LOOKS,
    ITSELF,
    MAIN_LOOKS,
    SIDES,
    base_shots,
    impossible,
)
from lookaway.suites.known_world import Shot
from lookaway.worlds import LAYOUTS, PROCESSES

VALUES = {"category": CATEGORIES, "look": (*MAIN_LOOKS, *HARD_LOOKS, ITSELF), "event": EVENTS, "side": SIDES}


def dimensions(made: Shot) -> dict[str, str]:
    traits = PROCESSES.find(made.world.process).traits
    event = "none" if made.world.variant == "still" else traits.event
    return {"category": traits.category, "look": made.look, "event": event, "side": made.world.side}


ROWS = [dimensions(made) for made in base_shots()]
MAIN = [row for row in ROWS if row["look"] in MAIN_LOOKS]


def test_it_is_large_enough() -> None:
    assert len(ROWS) >= 120
    assert len({made.world.layout for made in base_shots()}) == len(LAYOUTS.names()) >= 8
    assert {made.world.process for made in base_shots()} == set(PROCESSES.names())


def test_there_are_four_processes_or_more_in_each_category() -> None:
    counts = Counter(PROCESSES.find(name).traits.category for name in PROCESSES.names())
    assert set(counts) == set(CATEGORIES)
    assert min(counts.values()) >= 4
    assert sum(counts.values()) >= 24


def test_category_look_and_side_are_a_full_factorial() -> None:
    counts = Counter((row["category"], row["look"], row["side"]) for row in MAIN)
    assert set(counts) == set(itertools.product(CATEGORIES, MAIN_LOOKS, SIDES))
    assert set(counts.values()) == {1}


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(VALUES, 2)))
def test_every_pair_occurs_or_is_listed_as_impossible(first: str, second: str) -> None:
    seen = {(row[first], row[second]) for row in ROWS}
    for pair in itertools.product(VALUES[first], VALUES[second]):
        listed = pair in impossible() or pair[::-1] in impossible()
        assert (pair in seen) != listed, f"{pair}: {'listed as impossible, yet there' if listed else 'missing'}"


def spread(counts: Counter[tuple[str, str]], among: list[tuple[str, str]]) -> int:
    """How much more often the most frequent of these pairs occurs than the rarest."""
    found = [counts[pair] for pair in among]
    return max(found) - min(found)


def test_counts_of_pairs_are_even() -> None:
    """12 tasks of a look, 25 of a category and 75 of a side are dealt to four events; some categories lack two."""
    for look in MAIN_LOOKS:
        counts = Counter((row["look"], row["event"]) for row in MAIN)
        assert spread(counts, [(look, event) for event in EVENTS]) <= 2
    for event in EVENTS:
        counts = Counter((row["side"], row["event"]) for row in ROWS)
        assert spread(counts, [(side, event) for side in SIDES]) <= 2
    for category in CATEGORIES:
        counts = Counter((row["category"], row["event"]) for row in ROWS)
        possible = [(category, event) for event in EVENTS if (category, event) not in impossible()]
        assert min(counts[pair] for pair in possible) >= 4
    layout_counts = Counter(made.world.layout for made in base_shots())
    assert max(layout_counts.values()) - min(layout_counts.values()) <= 2
    for look in (*MAIN_LOOKS[2:], *HARD_LOOKS):
        turned = Counter(made.turn for made in base_shots() if made.look == look)
        assert abs(turned["left"] - turned["right"]) <= 2


def twins() -> list[Draft]:
    return SUITES.get("diorama").drafts()


def test_every_task_has_an_observed_and_a_static_twin_in_the_same_world() -> None:
    shots = {draft.id: Shot.of(draft) for draft in twins()}
    for name, made in shots.items():
        if made.twin is None:
            for kind in ("observed", "static"):
                twin = shots[f"{name}_{kind}"]
                assert (twin.twin, twin.twin_of, twin.world, twin.look) == (kind, name, made.world, made.look)


def test_causal_changes_have_opposite_twins_in_the_same_room() -> None:
    shots = {draft.id: Shot.of(draft) for draft in twins()}
    opposites = {name: made for name, made in shots.items() if made.twin == "opposite"}
    assert len(opposites) >= 12
    for made in opposites.values():
        base = shots[str(made.twin_of)]
        assert PROCESSES.find(made.world.process).traits.category == "causal change"
        assert made.world == base.world.model_copy(update={"variant": "opposite"})
