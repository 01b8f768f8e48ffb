"""A control in steps says what it says in one piece."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookaway.controls import CONTROLS, AskedCamera, EncodedCamera
from lookaway.controls.cutting import Chunk, chunks
from lookaway.errors import UsageError
from lookaway.geometry.script import in_words
from lookaway.records import ModelCard
from tests.builders import task

CAMERA = "hold@0.5s, yaw:left:20@0.5s, dolly:forward:0.5@0.5s, hold@0.5s"  # 33 frames at 16 fps
STEPS = {"degrees_per_step": 5.0, "distance_per_step": 0.25, "turn_left": "left", "forward": "w", "latent_stride": 2}
BUTTONS = {"buttons": "forward, back", "mouse": "yaw_right", "mouse_per_frame": 0.1}


def cut(control: str, chunk_frames: int, camera: str = CAMERA, **settings: Any) -> tuple[list[Chunk], Any]:
    card = ModelCard(name="m", summary="", control=control, generator="session", control_settings=settings)
    asked = AskedCamera.of(task(camera=camera, seconds=2.0), card)
    said = CONTROLS.get(control).function(asked)
    return chunks(asked, said, chunk_frames), said


def test_chunks_cover_the_video_without_gap_and_the_last_is_whole() -> None:
    made, _ = cut("poses", 10)
    assert [(chunk.first, chunk.frames) for chunk in made] == [(1, 10), (11, 10), (21, 10), (31, 10)]


def test_poses_are_those_of_the_frames_that_a_step_makes() -> None:
    made, said = cut("poses", 10)
    told = np.concatenate([chunk.action["camera_to_world"] for chunk in made])
    assert np.array_equal(told[:32], said.effective.camera_to_world[1:])
    assert np.array_equal(told[32:], np.repeat(told[31:32], 8, axis=0)), "beyond the video the camera stands"
    assert np.shape(made[0].action["intrinsics"]) == (10, 3, 3)


def test_buttons_held_until_a_frame_belong_to_the_step_that_makes_it() -> None:
    made, _ = cut("actions", 8, **BUTTONS)
    mouse = [np.array(chunk.action["mouse"])[:, 0] for chunk in made]
    assert [column.tolist() for column in mouse] == [[0.0] * 8, [-0.1] * 8, [0.0] * 8, [0.0] * 8]
    forward = [np.array(chunk.action["buttons"])[:, 0].sum() for chunk in made]
    assert forward == [0, 0, 8, 0]


def test_step_strings_are_cut_between_latents() -> None:
    made, _ = cut("steps", 8, camera="yaw:left:25@1s, dolly:forward:0.5@0.5s", **STEPS)
    assert [chunk.action["steps"] for chunk in made] == ["left-4", "left-1, w-2", "", ""]
    waiting, _ = cut("steps", 8, camera="yaw:left:25@1s", static="still", **STEPS)
    assert [chunk.action["steps"] for chunk in waiting] == ["left-4", "left-1, still-3", "still-4", "still-4"]
    with pytest.raises(UsageError, match="chunk_frames = 5 is no multiple of latent_stride = 2"):
        cut("steps", 5, camera="yaw:left:25@1s", **STEPS)


def test_sentences_say_what_the_camera_does_meanwhile() -> None:
    made, said = cut("text", 8)
    assert [chunk.text for chunk in made] == [in_words(part) for part in CAMERA.split(", ")]
    assert all(chunk.action == {} for chunk in made)
    assert all(chunk.text not in said.text for chunk in made[1:]), "the whole is one sentence"


def test_a_script_is_cut_into_scripts() -> None:
    made, _ = cut("script", 12)
    assert [chunk.action["script"] for chunk in made] == [
        "hold@0.5s, yaw:left:10.0@0.25s",
        "yaw:left:10.0@0.25s, dolly:forward:0.5@0.5s",
        "hold@0.5s, hold@0.25s",
    ]


def test_a_control_without_poses_cannot_be_cut() -> None:
    card = ModelCard(name="m", summary="", control="one_of_my_own", generator="session")
    with pytest.raises(UsageError, match="'m': control 'one_of_my_own' cannot be cut into the steps of a session"):
        chunks(AskedCamera.of(task(), card), EncodedCamera(), 8)
