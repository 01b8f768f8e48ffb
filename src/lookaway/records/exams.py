"""What a judge was examined with, what it answered, and who it is by that."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from lookaway.records.asked import Task
from lookaway.records.base import Record, content_key
from lookaway.records.instruments import AnswerStatus, Choice, Instrument

ExamKind = Literal["truth", "fault", "harmless", "order", "blank", "dropped"]
EXAM_KINDS: tuple[ExamKind, ...] = get_args(ExamKind)


class ExamItem(Record):
    """One question about one clip, with its right answer."""

    id: str  # clip and question: `07-there`
    clip: str  # sha256
    scene: str  # clips of one world share it
    kind: ExamKind
    shown: str  # what the clip is, for whoever reads a result: `vanished@1`, `truth, reversed`
    text: str
    expected: Choice
    alarm: bool = Field(description="the right answer is not that of the true clip: there is something to notice")

    @property
    def sheet(self) -> str:
        """Names the clip: items about one share it."""
        return self.id.partition("-")[0]

    @property
    def family(self) -> str:
        """Names the question: items that ask the same of other clips share it."""
        return self.id.partition("-")[2]


class ExamPaper(Record):
    """A whole exam. Its id is a seal: other pictures, words or answers are another exam."""

    version: int
    frames: str  # rule by which frames are shown
    prompt: str  # with its version
    tasks: dict[str, Task] = Field(description="by scene; the prompt is filled in from them")
    items: tuple[ExamItem, ...]

    @property
    def id(self) -> str:
        asked = [[item.clip, item.text, item.expected] for item in self.items]
        return f"known-world-{self.version}-{content_key('exam', self.frames, self.prompt, asked)[:12]}"


class ExamAnswer(Record):
    """What a judge said to one item in one round of a sitting."""

    item: str
    round: int
    status: AnswerStatus
    choice: Choice | None = None
    p_yes: float | None = Field(None, description="where the judge tells token scores; else its word is a vote")


class Comparison(Record):
    """A sitting against the stored answers of another; `p` is how often chance alone would set them as far apart."""

    p: float
    p_answers: float = Field(description="rounds of one sitting are alike, and unlike those of the other")
    p_spread: float = Field(description="one sitting contradicts itself more often than the other")
    clips_changed: int = Field(description="clips with an answer that is further off than numerical noise")
    clips: int
    same: bool


class Passport(Record):
    """One sitting of one judge, and the fingerprint that it has by it.

    A fingerprint is kept as long as every later sitting passes the test against the one that founded it.
    """

    instrument: Instrument  # without a fingerprint
    address: str = Field(description="hash of who was asked where: two servers of one model have two passports")
    exam: str
    fingerprint: str
    moved_from: str = Field("", description="the fingerprint before, where the answers are not its answers any more")
    sat_at: str  # in UTC
    answers: tuple[ExamAnswer, ...]
    compared: Comparison | None = Field(None, description="with the stored answers; None for a first sitting")


class Rate(Record):
    """A share with its interval over worlds; `reason` says why there is none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""


class ExamRow(Record):
    """How a judge did on one kind of clips. What it could not tell is no hit, and no false alarm either."""

    kind: ExamKind
    hits: Rate = Field(description="something to notice was noticed")
    false_alarms: Rate = Field(description="something was noticed where there is nothing")


class OperatingPoint(Record):
    """Where a judge stands between crying wolf and sleeping; `right` counts what it answered."""

    instrument: str  # label
    exam: str
    fingerprint: str
    right: Rate
    yes: Rate = Field(description="share of its answers that are yes")
    expected_yes: float = Field(description="share of right answers that are yes")
    always_yes: float = Field(description="share right by always saying yes")
    always_no: float
    unanswered: int
    rows: tuple[ExamRow, ...]

    @property
    def yes_lean(self) -> float | None:
        """Above 0 it says yes too often."""
        return None if self.yes.value is None else self.yes.value - self.expected_yes

    @property
    def beats_floors(self) -> bool:
        """Whether it is right more often than somebody who never looks."""
        return self.right.low is not None and self.right.low > max(self.always_yes, self.always_no)
