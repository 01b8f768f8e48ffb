"""Small records for the store's tests."""

from __future__ import annotations

from typing import Any

from lookaway.records import Interval, Score, Subject, Task, WorldSpec


def a_score(task: str = "lamp", system: str = "truth", value: float | None = 0.5, **changes: Any) -> Score:
    facts: dict[str, Any] = {
        "task": task,
        "system": system,
        "seed": 0,
        "protocol": "diorama",
        "metric": "object_return",
        "variant": "sound",
        "version": 1,
        "instrument": "view@1",
        "phase_source": "measured",
        "subject": "lamp",
        "status": "ok",
        "value": value,
        "evidence": ("ab", "cd"),
    }
    return Score(**(facts | changes))


def a_task(name: str = "lamp", **changes: Any) -> Task:
    facts: dict[str, Any] = {
        "id": name,
        "suite": "tiny",
        "version": "1",
        "scene": f"room of {name}",
        "category": "still",
        "moves": False,
        "changes_in_place": False,
        "prompt": "„Schau weg“\nand back",
        "first_frame": "0" * 64,
        "subjects": (Subject(name="lamp", box=(0.1, 0.2, 0.3, 0.4), side="left"),),
        "expected_end": "as it was",
        "camera": "look_away",
        "hfov_deg": 60,
        "width": 32,
        "height": 18,
        "fps": 12,
        "seconds": 2,
        "phases": (Interval(phase="visible", start_s=0, end_s=1),),
        "tags": ("a", "b"),
        "world": WorldSpec(layout="parlour", process="ball", seed=3),
    }
    return Task(**(facts | changes))
