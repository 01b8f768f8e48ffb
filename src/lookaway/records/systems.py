"""Whom to ask: model cards, systems, and the case that every number belongs to."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lookaway.records.base import Record, content_key

ConditionType = Literal["source-video", "geometry-cache", "model-inferred", "prompt-only", "known-world", "baseline"]
InputPolicy = Literal["first_frame", "source_only", "endpoint_masked", "full_target"]
FitKind = Literal["crop", "pad", "stretch"]
LengthRule = Literal["cut or hold", "stretch"]
History = Literal["none", "last_frame", "window", "full_session"]
Unknown = Literal["unknown"]
Setting = str | float | int | bool


class Evaluation(Record):
    """How a paper that evaluates a system names and sorts it."""

    called: tuple[str, ...] = Field(min_length=1, description="its spellings in the paper and in released files")
    label: str = Field("", description="the paper's own word for this kind of system")


class ModelCard(Record):
    """What is known of a generator. What a card leaves out is unknown; `sources` tells where a fact comes from."""

    name: str
    summary: str
    papers: dict[str, Evaluation] = Field({}, description="papers that evaluate it")
    condition_type: ConditionType | Unknown = "unknown"
    input: tuple[Literal["image", "source-video", "text"], ...] = ()
    control: str
    control_settings: dict[str, Setting] = Field({}, description="how its control is written, see docs/models.md")
    control_verified: bool = Field(False, description="an independent reader of its format has read our files back")
    generator: str
    settings: dict[str, Setting] = Field({}, description="handed to the generator")
    width: int | None = Field(None, gt=0)
    height: int | None = Field(None, gt=0)
    frames: int | None = Field(None, gt=0)
    fps: float | None = Field(None, gt=0)
    fit: FitKind = Field("crop", description="how first frames of another shape are brought to its own")
    length: LengthRule = Field(
        "cut or hold", description="what becomes of a camera script that is longer or shorter than its videos"
    )
    chunk_frames: int | None = Field(None, gt=0, description="frames it makes at a time")
    context_s: float | None = Field(None, gt=0, description="seconds of video it can look back on")
    memory_bytes: int | None = Field(None, gt=0, description="what it keeps of the past while it makes a video")
    history: History | Unknown = Field("unknown", description="what of earlier chunks it sees when it makes the next")
    can_step: bool | None = Field(None, description="it takes an action, shows what follows, and takes the next")
    can_fork: bool | None = Field(None, description="a session can be continued in two ways")
    takes_prefix: bool | None = Field(None, description="it continues given frames")
    takes_events: bool | None = Field(None, description="text can change the world midway")
    weights: str = Field("unknown", description="where they are, or `closed`")
    limits: str = "unknown"
    licence: str = "unknown"
    input_policy: InputPolicy | Unknown = Field("unknown", description="how much of the answer its inputs may show")
    sources: dict[str, str] = Field({}, description="where each fact comes from")

    def facts(self) -> dict[str, Any]:
        """Every field that needs a source, and each control setting as `control_settings.NAME`; None is unknown."""
        named = {name: getattr(self, name) for name in type(self).model_fields if name not in _NO_FACTS}
        known = {name: None if value in ("unknown", ()) else value for name, value in named.items()}
        return known | {f"control_settings.{name}": value for name, value in self.control_settings.items()}

    def source(self, fact: str) -> str | None:
        """Where a fact comes from; one source may stand for all control settings."""
        return self.sources.get(fact) or self.sources.get(fact.partition(".")[0])


_NO_FACTS = {
    "name",
    "summary",
    "papers",
    "control_settings",
    "control_verified",
    "generator",
    "settings",
    "fit",
    "length",
    "sources",
}


class System(Record):
    """What was really run: a card, and the settings and weights it was run with."""

    name: str
    card: ModelCard
    checkpoint: str = "unknown"

    @property
    def key(self) -> str:
        return content_key("system", self)


class CaseId(Record):
    """task / system / seed: the row every number belongs to."""

    task: str
    system: str
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.task}/{self.system}/{self.seed}"

    @classmethod
    def parse(cls, text: str) -> CaseId:
        task, system, seed = text.rsplit("/", 2)
        return cls(task=task, system=system, seed=int(seed))
