"""Every record that crosses a stage, in birth order. Read this file and you know the system.

A record is frozen, refuses unknown fields, and is one JSON line in a log. Times are seconds, angles degrees,
boxes are fractions of the frame (left, top, right, bottom), media are named by the sha256 of their bytes.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

if TYPE_CHECKING:
    from numpy import uint8
    from numpy.typing import NDArray

    from lookaway.geometry.trajectory import Trajectory


def content_key(*parts: object) -> str:
    """128 bits of sha256 over the canonical JSON of `parts`: equal content, equal key."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _plain(part: object) -> Any:
    if isinstance(part, BaseModel):
        return part.model_dump(mode="json")
    raise TypeError(f"{type(part).__name__} has no canonical JSON")


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


# ---------------------------------------------------------------- what to ask

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


class Question(Record):
    """A yes/no question with its known answer."""

    id: str
    text: str
    dimension: str
    polarity: Literal["positive", "negative"]
    expected: Literal["yes", "no"]


class WorldSpec(Record):
    """Which known world to build: equal specs give equal worlds."""

    layout: str
    process: str
    seed: int = Field(ge=0)
    side: Literal["left", "right"] = Field("left", description="where the subject starts")
    variant: Literal["plain", "opposite", "still"] = "plain"
    pace: float = Field(1.0, gt=0, description="process seconds per second of the clip")


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
    subjects: tuple[Subject, ...] = Field(min_length=1)
    expected_end: str
    action_control: str = "none"
    observation_controls: tuple[str, ...] = ("look_away",)
    visibility: str = "leaves_and_returns"
    camera: str = Field(description="camera script, see geometry/script.py")
    cover: str = Field("", description="what comes between camera and subject, see geometry/cover.py; empty: nothing")
    hfov_deg: float = Field(ge=1, le=170)
    hfov_declared: bool = Field(True, description="False: hfov_deg is only assumed")
    pitch_deg: float = Field(0.0, description="tilt of the first camera, up is positive; yaw turns about gravity")
    width: int = Field(gt=0, le=16384)
    height: int = Field(gt=0, le=16384)
    fps: float = Field(gt=0, le=1000)
    seconds: float = Field(gt=0, le=3600)
    phases: tuple[Interval, ...] = ()
    questions: tuple[Question, ...] = ()
    twin: Twin | None = None
    twin_of: str | None = None
    prefix: str | None = Field(None, description="sha256 of the true clip up to `prefix_s`, given to the model")
    prefix_s: float = Field(0.0, ge=0)
    tags: tuple[str, ...] = ()
    world: WorldSpec | None = None

    @model_validator(mode="after")
    def _questions_have_ids_of_their_own(self) -> Self:
        if len({q.id for q in self.questions}) != len(self.questions):
            raise ValueError("two questions have the same id")
        return self

    @property
    def event(self) -> Event:
        return event_of(self.moves, self.changes_in_place)

    @property
    def instance(self) -> str:
        """Same task text on another first frame is another instance."""
        return content_key("task", self)

    @property
    def frames(self) -> int:
        """N frames at F fps span (N-1)/F seconds."""
        return round(self.seconds * self.fps) + 1


class Reference(Record):
    """The truth of a task instance: its clip, and arrays aligned with the clip's frames."""

    task: str
    instance: str
    video: str = Field(description="sha256 of the true clip")
    arrays: str | None = Field(None, description="blob: seconds, poses, intrinsics, masks, visible share, state")
    depth: str | None = Field(None, description="blob: metric z-depth per frame")
    phases: tuple[Interval, ...] = ()
    phase_source: PhaseSource = "exact"
    state_names: tuple[str, ...] = ()


# ---------------------------------------------------------------- whom to ask

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
    history: History | Unknown = Field("unknown", description="what of earlier chunks it sees when it makes the next")
    can_step: bool | None = Field(None, description="it takes an action, shows what follows, and takes the next")
    can_fork: bool | None = Field(None, description="a session can be continued in two ways")
    takes_prefix: bool | None = Field(None, description="it continues given frames")
    takes_events: bool | None = Field(None, description="text can change the world midway")
    weights: str = Field("unknown", description="where they are, or `closed`")
    limits: str = "unknown"
    licence: str = "unknown"
    input_policy: InputPolicy | Unknown = Field("unknown", description="how much of the answer its inputs may show")
    sources: dict[str, str] = {}

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


class Step(Record):
    """One step of the attribution ledger: reached when `metric` is at least `at_least`, or at most `at_most`."""

    name: str
    metric: str
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"ledger step '{self.name}': give either at_least or at_most")
        return self

    @property
    def miss(self) -> str:
        """What a number is that does not reach the step: `below 0.8`."""
        return f"below {self.at_least:g}" if self.at_most is None else f"above {self.at_most:g}"


