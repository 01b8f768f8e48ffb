"""What people are asked: a study, its criteria, its items, and the order in which one person is shown them."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from lookaway.records.asked import Interval, Question
from lookaway.records.base import Record
from lookaway.records.instruments import Choice, LabelRole

StudyKind = Literal["pairwise", "binary", "bank_review", "keyframes", "remembered"]
PAIRED: tuple[StudyKind, ...] = ("pairwise", "remembered")
LONGEST_AXIS = 200


class Criterion(Record):
    """One question of a study; its name is the axis of the labels."""

    name: str = Field(min_length=1, max_length=LONGEST_AXIS)
    text: str = Field(min_length=1, max_length=2000)
    judgeable: str = Field("", description="asked first: whether it can be judged at all; empty: a button among others")
    known: dict[str, Choice] = Field({}, description="right answers about clips of reference models, by their names")
    known_pairs: tuple[tuple[str, str], ...] = Field((), description="reference models: the first is surely the better")


class Study(Record):
    """How people are asked: data, written by hand as TOML."""

    name: str
    kind: StudyKind
    title: str
    instructions: str
    consent: str = Field(min_length=1, description="what a rater agrees to before anything is shown")
    criteria: tuple[Criterion, ...] = Field((), description="asked one at a time; empty: each item has its own")
    bank: bool = Field(False, description="the questions are those of the tasks' banks, about true clips")
    bank_each: int | None = Field(None, ge=1, description="of a bank: questions per scene and dimension; None: all")
    family: str = Field("", description="studies of one purpose share it; empty: the study's name")
    role: Literal["main", "supplementary"] = "main"
    holdout: float = Field(0.0, ge=0, le=0.9, description="share of scenes whose labels nobody reads while tuning")
    phases: Literal["hidden", "shown"] = Field("hidden", description="whether a strip tells when the subject is away")
    prompt: bool = Field(True, description="whether raters read what the video was to show")
    raters: int = Field(3, ge=1, description="how many people each item is for")
    items_each: int | None = Field(None, ge=1, description="that one person is shown; None: all")
    repeats: int = Field(0, ge=0, description="items that each person is shown once more, to see whether they agree")
    checks: int = Field(0, ge=0, description="items of the known world, whose answer is exact")
    seed: int = 0

    @property
    def paired(self) -> bool:
        return self.kind in PAIRED

    @model_validator(mode="after")
    def _asks_something_that_its_kind_can_be_asked(self) -> Self:
        names = [criterion.name for criterion in self.criteria]
        if len(set(names)) < len(names):
            raise ValueError("two criteria have the same name")
        if not self.criteria and not self.bank:
            raise ValueError("a study asks something: give [[criteria]], or bank = true")
        if self.kind == "bank_review" and not self.bank:
            raise ValueError("a bank review is about banks: set bank = true")
        if self.bank and self.kind not in ("bank_review", "binary"):
            raise ValueError(f"questions of banks are reviewed or answered; kind is {self.kind}")
        return self


class StudyItem(Record):
    """One thing that people look at: a clip or a pair, named by its cases. Raters see neither names nor ids."""

    id: str
    cases: tuple[str, ...] = Field(min_length=1, max_length=2)
    media: tuple[str, ...] = Field(min_length=1, max_length=2, description="sha256 of the clips as they are shown")
    frames: tuple[int, ...]
    fps: tuple[float, ...]
    scene: str
    prompt: str = ""
    subject: str = ""
    phases: tuple[Interval, ...] = ()
    question: Question | None = Field(None, description="of a bank")
    role: LabelRole = "main"
    right: dict[str, float] = Field({}, description="of a check: the exact value, by axis")

    @model_validator(mode="after")
    def _tells_as_much_of_each_clip(self) -> Self:
        if not len(self.cases) == len(self.media) == len(self.frames) == len(self.fps):
            raise ValueError("cases, media, frames and fps are told of the same clips")
        return self


class Showing(Record):
    """One place in what one person is shown."""

    number: int = Field(ge=0)
    item: str  # its id
    flipped: bool = False  # the second clip stands first
    round: int = 0  # 1: the same item again
