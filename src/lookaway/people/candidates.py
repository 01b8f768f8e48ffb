"""What a study may ask about, before its clips are made ready."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lookaway.records import CaseId, Interval, LabelRole, Question, Task, content_key


class StudyClip(NamedTuple):
    """A clip that can be shown: whose it is, where it lies, what it was to show."""

    case: CaseId
    path: Path
    task: Task
    phases: tuple[Interval, ...]
    reference: str = ""  # the reference model that made it, if one did


@dataclass(frozen=True)
class Candidate:
    """An item before its clips are made ready."""

    clips: tuple[StudyClip, ...]
    question: Question | None = None
    role: LabelRole = "main"
    right: tuple[tuple[str, float], ...] = ()

    @property
    def scene(self) -> str:
        return self.clips[0].task.scene

    @property
    def id(self) -> str:
        named = [str(clip.case) for clip in self.clips]
        return content_key("item", named, self.question.id if self.question is not None else "", self.role)[:16]
