"""What a report may show beside the board, ready to be drawn: nothing here is read, decoded or computed any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookaway.records import DetectionTable, Interval, Score, Task

Span = tuple[float, float]  # from second to second; equal where it is one frame


@dataclass(frozen=True)
class FlipBook:
    """A clip as one picture: frames side by side, to be seen as a strip or played one after the other."""

    picture: str  # a data URI
    seconds: tuple[float, ...]  # of each frame
    width: int  # of one frame
    height: int


@dataclass(frozen=True)
class CameraLines:
    """One angle of the camera over time, as it was asked for and as it was recovered."""

    angle: str  # which, in words
    asked: tuple[tuple[float, float], ...] = ()  # second and degrees
    recovered: tuple[tuple[float, float], ...] = ()  # where it could be told


@dataclass(frozen=True)
class ShownScore:
    """A score with the frames that it was read from."""

    score: Score
    frames: str  # which, in words
    spans: tuple[Span, ...] = ()  # when they are; empty: the whole clip


@dataclass(frozen=True)
class JudgeSaying:
    """What a judge was asked about a clip and what it said."""

    question: str
    judge: str
    answer: str  # what it comes to
    text: str = ""  # in its own words
    spans: tuple[Span, ...] = ()  # of the frames it was shown


@dataclass(frozen=True)
class LedgerEnd:
    """Where a clip's way through a ledger ended."""

    protocol: str
    instruments: str
    step: int | None  # number of the step that it did not reach; None: it reached all
    outcome: str  # reached, lost or unknown
    words: str


@dataclass(frozen=True)
class ShownClip:
    """One clip: a video, or why there is none to see."""

    title: str  # system, seed and branch, or "the true clip"
    status: str
    reason: str
    case: str = ""  # task/system/seed
    system: str = ""
    video: str = ""  # where it lies beside the page
    book: FlipBook | None = None
    strip: str = ""  # a few frames side by side, a data URI
    scores: tuple[ShownScore, ...] = ()
    ledger: tuple[LedgerEnd, ...] = ()  # a line per ledger and set of instruments
    phases: tuple[Interval, ...] = ()  # of this clip
    phase_words: str = ""  # where they come from, or why there are none
    camera: CameraLines | None = None
    moments: tuple[str, ...] = ()  # sentences with seconds
    sayings: tuple[JudgeSaying, ...] = ()
    note: str = ""
    said: str = ""  # what happened in it, in plain words, where somebody watched for that


@dataclass(frozen=True)
class ShownTask:
    """One task with all its clips."""

    task: Task
    truth: ShownClip | None  # None: there is none, or a system is the truth itself
    clips: tuple[ShownClip, ...]
    page: str = ""  # where its own page lies beside the report; empty: it is shown in the report

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
    summaries: Mapping[str, str] = field(default_factory=dict)  # system to what its model card says of it
    detection: DetectionTable | None = None  # where the run holds faults and harmless variations
    montages: tuple[Montage, ...] = ()  # of tables whose cells lead to cases
    paths: tuple[PathPicture, ...] = ()  # of tasks that a table of camera paths names
    doses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # kind of dose to task to dose
    clips_left_out: int = 0  # of a run with more than a report shows; its numbers count them all the same
