"""PSNR, SSIM and LPIPS by phase: which frames count, which sign a drop has, and who is asked at all."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lookaway.geometry.phase_frames import Keyframes, mapped_phases
from lookaway.metrics import MEMORY_GATES, METRICS, Case
from lookaway.observers import Look
from lookaway.observers.fidelity import PSNR_CAP_DB, AnchoredFidelity, Fidelity, fidelity, fidelity_anchored, psnr
from lookaway.observers.perceptual_distance import AlexDistances, VggDistances
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Reference
from lookaway.truth import Truth
from lookaway.video import encode
from tests.builders import task
from tests.observers.panorama import FPS as FPS_OF_FILM
from tests.observers.panorama import PLACE, RED, filmed, look_at
from tests.readings.test_phase_frames import FIRST_BACK, FIRST_GONE, TURNS, truth

FRAMES, TRUE_FRAMES, FPS = 20, 40, 10.0
GONE, BACK = 13, 27  # of the true frames
KEYS = Keyframes(GONE, BACK, TRUE_FRAMES)
PHASES = tuple(
    Interval(phase=phase, start_s=start / FPS, end_s=end / FPS)
    for phase, start, end in (("visible", 0, GONE), ("hidden", GONE, BACK), ("returned", BACK, TRUE_FRAMES))
)
TRUTH = Truth(Reference(task="t", instance="i", phases=PHASES), Path("true.mp4"), np.arange(TRUE_FRAMES) / FPS, None)
VALUES = np.random.default_rng(0).uniform(10, 40, FRAMES)


def case(truth: Truth = TRUTH) -> Case:
    beside = np.rint(np.linspace(0, TRUE_FRAMES - 1, FRAMES)).astype(int)
    seconds, true_seconds = np.arange(FRAMES) / FPS, TRUTH.seconds[beside]
    pixels = Fidelity(seconds=seconds, true_seconds=true_seconds, psnr=VALUES, ssim=VALUES / 100)
    vgg = VggDistances(seconds=seconds, true_seconds=true_seconds, distance=VALUES / 50)
    alex = AlexDistances(seconds=seconds, true_seconds=true_seconds, distance=VALUES / 50)
    return Case(task(), truth, {each.observer: each.arrays() for each in (pixels, vgg, alex)}, {})


def value(name: str, given: Case | None = None) -> float:
    found = METRICS.get(name).function(case() if given is None else given)
    assert isinstance(found, float), found
    return found


@pytest.mark.parametrize("rule", ["paper", "released"])
@pytest.mark.parametrize("part", ["visible", "hidden", "returned"])
@pytest.mark.parametrize(("measure", "scale"), [("psnr", 1), ("ssim", 0.01), ("lpips", 0.02)])
def test_a_phase_is_the_mean_over_its_frames(measure: str, scale: float, part: str, rule: str) -> None:
    frames = getattr(mapped_phases(FRAMES, KEYS, rule), part)  # type: ignore[arg-type]
    assert value(f"{measure}_{part}:{rule}") == pytest.approx(scale * VALUES[frames].mean())


@pytest.mark.parametrize("variant", ["paper", "released", "sound"])
def test_the_whole_is_every_frame_once(variant: str) -> None:
    assert value(f"psnr_all:{variant}") == pytest.approx(VALUES.mean())
    assert value(f"lpips_all:{variant}") == pytest.approx(VALUES.mean() / 50)


@pytest.mark.parametrize("variant", ["paper", "released", "sound"])
def test_a_drop_is_positive_where_the_return_is_worse(variant: str) -> None:
    for measure in ("psnr", "ssim"):
        before, after = (value(f"{measure}_{part}:{variant}") for part in ("visible", "returned"))
        assert value(f"{measure}_drop:{variant}") == pytest.approx(before - after)
    before, after = (value(f"lpips_{part}:{variant}") for part in ("visible", "returned"))
    assert value(f"lpips_drop:{variant}") == pytest.approx(after - before)
    assert {METRICS.get(f"{m}_drop:{variant}").better for m in ("psnr", "ssim", "lpips")} == {"lower"}


@pytest.mark.parametrize("measure", ["psnr", "ssim", "lpips"])
def test_what_is_called_paper_or_released_is_never_gated(measure: str) -> None:
    for part in ("visible", "hidden", "returned", "all", "drop"):
        assert METRICS.get(f"{measure}_{part}:paper").gates == ()
        assert METRICS.get(f"{measure}_{part}:released").gates == ()
        gated = part in ("returned", "drop")
        for variant in ("sound", "anchored"):
            assert METRICS.get(f"{measure}_{part}:{variant}").gates == (MEMORY_GATES if gated else ())


def test_paper_looks_with_vgg_and_the_release_with_alexnet() -> None:
    assert METRICS.get("lpips_all:paper").needs == ("lpips_vgg",)
    assert METRICS.get("lpips_all:released").needs == ("lpips_alex",)


def test_without_a_return_in_the_truth_only_the_whole_has_a_number() -> None:
    stays = Truth(Reference(task="t", instance="i", phases=PHASES[:1]), Path("true.mp4"), TRUTH.seconds, None)
    assert isinstance(METRICS.get("psnr_returned:paper").function(case(stays)), Abstain)
    assert isinstance(METRICS.get("psnr_drop:released").function(case(stays)), Abstain)
    assert value("psnr_all:paper", case(stays)) == pytest.approx(VALUES.mean())


# ---------------------------------------------------------------- beside a truth, phase by phase

LATE = 6  # frames by which the clip leaves later than the truth; it is back when the truth is


@cache
def late_look(folder: Path) -> Look:
    """A film that takes longer to leave and is away for less time, each phase at its own even pace."""
    true = filmed(TURNS, lambda i: [(*PLACE, RED)])
    spans = ((0, FIRST_GONE, FIRST_GONE + LATE), (FIRST_GONE, FIRST_BACK, FIRST_BACK - FIRST_GONE - LATE))
    paced = [np.rint(np.linspace(start, end - 1, count)).astype(int) for start, end, count in spans]
    clip = true[np.concatenate([*paced, np.arange(FIRST_BACK, len(true))])]
    encode(list(true), folder / "true.mp4", FPS_OF_FILM)
    given = look_at(clip)
    return replace(given, truth=replace(truth(), video=folder / "true.mp4"))


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Look:
    return late_look(tmp_path_factory.mktemp("late"))


def seen(kind: type[Fidelity], found: Fidelity | Abstain) -> Fidelity:
    assert isinstance(found, kind), found
    return found


def test_a_departure_that_is_late_is_compared_with_the_departure(late: Look) -> None:
    """By whole length the frames of leaving lie beside views that are further on; phase by phase beside their own."""
    linear, anchored = seen(Fidelity, fidelity(late)), seen(AnchoredFidelity, fidelity_anchored(late))
    given = Case(late.task, late.truth, {each.observer: each.arrays() for each in (linear, anchored)}, {})
    assert value("psnr_visible:anchored", given) > value("psnr_visible:paper", given) + 3
    assert value("psnr_returned:anchored", given) == pytest.approx(value("psnr_returned:paper", given), abs=0.1)
    assert (np.diff(anchored.true_seconds) >= 0).all()
    assert (anchored.true_seconds[0], anchored.true_seconds[-1]) == (0, (len(TURNS) - 1) / FPS_OF_FILM)


def test_each_frame_is_compared_with_the_true_one_of_its_index(late: Look) -> None:
    assert late.truth is not None
    found = seen(Fidelity, fidelity(late))
    true = late.truth.frames().rgb
    for i in (0, 17, len(TURNS) - 1):
        assert found.psnr[i] == pytest.approx(psnr(late.frames.rgb[i], true[i]))


def test_a_clip_that_never_looks_away_has_no_phases_to_anchor(late: Look) -> None:
    still = look_at(filmed([0.0] * 40, lambda i: [(*PLACE, RED)]))
    found = fidelity_anchored(replace(still, truth=late.truth))
    assert isinstance(found, Abstain)
    assert found.reason == "clip: its subject does not leave the view and come back"


def test_a_true_clip_lies_beside_itself_however_its_phases_are_measured(late: Look) -> None:
    assert late.truth is not None
    frames = late.truth.frames()
    found = seen(AnchoredFidelity, fidelity_anchored(replace(late, frames=frames, first_frame=frames.rgb[0])))
    assert (found.psnr == PSNR_CAP_DB).all()
