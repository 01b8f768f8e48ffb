"""Which clips of a large run a report shows: those that its tables lead to, then some of every scene."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest

from lookaway.records import CaseId, Table, Task

MOST_SHOWN = 1000  # clips; each costs some 15 ms and a kilobyte of the report


def tasks_shown(
    cases: Iterable[CaseId], tasks: Mapping[str, Task], tables: Iterable[Table], most: int = MOST_SHOWN
) -> list[str]:
    """Tasks with at most so many clips together, but one at least; all of them where `most` is 0."""
    clips = Counter(case.task for case in cases)
    if not most or clips.total() <= most:
        return sorted(clips)
    led_to = [task for task in _led_to(tables) if task in clips]
    found: list[str] = []
    for task in dict.fromkeys([*led_to, *_scenes_in_turn(tasks[task] for task in sorted(clips))]):
        if found and clips[task] > most:
            break
        found.append(task)
        most -= clips[task]
    return sorted(found)


def _led_to(tables: Iterable[Table]) -> list[str]:
    links = [cell.link for table in tables for row in table.rows for cell in row.cells if cell.link]
    return list(dict.fromkeys(CaseId.parse(link).task for link in links))


def _scenes_in_turn(tasks: Iterable[Task]) -> Iterator[str]:
    """One task of every scene, then a second one of each: a1, b1, c1, a2, b2, a3"""
    scenes: dict[str, list[str]] = {}
    for task in tasks:
        scenes.setdefault(task.scene, []).append(task.id)
    for turn in zip_longest(*scenes.values()):
        yield from (task for task in turn if task is not None)
