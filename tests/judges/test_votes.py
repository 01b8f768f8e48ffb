"""Votes are counted over valid ones, and too few of them decide nothing."""

from __future__ import annotations

import pytest

from lookaway.errors import UnknownName
from lookaway.judges.estimators import votes
from lookaway.judges.estimators.votes import RULES

Y, N, C, X = "yes", "no", "cannot tell", "invalid"


@pytest.mark.parametrize(
    ("cast", "rule", "status", "choice"),
    [
        ([Y, Y, N], "majority", "ok", "yes"),
        ([Y, N, N], "majority", "ok", "no"),
        ([Y, N], "majority", "abstained", None),
        ([Y, Y, X], "majority", "ok", "yes"),
        ([Y, N, X], "majority", "abstained", None),
        ([Y, X, X], "majority", "invalid", None),
        ([Y, C, C], "majority", "abstained", None),
        ([X], "majority", "invalid", None),
        ([C], "majority", "abstained", None),
        ([], "majority", "invalid", None),
        ([Y, Y, Y], "unanimous", "ok", "yes"),
        ([N, N, X], "unanimous", "ok", "no"),
        ([Y, Y, N], "unanimous", "abstained", None),
        ([Y, Y, Y], "unanimous_true", "ok", "yes"),
        ([Y, Y, N], "unanimous_true", "ok", "no"),
        ([Y, Y, X], "unanimous_true", "ok", "yes"),
        ([X, X, X], "unanimous_true", "invalid", None),
        ([Y, N, X], "any_true", "ok", "yes"),
        ([N, N, C], "any_true", "ok", "no"),
        ([Y, C, C], "any_true", "abstained", None),
    ],
)
def test_each_rule(cast, rule: str, status: str, choice: str | None) -> None:
    made = votes(cast, rule)
    assert (made.status, made.choice) == (status, choice)
    assert sum(made.tally.values()) == len(cast)
    assert bool(made.reason) == (status != "ok")


def test_a_rule_is_what_it_gives_for_a_split_vote() -> None:
    splits = {
        rule: (votes([Y, Y, N], rule).choice, votes([Y, N, N], rule).choice, votes([N, Y, Y], rule).choice)
        for rule in RULES
    }
    assert splits == {
        "majority": ("yes", "no", "yes"),
        "unanimous_true": ("no", "no", "no"),
        "unanimous": (None, None, None),
        "any_true": ("yes", "yes", "yes"),
    }
    for rule in RULES:
        assert (votes([Y, Y, Y], rule).choice, votes([N, N, N], rule).choice) == ("yes", "no")


def test_how_many_votes_must_be_valid_can_be_said() -> None:
    assert votes([Y, X, X], least_valid=1).choice == "yes"
    assert votes([Y, Y, X], least_valid=3).reason == "2 of 3 votes valid, needs 3"
    assert votes([X, X], least_valid=0).status == "invalid"


def test_an_unknown_rule_is_told_from_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="majority"):
        votes([Y], "majorty")
