"""A clip gets the words whose signs its scores show, and no others; what nobody measured is no failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.failure_signs import clip_words, read_words
from lookaway.analyses.failure_vocabulary import failure_vocabulary
from lookaway.analyses.failure_words import FAILURE_WORDS, Sign
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.records import Table
from tests.analyses.simulated_scores import KINDS, cell_at, changed, simulated

GOOD = simulated(0, support=np.full(len(KINDS), 1.0), families=2)
FAILED = "m05"


def with_values(what: Findings, **values: float | None) -> Findings:
    """The findings with other numbers of m05's clips, by metric."""
    for metric, value in values.items():
        mine = (pl.col("system") == FAILED) & (pl.col("metric") == metric) & pl.col("value").is_not_null()
        what = changed(what, pl.when(mine).then(pl.lit(value)).otherwise("value").alias("value"))
    return what


def fine() -> Findings:
    """Every number is good, every moving camera poses the test."""
    good = pl.when(pl.col("value").is_not_null() & (pl.col("metric") != "judged_support")).then(0.9).otherwise("value")
    return changed(GOOD, good.alias("value"))


def with_metric(what: Findings, metric: str, value: float, variant: str = "sound") -> Findings:
    """With a further metric that has a number of m05's clips and its best one of all others."""
    best = METRICS.get(f"{metric}:{variant}").better
    mine = what.scores.filter(pl.col("metric") == "visible_state").with_columns(
        metric=pl.lit(metric),
        variant=pl.lit(variant),
        value=pl.when(pl.col("system") == FAILED).then(value).otherwise(0.0 if best == "lower" else 1.0),
    )
    protocol = what.protocol.model_copy(update={"metrics": (*what.protocol.metrics, f"{metric}:{variant}")})
    protocol = type(protocol).model_validate(protocol.model_dump())
    made = changed(what, protocol=protocol)
    object.__setattr__(made, "scores", pl.concat([what.scores, mine]))
    return made


def words_of(what: Findings, system: str) -> set[str]:
    """Every word that a clip of the system has, those of cameras that rest left out."""
    words = read_words(what)
    clips = clip_words(what, words).filter((pl.col("system") == system) & ~pl.col("task").str.ends_with("static"))
    return {word.word.name for number, word in enumerate(words) if (clips[f"word{number}"] == 1).any()}


def table(what: Findings, name: str) -> Table:
    made = failure_vocabulary(what)
    assert not isinstance(made, Abstain)
    (found,) = [one for one in made if one.name == f"{name}-wrbench"]
    return found


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"reobserved_state": 0.1}, {"wrong state", "three successes, wrong return"}),
        ({"reobserved_state": 0.1, "visual_integrity": 0.3}, {"wrong state"}),
        ({"reobserved_spatial": 0.1}, {"displaced"}),
        (
            {"reobserved_spatial": 0.1, "reobserved_state": 0.2, "prompt_camera_alignment": 0.2},
            {"wrong place and state"},
        ),
        ({"judged_support": 0.0}, {"no test"}),
        ({}, set()),
    ],
)
def test_a_clip_gets_the_words_whose_signs_it_shows_and_no_others(values: dict[str, float], words: set[str]) -> None:
    what = with_values(fine(), **values)
    assert words_of(what, FAILED) == words
    assert words_of(what, "m04") == set()


@pytest.mark.parametrize(
    ("metric", "value", "word"),
    [
        ("subject_dragged", 0.8, "camera drag"),
        ("subject_doubled", 1.0, "duplicated"),
        ("subject_replaced", 1.0, "replaced"),
        ("subject_refound", 0.0, "vanished"),
        ("object_present", 0.0, "vanished"),
        ("camera_inactivity", 1.0, "camera at rest"),
        ("still_picture", 1.0, "frozen"),
        ("time_undone", 1.0, "reset"),
        ("cut_count", 2.0, "cut"),
        ("slow_replacement", 0.9, "other place"),
    ],
)
def test_a_word_is_told_by_its_metric_beyond_its_margin(metric: str, value: float, word: str) -> None:
    what = with_metric(fine(), metric, value)
    assert words_of(what, FAILED) == {word}
    assert words_of(what, "m04") == set()


@pytest.mark.parametrize(
    ("reason", "word"),
    [("never_returned: gone", "vanished"), ("unidentifiable: a smear", "melted"), ("never_hidden", "")],
)
def test_the_reason_of_a_closed_gate_tells_a_word(reason: str, word: str) -> None:
    what = fine()
    mine = (pl.col("system") == FAILED) & pl.col("metric").str.starts_with("reobserved")
    shut = {
        "value": pl.lit(None, pl.Float64),
        "gate": pl.lit("avoided"),
        "status": pl.lit("gated"),
        "reason": pl.lit(reason),
    }
    what = changed(what, *(pl.when(mine).then(new).otherwise(name).alias(name) for name, new in shut.items()))
    assert words_of(what, FAILED) == ({word} if word else set())


