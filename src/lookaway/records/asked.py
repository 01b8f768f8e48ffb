"""What to ask: tasks, their truth and their questions."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from lookaway.records.base import Record, content_key

Phase = Literal["visible", "hidden", "returned"]
PhaseSource = Literal["planned", "mapped", "exact", "measured", "judged"]


class Interval(Record):
    """One phase of one subject, from `start_s` up to but not including `end_s`."""

    phase: Phase
    start_s: float
    end_s: float

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.end_s < self.start_s:
            raise ValueError(f"interval ends at {self.end_s} s, before it starts at {self.start_s} s")
        return self


Box = tuple[float, float, float, float]


class Subject(Record):
    """The thing whose fate is asked about."""

    name: str
    box: Box
    side: Literal["left", "centre", "right"]

    @model_validator(mode="after")
    def _box_lies_in_the_frame(self) -> Self:
        left, top, right, bottom = self.box
        if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
            raise ValueError(f"box {self.box} must be left, top, right, bottom as shares of the frame, 0 to 1")
        return self


BankStage = Literal["written", "on_truth", "on_failure", "with_hint", "review"]
BankVerdict = Literal["kept", "dropped", "edited", "unknown"]


class Question(Record):
    """A yes/no question with its known answer."""

    id: str
    text: str
    dimension: str
    polarity: Literal["positive", "negative"]  # whether a yes speaks for the video or against it
    expected: Literal["yes", "no"]
    verdicts: dict[BankStage, BankVerdict] = Field({}, description="what each stage of making the bank said of it")


class Bank(Record):
    """The questions of a task. They are no part of its identity: another question makes no clip invalid."""

    task: str
    questions: tuple[Question, ...] = ()

    @model_validator(mode="after")
    def _questions_have_ids_of_their_own(self) -> Self:
        if len({q.id for q in self.questions}) != len(self.questions):
            raise ValueError("two questions have the same id")
        return self


class WorldSpec(Record):
    """Which known world to build: equal specs give equal worlds."""

    layout: str
    process: str
    seed: int = Field(ge=0)
    side: Literal["left", "right"] = Field("left", description="where the subject starts")
    variant: Literal["plain", "opposite", "still"] = "plain"
    pace: float = Field(1.0, gt=0, description="process seconds per second of the clip")
    start_s: float = Field(0.0, ge=0, description="seconds of the clip until its process is set off")

    @model_serializer(mode="wrap")
    def _said_only_where_it_waits(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A world whose process goes on from the start is the one that it was before any could wait."""
        known: dict[str, Any] = handler(self)
        return known if self.start_s else {name: value for name, value in known.items() if name != "start_s"}


Event = Literal["none", "spatial", "state_only", "full"]


def event_of(moves: bool, changes_in_place: bool) -> Event:
    """The cell of the 2x2 event design."""
    if moves:
        return "full" if changes_in_place else "spatial"
    return "state_only" if changes_in_place else "none"


Twin = Literal["observed", "static", "opposite"]


