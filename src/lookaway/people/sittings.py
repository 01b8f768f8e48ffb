"""In which order one person is shown what: shuffled, sides drawn, checks spread, some items again. Pure."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from lookaway.records import Showing, Study, StudyItem


def chosen_items(items: Sequence[StudyItem], given_out: Mapping[str, int], each: int | None, name: str) -> list[str]:
    """The ids that the next person is shown: those that fewest people have, chance deciding among equals."""
    chance = random.Random(f"choose/{name}")
    rank = {item.id: (given_out.get(item.id, 0), chance.random()) for item in items}
    return sorted(rank, key=rank.__getitem__)[: each or len(rank)]


def sitting(study: Study, main: Sequence[str], checks: Sequence[str], name: str) -> tuple[Showing, ...]:
    """What a person of this name is shown, in order. The same name and items always give the same order.

    Checks stand at even distances. An item that is shown again comes after all others, its sides swapped, and never
    right after itself.
    """
    chance = random.Random(f"order/{study.seed}/{name}")
    order = sorted(main)
    chance.shuffle(order)
    first = _spread(order, chance.sample(sorted(checks), min(study.checks, len(checks))))
    again = chance.sample(order[: max(1, 2 * len(order) // 3)], min(study.repeats, 2 * len(order) // 3))
    sides = {item: study.paired and chance.random() < 0.5 for item in first}
    shown = [(item, sides[item], 0) for item in first]
    shown += [(item, study.paired and not sides[item], 1) for item in again]
    return tuple(
        Showing(number=number, item=item, flipped=flipped, round=turn)
        for number, (item, flipped, turn) in enumerate(shown)
    )


def _spread(order: Sequence[str], checks: Sequence[str]) -> list[str]:
    """abcdef with X, Y -> ab X cd Y ef"""
    found = list(order)
    for number in reversed(range(len(checks))):
        found.insert(len(order) * (number + 1) // (len(checks) + 1), checks[number])
    return found
