"""What the oracle goes by: the facts of a clip as it was filmed, at exactly the frames that were shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway import shown, truth
from lookaway.errors import ObserveError
from lookaway.geometry.asked import asked_poses
from lookaway.geometry.cover import parse_cover
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.visibility import frames_in, phases_from_visible
from lookaway.judges import About, Probe
from lookaway.judges.frames import SentFrame
from lookaway.judges.frames.sent import BLACK_LEVEL
from lookaway.judges.oracle import margins
from lookaway.judges.oracle.truth_files import is_blank
from lookaway.records import Interval, Phase, Question, Reference, Shown, Task
from lookaway.shown import SHOWN_LOG, FrameFacts, ShownFacts
from lookaway.store import Run

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """A clip's facts, and which of its frames were shown."""

    task: Task
    clip: ShownFacts
    rows: tuple[int | None, ...]  # the frames to be judged, in the order shown; None for one that shows nothing
    questions: tuple[Question, ...] = ()
    variant: str = ""
    state_names: tuple[str, ...] = ()

    @property
    def frames(self) -> FrameFacts[Floats]:
        return self.clip.frames

    @property
    def sent(self) -> Ints:
        """Frames that were shown and show something, in the order shown."""
        return np.array([row for row in self.rows if row is not None], int)

    @cached_property
    def in_sight(self) -> Bools:
        """Of all frames of the clip: the subject can be judged."""
        return np.asarray((self.frames.visible >= margins.IN_SIGHT) & (self.frames.light >= margins.LIT))

    @cached_property
    def out_of_sight(self) -> Bools:
        """Of all frames of the clip: nobody finds the subject."""
        return np.asarray((self.frames.visible < margins.OUT_OF_SIGHT) | (self.frames.light <= margins.DARK))

    @cached_property
    def phases(self) -> tuple[Interval, ...]:
        """Of the clip as it is, not as it was asked for."""
        return phases_from_visible(self.frames.seconds, ~self.out_of_sight)

    def during(self, phase: Phase) -> Ints:
        """Frames that were shown and in which the subject can be judged, of that phase."""
        inside = frames_in(self.frames.seconds, self.phases, phase)
        return self.sent[inside[self.sent] & self.in_sight[self.sent]]

    @property
    def clear(self) -> Ints:
        """Frames that were shown and in which the subject can be judged."""
        return self.sent[self.in_sight[self.sent]]

    @property
    def last(self) -> int | None:
        """A frame that was shown and tells how the clip ends."""
        if not len(self.sent):
            return None
        last = int(self.sent[-1])
        near = self.frames.seconds[-1] - self.frames.seconds[last] <= margins.AT_THE_END_S
        return last if near else None


def evidence_of(probe: Probe) -> Evidence:
    """What a probe shows of its clip."""
    (media,) = probe.about.clips or (probe.about.media,)
    frames = probe.frames[1:] if probe.about.ahead else probe.frames
    return _evidence(probe.about, media, frames, whole=probe.video is not None)


def evidence_of_two(probe: Probe) -> tuple[Evidence, Evidence]:
    """The same of two clips that are shown one after the other; the second begins where time does."""
    first, second = probe.about.clips
    seconds = np.array([frame.seconds for frame in probe.frames])
    begins = int(np.flatnonzero(np.diff(seconds) < 0)[0]) + 1
    return (
        _evidence(probe.about, first, probe.frames[:begins]),
        _evidence(probe.about, second, probe.frames[begins:]),
    )


def _evidence(about: About, media: str, frames: Sequence[SentFrame], whole: bool = False) -> Evidence:
    if about.run is None or not about.instance:
        raise ObserveError("the oracle knows clips of a run folder; elsewhere give it a file: --judge oracle:FILE")
    task, reference = known_task(about.run, about.instance)
    clip = known_facts(about.run, media, task, reference)
    rows = tuple(range(len(clip))) if whole else tuple(_row(frame, clip) for frame in frames)
    names = reference.state_names if reference is not None else ()
    return Evidence(task, clip, rows, about.questions, about.variant, names)


def _row(frame: SentFrame, clip: ShownFacts) -> int | None:
    """The frame's number; None where it shows nothing. Black says something where the lights were out."""
    dark = clip.frames.light[frame.index] <= margins.DARK and int(frame.rgb.max()) < BLACK_LEVEL
    return None if is_blank(frame) and not dark else frame.index


@lru_cache(maxsize=256)
def known_task(run: Path, instance: str) -> tuple[Task, Reference | None]:
    tasks = (task for task in Run(run).latest("tasks", Task).values() if task.instance == instance)
    task = next(tasks, None)
    if task is None:
        raise ObserveError(f"{run}: no task of the instance {instance}")
    references = Run(run).latest("references", Reference).values()
    return task, next((known for known in references if known.instance == instance), None)


def known_facts(run: Path, media: str, task: Task, reference: Reference | None) -> ShownFacts:
    """What a clip shows: one that was filmed here, the true clip, or its first frame."""
    if reference is not None and media in (reference.video, task.first_frame):
        return _true_facts(run, task, reference)
    return _filmed_facts(run, media)


@lru_cache(maxsize=64)
def _filmed_facts(run: Path, media: str) -> ShownFacts:
    found = Run(run).latest(SHOWN_LOG, Shown, media=media)
    if not found:
        raise ObserveError(
            f"clip {media[:12]}: what it shows is not known, as of clips that the known world made in this run folder; "
            "give the oracle a file: --judge oracle:FILE"
        )
    (known,) = found.values()
    return shown.load(Run(run).blobs.path(known.arrays))


@lru_cache(maxsize=64)
def _true_facts(run: Path, task: Task, reference: Reference) -> ShownFacts:
    """Of the true clip: all is as it should be."""
    known = truth.load(reference, Run(run).blobs.root)
    if known.world is None:
        raise ObserveError(f"{task.id}: not a task of the known world; give the oracle a file: --judge oracle:FILE")
    count = len(known.seconds)
    cover = parse_cover(task.cover) if task.cover else None
    share = np.zeros(count) if cover is None else cover.share_at(known.seconds)
    lights = cover is not None and cover.kind == "lights"
    visible = known.world.visible
    nothing = FrameFacts(*np.zeros((len(FrameFacts._fields), count)))
    frames = nothing._replace(
        seconds=known.seconds,
        process_s=known.seconds,
        visible=visible,
        due_visible=visible,
        copies=np.asarray(visible >= margins.OUT_OF_SIGHT, float),
        light=1 - share if lights else np.ones(count),
        covered=np.zeros(count) if lights else share,
        turn_deg=turn_deg(asked_poses(task, known.seconds)),
    )
    return ShownFacts(frames, known.world.state, known.world.state, rests=True)
