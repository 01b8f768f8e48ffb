"""What flow leaves unexplained, where the true flow is known, and motion smoothness from it."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lookaway.errors import MissingPackage, MissingWeights, ObserveError
from lookaway.geometry.phase_frames import Keyframes, mapped_phases, phase_pairs
from lookaway.metrics import METRICS, Case
from lookaway.metrics.motion_smoothness import TAUS
from lookaway.observers import Look, pipe
from lookaway.observers.flow_dis import DisFlow, flow_dis
from lookaway.observers.flow_errors import FlowErrors, compared_pairs, pair_errors
from lookaway.observers.flow_raft import RaftFlow, flow_raft
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Reference
from lookaway.truth import Truth
from lookaway.video import SharedFrames, VideoInfo
from tests.builders import task

FPS, FRAMES, SIZE = 10.0, 21, (160, 90)
KEYS = Keyframes(gone=8, back=14, frames=FRAMES)
STEP = 2  # pixels a frame


def texture() -> np.ndarray:
    rng = np.random.default_rng(1)
    coarse = rng.integers(0, 255, (30, 80, 3), np.uint8)
    return cv2.resize(coarse, (480, 180), interpolation=cv2.INTER_CUBIC)


TEXTURE = texture()


def panned(step: float, frames: int = FRAMES) -> np.ndarray:
    """The picture moves to the left by so many pixels a frame, exactly."""
    shift = [np.float32([[1, 0, -20 - step * i], [0, 1, -20]]) for i in range(frames)]
    return np.stack([cv2.warpAffine(TEXTURE, each, SIZE, flags=cv2.INTER_LINEAR) for each in shift])


def exact_flow(step: float) -> np.ndarray:
    return np.tile(np.float32([-step, 0]), (SIZE[1], SIZE[0], 1))


def look(rgb: np.ndarray, keys: Keyframes | None = KEYS, **settings: Any) -> Look:
    seconds = np.arange(len(rgb)) / FPS
    edges = [] if keys is None else [("visible", 0, keys.gone), ("hidden", keys.gone, keys.back)]
    edges += [] if keys is None else [("returned", keys.back, keys.frames)]
    phases = tuple(Interval(phase=p, start_s=a / FPS, end_s=b / FPS) for p, a, b in edges)  # type: ignore[arg-type]
    truth = Truth(Reference(task="t", instance="i", phases=phases), Path("true.mp4"), np.arange(FRAMES) / FPS, None)
    info = VideoInfo(Path("made.mp4"), *SIZE, len(rgb), FPS, len(rgb) / FPS, False, "none")
    return Look(SharedFrames(info, seconds, rgb), task(), rgb[0], truth, settings)


def case(given: Look, seen: FlowErrors | Abstain) -> Case:
    assert isinstance(seen, FlowErrors), seen
    return Case(given.task, given.truth, {seen.observer: seen.arrays()}, {})


def value(variant: str, given: Case) -> float:
    found = METRICS.get(f"motion_smoothness:{variant}").function(given)
    assert isinstance(found, float), found
    return found


@pytest.mark.parametrize("step", [1, 2, 4])
def test_a_translation_is_explained_by_its_flow_and_doubled_by_the_printed_warp(step: int) -> None:
    first, second = panned(step, 2)
    errors = pair_errors(first, second, exact_flow(step))
    assert np.exp(-errors.warped / 0.15) >= 0.98
    assert errors.printed > 1.3 * errors.unwarped > 10 * errors.warped
    twice = pair_errors(first, panned(2 * step, 2)[1], exact_flow(step))
    inner = np.s_[:, 3 * step : -3 * step]
    assert errors.printed == pytest.approx(float(np.abs(_moved(first, step) - second / 255)[inner].mean()), abs=0.01)
    assert twice.unwarped == pytest.approx(errors.printed, rel=0.1), "it compares frames that are twice as far apart"


def _moved(rgb: np.ndarray, step: int) -> np.ndarray:
    """The picture as it would have been one step before."""
    return np.roll(rgb, step, axis=1) / 255


def test_pixels_that_leave_the_picture_do_not_count() -> None:
    first, second = panned(STEP, 2)
    second = second.copy()
    second[:, -40:] = 0
    flow = exact_flow(STEP)
    flow[:, -50:] = (60, 0)  # where they go nobody can see
    errors = pair_errors(first, second, flow)
    assert errors.in_view == pytest.approx(1 - (50 + STEP) / SIZE[0], abs=0.01)
    assert errors.warped < 0.01
    gone = pair_errors(first, second, exact_flow(500))
    assert (gone.in_view, gone.warped) == (0, 0)


def test_nothing_moves_in_a_still_picture() -> None:
    still = np.repeat(panned(STEP, 1), 2, axis=0)
    assert pair_errors(*still, exact_flow(0)) == (0, 0, 0, 1)


def test_pairs_lie_within_a_phase_and_the_release_skips() -> None:
    pairs = compared_pairs(look(panned(STEP)))
    assert not isinstance(pairs, Abstain)
    paper, released = (mapped_phases(FRAMES, KEYS, rule) for rule in ("paper", "released"))  # type: ignore[arg-type]
    expected = [(i, i + 1) for i in range(FRAMES - 1) if i not in range(7, 14)]
    expected += [pair for part in (released.visible, released.returned) for pair in phase_pairs(part, 4)]
    assert list(pairs) == sorted(expected)
    assert not any(i < KEYS.gone <= j for i, j in phase_pairs(paper.visible))


def test_dense_inverse_search_explains_a_pan() -> None:
    given = look(panned(STEP))
    found = case(given, flow_dis(given))
    assert value("sound_dis", found) > 0.97
    assert value("paper_dis", found) < np.exp(-found.saw(DisFlow).unwarped.mean() / 0.15) < value("sound_dis", found)


def made(printed: np.ndarray, warped: np.ndarray, in_view: np.ndarray | None = None) -> Case:
    """Errors that are given."""
    given = look(panned(0))
    pairs = compared_pairs(given)
    assert not isinstance(pairs, Abstain)
    first, second = np.array(pairs).T
    seen = RaftFlow(
        seconds=np.arange(FRAMES) / FPS,
        first=first,
        second=second,
        printed=printed[first],
        unwarped=printed[first],
        warped=warped[first],
        in_view=np.ones(len(first)) if in_view is None else in_view[first],
    )
    return case(given, seen)


ERRORS = np.random.default_rng(0).uniform(0, 0.3, FRAMES)


def test_the_paper_takes_one_mean_and_the_release_one_of_each_phase() -> None:
    given = made(ERRORS, ERRORS / 2)
    rows = [*range(7), *range(14, 20)]
    assert value("paper", given) == pytest.approx(np.exp(-ERRORS[rows].mean() / 0.15))
    assert value("sound", given) == pytest.approx(np.exp(-ERRORS[rows].mean() / 0.3))
    each = [np.exp(-ERRORS[part].mean() / 0.15) for part in ([0, 4], [14])]
    assert value("released", given) == pytest.approx(np.mean(each))


def test_pairs_whose_flow_leads_out_of_view_are_left_out() -> None:
    in_view = np.ones(FRAMES)
    in_view[3] = 0.05
    rows = [0, 1, 2, 4, 5, 6, *range(14, 20)]
    assert value("sound", made(ERRORS, ERRORS, in_view)) == pytest.approx(np.exp(-ERRORS[rows].mean() / 0.15))
    found = METRICS.get("motion_smoothness:sound").function(made(ERRORS, ERRORS, np.zeros(FRAMES)))
    assert isinstance(found, Abstain)


def test_another_temperature_stretches_the_same_error() -> None:
    given = look(panned(STEP))
    seen = case(given, flow_dis(given))
    error = -0.15 * np.log(value("paper_dis", seen))
    found = [value(f"tau_{tau:g}_dis", seen) for tau in TAUS]
    assert found == pytest.approx(np.exp(-error / np.array(TAUS)))
    assert TAUS == (0.05, 0.1, 0.15, 0.2, 0.3)


@pytest.mark.parametrize("variant", ["paper_dis", "released_dis", "sound_dis"])
def test_too_few_frames_are_a_reason_and_not_a_zero(variant: str) -> None:
    given = look(panned(STEP, 4))
    found = METRICS.get(f"motion_smoothness:{variant}").function(case(given, flow_dis(given)))
    assert isinstance(found, Abstain)
    assert "too few frames" in found.reason


def test_without_a_return_there_are_no_phases_to_look_at() -> None:
    assert isinstance(flow_dis(look(panned(STEP), keys=None)), Abstain)


# ---------------------------------------------------------------- a worker

# Answers with the exact flow of the pan; `how` spoils it.
WORKER = """
import json, os, sys
import numpy as np

