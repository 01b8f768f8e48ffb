"""A model that is given a video of the scene sees as much of the answer as its card's input policy says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway import truth
from lookaway.controls.source_video import HELD, LEAK
from lookaway.errors import UsageError
from lookaway.generators.media import prefix_clip
from lookaway.images import png_bytes
from lookaway.pipeline import plans
from lookaway.pipeline.branches import WATCHING
from lookaway.pipeline.cards import check_card
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.controls import request_for
from lookaway.pipeline.inputs import ALL_MASKED, MASK_GREY, NO_TRUTH, subject_rows
from lookaway.records import CaseId, Interval, ModelCard, Reference, Request, System, Task
from lookaway.store import Run
from lookaway.video import decode, encode
from tests.builders import task
from tests.command import invoke
from tests.test_suites import row, suite_folder

FPS, FRAMES, HIDDEN, BACK = 16.0, 33, 8, 20  # frames
TOP, BOTTOM, SIDE = 80, 100, 20
PHASES = tuple(
    Interval(phase=phase, start_s=start / FPS, end_s=end / FPS)
    for phase, start, end in (("visible", 0, HIDDEN), ("hidden", HIDDEN, BACK), ("returned", BACK, FRAMES))
)
RED = np.array([220, 30, 30])


def true_world(end_x: int) -> tuple[list[np.ndarray], np.ndarray]:
    """A red block on a grey ramp: in sight, away, and back where it went meanwhile; frames and masks."""
    ramp = np.tile(np.linspace(40, 110, 320).astype(np.uint8)[None, :, None], (180, 1, 3))
    frames, masks = [], np.zeros((FRAMES, 180, 320), bool)
    for i in range(FRAMES):
        frame = ramp.copy()
        if not HIDDEN <= i < BACK:
            x = 40 if i < HIDDEN else end_x
            frame[TOP:BOTTOM, x : x + SIDE] = RED
            masks[i, TOP:BOTTOM, x : x + SIDE] = True
        frames.append(frame)
    return frames, masks


def known(run: Run, end_x: int = 240, with_masks: bool = True, with_clip: bool = True) -> tuple[Task, Reference]:
    frames, masks = true_world(end_x)
    clip = run.root / f"true-{end_x}.mp4"
    run.root.mkdir(exist_ok=True)
    encode(frames, clip, FPS, crf=8)
    first = run.blobs.put_bytes(png_bytes(frames[0]), ".png")
    about = task(first_frame=first, seconds=(FRAMES - 1) / FPS, phases=PHASES)
    still = np.tile(np.eye(4), (FRAMES, 1, 1))
    packed = truth.pack(np.arange(FRAMES) / FPS, still, still[:, :3, :3], masks, np.ones(FRAMES), np.zeros((FRAMES, 0)))
    return about, Reference(
        task=about.id,
        instance=about.instance,
        video=run.blobs.put_file(clip) if with_clip else None,
        arrays=run.blobs.put_bytes(packed, ".npz") if with_masks else None,
        phases=PHASES,
    )


def card(policy: str, **facts: object) -> ModelCard:
    plain = {"name": "m", "summary": "", "control": "source_video", "generator": "folder", "input_policy": policy}
    return ModelCard.model_validate(plain | facts)


def asked(
    run: Run, policy: str, about: Task, reference: Reference | None, branch: str = "", **facts: object
) -> Request:
    case = CaseId(task=about.id, system="m", branch=branch)
    return request_for(case, about, System(name="m", card=card(policy, **facts)), run, reference)


def shown(run: Run, request: Request) -> list[np.ndarray]:
    clip = prefix_clip(request, run.blobs)
    assert clip is not None
    return [frame.rgb.astype(int) for frame in decode(clip)]


def red_pixels(frame: np.ndarray) -> int:
    return int((np.abs(frame - RED).max(axis=-1) < 60).sum())


def test_a_masked_source_shows_the_views_and_nothing_of_the_endpoint(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    about, reference = known(run)
    request = asked(run, "endpoint_masked", about, reference)
    assert request.control.input_policy == "endpoint_masked"
    frames, true = shown(run, request), true_world(240)[0]
    assert len(frames) == FRAMES
    assert all(red_pixels(frame) for frame in frames[:HIDDEN]), "what was seen before is seen"
    assert not any(red_pixels(frame) for frame in frames[HIDDEN:])
    for got, frame in zip(frames[HIDDEN:], true[HIDDEN:], strict=True):
        assert np.abs(got[TOP:BOTTOM] - MASK_GREY).max() < 12, "a band of the whole width"
        outside = np.r_[0 : TOP - 20, BOTTOM + 20 : 180]
        assert np.abs(got[outside] - frame[outside]).mean() < 3, "the rest of the view is shown"


def test_two_ends_at_one_height_cannot_be_told_apart_in_a_masked_source(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    sources = {asked(run, "endpoint_masked", *known(run, end_x)).prefix for end_x in (40, 240)}
    assert len(sources) == 1
    assert len({asked(run, "full_target", *known(run, end_x)).prefix for end_x in (40, 240)}) == 2


def test_a_full_target_is_called_an_upper_bound(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    request = asked(run, "full_target", *known(run))
    assert request.control.input_policy == "full_target"
    assert LEAK in request.control.warnings
    assert all(red_pixels(frame) for frame in shown(run, request)[BACK:])


@pytest.mark.parametrize("policy", ["source_only", "first_frame", "unknown"])
def test_other_policies_are_never_given_the_true_clip(policy: str, tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    request = asked(run, policy, *known(run))
    assert (request.prefix, request.control.input_policy) == (None, "first_frame")
    assert HELD in request.control.warnings


def test_without_masks_whole_frames_are_masked(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    request = asked(run, "endpoint_masked", *known(run, with_masks=False))
    assert ALL_MASKED in request.control.warnings
    assert all(np.abs(frame - MASK_GREY).max() < 12 for frame in shown(run, request)[HIDDEN:])


def test_without_a_true_clip_the_record_says_what_was_really_given(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    about, reference = known(run, with_clip=False, with_masks=False)
    for truth_of_it in (reference, None):
        control = asked(run, "endpoint_masked", about, truth_of_it).control
        assert control.input_policy == "first_frame"
        assert any(NO_TRUTH in line for line in control.warnings)


def test_who_keeps_watching_is_shown_no_clip_of_a_camera_that_leaves(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    assert asked(run, "endpoint_masked", *known(run), branch=WATCHING).prefix is None


def test_a_masked_source_has_the_size_of_the_models_pictures(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    frames = shown(run, asked(run, "endpoint_masked", *known(run), width=160, height=90))
    assert frames[0].shape == (90, 160, 3)
    assert np.abs(frames[-1][TOP // 2 : BOTTOM // 2] - MASK_GREY).max() < 12


def test_a_subject_that_is_never_seen_has_no_rows() -> None:
    assert subject_rows(np.zeros((3, 20, 30), bool)) is None


@pytest.mark.parametrize("policy", ["endpoint_masked", "full_target"])
def test_a_policy_that_its_control_cannot_keep_is_refused_before_anything_is_made(policy: str) -> None:
    with pytest.raises(
        UsageError, match=r"m: input_policy is .*'poses' shows it no video.*geometry and source_video do"
    ):
        check_card(card(policy, control="poses"))
    for control in ("source_video", "geometry"):
        check_card(card(policy, control=control))


def test_the_three_policies_are_walked_from_a_card(tmp_path: Path) -> None:
    """A model that repeats its source: what it was shown is what comes out."""
    suite = tmp_path / "suite"
    suite.mkdir()
    frames, masks = true_world(240)
    encode(frames, suite / "true.mp4", FPS, crf=8)
    still = np.tile(np.eye(4), (FRAMES, 1, 1))
    packed = truth.pack(np.arange(FRAMES) / FPS, still, still[:, :3, :3], masks, np.ones(FRAMES), np.zeros((FRAMES, 0)))
    (suite / "true.npz").write_bytes(packed)
    known_row = row(
        reference={"video": "true.mp4", "arrays": "true.npz", "phases": [p.model_dump() for p in PHASES]},
        phases=[p.model_dump() for p in PHASES],
        seconds=(FRAMES - 1) / FPS,
    )
    suite_folder(suite, known_row)
    (suite / "first.png").write_bytes(png_bytes(frames[0]))
    policies = ("endpoint_masked", "full_target")
    for policy in policies:
        (tmp_path / f"{policy}.toml").write_text(
            f'summary = "s"\ncontrol = "source_video"\ngenerator = "command"\ninput_policy = "{policy}"\n[settings]\n'
            'command = "cp {prefix} {out}"\n'
        )
    run = Run(tmp_path / "run")
    cards = ",".join(str(tmp_path / f"{policy}.toml") for policy in policies)
    code, said = invoke(
        "run", "--suite", str(suite), "--models", cards, "--out", str(run.root), "--protocols", "metric:cut_count"
    )
    assert code == 0, said
    taken = {clip.case.system: clip for clip in current_clips(run, plans.load(run))}
    last = {p: [f.rgb.astype(int) for f in decode(run.blobs.path(str(taken[p].video)))][-1] for p in policies}
    assert red_pixels(last["full_target"])
    assert not red_pixels(last["endpoint_masked"])
    code, said = invoke("show", str(run.root), "a_task/endpoint_masked/0")
    assert "endpoint masked" in said
