"""What was seen, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from lookaway.records.base import Record, content_key
from lookaway.records.systems import Setting

InstrumentKind = Literal["observer", "judge", "rater", "ensemble"]


class Instrument(Record):
    """Who looked. Two instruments that differ in any field are two, and never share a cell.

    >>> view = Instrument(kind="observer", plugin="view", version=3)
    >>> replay = Instrument(kind="observer", plugin="replay", version=2, settings={"every": 2})
    >>> together([view, replay]).label
    'view@3+replay@2(every=2)'
    """

    kind: InstrumentKind
    plugin: str  # name of the observer or judge, or who rated; empty for an ensemble
    version: int = 0  # of the plugin
    model: str = ""  # the model behind it by content or revision: weights, a file of answers, a served model
    settings: dict[str, Setting] = Field({}, description="those that can change what it says")
    members: tuple[Instrument, ...] = ()  # who looked together; an ensemble is one instrument
    passport: str = ""  # a judge's fingerprint by its last exam; empty where it has sat none

    @property
    def key(self) -> str:
        return content_key("instrument", self)

    @property
    def label(self) -> str:
        """Short and readable; two instruments may share a label, never a key."""
        if self.members:
            return "+".join(member.label for member in self.members)
        told = [*([self.model] if self.model else []), *(f"{name}={value}" for name, value in self.settings.items())]
        told += [f"passport {self.passport[:6]}"] if self.passport else []
        return f"{self.plugin}@{self.version}" + (f"({', '.join(told)})" if told else "")


def together(instruments: Sequence[Instrument]) -> Instrument | None:
    """One instrument for several that looked side by side; None where nobody had to look."""
    if len(instruments) < 2:
        return instruments[0] if instruments else None
    return Instrument(kind="ensemble", plugin="", members=tuple(instruments))


JudgeRole = Literal["scorer", "gate", "verifier", "writer"]


AskedAbout = Literal["clip", "first_frame", "truth", "failure"]


class Ask(Record):
    """What is asked and how: data of a protocol, and the second part of a number's key beside who answered."""

    prompt: str  # name, and once the file is found its version: `question@2`
    variant: str = ""  # of the prompt: what the judge is told is part of it
    role: JudgeRole = "scorer"
    about: AskedAbout = "clip"  # or about its first frame alone, the true clip, or the clip of the model in `beside`
    frames: str = "uniform:12"  # which frames are shown: a rule
    window: str = ""  # of the clip, such as `returned@judgeable`: a phase, and the observer or ask that found it
    reference: bool = False  # the clip's first frame is shown ahead
    showing: str = "filmed"  # as filmed, or shuffled, blank, beside another clip
    beside: str = ""  # `truth`, or the model whose clip of the same task is shown with it
    given: Ask | None = None  # what is asked before, and whose words this ask is told
    wordings: tuple[str, ...] = ("a",)  # one call each
    samples: int | None = None  # replies per wording; None: as many as the judge has
    votes: str = "majority"  # how several replies become one answer, by what a split gives
    bank: str = ""  # key of the questions that are put in place of the tasks' own; empty, and not told: those

    @model_serializer(mode="wrap")
    def _told(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """An ask without a bank is told, and keyed, as if there were no such thing."""
        told: dict[str, Any] = as_usual(self)
        return told if self.bank else {name: value for name, value in told.items() if name != "bank"}

    @property
    def key(self) -> str:
        return content_key("ask", self)

    @property
    def label(self) -> str:
        """Such as `question@1:a, uniform:12, majority`."""
        told = [":".join([self.prompt, *self.wordings]), self.variant, self.frames, self.window, self.votes]
        told += [self.showing] if self.showing != "filmed" else []
        told += [f"about the {self.about.replace('_', ' ')}"] if self.about != "clip" else []
        told += ["first frame ahead"] if self.reference else []
        told += [f"beside {self.beside}"] if self.beside else []
        told += [f"given {self.given.prompt}"] if self.given is not None else []
        told += [f"bank {self.bank[:6]}"] if self.bank else []
        return ", ".join(filter(None, [*told, f"{self.samples} samples" if self.samples else ""]))


SeenStatus = Literal["ok", "abstained", "failed"]


class Observation(Record):
    """What one observer saw in one video; arrays live in the blob."""

    media: str  # sha256 of the video
    task_instance: str
    observer: str  # its name; `instrument_key` says with which version, weights and settings it looked
    instrument: str  # label
    instrument_key: str
    status: SeenStatus
    reason: str = ""
    arrays: str | None = None


class TokenScores(Record):
    """How likely a judge held each way to begin its reply, by the spelling of the token."""

    logprobs: dict[str, float]
    yes: tuple[str, ...] = Field(description="single tokens that mean yes, as the judge's tokenizer has them")
    no: tuple[str, ...]
    unlisted_most: float | None = Field(None, description="no token left out is likelier than this; None: unknown")


class Usage(Record):
    """What a call took, as the judge's server counts it; None where it does not tell."""

    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    media_tokens: int | None = Field(None, description="of the prompt's, those that frames or video took")
    cost_usd: float | None = None


Finish = Literal["complete", "cut", "refused", "unknown"]


class Reply(Record):
    """One raw judge call, kept whole so that parsing again is free."""

    media: str
    question: str
    instrument: str  # label
    instrument_key: str
    ask: str  # label
    ask_key: str
    prompt_sha256: str
    prompt: str = Field("", description="name, version, variant and wording of the prompt file: `question@1:sound:a`")
    frame_rule: str = ""
    frame_indices: tuple[int, ...] = ()
    frames_sha256: tuple[str, ...] = Field(
        description="of the pixels that the judge decodes; of the file where it got a video"
    )
    frame_seconds: tuple[float, ...]
    black_frames: tuple[int, ...] = ()
    repeated_frames: tuple[int, ...] = ()
    sample: int = 0
    again: bool = Field(False, description="the one further try, told what was wrong with the first")
    text: str = ""
    scores: TokenScores | None = None
    finish: Finish = "unknown"
    usage: Usage = Usage()


class Spent(Record):
    """What something cost when it was bought, failed attempts included; `usd` is None where no price is known."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = None


AnswerStatus = Literal["ok", "abstained", "invalid", "failed"]
Estimator = Literal["p_yes", "votes", "structured"]
Choice = Literal["yes", "no"]


class Answer(Record):
    """A question put to a judge about a clip, estimated from its Replies.

    `abstained`: the judge could not tell; `invalid`: its replies cannot be read; `failed`: it gave none.
    """

    media: str
    beside: str | None = Field(None, description="the other clip, where the question is about two")
    task_instance: str
    question: str
    instrument: str  # label
    instrument_key: str
    ask: str  # label
    ask_key: str
    status: AnswerStatus
    estimator: Estimator | None = None
    choice: Choice | None = Field(None, description="None, though ok, where p_yes may lie on either side of one half")
    p_yes: float | None = None
    p_yes_low: float | None = None
    p_yes_high: float | None = None
    answer_mass: float | None = Field(None, description="share of the judge's belief that went to yes and no at all")
    tally: dict[str, int] = Field({}, description="votes for yes, no, cannot tell and invalid")
    fields: dict[str, Any] = Field({}, description="a structured reply, checked against its form")
    reason: str = ""
    replies: tuple[str, ...] = ()
    spent: Spent = Spent()


LabelRole = Literal["main", "supplementary", "holdout", "check"]


class Label(Record):
    """What one person said of one clip, or of a pair of clips, on one axis.

    Of a pair: 1 the first item is better, -1 the second, 0 a tie. Of a criterion: 1 yes, 0 no. Of a question under
    review: 1 accepted, 0 edited, -1 rejected. Of a keyframe: the frame.
    """

    rater: str  # a pseudonym, the same for all labels of one person
    study: str  # which questions were put, and how
    items: tuple[str, ...] = Field(min_length=1, max_length=2)  # cases, in the order in which they are named
    axis: str  # what was asked about, such as state
    value: float | None  # None exactly where it cannot be judged
    judgeable: bool = True
    shown_order: tuple[int, ...] = ()  # of the items on screen; empty for one item
    at: str = ""  # when, in UTC
    family: str = ""  # of the annotation: studies of one purpose share it
    role: LabelRole = "main"  # holdout: not read while anything is tuned; check: the answer is known
    round: int = Field(0, ge=0)  # 1: the same item again, to see whether the rater says the same
    text: str = ""  # an edited question
    reason: str = ""  # in the rater's words, or why there is no value

    @model_validator(mode="after")
    def _has_a_value_where_it_can_be_judged(self) -> Self:
        if (self.value is None) == self.judgeable:
            raise ValueError("a label has a value exactly where it can be judged")
        return self

    @property
    def instrument(self) -> Instrument:
        """The rater, who is an instrument of their own."""
        return Instrument(kind="rater", plugin=self.rater, settings={"study": self.study})