class Task(Record):
    """One thing to ask of a model.

    Twins ask the same of the same world: `observed` with a control too small to hide the subject, `static` with nothing
    but the process moving, `opposite` with the opposite action.
    """

    id: str
    suite: str
    version: str
    scene: str
    category: str
    moves: bool
    changes_in_place: bool
    prompt: str
    prompt_variant: str = "plain"
    first_frame: str = Field(description="sha256 of the image")
    subjects: tuple[Subject, ...] = Field(description="the first is asked about; empty: none is named")
    expected_end: str
    action_control: str = "none"
    observation_controls: tuple[str, ...] = ("look_away",)
    visibility: str = "leaves_and_returns"
    camera: str = Field("", description="camera script, see geometry/script.py")
    poses: tuple[tuple[float, float, float, float, float, float, float], ...] = Field(
        (),
        description="in its place: second, x, y, z in metres and rotation vector in degrees, against the first camera",
    )
    cover: str = Field("", description="what comes between camera and subject, see geometry/cover.py; empty: nothing")
    hiding: str = Field("", description="what the prompt itself says hides the subject; empty: camera and cover tell")
    hfov_deg: float = Field(ge=1, le=170)
    hfov_declared: bool = Field(True, description="False: hfov_deg is only assumed")
    pitch_deg: float = Field(0.0, description="tilt of the first camera, up is positive; yaw turns about gravity")
    width: int = Field(gt=0, le=16384)
    height: int = Field(gt=0, le=16384)
    fps: float = Field(gt=0, le=1000)
    seconds: float = Field(gt=0, le=3600)
    phases: tuple[Interval, ...] = ()
    twin: Twin | None = None
    twin_of: str | None = None
    prefix: str | None = Field(None, description="sha256 of the true clip up to `prefix_s`, given to the model")
    prefix_s: float = Field(0.0, ge=0)
    tags: tuple[str, ...] = ()
    world: WorldSpec | None = None
    yoked: tuple[Interval, ...] = Field(
        (), description="of an observed twin: the phases of the task that it is the twin of, posed about here as well"
    )
    variant_of: str | None = Field(None, description="id of the task that this one changes in one respect")
    changes: str = Field("", description="that respect, in words")
    end_edit: str = Field("", description="text that edits the first frame into the expected end; never in a prompt")
    trigger: str = Field("", description="what sets the process off, and by which effect it is judged after the reveal")
    trigger_s: float | None = Field(None, description="when it is set off; None: unknown, or nothing does")
    direction: str = Field("", description="which way the process is expected to change things, such as `fuller`")
    split: str = Field("", description="such as synthetic or real")
    family: str = ""
    venue: str = ""
    actor: str = ""
    action: str = ""
    tier: str = ""
    level: int | None = None

    @model_validator(mode="after")
    def _camera_is_said_once(self) -> Self:
        if self.camera and self.poses:
            raise ValueError("say the camera either as a script, `camera`, or as `poses`")
        seconds = [row[0] for row in self.poses]
        if self.poses and (len(seconds) < 2 or seconds[0] != 0 or seconds != sorted(set(seconds))):
            raise ValueError("poses: at least two, the first at second 0, each later than the one before")
        if any(abs(part) > 0 for row in self.poses[:1] for part in row):
            raise ValueError("poses are told against the first camera: the first one is all zeros")
        return self

    @property
    def camera_asked(self) -> bool:
        """Is anything asked of the camera? Not so of a video that is only looked at."""
        return bool(self.camera or self.poses)

    @property
    def subject(self) -> Subject | None:
        """What the task is about, where that is named."""
        return self.subjects[0] if self.subjects else None

    @property
    def event(self) -> Event:
        return event_of(self.moves, self.changes_in_place)

    @property
    def instance(self) -> str:
        """Names what is asked: the same text on another first frame is another instance, another tier is not."""
        return content_key("task", self.model_dump(mode="json", exclude=_DESCRIBES))

    @property
    def frames(self) -> int:
        """N frames at F fps span (N-1)/F seconds."""
        return round(self.seconds * self.fps) + 1


# Fields that sort a task or say what is expected of it; neither a model nor an observer is shown them.
_DESCRIBES = {
    *("variant_of", "changes", "end_edit", "trigger", "trigger_s", "direction", "hiding"),
    *("split", "family", "venue", "actor", "action", "tier", "level", "tags"),
}


TruthPart = Literal["clip", "poses", "depth", "masks", "state"]


class Reference(Record):
    """What is known of the truth of a task instance: its clip, and arrays aligned with the clip's frames."""

    task: str
    instance: str
    video: str | None = Field(None, description="sha256 of the true clip")
    arrays: str | None = Field(None, description="blob: seconds, and any of poses, intrinsics, masks, state")
    depth: str | None = Field(None, description="blob: metric z-depth per frame")
    phases: tuple[Interval, ...] = ()
    phase_source: PhaseSource = "exact"
    state_names: tuple[str, ...] = ()
