"""Every card's control: its files say the path it claims, and the loss is the distance to what was asked."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway import models
from lookaway.controls import CONTROLS, AskedCamera, EncodedCamera, lost, shape_notes
from lookaway.errors import UsageError
from lookaway.geometry.presets import script
from lookaway.geometry.rotations import turn_deg
from lookaway.records import ModelCard, Setting
from tests.builders import task
from tests.controls.upstream import READERS

CARDS = [card.name for card in models.evaluated()]
UNSCRIPTABLE = {"genie-3"}
ROUNDING_DEG = 1e-5  # the angle whose cosine is the last number before 1 is 1.2e-6 degrees
ASKED = {
    "static": script("static", 5),
    "yaw L->R": script("yaw-lr", 5, 60),
    "yaw R->L": script("yaw-rl", 5, 60),
    "walk": "dolly:forward:0.5+pitch:up:10@2s, hold@1s, truck:left:0.3+yaw:right:30@2s",
}


def said(card: ModelCard, camera: str) -> tuple[AskedCamera, EncodedCamera]:
    asked = AskedCamera.plain(camera, card, 60.0)
    return asked, CONTROLS.get(card.control).function(asked)


@pytest.mark.parametrize("camera", ["static", "yaw L->R", "yaw R->L"])
@pytest.mark.parametrize("name", CARDS)
def test_every_card_compiles_the_common_cameras_or_says_why_not(name: str, camera: str) -> None:
    card = models.load(name)
    if name in UNSCRIPTABLE:
        with pytest.raises(UsageError, match=f"'{name}'"):
            said(card, ASKED[camera])
        return
    asked, made = said(card, ASKED[camera])
    assert made.files or made.text
    if made.effective is None:
        assert made.text or made.warnings
        return
    decode = CONTROLS.get(card.control).decode
    assert decode is not None
    again = decode(made.files, asked)
    assert np.abs(again.camera_to_world - made.effective.camera_to_world).max() < 1e-7
    turn = made.effective.yaw_deg()
    wanted = {"static": 0, "yaw L->R": -1, "yaw R->L": 1}[camera]
    assert np.sign(turn[np.abs(turn).argmax()].round(3)) == wanted


@pytest.mark.parametrize("name", sorted(READERS))
@pytest.mark.parametrize("camera", [c for c in ASKED if c != "static"])
def test_an_independent_reader_finds_the_same_camera(name: str, camera: str) -> None:
    asked, made = said(models.load(name), ASKED[camera])
    poses, focals = READERS[name](made.files, asked.shape.width, asked.shape.height)
    assert made.effective is not None
    assert np.abs(poses - made.effective.camera_to_world).max() < 1e-6
    assert focals == pytest.approx(np.tile(asked.path.intrinsics[0, 0, 0], focals.shape), rel=1e-6)


def test_the_cards_that_say_they_are_verified_have_a_reader() -> None:
    assert {name for name in CARDS if models.load(name).control_verified} == set(READERS)


def a_card(control: str, **settings: Setting) -> ModelCard:
    return ModelCard(name="m", summary="", control=control, generator="command", control_settings=settings)


@given(
    convention=st.sampled_from(["opencv", "opengl", "blender", "unreal"]),
    direction=st.sampled_from(["camera_to_world", "world_to_camera"]),
    relative=st.booleans(),
    rows=st.sampled_from(["3x4", "4x4"]),
    format=st.sampled_from(["npz", "npy", "json", "json_lines", "rows"]),
    anchor_rows=st.integers(0, 2),
)
def test_without_a_stride_any_dialect_of_poses_loses_nothing(**settings: Setting) -> None:
    asked, made = said(a_card("poses", **settings), ASKED["walk"])
    assert made.effective is not None
    assert max(lost(asked.path, made.effective)) < ROUNDING_DEG
    decode = CONTROLS.get("poses").decode
    assert decode is not None
    again = decode(made.files, asked)
    assert np.abs(again.camera_to_world - asked.path.camera_to_world).max() < 1e-9


def test_relative_poses_start_at_the_identity_in_any_axes() -> None:
    for convention in ("opencv", "opengl", "unreal"):
        _, made = said(a_card("poses", convention=convention, relative=True), ASKED["walk"])
        with np.load(io.BytesIO(made.files["camera.npz"])) as arrays:
            assert arrays["camera_to_world"][0] == pytest.approx(np.eye(4))


def test_a_stride_loses_what_happens_between_its_poses() -> None:
    exact, strided = (said(a_card("poses", latent_stride=n), "hold@0.9s, yaw:left:60@0.2s, hold@1s") for n in (1, 8))
    losses = [lost(asked.path, made.effective)[0] for asked, made in (exact, strided) if made.effective is not None]
    assert losses[0] < ROUNDING_DEG
    assert 5 < losses[1] < 60


@pytest.mark.parametrize("rays", ["direction, origin", "moment, direction"])
@pytest.mark.parametrize("curve", ["", "signed_log1p"])
def test_rays_say_where_the_camera_is(rays: str, curve: str) -> None:
    settings: dict[str, Setting] = {"rays": rays, "downscale": 20}
    if curve and rays.startswith("direction"):
        settings |= {"translation_curve": curve, "translation_scale": 10.0}
    asked, made = said(a_card("plucker", **settings), ASKED["walk"])
    decode = CONTROLS.get("plucker").decode
    assert decode is not None
    assert max(lost(asked.path, decode(made.files, asked))) < 1e-5


def test_a_source_filmed_by_a_resting_camera_is_told_as_such() -> None:
    _, made = said(models.load("hydra"), ASKED["yaw L->R"])
    told = json.loads(made.files["camera.json"])
    assert len(told["cond_cam"]) == len(told["tgt_cam"]) == 20
    assert all(np.array_equal(pose, np.eye(4)) for pose in told["cond_cam"])


STEPS = {"degrees_per_step": 3.0, "turn_left": "left", "turn_right": "right", "latent_stride": 4, "static": "stay"}


def test_steps_keep_their_angle_and_give_up_waiting_first() -> None:
    asked, made = said(a_card("steps", **STEPS), "hold@1s, yaw:right:60@1s, hold@4s, yaw:left:60@1s, hold@3.25s")
    assert (asked.shape.frames - 1) // 4 == 41
    assert made.files["steps.txt"].decode().split(", ")[0] == "right-20"
    assert "left-20" in made.files["steps.txt"].decode()
    assert made.effective is not None
    turn = made.effective.yaw_deg()
    assert turn.max() == pytest.approx(60, abs=0.1)
    assert turn[-1] == pytest.approx(0, abs=0.1)


def test_steps_that_do_not_fit_turn_less_but_still_come_back() -> None:
    _, made = said(a_card("steps", **STEPS), "yaw:right:120@1s, yaw:left:120@1s")
    assert made.files["steps.txt"].decode().strip() == "right-4, left-4"
    assert made.effective is not None
    assert turn_deg(made.effective.camera_to_world)[-1] < 0.1


def test_a_model_without_a_step_for_it_says_so() -> None:
    with pytest.raises(UsageError, match="has no step for pitch"):
        said(a_card("steps", **STEPS), "pitch:up:10@1s")


def test_camera_tags_follow_the_words_in_the_order_of_the_script() -> None:
    _, made = said(models.load("hailuo-2.3"), "yaw:left:30@1s, crane:up:0.5@1s, hold@1s, yaw:left:9+crane:up:1@1s")
    assert made.text.startswith("The camera turns 30 degrees to the left")
    assert made.text.endswith("[Pan left] [Pedestal up] [Pan left,Pedestal up]")


def test_buttons_and_mouse_follow_the_path() -> None:
    _, made = said(models.load("matrix-game-2.0"), "hold@1s, yaw:left:60@1s, dolly:forward:1@1s, hold@1.7s")
    with np.load(io.BytesIO(made.files["actions.npz"])) as arrays:
        keys, mouse = arrays["keyboard_condition"], arrays["mouse_condition"]
    assert (len(keys), len(mouse)) == (285, 285)
    assert set(np.flatnonzero(mouse[:, 1])) == set(range(60, 120))
    assert (mouse[60:120, 1] == -0.1).all()
    assert set(np.flatnonzero(keys[:, 0])) == set(range(120, 180))
    assert not keys[:, 1:].any()


def test_all_cards_compile_within_two_seconds() -> None:
    cards = [models.load(name) for name in CARDS if name not in UNSCRIPTABLE]
    started = time.process_time()
    for card in cards:
        said(card, ASKED["yaw L->R"])
    assert time.process_time() - started < 2


CARD = models.load("truth")  # of no size or length of its own


def test_a_shorter_model_cuts_the_script_and_says_so_or_stretches_it() -> None:
    camera = ASKED["yaw L->R"]
    short = CARD.model_copy(update={"frames": 41, "fps": 16.0})  # 2.5 s of the 5 asked for
    cut = AskedCamera.plain(camera, short, 60.0)
    assert cut.path.yaw_deg()[-1] == pytest.approx(-60)
    assert ["the rest is cut" in note for note in shape_notes(cut)] == [True]
    whole = AskedCamera.plain(camera, short.model_copy(update={"length": "stretch"}), 60.0)
    assert (whole.pace, np.abs(whole.path.yaw_deg()).max()) == (pytest.approx(2), pytest.approx(60))
    assert whole.path.yaw_deg()[-1] == pytest.approx(0, abs=1e-9)
    assert shape_notes(whole) == []


def test_a_longer_model_holds_the_last_view_or_stretches() -> None:
    camera = "hold@1s, yaw:left:60@1s"
    long = CARD.model_copy(update={"frames": 65, "fps": 16.0})
    held = AskedCamera.plain(camera, long, 60.0).path.yaw_deg()
    assert held[32:] == pytest.approx(np.full(33, -60.0))
    slow = AskedCamera.plain(camera, long.model_copy(update={"length": "stretch"}), 60.0)
    assert slow.path.yaw_deg()[48] == pytest.approx(-30)
    assert slow.pace == pytest.approx(0.5)


def test_a_model_of_another_shape_gets_the_lens_of_its_picture() -> None:
    narrow = CARD.model_copy(update={"width": 480, "height": 480})
    asked = AskedCamera.of(task(), narrow)
    assert asked.fit is not None
    assert asked.fit.how == "crop"
    focal = asked.path.intrinsics[0, 0, 0] / 480
    assert focal == pytest.approx(0.5 / np.tan(np.deg2rad(30)) * 320 / 180)
    barred = AskedCamera.of(task(), narrow.model_copy(update={"fit": "pad"}))
    assert barred.path.intrinsics[0, 0, 0] / 480 == pytest.approx(0.5 / np.tan(np.deg2rad(30)))
