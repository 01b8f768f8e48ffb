"""The tables of cells, ledger and dose say what the numbers say that they are made of, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from lookaway.analyses import Findings
from lookaway.analyses.cells import cell_tables, cells
from lookaway.analyses.columns import table_name
from lookaway.analyses.dose import dose_curves, dose_tables
from lookaway.analyses.ledger import ledger, ledger_tables
from lookaway.outcomes import Abstain
from lookaway.records import Interval, Protocol, Score, Step, Table, Task
from tests.analyses.score_tables import findings, in_scenes, of, row, table
from tests.builders import task

PROTOCOL = Protocol(
    name="diorama",
    summary="a summary",
    metrics=("turned_away:sound", "object_return:sound", "camera_inactivity:sound"),
    headline=("object_return:sound", "turned_away:sound"),
    ledger=(
        Step(name="delivered", metric="turned_away:sound", at_least=1.0),
        Step(name="right", metric="object_return:sound", at_least=0.75),
    ),
)
TASKS = in_scenes(*"aabbcc")


def known(
    scores: Iterable[Score], tasks: Iterable[Task] = TASKS, names: tuple[str, ...] = ("truth", "frozen"), **changes: Any
) -> Findings:
    return findings(table(scores), tasks, names, Protocol.model_validate(dict(PROTOCOL) | changes))


def only(made: list[Table] | Abstain) -> Table:
    assert not isinstance(made, Abstain)
    (found,) = made
    return found


def test_what_was_computed_once_is_not_computed_again() -> None:
    what = known([row("t0", "turned_away", 1.0)])
    assert what.once(cells) is what.once(cells)
    assert what.once(ledger) is not known([row("t0", "turned_away", 1.0)]).once(ledger)


# ---------------------------------------------------------------- cells


def test_a_headline_has_a_row_per_system_and_a_column_per_metric() -> None:
    scores = [row(f"t{n}", "object_return", n / 10, low=n / 20, high=0.9) for n in range(4)]
    scores += [of("t4", "abstained", "object_return"), of("t0", "avoided", "object_return", system="frozen")]
    what = known(scores)
    made = only(cell_tables(what))
    (cell,) = [c for c in what.once(cells) if (c.system, c.slice) == ("truth", "all")]
    truth, frozen = made.rows
    shown = truth.cells[0]
    assert (shown.value, shown.low, shown.high) == (cell.value, cell.low, cell.high)
    assert (shown.measured_low, shown.measured_high) == (pytest.approx(0.075), pytest.approx(0.9))
    assert (shown.n, shown.total) == (4, 5)
    assert frozen.cells[0].reason == "1 gated (avoided)"
    assert (frozen.cells[0].n, frozen.cells[0].total) == (0, 1)
    assert [row.cells[1].reason for row in made.rows] == ["not scored", "not scored"]
    assert [(c.title, c.better) for c in made.columns] == [("object_return", "higher"), ("turned_away", "higher")]


def test_each_instrument_fills_its_own_column() -> None:
    scores = [row("t0", "object_return", 0.2, instrument="A", instrument_key="a")]
    scores += [row("t0", "object_return", 0.8, instrument="B", instrument_key="b", system="frozen")]
    made = only(cell_tables(known(scores, headline=PROTOCOL.headline[:1])))
    assert [column.title for column in made.columns] == ["object_return, by A", "object_return, by B"]
    assert [[cell.value for cell in row.cells] for row in made.rows] == [[0.2, None], [None, 0.8]]


def test_scores_of_an_inactive_camera_are_marked() -> None:
    scores = [row("t0", "object_return", 0.9, system=system) for system in ("truth", "frozen")]
    scores += [row("t0", "camera_inactivity", 0.0), row("t0", "camera_inactivity", 1.0, system="frozen")]
    made = only(cell_tables(known(scores)))
    assert [row.cells[0].marks for row in made.rows] == [(), ("inactive",)]
    assert made.notes == ("frozen: camera inactive in 1 of 1 clips",)


def test_metrics_that_never_ran_on_true_weights_are_named_below_the_table() -> None:
    learned, plain = ("visual_integrity:paper", "object_identity:released"), ("psnr_all:paper",)
    scores = [row("t0", "visual_integrity", 0.9, variant="paper")]
    made = only(cell_tables(known(scores, metrics=(*learned, *plain), headline=(*learned, *plain), ledger=())))
    (note,) = made.notes
    assert note.startswith("unverified, never run here on true weights: visual_integrity")
    assert "object_identity" in note
    assert "psnr" not in note


def test_a_metric_that_is_not_installed_keeps_its_recorded_numbers() -> None:
    made = only(
        cell_tables(known([row("t0", "gone", 0.4)], metrics=("gone:sound",), headline=("gone:sound",), ledger=()))
    )
    assert made.rows[0].cells[0].value == 0.4


def test_nothing_scored_is_a_reason() -> None:
    assert cell_tables(known([])) == Abstain("nothing was scored")
    assert ledger_tables(known([])) == Abstain("no clip was scored for it")
    assert (
        ledger_tables(known([], ledger=()))
        == dose_tables(known([], ledger=()))
        == Abstain("the protocol has no ledger")
    )


# ---------------------------------------------------------------- ledger


def test_a_funnel_tells_shares_with_bounds_and_why_clips_stopped() -> None:
    scores = [
        *[row("t0", "turned_away", 1.0), row("t0", "object_return", 0.9)],
        *[row("t1", "turned_away", 1.0), row("t1", "object_return", 0.1)],
        *[of("t2", "abstained"), row("t2", "object_return", 1.0)],
        row("t3", "turned_away", 0.0),
    ]
    made = only(ledger_tables(known(scores)))
    assert made.shape == "funnel"
    truth, frozen = made.rows
    told = [(c.value, c.measured_low, c.measured_high, c.n, c.total) for c in truth.cells]
    assert told == [(0.5, 0.5, 0.75, 2, 4), (0.25, 0.25, 0.5, 1, 4)]
    assert [cell.reason for cell in frozen.cells] == ["no clips", "no clips"]
    assert made.notes == (
        "truth, delivered: lost: 1× turned_away below 1",
        "truth, delivered: unknown: 1× why",
        "truth, right: lost: 1× object_return below 0.75",
    )


def test_a_clip_of_which_nobody_knows_is_never_counted_as_reached() -> None:
    scores = [score for n in range(6) for score in (of(f"t{n}", "not_applicable"), row(f"t{n}", "object_return", 1.0))]
    made = only(ledger_tables(known(scores)))
    assert [(cell.value, cell.measured_high) for cell in made.rows[0].cells] == [(0.0, 1.0), (0.0, 1.0)]


def test_a_planted_failure_shows_at_its_step_and_nowhere_else() -> None:
    scores = [row(f"t{n}", "turned_away", 1.0, system=system) for n in range(6) for system in ("truth", "frozen")]
    scores += [row(f"t{n}", "object_return", 0.9) for n in range(6)]
    scores += [row(f"t{n}", "object_return", 0.1, system="frozen") for n in range(6)]
    made = only(ledger_tables(known(scores)))
    assert [[cell.value for cell in row.cells] for row in made.rows] == [[1.0, 1.0], [1.0, 0.0]]


# ---------------------------------------------------------------- dose


def hidden(name: str, seconds: float, scene: str) -> Task:
    phases = (
        Interval(phase="visible", start_s=0, end_s=1),
        Interval(phase="hidden", start_s=1, end_s=1 + seconds),
        Interval(phase="returned", start_s=1 + seconds, end_s=9),
    )
    return task(id=name, scene=scene, phases=phases)


DOSES = [hidden(f"{kind}{n}", seconds, f"s{n}") for kind, seconds in (("short", 1.0), ("long", 3.0)) for n in range(4)]


def dosed(system: str, long: float) -> list[Score]:
    """Right after a short look-away; after a long one as told."""
    scores = [row(one.id, "turned_away", 1.0, system=system) for one in DOSES]
    return scores + [row(one.id, "object_return", long if "long" in one.id else 1.0, system=system) for one in DOSES]


def test_a_memory_that_fades_falls_with_the_dose_and_one_that_does_not_stays() -> None:
    what = known([*dosed("truth", 1.0), *dosed("frozen", 0.0)], DOSES)
    made = dose_tables(what)
    assert not isinstance(made, Abstain)
    by_time, by_turn = made
    assert [table.shape for table in made] == ["curve", "curve"]
    shown = {row.group: [] for row in by_time.rows}
    for line in by_time.rows:
        shown[line.group].append((line.title, line.cells[0].value, line.cells[1].value))
    assert shown == {
        "truth": [("1", 1.0, 1.0), ("3", 3.0, 1.0)],
        "frozen": [("1", 1.0, 1.0), ("3", 3.0, 0.0)],
    }
    assert len(by_turn.rows) == 2, "all cameras turn alike: one point for each system"
    points = [point for curve in what.once(dose_curves) if curve.dose == "hidden_s" for point in curve.points]
    drawn = [(line.cells[1].low, line.cells[1].high, line.cells[2].value) for line in by_time.rows]
    assert drawn == [(point.low, point.high, point.floor) for point in points]
    assert (
        "truth: no curve against hidden time (context windows), the model card tells no context window" in by_time.notes
    )


def test_a_point_without_a_verdict_has_a_reason_and_a_floor() -> None:
    scores = [score for one in DOSES for score in (of(one.id, "avoided"), of(one.id, "avoided", "object_return"))]
    made = dose_tables(known(scores, DOSES, ("truth",)))
    assert not isinstance(made, Abstain)
    right, floor = made[0].rows[0].cells[1:3]
    assert (right.reason, right.n, right.total) == ("nothing measured", 0, 4)
    assert floor.value == 0.0


def test_where_nothing_is_hidden_there_is_no_dose() -> None:
    reason = "no clip of a task that hides its subject was scored"
    assert dose_tables(known([row("t0", "turned_away", 1.0)])) == Abstain(reason)


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("protocol", "name"),
    [("diorama", "cells-diorama"), ("metric:psnr_all", "cells-metric-psnr-all"), ("Ünter uns", "cells-nter-uns")],
)
def test_a_table_is_named_after_any_protocol(protocol: str, name: str) -> None:
    assert table_name("cells", protocol) == name
    what = known([row("t0", "object_return", 0.5, protocol=protocol)], name=protocol)
    assert only(cell_tables(what)).name == name


def test_the_order_of_rows_does_not_matter() -> None:
    scores = table([*dosed("truth", 0.8), *dosed("frozen", 0.1)])
    first = findings(scores, DOSES, ("truth", "frozen"), PROTOCOL)
    for seed in range(3):
        again = findings(scores.sample(fraction=1, shuffle=True, seed=seed), DOSES, ("truth", "frozen"), PROTOCOL)
        for function in (cell_tables, ledger_tables, dose_tables):
            assert function(again) == function(first)
