"""Clips of the exam: sixteen worlds told as reference models tell them, and true clips put in disorder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookaway.generators.known_world import pictures
from lookaway.judges.exam.questions import ClipFacts, ExamFrame
from lookaway.records import Task, WorldSpec
from lookaway.suites import Draft
from lookaway.suites.known_world import ENDED_S, draft, shot
from lookaway.suites.look_aways import Timing, Turn
from lookaway.worlds import world_of
from lookaway.worlds.reference import parsed
from lookaway.worlds.reference.filming import StoryFrame
from lookaway.worlds.reference.story import Story
from lookaway.worlds.world import AS_TOLD

Pictures = list[NDArray[np.uint8]]

SIZE = (256, 144)
FRAMES, FPS = 8, 2.0
TASK_FPS = 4.0  # of the true clip that a task is built from: fine enough to tell when its subject is hidden
TIMING = Timing(before_s=0.75, out_s=0.5, hidden_s=0.75, back_s=0.5, after_s=1.0)
NEAR = 0.06  # of a pose, in metres and sines: a hand-held camera is where it belongs

WORLDS: tuple[tuple[str, str, Turn, Turn], ...] = (  # layout, process, side, first turn
    ("parlour", "ball", "left", "left"),
    ("workshop", "conveyor", "right", "right"),
    ("garden", "walker", "left", "right"),
    ("kitchen", "cup", "right", "left"),
    ("street", "sliding", "left", "left"),
    ("classroom", "hatch", "right", "right"),
    ("bedroom", "balloon", "left", "right"),
    ("beach", "umbrella", "right", "left"),
    ("market", "pallet", "left", "left"),
    ("parlour", "waving", "right", "right"),
    ("workshop", "seesaw", "left", "right"),
    ("garden", "ice", "right", "left"),
    ("kitchen", "bowl", "left", "left"),
    ("street", "sitting", "right", "right"),
    ("classroom", "peg", "left", "right"),
    ("bedroom", "yarn", "right", "left"),
)


def drafts(seeds: Sequence[int]) -> list[Draft]:
    """The sixteen tasks, each world with the seed at its place."""
    found = []
    for (layout, process, side, turn), seed in zip(WORLDS, seeds, strict=True):
        pace = round(ENDED_S / TIMING.total_s, 4)
        spec = WorldSpec(layout=layout, process=process, seed=seed, side=side, pace=pace)
        made = draft("exam", "1", shot(spec, f"yaw-{turn}", turn, TIMING), id=f"{layout}_{process}")
        found.append(replace(made, fps=TASK_FPS))
    return found


@dataclass(frozen=True, eq=False)
class ExamClip:
    """What a clip shows, frame by frame: the pictures and what is known of each."""

    task: Task
    pictures: Pictures
    facts: tuple[ExamFrame, ...]
    crf: int | None = None

    def seen(self, true: ExamClip) -> ClipFacts:
        assert self.task.world is not None
        words = world_of(self.task.world, SIZE).facts.words
        return ClipFacts(words, self.facts, true.facts[-1])


def told(task: Task, name: str) -> ExamClip | None:
    """The clip as `NAME@SEVERITY` tells it; None where the task cannot show it."""
    model, severity = parsed(name)
    if task.world is None or model.applies(task):
        return None
    seconds = np.arange(FRAMES) / FPS
    world = world_of(task.world, SIZE)
    rng = np.random.default_rng([len(name), *map(ord, name)])
    story = model.told(Story.true(task, world, seconds), severity, rng)
    shown = list(pictures(story, SIZE, None))
    facts = tuple(_facts(story, index, model.name == "wrong-colour") for index in range(FRAMES))
    return ExamClip(task, shown, facts, story.crf)


def _facts(story: Story, index: int, colour: bool) -> ExamFrame:
    mask = StoryFrame.of(story, index).mask()
    rows, columns = np.nonzero(mask)
    near = np.allclose(story.poses[index], story.true_poses[index], atol=NEAR)
    return ExamFrame(
        share=float(mask.mean()),
        x=float(columns.mean() / mask.shape[1]) if len(columns) else 0.0,
        y=float(rows.mean() / mask.shape[0]) if len(rows) else 0.0,
        process_s=float(story.process_s[index]) * story.world.spec.pace,
        as_told=bool(near) and story.subject[index] == AS_TOLD,
        copies=len(story.subject[index]),
        recoloured=colour and bool(story.changed[index]),
    )


def reversed_clip(clip: ExamClip) -> ExamClip:
    return replace(clip, pictures=clip.pictures[::-1], facts=clip.facts[::-1])


def blank_clip(clip: ExamClip, level: int) -> ExamClip:
    return _painted(clip, range(FRAMES), level, "grey")


def black_frames_clip(clip: ExamClip, black: Sequence[int]) -> ExamClip:
    return _painted(clip, black, 0, "black")


def _painted(clip: ExamClip, which: Sequence[int], level: int, colour: str) -> ExamClip:
    plain = np.full_like(clip.pictures[0], level)
    shown = [plain if index in which else rgb for index, rgb in enumerate(clip.pictures)]
    facts = [ExamFrame(colour=colour) if index in which else fact for index, fact in enumerate(clip.facts)]
    return replace(clip, pictures=shown, facts=tuple(facts))
