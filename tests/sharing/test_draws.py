"""Nobody chooses which clips are audited: neither who seals, nor who audits."""

from __future__ import annotations

from collections import Counter

from scipy.stats import hypergeom

from lookaway.sharing.draws import drawn_cases, fresh_nonce

CASES = [f"task{k}/mine/0" for k in range(154)]


def test_the_same_bundle_and_nonce_draw_the_same_cases_whatever_their_order() -> None:
    assert drawn_cases("b", "n", CASES, 50) == drawn_cases("b", "n", CASES[::-1], 50)
    assert drawn_cases("b", "n", CASES, 50) != drawn_cases("b", "m", CASES, 50)
    assert drawn_cases("b", "n", CASES, 50) != drawn_cases("c", "n", CASES, 50)
    assert len(set(drawn_cases("b", "n", CASES, 500))) == len(CASES)


def test_every_case_is_as_likely() -> None:
    """Within five standard deviations of 1,000 draws."""
    count = Counter(case for k in range(1000) for case in drawn_cases("b", str(k), CASES, 50))
    expected, spread = 1000 * 50 / 154, (1000 * (50 / 154) * (104 / 154)) ** 0.5
    assert all(abs(count[case] - expected) < 5 * spread for case in CASES)


def test_eight_altered_scores_of_154_are_caught_as_often_as_counting_says() -> None:
    altered = set(CASES[:8])
    caught = sum(not altered.isdisjoint(drawn_cases("b", str(k), CASES, 50)) for k in range(2000)) / 2000
    by_count = 1 - hypergeom(154, 8, 50).pmf(0)
    assert by_count > 0.95
    assert abs(caught - by_count) < 0.02


def test_nonces_are_drawn_anew() -> None:
    assert len({fresh_nonce() for _ in range(100)}) == 100
