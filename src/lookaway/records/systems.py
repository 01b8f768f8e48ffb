"""Whom to ask: model cards, systems, and the case that every number belongs to."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lookaway.records.base import Record, content_key

ConditionType = Literal["source-video", "geometry-cache", "model-inferred", "prompt-only", "known-world", "baseline"]
InputPolicy = Literal["first_frame", "source_only", "endpoint_masked", "full_target"]
FitKind = Literal["crop", "pad", "stretch"]
LengthRule = Literal["cut or hold", "stretch", "as asked"]
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
    aliases: tuple[str, ...] = Field((), description="other names that lead to it, besides those of the papers")
    condition_type: ConditionType | Unknown = "unknown"
    condition_reason: str = Field("", description="why it is sorted so; a stored fact, never derived from its inputs")
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
        "cut or hold",
        description="what becomes of a camera script that is longer or shorter than its videos; `as asked`: a video is "
        "as long as what is asked, in whole latents",
    )
    chunk_frames: int | None = Field(None, gt=0, description="frames it makes at a time")
    context_s: float | None = Field(None, gt=0, description="seconds of video it can look back on")
    context_frames: int | None = Field(None, gt=0, description="frames it can look back on, where no seconds are told")
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
    base: str = Field("unknown", description="the documented model that it was made from")
    mechanism: str = Field("unknown", description="what was added to it, for the camera or for what is out of view")
    training: str = Field("unknown", description="what was trained; `unreported`: its paper or release does not tell")
    training_data: str = Field("unknown", description="on what, by public evidence; `unreported` likewise")
    carrier: str = Field("unknown", description="what decides whether a region out of view can be seen again")
    test_time: str = Field("unknown", description="what it does for a video besides a pass through trained weights")
    sampling: str = Field("unknown", description="steps, solver and guidance that a paper ran it with")
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
    "aliases",
    "condition_reason",
    "control_settings",
    "control_verified",
    "generator",
    "settings",
    "fit",
    "length",
    "sources",
}


# Of a card, what can change a video; the rest describes.
_MAKES_A_DIFFERENCE = (
    "control",
    "control_settings",
    "generator",
    "settings",
    "width",
    "height",
    "frames",
    "fps",
    "fit",
    "length",
    "chunk_frames",
    "input_policy",
)
UNNAMED = "unnamed"  # begins the checkpoint of weights that nobody named: they are new every time


class System(Record):
    """What was really run: a card, and the settings and weights it was run with."""

    name: str
    card: ModelCard
    checkpoint: str = "unknown"
    row: str = Field("", description="what its row is called, once it is part of a plan")

    @property
    def key(self) -> str:
        """Equal keys, equal systems: name, checkpoint and every setting that can change a video."""
        made = {field: getattr(self.card, field) for field in _MAKES_A_DIFFERENCE}
        return content_key("system", self.name, self.checkpoint, made)

    @property
    def is_ceiling(self) -> bool:
        """Is it the truth itself, with which no system competes?"""
        return self.card.settings.get("reference") == "truth"

    @property
    def label(self) -> str:
        """The row it fills: its name, with the checkpoint where one is named."""
        if self.row:
            return self.row
        named = self.checkpoint not in ("", "unknown") and not self.checkpoint.startswith(UNNAMED)
        return f"{self.name}@{self.checkpoint.rstrip('/').rpartition('/')[2]}" if named else self.name


class CaseId(Record):
    """task / system / seed / branch: the row every number belongs to. `system` is the label of a System.

    >>> str(CaseId(task="lamp", system="mine@step-2000", seed=1))
    'lamp/mine@step-2000/1'
    >>> CaseId.parse("lamp/mine/0/watching").branch
    'watching'
    """

    task: str
    system: str
    seed: int = 0
    branch: str = Field("", description="one of several ways on, such as `watching`; empty: as the task asks")

    def __str__(self) -> str:
        return "/".join([self.task, self.system, str(self.seed), *([self.branch] if self.branch else [])])

    @classmethod
    def parse(cls, text: str) -> CaseId:
        parts = text.split("/")
        if len(parts) not in (3, 4):
            raise ValueError(f"'{text}' is not task/system/seed or task/system/seed/branch")
        task, system, seed, *branch = parts
        return cls(task=task, system=system, seed=int(seed), branch="".join(branch))
