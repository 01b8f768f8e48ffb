"""A sentence says what the numbers come to, and nothing that was not measured."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lookaway.analyses.plain_words import in_words
from lookaway.protocols import load
from lookaway.records import Cell, DoseCurve, DosePoint, LedgerStep, PlainWords, Step

DIORAMA = load("diorama")
COUNTS = dict.fromkeys(("not_applicable", "avoided", "no_opportunity", "abstained", "no_output", "failed"), 0)


def steps(reached: Sequence[int], total: int, unknown_at: int | None = None) -> list[LedgerStep]:
    """A system's way through the ledger, where clips that stop are lost, or unknown from one step on."""
    found, before, unknown_before = [], total, 0
    for number, (step, now) in enumerate(zip(DIORAMA.ledger, reached, strict=True)):
        stopped = {"because": before - now} if before > now else {}
        is_unknown = number == unknown_at
        found.append(
            LedgerStep(
                protocol="diorama", system="m", step=step.name, reached=now, total=total,
                lost={} if is_unknown else stopped, unknown=stopped if is_unknown else {},
                unknown_before=unknown_before,
            )
        )  # fmt: skip
        unknown_before += sum(stopped.values()) if is_unknown else 0
        before = now
    return found


def cell(metric: str, value: float, n: int = 8, ends: tuple[float, float] | None = None) -> Cell:
    low, high = ends or (None, None)
    return Cell(
        protocol="diorama", metric=metric, variant="sound", version=1, instrument="replay", instrument_key="k", ask="",
        ask_key="", phase_source="measured", slice="all", system="m", value=value, low=low, high=high, method="",
        floor=value, scenes=n, n=8, ok=n, **(COUNTS | {"abstained": 8 - n}),
    )  # fmt: skip


def curve(*points: tuple[float, int, int]) -> DoseCurve:
    """Of points (dose, right, clips)."""
    made = [
        DosePoint(
            dose=dose, dose_low=dose, dose_high=dose, tasks=n, scenes=n, n=n, ok=n, other=0, value=right / n, low=None,
            high=None, method="", floor=right / n,
        )
        for dose, right, n in points
    ]  # fmt: skip
    return DoseCurve(protocol="diorama", system="m", dose="hidden_s", points=tuple(made))


def said(
    reached: Sequence[int], *cells: Cell, total: int = 8, curves: Sequence[DoseCurve] = (), **facts: int
) -> PlainWords:
    """Of eight steps; identity and speed, which stand behind place and clock, are passed by all that come to them."""
    whole = [*reached[:5], reached[4], *reached[5:7], *reached[6:]]
    return in_words(DIORAMA, steps(whole, total, **facts), cells, curves)


def test_a_world_that_keeps_going_is_said_to() -> None:
    words = said([8] * 8, cell("world_clock", 1.0, ends=(0.98, 1.02)))
    assert words.verdict == "keeps its world going while nobody looks"
    assert [ground.text for ground in words.grounds] == [
        "its clock keeps time while hidden (1.00 [0.98, 1.02] of the hidden time, n=8 of 8)",
        "8 of 8 clips reach every step",
    ]


def test_a_frozen_world_remembers_what_and_not_when() -> None:
    words = said([8, 8, 8, 8, 3, 1, 0, 0], cell("world_clock", -0.001, ends=(-0.01, 0.01)))
    assert words.verdict == "remembers what was there, sometimes where, not when"
    assert words.grounds[0].text.startswith("its clock stops while hidden (0.00 [-0.01, 0.01]")
    assert words.grounds[1].text == "the subject is in a wrong place in 5 of 8 clips that came to “right place”"
    assert words.grounds[1].step == "right place"


def test_a_vanished_subject_is_forgotten_and_nothing_is_said_of_its_place() -> None:
    words = said([8, 8, 8, 0, 0, 0, 0, 0])
    assert words.verdict == "forgets what was there"
    assert [ground.step for ground in words.grounds] == ["there"]


