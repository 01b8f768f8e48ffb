"""Small honest records for tests."""

from __future__ import annotations

from typing import Any

from lookaway.records import Subject, Task

LOOK_LEFT = "hold@1s, yaw:left:75@0.5s, hold@1s, yaw:right:75@0.5s, hold@1s"


def task(**changes: Any) -> Task:
    facts: dict[str, Any] = {
        "id": "a_task",
        "suite": "a-suite",
        "version": "1",
        "scene": "a_scene",
        "category": "kinematics",
        "moves": True,
        "changes_in_place": False,
        "prompt": "A ball rolls across the floor.",
        "first_frame": "0" * 64,
        "subjects": (Subject(name="a red ball", box=(0.4, 0.5, 0.6, 0.8), side="centre"),),
        "expected_end": "the ball lies on the right",
        "camera": LOOK_LEFT,
        "hfov_deg": 60.0,
        "width": 320,
        "height": 180,
        "fps": 16.0,
        "seconds": 4.0,
    }
    return Task(**(facts | changes))
