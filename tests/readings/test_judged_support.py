"""From a row of judgements to intervals, support per axis and, where there is none, the first thing that is missing."""

from __future__ import annotations

import pytest

from lookaway.outcomes import Abstain
from lookaway.readings.judged_support import (
    JudgedSample,
    JudgedSupport,
    paper_support,
    released_support,
    sound_support,
    support_of,
)
from lookaway.readings.windows import window
from tests.metrics.judged_cases import answer, flag_rows, gate_rows, heard

HIDDEN, BACK = ((0.5, 1.0),), ((1.0, 1.5),)  # of `yynnyy` at four a second


def sound(letters: str) -> JudgedSupport:
    found = sound_support(heard({"judgeable:sound": gate_rows(letters)}))
    assert isinstance(found, JudgedSupport)
    return found


def released(first: str, second: str) -> JudgedSupport:
    found = released_support(
        heard({"judgeable:released": flag_rows(first), "judgeable_rescue:released": flag_rows(second)})
    )
    assert isinstance(found, JudgedSupport)
    return found


@pytest.mark.parametrize(
    ("letters", "hidden", "returned", "place", "state"),
    [
        ("yynnyy", HIDDEN, BACK, None, None),
        ("yyccyy", HIDDEN, BACK, None, None),  # unjudgeable counts as hidden
        ("yy??yy", HIDDEN, BACK, None, None),
        (
            "nyynnyy",
            ((0.75, 1.25),),
            ((1.25, 1.75),),
            None,
            None,
        ),  # what comes before it is first made out is no matter
        ("yynnyynnyy", ((0.5, 1.0), (1.5, 2.0)), ((1.0, 1.5), (2.0, 2.5)), None, None),
        ("yynnyynny", ((0.5, 1.0), (1.5, 2.25)), ((1.0, 1.5),), None, None),  # back once; then for a moment
        ("yynnnynnn", ((0.5, 2.25),), (), "unidentifiable", "unidentifiable"),  # a single sight is no return
        ("yynnyyny", HIDDEN, ((1.0, 2.0),), None, None),  # a flicker after the return
        ("yynnynyn", ((0.5, 2.0),), (), "unidentifiable", "unidentifiable"),  # flickers are no return
        ("yynyyy", (), (), "never_hidden", "never_hidden"),  # a quarter of a second
        ("yyyyyy", (), (), "never_hidden", "never_hidden"),
        ("nnnnnn", (), (), "no_initial_judgeable", "no_initial_judgeable"),
        ("??????", (), (), "no_initial_judgeable", "no_initial_judgeable"),
        ("yynnnn", ((0.5, 1.5),), (), "never_returned", "never_returned"),
        ("yy?nnn", ((0.5, 1.5),), (), "never_returned", "never_returned"),  # half out on its way is not back
        ("yycccc", ((0.5, 1.5),), (), "never_returned", "never_returned"),  # a cover that stays
        ("yycc??", ((0.5, 1.5),), (), "unidentifiable", "unidentifiable"),
        ("yynn??", ((0.5, 1.5),), (), "unidentifiable", "unidentifiable"),
        ("yy????", ((0.5, 1.5),), (), "unidentifiable", "unidentifiable"),
        ("yynnss", HIDDEN, BACK, "unidentifiable", None),
        ("yynnpp", HIDDEN, BACK, None, "unidentifiable"),
        ("yynnps", HIDDEN, BACK, None, None),  # one frame may tell the place and another the state
    ],
)
def test_intervals_and_what_is_missing(
    letters: str, hidden: object, returned: object, place: str | None, state: str | None
) -> None:
    found = sound(letters)
    assert (found.hidden, found.returned) == (hidden, returned)
    assert (found.missing.get("place"), found.missing.get("state")) == (place, state)
    assert found.holds == (place is None and state is None)


