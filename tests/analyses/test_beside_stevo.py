"""Systems of a run stand below StEvo-Bench's printed rows, in percent, by both denominators and in both arms."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.beside_published import beside_published
from lookaway.analyses.own_rows import OURS
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.published import read_paper
from lookaway.records import Score, Table, TableRow, Task
from lookaway.stats.rates import wilson
from tests.analyses.score_tables import findings, row, table
from tests.analyses.simulated_scores import cell_at
from tests.analyses.verdict_tables import CLIPS, verdict_findings
from tests.builders import task

FACTS = {"system": "m", "protocol": "stevo", "version": 1}
PAIRS = 20


def tables(what: Findings) -> dict[str, Table]:
    made = beside_published(what)
    assert not isinstance(made, Abstain)
    return {table.name.removeprefix("published-").removesuffix("-stevo"): table for table in made}


def own(table: Table, ending: str = "") -> list[TableRow]:
    return [row for row in table.rows if row.group.startswith(OURS) and row.group.endswith(ending)]


def group(table: Table, ending: str) -> str:
    return own(table, ending)[0].group


def first_share(share: float) -> np.ndarray:
    return (np.arange(CLIPS) < share * CLIPS).astype(float)


def test_evolution_stands_in_percent_over_all_and_over_controlled_videos() -> None:
    what = verdict_findings(m={"state_progress": first_share(0.1), "observation_control": first_share(0.2)})
    made = tables(what)["table2"]
    over_all = cell_at(made, "m", "success", group(made, "of all videos"))
    controlled = cell_at(made, "m", "success", group(made, "of controlled videos"))
    assert (over_all.value, over_all.n) == (pytest.approx(10), CLIPS)
    assert (controlled.value, controlled.n) == (pytest.approx(50), 0.2 * CLIPS)
    known = wilson(CLIPS // 10, CLIPS)
    assert (over_all.low, over_all.high) == (pytest.approx(100 * known.low), pytest.approx(100 * known.high))


def test_controls_stand_below_table_5() -> None:
    made = tables(verdict_findings(m={"observation_control": first_share(0.2)}))["table5"]
    cells = [cell_at(made, "m", name, group(made, "")).value for name in ("observation", "action")]
    assert cells == [pytest.approx(20), pytest.approx(100)]


def test_printed_rows_keep_their_numbers_and_are_marked() -> None:
    for name, made in tables(verdict_findings(m={})).items():
        printed = read_paper("stevo").rows[name]
        for line, printed_row in zip(made.rows, printed, strict=False):
            assert [cell.value for cell in line.cells] == [printed_row.number(c.name) for c in made.columns]
            assert all("published" in cell.marks for cell in line.cells)
        assert not any("published" in cell.marks for line in own(made) for cell in line.cells)


def test_who_is_never_controlled_has_a_reason_over_controlled_videos() -> None:
    made = tables(verdict_findings(m={"action_control": np.zeros(CLIPS)}))["table2"]
    cell = cell_at(made, "m", "progress", group(made, "of controlled videos"))
    assert (cell.value, cell.reason) == (None, "no such video")


def test_two_judges_never_share_a_row() -> None:
    one = verdict_findings(m={"state_progress": first_share(0.1)})
    second = verdict_findings(m={"state_progress": first_share(0.3)}).scores
    renamed = second.with_columns(instrument_key=second["instrument_key"] + "b", instrument=second["instrument"] + "b")
    both = Findings(one.scores.vstack(renamed), one.tasks, one.systems, one.protocol, one.scales)
    rows = own(tables(both)["table2"], "of all videos")
    assert sorted(line.cells[1].value for line in rows) == [pytest.approx(10), pytest.approx(30)]


# ---------------------------------------------------------------- observed against hidden


def twins() -> list[Task]:
    made = []
    for number in range(PAIRS):
        made += [
            task(id=f"t{number}", scene="s"),
            task(id=f"t{number}_o", scene="s", twin="observed", twin_of=f"t{number}"),
        ]
    return [*made, task(id="alone", scene="s")]


def arm_scores(hidden: int, observed: int, incoherent: int = 0, silent: int = 0, hushed: int = 0) -> list[Score]:
    """The first pairs progress; the first observed ones are incoherent.

    On the progress of `silent` observed and `hushed` hidden ones there is no verdict.
    """
    made = []
    for number in range(PAIRS):
        for name, progress in ((f"t{number}", number < hidden), (f"t{number}_o", number < observed)):
            broken = name.endswith("_o") and number < incoherent
            mute = number < (silent if name.endswith("_o") else hushed)
            told = None if mute else float(progress)
            made += [
                row(name, "state_progress", told, "mute" if mute else "", variant="yoked", **FACTS),
                row(name, "physical_plausibility", 1.0, variant="sound", **FACTS),
                row(name, "coherence", float(not broken), variant="sound", **FACTS),
            ]
    return [*made, row("alone", "state_progress", 1.0, variant="yoked", **FACTS)]


def arms(*scores: Score) -> dict[str, TableRow]:
    made = tables(findings(table(scores), twins(), ["m"], load("stevo")))["table3"]
    return {line.title: line for line in own(made)}


def test_both_arms_are_counted_over_the_same_pairs() -> None:
    found = arms(*arm_scores(hidden=3, observed=16))
    assert [cell.value for cell in found["Observ. Control"].cells] == [pytest.approx(15)] * 2
    assert [cell.value for cell in found["Observ. Full"].cells] == [pytest.approx(80)] * 2
    assert {cell.n for line in found.values() for cell in line.cells} == {PAIRS}


def test_success_asks_for_coherence_as_well() -> None:
    progress, success = arms(*arm_scores(hidden=3, observed=16, incoherent=6))["Observ. Full"].cells
    assert (progress.value, success.value) == (pytest.approx(80), pytest.approx(50))


def test_a_pair_without_a_verdict_in_one_arm_is_left_out_of_both() -> None:
    found = arms(*arm_scores(hidden=3, observed=16, silent=2))
    progress = {title: line.cells[0] for title, line in found.items()}
    assert (progress["Observ. Control"].value, progress["Observ. Control"].n) == (pytest.approx(100 / 18), 18)
    assert (progress["Observ. Full"].value, progress["Observ. Full"].total) == (pytest.approx(1400 / 18), PAIRS)


def test_so_is_one_that_lacks_it_in_the_hidden_arm() -> None:
    found = arms(*arm_scores(hidden=3, observed=16, hushed=2))
    assert {line.cells[0].n for line in found.values()} == {18}


def test_without_a_question_to_both_arms_table_3_has_no_rows_of_the_run() -> None:
    assert "table3" not in tables(verdict_findings(m={}))


def test_every_stevo_protocol_stands_beside_its_paper() -> None:
    for name in ("stevo", "stevo_paper", "stevo_released"):
        assert "beside_published" in load(name).analyses
    assert isinstance(beside_published(findings(table([]), twins(), ["m"], load("stevo"))), Abstain)