class Protocol(Record):
    """Which metrics make up a profile, in which order they are read."""

    name: str
    summary: str
    metrics: tuple[str, ...]
    headline: tuple[str, ...]
    ledger: tuple[Step, ...] = ()
    observers: tuple[str, ...] = Field((), description="looked with as well, though no metric needs them")


class Plan(Record):
    """What a run folder is about: every stage works off it."""

    suite: str
    suite_version: str
    in_folder: bool = Field(False, description="the suite is no registered one, but a folder")
    folder: str | None = Field(None, exclude=True, description="where that lies on this machine; see local.json")
    systems: tuple[System, ...] = ()
    seeds: tuple[int, ...] = (0,)
    protocols: tuple[Protocol, ...]
    judge: str | None = None
    settings: dict[str, Setting] = {}
    cases: tuple[CaseId, ...] = Field((), description="exactly these are made; empty: every task, system and seed")

    def settings_of(self, plugin: str) -> dict[str, Setting]:
        """The settings addressed to one plugin: `patch_features.model=...` reaches patch_features as `model`."""
        return {key.split(".", 1)[1]: value for key, value in self.settings.items() if key.split(".", 1)[0] == plugin}


class PluginVersion(Record):
    """Which source code stood behind a plugin's version when it made this run's rows."""

    kind: str
    name: str
    version: int
    source_sha256: str


# ---------------------------------------------------------------- how to say it


class Fit(Record):
    """How a picture of another shape shows the first frame."""

    how: FitKind
    window: Box = Field(description="the part of the frame that fills the picture; beyond 0 to 1 there are bars")


class Control(Record):
    """The request in the model's language, and what of it the model can obey."""

    kind: str
    text: str = ""
    files: dict[str, str] = Field({}, description="blobs handed to the model, by file name")
    asked: str | None = Field(None, description="blob: the trajectory asked for, which stays the target of evaluation")
    effective: str | None = Field(None, description="blob: the trajectory the model can obey; None: unknown")
    loss_deg: float | None = Field(None, description="largest angle between asked and effective view")
    loss_m: float | None = Field(None, description="largest distance between asked and effective place")
    warnings: tuple[str, ...] = ()
    input_policy: InputPolicy = "first_frame"
    fit: Fit | None = Field(None, description="of the first frame to the model's picture; None: the same shape")
    pace: float = Field(1.0, gt=0, description="seconds of the camera script per second of video; 1 unless stretched")


class Request(Record):
    """One video to make. `image()`, `prefix_clip()` and `trajectory()` load what the hashes name."""

    case: CaseId
    prompt: str
    first_frame: str
    prefix: str | None = Field(None, description="blob: true frames that the clip must start with")
    control: Control
    width: int
    height: int
    frames: int
    fps: float
    task_instance: str
    system_key: str

    _blobs: Path | None = PrivateAttr(default=None)

    @property
    def key(self) -> str:
        return content_key("request", self)

    def bound(self, blobs: Path) -> Request:
        """The same request, able to load its media from a run's blob folder."""
        copy = self.model_copy()
        copy._blobs = blobs
        return copy

    def image(self) -> NDArray[uint8]:
        """First frame as (height, width, 3) RGB at the size asked for."""
        from lookaway.geometry.framing import picture_of
        from lookaway.images import read_image
        from lookaway.store import Blobs

        frame = read_image(Blobs(self._bound_blobs()).path(self.first_frame))
        return picture_of(frame, self.control.fit, (self.width, self.height))

    def prefix_clip(self) -> Path | None:
        """The true clip that the video must begin with, or None where the model starts from the first frame."""
        from lookaway.store import Blobs

        return None if self.prefix is None else Blobs(self._bound_blobs()).path(self.prefix)

    def control_files(self) -> dict[str, Path]:
        """What says the camera in the model's language, by file name; empty where words say it."""
        from lookaway.store import Blobs

        blobs = Blobs(self._bound_blobs())
        return {name: blobs.path(blob) for name, blob in self.control.files.items()}

    def trajectory(self) -> Trajectory | None:
        """The camera to follow: what the model can obey, or what was asked where that is unknown."""
        from lookaway.geometry.trajectory import Trajectory
        from lookaway.store import Blobs

        path = self.control.effective or self.control.asked
        return None if path is None else Trajectory.load(Blobs(self._bound_blobs()).path(path))

    def _bound_blobs(self) -> Path:
        if self._blobs is None:
            raise ValueError("this Request is not bound to a run folder; use request.bound(run.blobs.root)")
        return self._blobs


# ---------------------------------------------------------------- what came back

ClipStatus = Literal["ok", "refused", "filtered", "timed_out", "unreadable", "missing", "withdrawn", "failed"]


