"""What a person may answer, and what an answer comes to. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import Field

from lookaway.errors import UsageError
from lookaway.limits import LONGEST_REMARK
from lookaway.records import Criterion, Label, Record, Showing, Study, StudyItem, StudyKind
from lookaway.records.studies import LONGEST_AXIS

AnswerWord = Literal["left", "right", "tie", "yes", "no", "accept", "edit", "reject", "frame", "never", "not_judgeable"]
WORDS: dict[StudyKind, tuple[AnswerWord, ...]] = {
    "pairwise": ("left", "right", "tie", "not_judgeable"),
    "remembered": ("left", "right", "not_judgeable"),
    "binary": ("yes", "no", "not_judgeable"),
    "bank_review": ("accept", "edit", "reject"),
    "keyframes": ("frame", "never"),
}
VALUES = {"left": 1.0, "right": -1.0, "tie": 0.0, "yes": 1.0, "no": 0.0, "accept": 1.0, "edit": 0.0, "reject": -1.0}
WHY_NONE = {"never": "there is no such frame", "not_judgeable": "cannot be judged"}


class GivenAnswer(Record):
    """What the page says that a person answered."""

    number: int = Field(ge=0, description="of the showing")
    axis: str = Field(min_length=1, max_length=LONGEST_AXIS)
    word: AnswerWord
    frame: int | None = Field(None, ge=0, description="that was on the screen, by the browser's own account")
    text: str = Field("", max_length=LONGEST_REMARK)
    reason: str = Field("", max_length=LONGEST_REMARK)
    submission: str = Field(pattern=r"^[0-9a-f]{32}$", description="drawn by the page; sent again, it counts once")
    seen: tuple[int, ...] = Field((), max_length=2, description="different frames of each clip that were on the screen")


class Worth(NamedTuple):
    """What an answer comes to, about the items in the order in which they are named."""

    value: float | None
    reason: str


def criteria_of(study: Study, item: StudyItem) -> tuple[Criterion, ...]:
    """What is asked about an item, one at a time."""
    if item.question is None:
        return study.criteria
    text = "Is this a good question about the video?" if study.kind == "bank_review" else item.question.text
    return (Criterion(name=item.question.id, text=text),)


def worth(study: Study, item: StudyItem, showing: Showing, answer: GivenAnswer) -> Worth:
    """The value of an answer, or an error that says why it is none."""
    if answer.axis not in {criterion.name for criterion in criteria_of(study, item)}:
        raise UsageError("this is not asked here")
    if answer.word not in WORDS[study.kind]:
        raise UsageError(f"'{answer.word}' is no answer here; give {', '.join(WORDS[study.kind])}")
    if (answer.word == "frame") != (answer.frame is not None):
        raise UsageError("exactly a keyframe names a frame")
    if answer.frame is not None and answer.frame >= item.frames[0]:
        raise UsageError(f"the clip has {item.frames[0]} frames, counted from 0")
    if (answer.word == "edit") != bool(answer.text.strip()):
        raise UsageError("exactly an edit has new words")
    if answer.word in ("edit", "reject") and not answer.reason.strip():
        raise UsageError("say why")
    if answer.word in WHY_NONE:
        return Worth(None, WHY_NONE[answer.word])
    if answer.frame is not None:
        return Worth(float(answer.frame), answer.reason)
    value = VALUES[answer.word]
    return Worth(0.0 - value if showing.flipped and value else value, answer.reason)


def label_of(
    study: Study, study_label: str, item: StudyItem, showing: Showing, answer: GivenAnswer, rater: str, at: str
) -> Label:
    """The label that an answer is."""
    value, reason = worth(study, item, showing, answer)
    paired = len(item.cases) == 2
    return Label(
        rater=rater,
        study=study_label,
        items=item.cases,
        axis=answer.axis,
        value=value,
        judgeable=value is not None,
        shown_order=((1, 0) if showing.flipped else (0, 1)) if paired else (),
        at=at,
        family=study.family or study.name,
        role=item.role,
        round=showing.round,
        text=answer.text,
        reason=reason,
    )


KEYFRAME_SLACK = 2  # frames that a person may be off where the world knows the frame


def check_passed(study: Study, item: StudyItem, label: Label) -> bool | None:
    """Whether a label about the known world is right; None where its answer on this axis is not known."""
    if label.axis not in item.right:
        return None
    slack = KEYFRAME_SLACK if study.kind == "keyframes" else 0
    return label.value is not None and abs(label.value - item.right[label.axis]) <= slack