how, step, size = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])
for line in sys.stdin:
    asked = json.loads(line)
    assert all(os.path.exists(os.path.join(asked["folder"], file)) for file in asked["files"])
    shown = [int(file[:6]) for file in asked["files"]]
    apart = [shown[j] - shown[i] for i, j in asked["pairs"]]
    flows = np.zeros((len(apart), size[1], size[0], 2), np.float32)
    flows[..., 0] = -step * np.array(apart)[:, None, None]
    answer = {"clip": asked["clip"], "flows": "flows.npy"}
    exec(how)
    np.save(os.path.join(asked["out"], "flows.npy"), flows)
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "worker.py").write_text(WORKER)
    yield tmp_path / "worker.py"
    pipe.end_all()


def asked(program: Path, how: str = "pass") -> Look:
    command = [sys.executable, str(program), how, str(STEP), json.dumps(SIZE)]
    return look(panned(STEP), command=shlex.join(command))


def test_flows_of_a_worker_are_read_beside_their_pairs(program: Path) -> None:
    given = asked(program)
    found = case(given, flow_raft(given))
    assert value("sound", found) >= 0.98
    assert value("released", found) < value("paper", found) < value("sound", found), "every fourth frame moves more"
    assert (found.saw(RaftFlow).in_view < 1).all()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("flows = flows[1:]", "not finite float32"),
        ("flows = flows.astype(float)", "float64"),
        ("flows[0, 0, 0] = np.nan", "not finite"),
        ("answer['error'] = 'out of luck'", "worker flow_raft: out of luck"),
        ("flows = np.array(None)", "flows.npy"),
    ],
)
def test_flows_that_cannot_be_are_refused(program: Path, how: str, why: str) -> None:
    with pytest.raises(ObserveError, match=why):
        flow_raft(asked(program, how))


def test_a_worker_may_abstain_or_miss_its_weights_or_its_package(program: Path) -> None:
    assert flow_raft(asked(program, "answer['abstain'] = 'too dark'")) == Abstain("too dark")
    with pytest.raises(MissingWeights, match="lookaway weights get torchvision/raft_large"):
        flow_raft(asked(program, "answer['missing_weights'] = 'torchvision/raft_large'"))
    with pytest.raises(MissingPackage):
        flow_raft(asked(program, "answer.update(missing_package='torchvision', error='no torchvision')"))