class Provenance(Record):
    """Where a clip came from; the runner writes it, a generator cannot forget it."""

    generator: str
    version: int
    checkpoint: str = "unknown"
    lookaway: str
    python: str
    seconds: float | None = None
    cost_usd: float | None = None
    source: str | None = Field(None, description="file name of an ingested video")
    prompt: str | None = Field(None, description="the prompt really used, where the generator tells")
    log: str | None = Field(None, description="blob: what the generator printed")
    note: str = ""


class Clip(Record):
    """The video of one case, or why there is none."""

    case: CaseId  # which task, system and seed
    request_key: str  # of the Request it answers; empty where a video was brought from elsewhere
    task_instance: str  # of the Task as it was then: another first frame is another instance
    status: ClipStatus  # ok exactly where there is a video
    reason: str = ""  # why there is none, in words; empty where there is one
    video: str | None = None  # blob
    frames: int | None = None  # counted, not declared
    fps: float | None = None  # on average, by its timestamps
    seconds: float | None = None  # from the first timestamp to the end of the last frame
    width: int | None = None  # in pixels, upright
    height: int | None = None  # in pixels, upright
    fit: Fit | None = Field(None, description="how its picture shows the task's first frame; None: the same shape")
    pace: float = Field(1.0, gt=0, description="seconds of the camera script per second of video")
    provenance: Provenance  # what made it, or which file it was brought as


# ---------------------------------------------------------------- what was seen

SeenStatus = Literal["ok", "abstained", "failed"]


class Observation(Record):
    """What one observer saw in one video; arrays live in the blob."""

    media: str
    task_instance: str
    observer: str
    version: int
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
    judge: str
    version: int
    prompt_sha256: str
    prompt: str = Field("", description="name, version and wording of the prompt file: `question@1:a`")
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
    task_instance: str
    question: str
    judge: str
    version: int
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


# ---------------------------------------------------------------- what it is worth

ScoreStatus = Literal["ok", "not_applicable", "gated", "abstained", "no_output", "failed"]
GateKind = Literal["avoided", "no_opportunity"]


class Score(Record):
    """A number or a reason."""

    task: str  # its id, as in the suite
    system: str  # the model or reference that was asked
    seed: int  # which of its tries; task, system and seed are the case
    protocol: str  # that the metric is read in; the same metric may be scored under several
    metric: str  # its name, without the variant
    variant: str  # sound, paper or released; two of them never share a cell
    version: int  # of the metric
    instrument: str  # what looked, such as view@3+replay@2, the judge among them; none where nothing had to
    phase_source: str  # where the phases it reads come from; none where it reads none
    subject: str  # name of the task's first subject
    status: ScoreStatus  # ok exactly where there is a value
    gate: GateKind | None = None  # why the question was not posed; for gated scores alone
    value: float | None = None  # in the metric's unit
    reason: str = ""  # why there is no value, in words; never empty then
    evidence: tuple[str, ...] = ()  # blobs of the arrays that it was computed from

    @model_validator(mode="after")
    def _number_or_reason(self) -> Self:
        if (self.status == "ok") != (self.value is not None):
            raise ValueError(f"{self.metric}: a score has a value exactly when it is ok, not when {self.status}")
        if self.status != "ok" and not self.reason:
            raise ValueError(f"{self.metric}: a score without a value needs a reason")
        if (self.status == "gated") != (self.gate is not None):
            raise ValueError(f"{self.metric}: exactly the gated scores name their gate")
        return self

    @property
    def case(self) -> CaseId:
        return CaseId(task=self.task, system=self.system, seed=self.seed)


class Cell(Record):
    """A number with its denominator. `n` counts every row; the other counts add up to it."""

    protocol: str  # from here to system: rows that differ in any of these never share a cell
    metric: str  # its name, without the variant
    variant: str  # sound, paper or released
    version: int  # of the metric
    instrument: str  # what looked, as in Score
    phase_source: str  # as in Score
    slice: str  # which tasks: all, or such as category=kinematics
    system: str  # the model or reference that was asked
    value: float | None  # mean over the ok rows; None where there are none
    low: float | None  # of the 95 % interval over scenes; None where no honest one exists
    high: float | None  # its other end
    method: str  # how the interval was made, or why there is none
    floor: float | None = Field(description="value if every avoided or missing output counted as the worst score")
    scenes: int  # with at least one ok row: the independent samples
    n: int  # all rows, whatever their status
    ok: int  # rows with a number
    not_applicable: int  # outside of the metric's population
    avoided: int  # gated: the video never posed the question, as with a camera that never turned
    no_opportunity: int  # gated: the task itself could not pose it
    abstained: int  # the instrument could not tell
    no_output: int  # the system gave no video that can be read
    failed: int  # an error of ours or of a plugin


class LedgerStep(Record):
    """How many clips of a system got this far, and what stopped the others here."""

    system: str
    step: str
    reached: int
    total: int
    lost: dict[str, int] = {}