def test_how_long_a_subject_must_be_hidden_is_said() -> None:
    samples = [JudgedSample.of_one_flag(k / 4, letter == "y") for k, letter in enumerate("yynyy")]
    assert support_of(samples).missing["place"] == "never_hidden"
    assert support_of(samples, min_hidden_s=0.25).holds
    two = [JudgedSample.of_one_flag(k / 4, letter == "y") for k, letter in enumerate("yynnyy")]
    assert support_of(two, min_hidden_s=0.5).holds
    assert not support_of(two, min_hidden_s=0.51).holds


def test_how_long_it_must_be_back_is_said_and_as_in_the_paper_a_single_sight_will_do() -> None:
    samples = [JudgedSample.of_one_flag(k / 4, letter == "y") for k, letter in enumerate("yynnnynnn")]
    assert support_of(samples).holds
    assert support_of(samples, min_returned_s=0.25).holds
    assert not support_of(samples, min_returned_s=0.26).holds
    rows = gate_rows("yynnnynnn")
    as_in_paper = paper_support(heard({"judgeable:paper": rows}))
    assert isinstance(as_in_paper, JudgedSupport)
    assert as_in_paper.holds


def test_what_is_shown_after_a_return_is_the_return_that_support_has() -> None:
    case = heard({"judgeable:sound": gate_rows("yynnnynnnyyy")})
    assert window(case, "returned@judgeable:sound") == sound("yynnnynnnyyy").returned == ((2.25, 3.0),)


def test_time_out_of_view_and_time_that_cannot_be_judged_are_told_apart() -> None:
    found = sound("yynnncc?yy")
    assert found.hidden == ((0.5, 2.0),)
    assert (found.out_of_view_s, found.unjudgeable_s) == (0.75, 0.75)


@pytest.mark.parametrize(
    ("first", "second", "hidden", "reason"),
    [
        ("yny", "nnn", ((1.0, 2.0),), None),  # one second hides it
        ("yynny", "nnynn", ((3.0, 4.0),), None),  # either look counts
        ("yny", "nyn", (), "never_hidden"),  # the second look finds it after all
        ("ynn", "nnn", ((1.0, 3.0),), "never_returned"),
        ("nnn", "nnn", (), "no_initial_judgeable"),
        ("nyn", "nny", (), "never_hidden"),
    ],
)
def test_as_released_one_second_without_it_is_enough(
    first: str, second: str, hidden: object, reason: str | None
) -> None:
    found = released(first, second)
    assert found.hidden == hidden
    assert (found.missing.get("place"), found.missing.get("state")) == (reason, reason)


def test_without_words_on_what_hides_it_a_subject_that_is_not_made_out_is_away() -> None:
    found = paper_support(heard({"judgeable:paper": gate_rows("yynn??")}))
    assert isinstance(found, JudgedSupport)
    assert found.missing == {"place": "never_returned", "state": "never_returned"}


def test_a_closed_axis_says_which_reason_and_kind() -> None:
    kinds = {letters: sound(letters).closed("state") for letters in ("yyyyyy", "yynnnn", "nnnnnn", "yynnpp", "yynnyy")}
    told = {letters: (gated.kind, gated.reason.partition(":")[0]) for letters, gated in kinds.items() if gated}
    assert told == {
        "yyyyyy": ("avoided", "never_hidden"),
        "yynnnn": ("avoided", "never_returned"),
        "nnnnnn": ("not_judgeable", "no_initial_judgeable"),
        "yynnpp": ("not_judgeable", "unidentifiable"),
    }
    lost = sound("yynnpp").closed("state")
    assert lost is not None
    assert lost.reason == "unidentifiable: the subject is back, but its state cannot be told"


@pytest.mark.parametrize("silent", ["judgeable:released", "judgeable_rescue:released"])
def test_a_look_that_was_not_answered_leaves_support_unknown(silent: str) -> None:
    said = {"judgeable:released": flag_rows("yny"), "judgeable_rescue:released": flag_rows("nnn")}
    case = heard(said | {silent: answer(status="invalid", reason="no form")})
    assert released_support(case) == Abstain(f"{silent}: no form")