def test_what_was_not_measured_is_neither_a_failure_nor_counted() -> None:
    mine = (pl.col("system") == FAILED) & (pl.col("metric") == "reobserved_state")
    lost = {"value": pl.lit(None, pl.Float64), "status": pl.lit("abstained"), "gate": pl.lit(None, pl.String)}
    what = changed(fine(), *(pl.when(mine).then(new).otherwise(name).alias(name) for name, new in lost.items()))
    shares = table(what, "failure-words")
    column = next(one.name for one in shares.columns if one.title == "wrong state")
    cell = cell_at(shares, FAILED, column)
    assert (cell.value, cell.n) == (None, 0)


def test_a_share_counts_the_clips_of_which_it_is_known() -> None:
    shares = table(with_values(fine(), reobserved_state=0.1), "failure-words")
    (column,) = [one.name for one in shares.columns if one.title == "wrong state"]
    failed, other = cell_at(shares, FAILED, column), cell_at(shares, "m04", column)
    assert (failed.value, failed.n, failed.total) == (1.0, 16, 24), "two families, four events, two moving cameras"
    assert (other.value, other.n) == (0.0, 16)
    whole = cell_at(shares, "all of geometry-cache", column)
    assert whole.value == pytest.approx(1 / 3)


def test_a_signature_of_a_kind_of_system_is_found_and_a_null_is_not() -> None:
    kinds = {one.label: one.card.condition_type for one in GOOD.systems}
    melted = [label for label, kind in kinds.items() if kind == "prompt-only"]
    mine = pl.col("system").is_in(melted) & (pl.col("metric") == "reobserved_spatial") & pl.col("value").is_not_null()
    planted = changed(fine(), pl.when(mine).then(0.2).otherwise("value").alias("value"))
    for what, expected in ((planted, {"prompt-only"}), (fine(), set())):
        shares = table(what, "failure-words")
        (column,) = [one.name for one in shares.columns if one.title == "displaced"]
        rows = [row.title for row in shares.rows if row.level == 0]
        high = {title.removeprefix("all of ") for title in rows if (cell_at(shares, title, column).value or 0) > 0.5}
        assert high == expected


def test_examples_lead_to_clips_that_fail_so_with_what_told_it() -> None:
    examples = table(with_values(fine(), reobserved_state=0.13), "failure-examples")
    (row,) = [one for one in examples.rows if one.title == "wrong state"]
    assert row.cells[0].value == 16
    assert row.cells[1].link.split("/")[1] == FAILED
    assert "reobserved_state 0.13" in row.cells[1].text
    assert row.cells[2].reason == "no other system fails so"


def test_every_failing_clip_is_listed_with_all_its_words() -> None:
    listed = table(with_values(fine(), reobserved_state=0.1, reobserved_spatial=0.2), "further-failure-clips")
    mine = {
        row.title: row.cells[0].text for row in listed.rows if f"/{FAILED}/" in row.title and "static" not in row.title
    }
    assert len(mine) == 16
    assert set(mine.values()) == {"wrong place and state, three successes, wrong return"}


def test_two_instruments_tell_a_word_each() -> None:
    what = with_values(fine(), reobserved_state=0.1)
    second = what.scores.filter(pl.col("metric") == "reobserved_state").with_columns(
        instrument=pl.lit("another"), instrument_key=pl.lit("k"), value=pl.when(pl.col("value").is_not_null()).then(0.9)
    )
    object.__setattr__(what, "scores", pl.concat([what.scores, second]))
    titles = [word.title for word in read_words(what) if word.word.name == "wrong state"]
    assert titles == ["wrong state, by another", "wrong state, by judge"]
    clips = clip_words(what, read_words(what)).filter(pl.col("system") == FAILED)
    by_title: dict[str, Any] = {
        word.title: clips[f"word{number}"].max() for number, word in enumerate(read_words(what))
    }
    assert [by_title[title] for title in titles] == [0.0, 1.0]


def test_words_without_a_rule_are_named_as_not_told() -> None:
    note = table(fine(), "failure-words").notes[-1]
    assert "merged structure (no metric tells it)" in note
    assert "camera drag (subject_dragged beyond its margin)" in note


def test_every_metric_that_a_rule_names_exists_and_every_name_is_its_own() -> None:
    known = {metric.name for metric in METRICS.all().values()}
    signs: list[Sign] = [sign for word in FAILURE_WORDS for rule in word.rules for sign in rule]
    assert {name for sign in signs for name in sign.metrics} <= known
    assert len({word.name for word in FAILURE_WORDS}) == len(FAILURE_WORDS)


def test_every_word_is_explained_on_the_page() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "analyses-wrbench.md").read_text()
    listed = {
        word.strip() for line in page.splitlines() if line.startswith("| ") for word in line.split("|")[1].split(", ")
    }
    listed |= {line.split("|")[1].strip() for line in page.splitlines() if line.startswith("| ")}
    assert [word.name for word in FAILURE_WORDS if word.name not in listed] == []
