"""Reference models: the known world itself, whole, with a named fault, or varied."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.cache import cached_files
from lookaway.errors import GenerationError
from lookaway.generators import CLIP_CRF, Commission, Made, Movie, generator
from lookaway.records import Task
from lookaway.video import SharedFrames, encode, resize
from lookaway.worlds import world_of
from lookaway.worlds.reference import REFERENCE
from lookaway.worlds.reference.conditions import NEVER_AWAY
from lookaway.worlds.reference.filming import MomentKey, StoryFrame
from lookaway.worlds.reference.story import TRUE_SETTING, PaintableFrame, Story
from lookaway.worlds.shown_frames import Telling
from lookaway.worlds.world import AS_TOLD

Picture = NDArray[np.uint8]
SAME_SHAPE = 0.01
SEED_SPREAD = 0.1  # seeds other than 0 make a fault stronger or weaker by up to this share


@generator(version=5, extra="worlds", seconds_per_frame=0.01)
def known_world(commission: Commission) -> Made:
    """The task's own world along the asked camera, told as the reference model on the card tells it.

    Of a task without a world, `truth` is its true clip as it is: the ceiling of every metric.
    """
    task = commission.task
    if task.world is None:
        return _true_clip(commission)
    path = commission.trajectory()
    if path is None:
        raise GenerationError(f"{task.id}: the known world needs camera poses, not '{commission.request.control.kind}'")
    name, severity = commission.card.settings.get("reference"), commission.card.settings.get("severity")
    if not isinstance(name, str) or isinstance(severity, str):
        raise GenerationError(
            f'{commission.card.name}: settings need reference = "NAME" and, at most, a number as severity'
        )
    model = REFERENCE.find(name)
    why_not = model.applies(task)
    if why_not == NEVER_AWAY and task.yoked:
        name, severity, model = "truth", None, REFERENCE.find("truth")  # what it does unseen it does not do here
    elif why_not:
        raise GenerationError(f"{task.id}: cannot show '{name}': {why_not}")
    seed = commission.request.case.seed
    rng = np.random.default_rng([seed, zlib.crc32(task.id.encode())])
    if seed and model.ladder:
        severity = model.severity(severity) * rng.uniform(1 - SEED_SPREAD, 1 + SEED_SPREAD)
    request = commission.request
    as_filmed = request.task_instance == task.instance  # not so along a branch, whose camera goes another way
    true_clip = commission.true_clips().path(task.id) if as_filmed else None
    content = [task.instance, name, severity, seed, request.frames, request.fps, request.width, request.height]
    content += [path.camera_to_world.tobytes().hex(), None if true_clip is None else true_clip.stem]

    clip, facts = commission.workdir / "clip.mp4", commission.workdir / "shown.npz"

    def make() -> None:
        asked, own = (request.width, request.height), (task.width, task.height)
        size = own if alike(asked, own) else asked
        story = model.told(Story.true(task, world_of(task.world, size), path.seconds), severity, rng)
        true = _true_pictures(true_clip, task) if true_clip is not None and size == own else None
        telling = Telling(story)
        frames = pictures(story, asked, true, telling)
        encode(frames, clip, request.fps, crf=CLIP_CRF if story.crf is None else story.crf)
        facts.write_bytes(telling.shown().packed())

    cached_files(content, (clip, facts), make)
    return Movie(clip, shown=facts)


def _true_clip(commission: Commission) -> Movie:
    task, clip = commission.task, commission.true_clips().path(commission.task.id)
    if commission.card.settings.get("reference") != "truth":
        raise GenerationError(f"{task.id}: not a task of the known world; reference models cannot make it")
    if clip is None or commission.request.task_instance != task.instance:
        raise GenerationError(f"{task.id}: the suite has no true clip of this task, so there is no ceiling to measure")
    return Movie(clip, note="the true clip itself")


def alike(size: tuple[int, int], other: tuple[int, int]) -> bool:
    """May a picture be scaled from one size to the other without being distorted?"""
    return abs(size[0] * other[1] / (size[1] * other[0]) - 1) < SAME_SHAPE


def pictures(
    story: Story, size: tuple[int, int], true: TruePictures | None, telling: Telling | None = None
) -> Iterator[Picture]:
    """The frames of a story, at that size; those that the true clip has already are taken from there.

    `telling` is told what each of them shows.
    """
    for index in range(len(story.seconds)):
        shot = StoryFrame.of(story, index)
        found = true.found(shot) if true else None
        plain = shot.view().rgb if found is None else found
        shown = PaintableFrame(index, plain, shot.mask, shot.empty)
        for paint in story.paints[index]:
            shown = PaintableFrame(index, paint(shown), shot.mask, shot.empty)
        if telling is not None:
            telling.add(index, shot, plain, shown.rgb, rendered=found is None)
        yield resize(shown.rgb, size)


@dataclass(frozen=True)
class TruePictures:
    """The frames of a task's true clip, by what they show."""

    frames: SharedFrames
    index: dict[MomentKey, int]

    def found(self, shot: StoryFrame) -> Picture | None:
        """The true frame that shows just this, if there is one."""
        if shot.setting != TRUE_SETTING or shot.subject != AS_TOLD or shot.key not in self.index:
            return None
        rgb: Picture = self.frames.rgb[self.index[shot.key]]
        return rgb


@lru_cache(maxsize=2)  # clips of one task are made one after the other
def _true_pictures(clip: Path, task: Task) -> TruePictures | None:
    """None where the true clip is not of the task's own size and rate."""
    frames = SharedFrames.load(clip, long_side=None)
    if frames.rgb.shape[:3] != (task.frames, task.height, task.width):
        return None
    assert task.world is not None
    seconds = np.arange(task.frames) / task.fps
    story = Story.true(task, world_of(task.world, (task.width, task.height)), seconds)
    return TruePictures(frames, {StoryFrame.of(story, index).key: index for index in range(task.frames)})
