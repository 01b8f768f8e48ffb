"""What a report may show beside the board, ready to be drawn: nothing here is read, decoded or computed any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookaway.records import DetectionTable, Interval, Score, Task


@dataclass(frozen=True)
class ShownClip:
    """One clip: a video, or why there is none to see."""

    title: str  # system, seed and branch, or "the true clip"
    status: str
    reason: str
    video: str = ""  # a data URI that browsers play
    strip: str = ""  # a few frames side by side, a data URI
    scores: tuple[Score, ...] = ()  # of the headline metrics
    ledger: tuple[str, ...] = ()  # how far it got, in words, a line per ledger and set of instruments
    note: str = ""
    said: str = ""  # what happened in it, in plain words, where somebody watched for that


@dataclass(frozen=True)
class ShownTask:
    """One task with a clip of every system that has one."""

    task: Task
    phases: tuple[Interval, ...]  # of the true clip
    truth: ShownClip | None
    clips: tuple[ShownClip, ...]

    @property
    def side_by_side(self) -> tuple[ShownClip, ...]:
        """Every clip, the true one first."""
        return ((self.truth,) if self.truth is not None else ()) + self.clips


@dataclass(frozen=True)
class Montage:
    """Clips that a row of a table names, as strips one above the other."""

    table: str  # its title
    title: str  # of the row
    clips: tuple[ShownClip, ...]  # titled as the row says it


@dataclass(frozen=True)
class PathPicture:
    """The camera of a task above frames of its clips."""

    task: str
    picture: str  # a data URI
    said: str  # what it shows, for who cannot see it


@dataclass(frozen=True)
class Exhibits:
    """All that a report is handed beside the board."""

    tasks: tuple[ShownTask, ...] = ()
    left_out: int = 0  # tasks with clips that are not among `tasks`
    summaries: Mapping[str, str] = field(default_factory=dict)  # system to what its model card says of it
    detection: DetectionTable | None = None  # where the run holds faults and harmless variations
    montages: tuple[Montage, ...] = ()  # of tables whose cells lead to cases
    paths: tuple[PathPicture, ...] = ()  # of tasks that a table of camera paths names
