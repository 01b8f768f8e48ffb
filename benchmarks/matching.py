"""Matching many videos with many tasks by their names, nothing decoded: 5,000 files and 10,000 tasks.

One file in ten is a near miss, whose task is looked for among all others.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from lookaway.pipeline.mapping import map_folder

TASKS, FILES, NEAR_MISSES = 10_000, 5_000, 500
PLACES, THINGS = ("street", "parlour", "workshop", "kitchen"), ("dominoes", "ball", "filling", "candle", "kettle")


def measure() -> dict[str, float]:
    """Seconds, at most 30, and whether all were found."""
    tasks = [task_id(number) for number in range(TASKS)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, task in enumerate(tasks[:FILES]):
            spelled = task.replace("_", "-").upper() if number < NEAR_MISSES else task
            (folder / f"mymodel_{spelled}_832x480_16fps.mp4").touch()
        started = monotonic()
        mapping = map_folder(folder, tasks)
        seconds = monotonic() - started
    unfound = FILES - len(mapping.matched) - len(mapping.meant)
    return {"seconds": seconds, "tasks": TASKS, "files": FILES, "unfound": unfound}


def task_id(number: int) -> str:
    return f"{PLACES[number % 4]}{number // 40}_{THINGS[number // 8 % 5]}_{('left', 'right')[number // 4 % 2]}"


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.2f}")