DoseKind = Literal["hidden_s", "context", "rotation_deg"]


class DosePoint(Record):
    """Share of clips that walked the whole ledger, among those that were asked about as much.

    `n` is `ok` clips with a verdict and `other` clips without; the `floor` counts the latter as wrong.
    """

    dose: float = Field(description="mean over the tasks of this point")
    dose_low: float
    dose_high: float
    tasks: int
    scenes: int
    n: int
    ok: int
    other: int
    value: float | None
    low: float | None
    high: float | None
    method: str
    floor: float | None


class DoseCurve(Record):
    """State correctness of a system against how much was asked of it; without points there is a reason."""

    protocol: str
    system: str
    dose: DoseKind
    points: tuple[DosePoint, ...] = ()
    reason: str = ""


class Board(Record):
    """The result of a run."""

    suite: str
    suite_version: str
    systems: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    cells: tuple[Cell, ...]
    ledger: tuple[LedgerStep, ...]
    dose: tuple[DoseCurve, ...] = ()
    not_measured: dict[str, str] = {}
    environment: dict[str, str] = {}

    def cell(self, system: str, metric: str, slice: str = "all", variant: str | None = None) -> Cell:
        """The one cell for a system and metric."""
        found = [
            c
            for c in self.cells
            if (c.system, c.metric, c.slice) == (system, metric, slice) and variant in (None, c.variant)
        ]
        if len(found) != 1:
            known = f"systems {', '.join(self.systems)}; metrics {', '.join(sorted({c.metric for c in self.cells}))}"
            raise LookupError(f"{len(found)} cells for {system} / {metric} / {slice}, expected one; there are {known}")
        return found[0]


# ---------------------------------------------------------------- can the graders be trusted?

DetectionKind = Literal["truth", "harmless", "stress", "fault", "baseline"]


class Detection(Record):
    """How well one metric notices one fault at one severity; `reason` says why a number is missing.

    `n` counts the clips that could show the fault to the metric: neither outside its population nor unobservable. In
    rows of faults and baselines a clip without a number is a miss; in all others it leaves the denominator.
    """

    metric: str
    variant: str
    kind: DetectionKind
    fault: str = Field(description="name of the reference model, without its severity")
    severity: float | None
    declared: bool = Field(description="this metric is the one that must notice this fault")
    n: int
    n_abstained: int = Field(description="of n: no number, for another reason than a gate")
    n_gated: int = Field(description="of n: a gate was closed")
    n_unobservable: int = Field(description="not of n: the clip hardly differs from the truth")
    n_harmless: int = Field(description="harmless clips with a number, behind auc and false_alarm_rate")
    auc: float | None
    threshold: float | None = Field(description="badness above which a clip alarms, mean of the two halves")
    hit_rate: float | None
    hit_low: float | None
    hit_high: float | None
    false_alarm_rate: float | None
    reason: str = ""

    @model_validator(mode="after")
    def _numbers_or_reason(self) -> Self:
        if not self.reason and None in (self.auc, self.threshold, self.hit_rate, self.hit_low, self.false_alarm_rate):
            raise ValueError(f"{self.metric} on {self.fault}: a missing number needs a reason")
        return self


class JudgeCheck(Record):
    """One thing that a good judge does or does not do; `reason` says why a number or its interval is missing."""

    name: str
    best: str = Field(description="what a judge without this bias would have")
    value: float | None = None
    low: float | None = None
    high: float | None = None
    answered: int = Field(description="questions behind the number; intervals are over clips")
    unanswered: int
    reason: str = ""


class JudgeTable(Record):
    """What a calibration says of its judge; how well it notices faults stands in the DetectionTable."""

    judge: str
    settings: dict[str, Setting]
    suite: str
    version: str
    true_clips: int
    faulty_clips: int
    always_yes: float | None = Field(description="share right by always saying yes; None without a true clip")
    always_no: float | None
    right: JudgeCheck = Field(description="answers that are the true ones, on clips that show the truth")
    checks: tuple[JudgeCheck, ...]

    @property
    def beats_floors(self) -> bool:
        """Only such a judge's other numbers mean anything."""
        floors = [floor for floor in (self.always_yes, self.always_no) if floor is not None]
        return self.right.low is not None and bool(floors) and self.right.low > max(floors)


class DetectionTable(Record):
    """The graders graded: every registered metric against every reference model that was run."""

    suite: str
    version: str
    tasks: tuple[str, ...]
    halves: tuple[tuple[str, ...], tuple[str, ...]] = Field(description="layouts; each sets the other's thresholds")
    n_clips: int
    n_harmless: int
    false_alarms: float = Field(description="share of harmless clips that a threshold lets alarm, at most")
    unobservable_below: float
    rows: tuple[Detection, ...]
