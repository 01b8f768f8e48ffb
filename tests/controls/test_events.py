"""What sets a process off and what hides it: told in the language that a card names, and recorded as requested."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import models
from lookaway.controls import CONTROLS, AskedCamera, Shape
from lookaway.controls.cutting import Chunk
from lookaway.controls.events import IN_PROMPT, parse_trigger, told_events, with_events
from lookaway.errors import UsageError
from lookaway.geometry.cover import cover_moves, cover_piece
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, Control, Interval, ModelCard, Setting, System, Task
from lookaway.store import Run
from lookaway.suites.releases.stevo.wording import camera_script, latents, seconds_of
from tests.builders import task as a_task
from tests.command import invoke

ACT = "a hand flips the switch"
COVER = "hold@1s, curtain:close@0.5s, hold@1s, curtain:open@0.5s, hold@1s"
LAMP = "A lamp stands on a table."


def lamp(**changes: Any) -> Task:
    known: dict[str, Any] = {
        "prompt": f"{LAMP} After 2 seconds, {ACT}.",
        "action_control": ACT,
        "trigger_s": 2.0,
        "camera": "hold@4s",
        "cover": COVER,
        "observation_controls": ("curtain",),
        "visibility": "leaves_and_returns",
        "seconds": 4.0,
        "fps": 16.0,
    }
    return a_task().model_copy(update=known | changes)


def card(control: str = "text", chunk_frames: int | None = 16, **settings: Setting) -> ModelCard:
    known = {"name": "m", "summary": "", "generator": "session"}
    return ModelCard(**known, control=control, chunk_frames=chunk_frames, control_settings=settings)


def steps_of(task: Task, told: ModelCard) -> list[Chunk]:
    empty = [Chunk(first, 16, {"script": "hold@1s"}) for first in range(1, 64, 16)]
    return with_events(empty, task, AskedCamera.of(task, told))


def test_a_model_that_takes_text_is_told_all_in_its_prompt() -> None:
    told = told_events(lamp(), card())
    assert told.prompt == lamp().prompt
    assert "a curtain is drawn in front of the camera" in told.cover_text
    assert told.trigger is not None
    assert told.occlusion is not None
    assert (told.trigger.words, told.trigger.start_s, told.trigger.told_by) == (ACT, 2.0, "prompt")
    assert (told.occlusion.start_s, told.occlusion.end_s, told.occlusion.told_by) == (1.5, 2.5, "prompt")


def test_lights_are_told_in_words() -> None:
    told = told_events(lamp(cover="hold@1s, lights:off@0.5s, hold@1s, lights:on@0.5s, hold@1s"), card())
    assert told.occlusion is not None
    assert "all lights go out" in told.cover_text == told.occlusion.words


def test_a_camera_that_turns_away_is_what_hides() -> None:
    away = lamp(cover="", camera="hold@1s, yaw:left:60@1s, hold@0.5s, yaw:right:60@1s, hold@0.5s")
    away = away.model_copy(update={"phases": (Interval(phase="hidden", start_s=1.8, end_s=2.7),)})
    told = told_events(away, card("poses"))
    assert told.occlusion is not None
    assert (told.occlusion.told_by, told.occlusion.start_s, told.occlusion.end_s) == ("camera", 1.8, 2.7)
    assert told.cover_text == ""


@pytest.mark.parametrize("seen", [{"visibility": "always_visible"}, {"observation_controls": ("none",)}])
def test_nothing_hides_what_is_to_be_seen_throughout(seen: dict[str, Any]) -> None:
    assert told_events(lamp(**seen), card()).occlusion is None
    assert told_events(lamp(action_control="none"), card()).trigger is None


def test_words_of_a_step_come_when_they_are_due_and_not_in_the_prompt() -> None:
    told = card(trigger="step", cover="step")
    assert told_events(lamp(), told).prompt == LAMP
    assert told_events(lamp(), told).cover_text == ""
    assert [step.text for step in steps_of(lamp(), told)] == [
        "",
        "A curtain is drawn in front of the camera.",  # from second 1 on
        "A hand flips the switch. The curtain is drawn back.",  # 2 and 2.5
        "",
    ]


def test_an_action_is_named_in_the_step_that_shows_it_first() -> None:
    told = card(trigger="action", trigger_action="use")
    assert [step.action.get("trigger") for step in steps_of(lamp(), told)] == [None, None, "use", None]
    assert told_events(lamp(), told).prompt == LAMP
    trigger = told_events(lamp(), told).trigger
    assert trigger is not None
    assert (trigger.told_by, trigger.action) == ("action", "use")


def test_a_button_is_pressed_for_a_moment_when_it_is_due() -> None:
    buttons = card("actions", None, buttons="forward, use", trigger="action", trigger_action="use")
    asked = AskedCamera.of(lamp(), buttons)
    with np.load(io.BytesIO(CONTROLS.get("actions").function(asked).files["actions.npz"])) as arrays:
        held = arrays["buttons"]
    assert np.flatnonzero(held[:, 1]).tolist() == [32, 33, 34, 35]  # a quarter of a second from frame 32 on
    assert not held[:, 0].any()
    never = CONTROLS.get("actions").function(replace(asked, trigger_s=None))
    with np.load(io.BytesIO(never.files["actions.npz"])) as arrays:
        assert not arrays["buttons"].any()


def test_a_prompt_that_tells_the_start_itself_is_left_alone_and_that_is_said() -> None:
    told = told_events(lamp(prompt=f"{LAMP} Soon {ACT}."), card(trigger="step"))
    assert told.prompt == f"{LAMP} Soon {ACT}."
    assert told.warnings == (IN_PROMPT,)
    assert told.trigger is not None
    assert told.trigger.told_by == "prompt"


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (card(trigger="shout"), "control_settings.trigger is 'shout'; known: prompt, step, action"),
        (card(cover="shout"), "control_settings.cover is 'shout'; known: prompt, step, script"),
        (card(trigger="action"), "trigger_action must name the action"),
        (card(chunk_frames=None, trigger="step"), "driven in steps"),
        (card(chunk_frames=None, cover="step"), "needs chunk_frames"),
    ],
)
def test_a_card_that_cannot_be_obeyed_is_refused(told: ModelCard, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        told_events(lamp(), told)


def test_cover_scripts_are_cut_where_they_can_be() -> None:
    assert cover_piece(COVER, 0.0, 1.0) == ""
    assert cover_piece(COVER, 1.0, 1.25) == "curtain:close:50@0.25s"
    assert cover_piece(COVER, 1.0, 2.0) == "curtain:close@0.5s, hold@0.5s"
    assert cover_piece(COVER, 2.25, 3.0) == "hold@0.25s, curtain:open@0.5s"
    with pytest.raises(UsageError, match="cannot be cut while the curtain goes open"):
        cover_piece(COVER, 2.0, 2.75)
    assert [second for second, _ in cover_moves(COVER)] == [1.0, 2.5]
    scripts = [step.action["script"] for step in steps_of(lamp(), card("script", cover="script"))]
    assert scripts == ["hold@1s", "curtain:close@0.5s, hold@0.5s", "hold@0.5s, curtain:open@0.5s", "hold@1s"]


def test_the_request_records_what_was_requested_and_one_without_keeps_its_key(tmp_path: Path) -> None:
    request = request_for(CaseId(task="t", system="m"), lamp(), System(name="m", card=card()), Run(tmp_path))
    assert request.prompt.startswith(f"{LAMP} After 2 seconds, {ACT}. ")
    assert request.control.trigger is not None
    assert request.control.occlusion is not None
    assert request.control.occlusion.words in request.prompt
    assert {"trigger", "occlusion"} & set(Control(kind="text").model_dump()) == set()


@pytest.mark.parametrize(("steps", "frames"), [("s-3, right-20, left-20", 173), ("right-30, left-30", 241)])
def test_a_video_as_long_as_asked_has_four_frames_a_latent_and_one_before(steps: str, frames: int) -> None:
    asked = lamp(cover="", camera=camera_script(steps), seconds=seconds_of(latents(steps)), fps=24.0)
    own = models.load("hunyuan-worldplay").model_copy(update={"length": "as asked"})
    assert Shape.of(asked, own).frames == frames == 4 * latents(steps) + 1
    compiled = CONTROLS.get("steps").function(AskedCamera.of(asked, own))
    assert compiled.files["steps.txt"].decode().strip() == steps
    longer = asked.model_copy(update={"seconds": asked.seconds + 1 / 24})
    assert Shape.of(longer, own).frames == frames + 4, "latents are whole"


def test_compiling_shows_how_a_model_is_told(tmp_path: Path) -> None:
    words = ("--camera", "hold@4s", "--cover", COVER, "--trigger", f"{ACT}@2s", "--out", str(tmp_path / "out"))
    code, said = invoke("model", "compile", "--model", "veo-3", *words)
    assert code == 0, said
    assert f"trigger, told by prompt: {ACT}" in said
    assert "cover, told by prompt: For 1 seconds everything stays like this, then" in said
    prompt = (tmp_path / "out" / "prompt.txt").read_text()
    assert prompt.startswith(f"After 2 seconds, {ACT}. ")
    assert "a curtain is drawn in front of the camera" in prompt


@pytest.mark.parametrize("text", ["soon", "@2s", "a lamp goes on@soon", "a lamp goes on@-1s", "a lamp goes on@1e9s"])
def test_a_trigger_needs_words_and_a_second(text: str) -> None:
    with pytest.raises(UsageError, match="write what happens and when"):
        parse_trigger(text)
