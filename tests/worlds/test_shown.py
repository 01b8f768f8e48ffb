"""What is kept of a clip when it is filmed: numbers that agree with the pictures, and no name of a fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lookaway import shown
from lookaway.generators.known_world import pictures
from lookaway.records import Task
from lookaway.shown import ShownFacts
from lookaway.store import Blobs
from lookaway.suites import find
from lookaway.worlds import world_of
from lookaway.worlds.reference import REFERENCE
from lookaway.worlds.reference.filming import StoryFrame
from lookaway.worlds.reference.story import Story
from lookaway.worlds.shown_frames import Telling

TASK = "parlour0_ball_left"
EVERY = 8  # frames: two a second


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    (draft,) = (draft for draft in find("diorama-mini").drafts() if draft.id == TASK)
    return draft.built(Blobs(tmp_path_factory.mktemp("blobs"))).task


def story(task: Task, name: str) -> Story:
    assert task.world is not None
    seconds = np.arange(0, task.frames, EVERY) / task.fps
    true = Story.true(task, world_of(task.world, (task.width, task.height)), seconds)
    return REFERENCE.find(name).told(true, None, np.random.default_rng(0))


def told(task: Task, name: str) -> ShownFacts:
    telling, asked = Telling(story(task, name)), story(task, name)
    list(pictures(asked, (task.width, task.height), None, telling))
    return telling.shown()


@pytest.mark.parametrize("name", ["truth", "teleported", "duplicated", "wrong-size"])
def test_counting_the_subjects_pixels_gives_what_a_picture_shows(name: str, task: Task) -> None:
    asked = story(task, name)
    for index in range(len(asked.seconds)):
        shot = StoryFrame.of(asked, index)
        assert shot.pixels(shot.subject) == shot.mask().sum()


def test_of_the_truth_nothing_is_wrong(task: Task) -> None:
    clip = told(task, "truth")
    for name in ("off_m", "off_widths", "aside_m", "lifted_m", "stretch", "look_change", "around_shift", "strays_deg"):
        assert (getattr(clip.frames, name) == 0).all(), name
    assert (clip.frames.process_s == clip.frames.seconds).all()
    assert (clip.state == clip.due_state).all()
    assert (clip.frames.visible == clip.frames.due_visible).all()
    assert clip.frames.visible[0] == 1


def after(task: Task, clip: ShownFacts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    (back,) = (interval for interval in task.phases if interval.phase == "returned")
    return np.asarray((clip.frames.seconds >= back.start_s) & (clip.frames.visible > 0.5))


def test_each_fault_shows_in_its_own_number(task: Task) -> None:
    frozen = told(task, "frozen")
    hidden_s = next(i.end_s - i.start_s for i in task.phases if i.phase == "hidden")
    back = after(task, frozen)
    assert np.allclose((frozen.frames.seconds - frozen.frames.process_s)[back], hidden_s)
    assert (frozen.frames.aside_m[back] == 0).all()
    aside = told(task, "teleported")
    assert np.allclose(aside.frames.off_widths[after(task, aside)], 0.2, atol=0.02), "severity is in frame widths"
    larger = told(task, "wrong-size")
    assert np.allclose(larger.frames.stretch[after(task, larger)], 0.5)
    assert (larger.frames.off_widths[after(task, larger)] < 1e-6).all(), "it grows about its foot"
    gone = told(task, "vanished")
    assert (gone.frames.visible[-3:] == 0).all()
    assert (gone.frames.due_visible[-3:] > 0.5).all()
    assert told(task, "duplicated").frames.copies[-1] == 2
    colour = told(task, "wrong-colour")
    assert (colour.frames.look_change - colour.frames.around_change)[-1] > 0.1
    melt = told(task, "background-melt")
    assert melt.frames.around_shift[-1] > 0.015
    assert told(task, "other-room").frames.other_room[-1] == 1
    assert told(task, "static-camera").frames.strays_deg.max() > 50


@pytest.mark.parametrize("name", ["frozen", "teleported", "other-room", "wrong-colour"])
def test_a_fault_by_another_name_leaves_the_same_facts(name: str, task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    before = told(task, name).packed()
    catalogue = {**REFERENCE._builders, "something": replace(REFERENCE.find(name), name="something")}
    del catalogue[name]
    monkeypatch.setattr(REFERENCE, "_builders", catalogue)
    assert told(task, "something").packed() == before


def test_facts_are_read_back_as_they_were_told(task: Task, tmp_path: Path) -> None:
    clip = told(task, "vanished")
    (tmp_path / "shown.npz").write_bytes(clip.packed())
    again = shown.load(tmp_path / "shown.npz")
    assert again.packed() == clip.packed()
    assert np.isnan(again.frames.off_widths[-1])
