"""MemoBench's quality and consistency metrics on arrays made by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.metrics.geometric_consistency import consistency
from lookaway.metrics.object_identity import identity, top_cosines
from lookaway.observers import ObservedArrays
from lookaway.observers.aesthetics import Aesthetics
from lookaway.observers.mapped_phases import spread
from lookaway.observers.phase_depths import PhaseDepths
from lookaway.observers.picture_workers import ClipIqa
from lookaway.observers.returned_patches import ReturnedPatches, cosines_to
from lookaway.observers.subject_patches import SubjectPatches, patches_showing
from lookaway.outcomes import Abstain
from lookaway.stats.normalised import percent_of_range
from tests.builders import task

HOW = {"batch": 1, "device": np.array("cpu")}


def case(*seen: ObservedArrays) -> Case:
    return Case(task(), None, {each.observer: each.arrays() for each in seen}, {})


def score(metric: str, *seen: ObservedArrays) -> object:
    return METRICS.get(metric).function(case(*seen))


@pytest.mark.parametrize(("value", "percent"), [(1, 0), (10, 100), (5.5, 50), (-3, 0), (12, 100)])
def test_a_range_becomes_percent_and_its_outside_its_ends(value: float, percent: float) -> None:
    assert percent_of_range(value, 1, 10) == percent


def aesthetics(*scores: float) -> Aesthetics:
    frames = np.arange(len(scores))
    return Aesthetics(seconds=frames / 16, frames=frames, score=np.array(scores, np.float32), **HOW)


def qualities(*scores: float) -> ClipIqa:
    frames = np.arange(len(scores))
    return ClipIqa(seconds=frames / 16, frames=frames, score=np.array(scores, float))


def test_visual_quality_is_the_mean_of_two_ranges_that_paper_and_release_begin_elsewhere() -> None:
    seen = aesthetics(5.0, 6.0), qualities(0.5, 0.7)
    assert score("aesthetic_score:paper", *seen) == pytest.approx(0.5)
    assert score("aesthetic_score:released", *seen) == pytest.approx(0.55)
    assert score("image_quality:paper", *seen) == pytest.approx(0.6)
    assert score("visual_quality:paper", *seen) == pytest.approx(0.55)
    assert score("visual_quality:released", *seen) == pytest.approx(0.575)


def test_identity_weighs_typical_patches_and_the_weakest_that_counts() -> None:
    first = np.array([0.9, 0.8, 0.1, 0.1, 0.1], np.float32)
    second = np.array([0.1, 0.6, 0.1, 0.1, 1.0], np.float32)
    assert identity([first, second]) == pytest.approx(0.7 * (0.85 + 0.8) / 2 + 0.3 * 0.6)
    assert identity([first, second], 0.2) == pytest.approx(0.7 * 0.95 + 0.3 * 0.9)


@pytest.mark.parametrize("share", [0.2, 0.3, 0.4, 0.5, 0.6, 0.8])
def test_a_top_share_of_the_sweep_counts_so_many_patches(share: float) -> None:
    cosines = np.linspace(-1, 1, 20, dtype=np.float32)
    best = cosines[-round(20 * share) :]
    frames = np.array([40])
    seen = ReturnedPatches(
        seconds=frames / 16, frames=frames, same_place=cosines[None], best_match=cosines[None] * 0, **HOW
    )
    assert score(f"object_identity:top_{share:g}", seen) == pytest.approx(0.7 * best.mean() + 0.3 * best.min())


def test_forty_percent_of_256_patches_are_102_and_one_counts_at_least() -> None:
    assert len(top_cosines(np.zeros(256, np.float32), 0.4)) == 102
    assert len(top_cosines(np.zeros(2, np.float32), 0.4)) == 1


def test_sound_identity_counts_the_patches_that_show_the_subject_alone() -> None:
    shows = np.array([[True, True, False, False], [False, True, True, False]])
    best = np.array([[0.9, 0.7, 0, 0], [0, 0.8, 0.6, 0]], np.float32)
    frames = np.array([40, 50])
    seen = SubjectPatches(seconds=frames / 16, frames=frames, shows_it=shows, best_match=best, **HOW)
    assert score("object_identity:sound", seen) == pytest.approx(0.7 * 0.85 + 0.3 * 0.8)
    hidden = SubjectPatches(seconds=frames / 16, frames=frames, shows_it=shows & False, best_match=best, **HOW)
    assert isinstance(score("object_identity:sound", hidden), Abstain)


def test_a_patch_shows_what_covers_half_of_it_and_a_speck_is_in_one_patch() -> None:
    mask = np.zeros((8, 16), bool)
    mask[:4, :6] = True
    assert patches_showing(mask, 2, 4).tolist() == [True, True, False, False, False, False, False, False]
    speck = np.zeros((8, 16), bool)
    speck[6, 13] = True
    assert np.flatnonzero(patches_showing(speck, 2, 4)).tolist() == [7]


def test_cosines_are_of_the_same_place_and_the_best_of_any() -> None:
    first = np.eye(3, dtype=np.float32)
    moved = first[[1, 2, 0]]
    same, best = cosines_to(first, np.stack([first, moved]))
    assert same.tolist() == [[1, 1, 1], [0, 0, 0]]
    assert best.tolist() == [[1, 1, 1], [1, 1, 1]]


def depths(visible: int, returned: int, samples: int = 3) -> PhaseDepths:
    phases = np.arange(visible), np.arange(40, 40 + returned)
    frames = np.unique(np.concatenate([spread(each, samples) for each in phases]))
    rng = np.random.default_rng(0)
    maps = rng.uniform(0, 1, (len(frames), 50))
    maps /= np.linalg.norm(maps, axis=1, keepdims=True)
    facts = {"visible": phases[0], "returned": phases[1], "cosine": (maps @ maps.T).astype(np.float32)}
    return PhaseDepths(seconds=frames / 16, frames=frames, **facts, **HOW)


def test_consistency_weighs_both_phases_alike_and_the_worst_step() -> None:
    seen = depths(20, 11)
    steps = [seen.cosine[i, i + 1] for i in (0, 1, 3, 4)]
    expected = 0.7 * ((steps[0] + steps[1]) / 2 + (steps[2] + steps[3]) / 2) / 2 + 0.3 * min(steps)
    assert score("geometric_consistency:paper", seen) == pytest.approx(float(expected), abs=1e-6)
    assert [b - a for a, b in pairwise(seen.frames[:3])] == [10, 9]


def test_of_two_frames_of_a_phase_the_sweep_compares_the_ends() -> None:
    seen = depths(20, 11, samples=20)  # every frame was looked at
    steps = seen.cosine[0, 19], seen.cosine[20, 30]
    expected = 0.7 * sum(steps) / 2 + 0.3 * min(steps)
    assert score("geometric_consistency:sample_2", seen) == pytest.approx(float(expected), abs=1e-6)
    assert score("geometric_consistency:sample_3", seen) == score("geometric_consistency:paper", seen)
    few = score("geometric_consistency:sample_7", depths(20, 11))
    assert isinstance(few, Abstain)
    assert "--set phase_depths.samples=2,3,5,7" in few.reason


@pytest.mark.parametrize(("visible", "returned"), [(1, 9), (9, 1), (9, 0), (0, 9)])
def test_a_phase_without_two_frames_has_no_step(visible: int, returned: int) -> None:
    told = consistency(depths(visible, returned))
    assert isinstance(told, Abstain)
    assert "fewer than two frames" in told.reason
