"""What is true of a process and may be written into a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["left", "right", "centre"]
Category = Literal["kinematics", "continuous process"]


@dataclass(frozen=True)
class ProcessFacts:
    """Only `expected_end` speaks of the end state; the prompt never does."""

    name: str
    category: Category
    moves: bool
    changes_in_place: bool
    subject_name: str
    side: Side
    scene_description: str
    action: str
    expected_end: str
    prompt: str