def test_a_camera_that_rests_tests_no_memory() -> None:
    words = said([0] * 8, cell("camera_inactivity", 1.0))
    assert words.verdict == "does not turn its camera as asked, so its memory was not tested"
    assert words.grounds[0].text == "8 of 8 clips stop at “delivered”"
    assert words.grounds[1].text == "its camera hardly moves in 8 of 8 clips"
    assert "remember" not in words.sentence.replace("memory", "")


def test_what_nobody_measured_is_not_called_forgotten() -> None:
    words = said([8, 8, 8, 0, 0, 0, 0, 0], unknown_at=3)
    assert words.verdict == "may remember or not: nobody can tell"
    assert words.grounds[0].text == "of 8 of 8 clips nobody knows “there”: because"
    assert "forget" not in words.sentence


def test_few_clips_say_nothing() -> None:
    words = said([2] * 8, total=2)
    assert words.verdict == "has too few clips to say what it remembers"


def test_the_few_that_came_far_do_not_speak_for_all() -> None:
    """Two of eight clips pass every later step; what they remember is not the system's."""
    words = said([8, 8, 8, 3, 3, 3, 3, 3], cell("world_clock", 1.0, n=3, ends=(0.9, 1.1)))
    assert words.verdict == "sometimes remembers what was there"
    assert "clock" not in words.sentence


@pytest.mark.parametrize(
    ("reading", "ends", "words"),
    [
        (1.0, (0.9, 1.1), "its clock keeps time while hidden"),
        (0.0, (-0.1, 0.1), "its clock stops while hidden"),
        (0.5, (0.4, 0.6), "its clock runs slow while hidden"),
        (1.6, (1.4, 1.8), "its clock skips ahead while hidden"),
        (-0.8, (-0.9, -0.7), "its clock runs backwards while hidden"),
        (0.4, (-0.1, 0.9), "what its clock does while hidden is open"),
    ],
)
def test_a_clock_is_put_into_words_only_where_its_interval_allows_one(
    reading: float, ends: tuple[float, float], words: str
) -> None:
    found = said([8] * 8, cell("world_clock", reading, ends=ends))
    assert found.grounds[0].text.startswith(words)
    assert ("keeps its world going" in found.verdict) == (
        words.startswith("its clock keeps") or words.startswith("what")
    )


def test_memory_that_fades_with_hidden_time_is_said_to() -> None:
    fading = curve((1.0, 2, 2), (1.5, 1, 2), (1.8, 0, 2), (2.4, 0, 2))
    words = said([8, 8, 8, 3, 3, 3, 3, 3], curves=[fading])
    assert words.verdict == "remembers for a while, then forgets"
    assert words.grounds[0].text == (
        "right in 3 of 4 clips hidden for 1.00 to 1.50 s, in 0 of 4 clips hidden for 1.80 to 2.40 s"
    )


def test_memory_that_does_not_fade_is_not_said_to() -> None:
    for points in (((1.0, 0, 4), (2.0, 4, 4)), ((1.0, 2, 4), (2.0, 2, 4)), ((1.0, 2, 2), (2.0, 0, 2))):
        assert "for a while" not in said([8, 8, 8, 3, 3, 3, 3, 3], curves=[curve(*points)]).verdict


def test_a_ledger_of_other_steps_is_only_counted() -> None:
    own = DIORAMA.model_copy(update={"ledger": (Step(name="mine", metric="my_metric:sound", at_least=1.0),)})
    way = LedgerStep(protocol="diorama", system="m", step="mine", reached=3, total=8, lost={"why": 5})
    words = in_words(own, [way], [], [])
    assert words.sentence == "reaches every step in 3 of 8 clips: 5 of 8 stop at “mine”"
    nothing = in_words(own, [way.model_copy(update={"reached": 0, "total": 0, "lost": {}})], [], [])
    assert nothing.sentence == "has no scored clip"
