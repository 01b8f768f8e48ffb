"""What people said beside what judges and metrics say: planted raters, planted judges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lookaway.analyses import ANALYSES, Findings
from lookaway.analyses.agreement_by_scene import agreement_by_scene
from lookaway.analyses.item_difficulty import NO_MOST, NOBODY, item_difficulty
from lookaway.analyses.judge_calibration import judge_calibration
from lookaway.analyses.judge_disagreements import JUDGES_FAULT, PEOPLE_SPLIT, judge_disagreements
from lookaway.analyses.judge_drift import judge_drift
from lookaway.analyses.label_sheets import label_sheets
from lookaway.analyses.preferences_beside_people import NOTHING_HELD_OUT, preferences_beside_people, preferred
from lookaway.analyses.rater_agreement import rater_agreement
from lookaway.analyses.verdicts_beside_people import verdicts_beside_people
from lookaway.outcomes import Abstain
from lookaway.pipeline.analyse import analysed
from lookaway.records import Label, Protocol, Score, Table
from tests.analyses.score_tables import findings, in_scenes, table
from tests.store.store_records import a_score

PROTOCOL = Protocol(
    name="mine",
    summary="",
    metrics=("state_progress:sound", "return_place:sound"),
    headline=(),
    axes={"progress": "state_progress:sound", "place": "return_place:sound"},
)
TASKS, SYSTEMS = 30, ("a", "b")
SCENES = [f"room {number}" for number in range(TASKS)]
RATERS = ("ann", "bob", "cem")


def truth(task: int, system: str) -> float:
    return float((task * 7 + 3 * (system == "b")) % 5 < 3)


def said(answer: Callable[[int, str, str], float | None], **changes: object) -> list[Label]:
    return [
        Label(
            rater=rater,
            study="s",
            items=(f"t{task}/{system}/0",),
            axis="progress",
            value=answer(task, system, rater),
            judgeable=answer(task, system, rater) is not None,
            **changes,
        )
        for rater in RATERS
        for task in range(TASKS)
        for system in SYSTEMS
    ]


def scored(value: Callable[[int, str], float], **changes: object) -> list[Score]:
    return [
        a_score(
            task=f"t{task}",
            system=system,
            value=value(task, system),
            metric="state_progress",
            protocol="mine",
            **changes,
        )
        for task in range(TASKS)
        for system in SYSTEMS
    ]


def with_labels(labels: list[Label], scores: list[Score]) -> Findings:
    known = findings(table(scores), in_scenes(*SCENES), SYSTEMS, PROTOCOL)
    return Findings(known.scores, known.tasks, known.systems, PROTOCOL, {}, labels=labels)


def judge(name: str) -> dict[str, object]:
    return {"instrument": name, "instrument_key": name}


def only(found: list[Table] | Abstain) -> dict[str, float | str | None]:
    assert isinstance(found, list), found
    row = found[0].rows[0]
    named = zip(found[0].columns, row.cells, strict=True)
    return {column.name: cell.reason or cell.text or cell.value for column, cell in named}


def erring(rate: float, seed: int) -> Callable[[int, str, str], float]:
    rng = np.random.default_rng(seed)
    wrong = {(task, s, r): rng.random() < rate for task in range(TASKS) for s in SYSTEMS for r in RATERS}
    return lambda task, system, rater: abs(truth(task, system) - wrong[task, system, rater])


def test_raters_who_always_agree_and_raters_who_guess() -> None:
    sure = only(rater_agreement(with_labels(said(lambda t, s, r: truth(t, s)), [])))
    assert (sure["share"], sure["alpha"], sure["kappa"], sure["raters"]) == (1.0, 1.0, 1.0, 3.0)
    guessing = only(rater_agreement(with_labels(said(erring(0.5, 1)), [])))
    assert abs(float(guessing["alpha"] or 0)) < 0.2


def test_a_second_round_counts_as_a_rater_with_themselves_and_nowhere_else() -> None:
    once = said(lambda t, s, r: truth(t, s))
    again = [label.model_copy(update={"round": 1, "value": 1 - (label.value or 0)}) for label in once[:6]]
    found = only(rater_agreement(with_labels([*once, *again], [])))
    assert (found["share"], found["again"]) == (1.0, 0.0)


def test_attention_checks_and_unknown_clips_have_no_part() -> None:
    labels = said(lambda t, s, r: truth(t, s), role="check")
    assert label_sheets(with_labels(labels, [])) == []
    other = labels[0].model_copy(update={"items": ("elsewhere/a/0",), "role": "main"})
    assert isinstance(rater_agreement(with_labels([other], [])), Abstain)


def test_a_judge_as_good_as_people_and_one_that_always_says_yes() -> None:
    labels = said(erring(0.1, 2))
    good = only(verdicts_beside_people(with_labels(labels, scored(truth))))
    assert float(good["accuracy"] or 0) > float(good["accuracy_people"] or 0) > 0.7
    blind = only(verdicts_beside_people(with_labels(labels, scored(lambda t, s: 1.0))))
    assert blind["balanced"] == pytest.approx(0.5)
    assert float(blind["order"] or 0) < float(good["order"] or 0)
    assert blind["yes_no"] == blind["no_no"] == 0.0


def test_two_judges_never_share_a_row() -> None:
    both = [*scored(truth, **judge("x")), *scored(lambda t, s: 1.0, **judge("y"))]
    found = verdicts_beside_people(with_labels(said(erring(0.1, 2)), both))
    assert isinstance(found, list)
    first, second = (row.cells[0].value or 0 for row in found[0].rows)
    assert first > second + 0.2


def test_a_judge_that_got_worse_is_found_and_the_same_one_is_not() -> None:
    worse = lambda t, s: truth(t, s) if t % 2 else 1 - truth(t, s)  # noqa: E731
    old = scored(truth, **judge("x"))
    labels = said(erring(0.05, 4))
    found = only(judge_drift(with_labels(labels, [*old, *scored(worse, **judge("y"))])))
    assert float(found["p"] or 1) < 0.001
    same = only(judge_drift(with_labels(labels, [*old, *scored(truth, **judge("y"))])))
    assert same["differ"] == 0.0
    assert isinstance(judge_drift(with_labels(labels, old)), Abstain)


def test_whose_fault_a_disagreement_is() -> None:
    def answer(task: int, system: str, rater: str) -> float:
        return 1 - truth(task, system) if (task, system) == (1, "a") and rater == "ann" else truth(task, system)

    flipped = lambda t, s: 1 - truth(t, s) if t in (0, 1) and s == "a" else truth(t, s)  # noqa: E731
    found = judge_disagreements(with_labels(said(answer), scored(flipped)))
    assert isinstance(found, list)
    assert [(row.title, row.cells[0].text) for row in found[0].rows] == [
        ("t0/a/0", JUDGES_FAULT),
        ("t1/a/0", PEOPLE_SPLIT),
    ]
    assert isinstance(judge_disagreements(with_labels(said(answer), scored(truth))), Abstain)


HARD = {3, 8, 14, 21, 27}


def hard_items(task: int, system: str, rater: str) -> float:
    """Everybody sees what is so, but on five tasks one of the three does not."""
    return abs(truth(task, system) - (task in HARD and rater == RATERS[task % 3]))


def cells_of(found: Table, title: str) -> dict[str, float | str | None]:
    row = next(row for row in found.rows if row.title == title)
    named = zip(found.columns, row.cells, strict=True)
    return {column.name: cell.reason or cell.text or cell.value for column, cell in named}


def test_the_items_that_people_found_hard_are_those_that_were_planted() -> None:
    lost_there = lambda t, s: abs(truth(t, s) - ((t in HARD and s == "a") or (t, s) == (8, "b")))  # noqa: E731
    found = item_difficulty(with_labels(said(hard_items), scored(lost_there)))
    assert isinstance(found, list)
    axes, items = found
    assert {row.title for row in items.rows} == {f"t{task}/{system}/0" for task in HARD for system in SYSTEMS}
    one = cells_of(items, "t3/a/0")
    assert (one["answers"], one["judgeable"]) == (3.0, 1.0)
    assert (one["agreement"], one["entropy"]) == (pytest.approx(1 / 3), pytest.approx(0.9183, abs=1e-4))
    assert (one["most"], one["judge"]) == ("yes" if truth(3, "a") else "no", "wrong")
    assert cells_of(items, "t3/b/0")["judge"] == "right"
    whole = only([axes])
    assert (whole["items"], whole["split"]) == (60.0, pytest.approx(10 / 60))
    assert (whole["right_sure"], whole["right_split"], whole["easier"]) == (1.0, 0.4, 0.6)
    assert float(whole["rank"] or 0) > 0.9
    assert all(cell.low is not None and cell.low <= (cell.value or 0) for cell in axes.rows[0].cells[5:7])


def test_people_and_a_judge_who_guess_find_no_item_harder_than_another() -> None:
    rng = np.random.default_rng(8)
    coins = {(task, system): float(rng.integers(2)) for task in range(TASKS) for system in SYSTEMS}
    found = item_difficulty(with_labels(said(erring(0.5, 6)), scored(lambda t, s: coins[t, s])))
    assert isinstance(found, list)
    split, chance, *_, easier, rank = found[0].rows[0].cells[1:]
    assert chance.value == pytest.approx(0.75, abs=0.01)
    for cell, null in ((split, chance.value), (easier, 0.0), (rank, 0.0)):
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low < (null or 0) < cell.high


def test_without_a_split_there_are_no_hard_items_and_without_a_judge_a_reason() -> None:
    found = item_difficulty(with_labels(said(lambda t, s, r: truth(t, s)), scored(truth)))
    assert isinstance(found, list)
    assert [table.name for table in found] == ["hard-axes-mine"]
    assert only(found)["right_split"] == "no such item of which the judge and most people tell"
    both = [*said(hard_items), *preferences(0)]
    with_none = item_difficulty(with_labels(both, scored(truth)))
    assert isinstance(with_none, list)
    assert next(row for row in with_none[0].rows if row.title == "people").cells[3].reason == NOBODY


def test_the_scenes_where_people_and_where_the_judge_err_are_told_apart() -> None:
    lost_there = lambda t, s: abs(truth(t, s) - (t == 5))  # noqa: E731
    found = agreement_by_scene(with_labels([*said(hard_items), *preferences(0)], scored(lost_there)))
    assert isinstance(found, list)
    (scenes,) = found
    assert [(column.title, column.group) for column in scenes.columns] == [
        ("People", "place (s)"),
        ("People", "progress (s)"),
        ("state_progress (sound)", "progress (s)"),
    ]
    by_scene = {row.title: row.cells[1:] for row in scenes.rows}
    assert len(by_scene) == TASKS
    pale = {(title, at) for title, cells in by_scene.items() for at, cell in enumerate(cells) if cell.value != 1}
    assert pale == {(f"room {task}", 0) for task in HARD} | {("room 5", 1)}
    people, judge = by_scene["room 3"][0], by_scene["room 5"][1]
    assert (people.value, people.n, people.low) == (pytest.approx(1 / 3), 2, None)
    assert (judge.value, judge.n, judge.low) == (0.0, 2, 0.0)


def test_where_two_halve_nobody_is_right_and_of_a_pair_the_sign_counts() -> None:
    halved = [one for one in said(hard_items) if one.rater != RATERS[2]]
    found = item_difficulty(with_labels(halved, scored(truth)))
    assert isinstance(found, list)
    title = found[1].rows[0].title
    assert cells_of(found[1], title)["most"] == cells_of(found[1], title)["judge"] == NO_MOST
    flipped = [
        one.model_copy(update={"value": -(one.value or 0)}) if one.rater == "ann" and "t3/" in one.items[0] else one
        for one in preferences(0)
    ]
    scores = [one.model_copy(update={"metric": "return_place", "variant": "sound"}) for one in scored(places)]
    pairs = item_difficulty(with_labels(flipped, scores))
    assert isinstance(pairs, list)
    assert truth(3, "a") != truth(3, "b")
    pair = cells_of(pairs[1], "t3/a/0 against t3/b/0")
    assert (pair["most"], pair["judge"]) == ("the first" if truth(3, "a") else "the second", "right")


def test_labels_of_some_scenes_and_a_judge_of_all() -> None:
    labels = [label for label in said(erring(0.05, 5)) if int(label.items[0][1:].split("/")[0]) < 10]
    calm = lambda t, s: 0.9 * truth(t, s) + 0.05  # noqa: E731
    found = only(judge_calibration(with_labels(labels, scored(calm))))
    assert float(found["saved"] or 0) > 0.2
    assert float(found["right"] or 0) > 0.9
    every = only(judge_calibration(with_labels(said(erring(0.05, 5)), scored(calm))))
    assert every["yes_helped"] == "every scene that the judge answers is labelled"


def preferences(held_out: int) -> list[Label]:
    """Of each task a is better where its truth is; the last scenes are held out."""
    return [
        Label(
            rater=rater,
            study="s",
            items=(f"t{task}/a/0", f"t{task}/b/0"),
            axis="place",
            value=truth(task, "a") - truth(task, "b"),
            role="holdout" if task >= TASKS - held_out else "main",
        )
        for rater in RATERS
        for task in range(TASKS)
    ]


def places(task: int, system: str) -> float:
    """A distance: less is better, and differences below 0.01 are noise."""
    return 0.3 * (1 - truth(task, system)) + 0.001 * (task % 7)


def test_a_lower_distance_is_preferred_and_the_band_is_read_where_it_was_not_fitted() -> None:
    scores = [one.model_copy(update={"metric": "return_place", "variant": "sound"}) for one in scored(places)]
    found = only(preferences_beside_people(with_labels(preferences(10), scores)))
    assert (found["exact"], found["reversals"]) == (1.0, 0.0)
    assert 0 <= float(found["tie_band"] or 0) < 0.3
    nothing = only(preferences_beside_people(with_labels(preferences(0), scores)))
    assert nothing["exact"] == NOTHING_HELD_OUT


def test_a_pair_is_what_most_say_and_nothing_where_they_split() -> None:
    answers = np.array([[1.0, 1, np.nan, 0], [1, -1, np.nan, 0], [0, 0, np.nan, 0]])
    assert np.array_equal(preferred(answers), [1, np.nan, np.nan, 0], equal_nan=True)


def test_without_labels_every_table_says_how_to_get_them() -> None:
    known = with_labels([], scored(truth))
    analyses = (rater_agreement, verdicts_beside_people, preferences_beside_people, judge_calibration, judge_drift)
    for found in (one(known) for one in (*analyses, judge_disagreements, item_difficulty, agreement_by_scene)):
        assert isinstance(found, Abstain)
        assert "people labels" in found.reason


def test_labels_bring_their_tables_to_the_board() -> None:
    """No protocol names them, and a run without labels is not told that it has none."""
    names = {name for name, known in ANALYSES.all().items() if known.of_labels}
    assert len(names) == 8
    quiet, labelled = (with_labels(labels, scored(truth)) for labels in ([], said(erring(0.1, 2))))
    assert not any(name in reason for name in names for reason in analysed([quiet]).missing)
    found = analysed([labelled])
    assert {"rater-agreement-mine", "verdicts-beside-people-mine"} <= {table.name for table in found.tables}
