"""A share counted by an instrument that errs: corrected, and the interval covers the truth as often as it promises."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.outcomes import Abstain
from lookaway.stats.intervals import Estimate
from lookaway.stats.misclassification import NO_BETTER, Share, corrected_share, scene_share

DRAWS = 1000


def corrected(*shares: Share) -> Estimate:
    found = corrected_share(*shares)
    assert isinstance(found, Estimate)
    return found


def test_worked_by_hand() -> None:
    found = corrected(Share(0.30, 200), Share(0.9, 100), Share(0.9, 100))
    assert found.value == pytest.approx((0.30 + 0.9 - 1) / 0.8)
    assert found.low < 0.25 < found.high


def test_an_instrument_that_never_errs_leaves_the_share_as_it_is() -> None:
    found = corrected(Share(0.4, 100), Share(1.0, 1e9), Share(1.0, 1e9))
    assert found.value == 0.4
    centre, half = (0.4 + 1.96**2 / 200) / (1 + 1.96**2 / 100), 0.0943  # Wilson's interval of 40 in 100
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=2e-3)


def test_what_is_not_known_of_the_error_widens_the_interval() -> None:
    well, badly = (corrected(Share(0.4, 400), Share(0.9, n), Share(0.85, n)) for n in (10_000, 30))
    assert well.value == badly.value
    assert badly.high - badly.low > 1.5 * (well.high - well.low)


def test_an_instrument_that_may_be_guessing_corrects_nothing() -> None:
    assert corrected_share(Share(0.5, 100), Share(0.5, 100), Share(0.5, 100)) == Abstain(NO_BETTER)
    assert corrected_share(Share(0.5, 100), Share(0.8, 5), Share(0.5, 5)) == Abstain(NO_BETTER)


@pytest.mark.parametrize("true", [0.05, 0.2, 0.5, 0.8])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.84), (0.9, 0.95), (0.85, 0.6)])
def test_it_covers_the_truth(true: float, sensitivity: float, specificity: float) -> None:
    rng, covered = np.random.default_rng(11), 0
    called = true * sensitivity + (1 - true) * (1 - specificity)
    for _ in range(DRAWS):
        seen, hits, passes = (
            rng.binomial(n, p) / n for n, p in ((200, called), (100, sensitivity), (100, specificity))
        )
        found = corrected(Share(seen, 200), Share(hits, 100), Share(passes, 100))
        covered += found.low <= true <= found.high
    assert 0.93 <= covered / DRAWS <= 0.975  # conservative by half a point where shares are near an end


def test_uncorrected_the_share_is_off() -> None:
    """The same draws without the correction: an interval that leaves the truth out."""
    called = 0.2 * 0.95 + 0.8 * 0.16
    assert called == pytest.approx(0.318)
    assert corrected(Share(called, 1e6), Share(0.95, 1e6), Share(0.84, 1e6)).value == pytest.approx(0.2, abs=1e-6)


def test_rows_of_one_scene_count_less() -> None:
    counts = np.full(10, 20.0)
    alike, apart = np.repeat([20.0, 0.0], 5), np.full(10, 10.0) + np.resize([1, -1], 10)
    whole, mixed = scene_share(alike, counts), scene_share(apart, counts)
    assert isinstance(whole, Share)
    assert isinstance(mixed, Share)
    assert whole.rate == mixed.rate == 0.5
    assert whole.n < 12 < mixed.n
    assert isinstance(scene_share(np.ones(1), np.ones(1)), Abstain)
