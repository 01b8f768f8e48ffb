"""Every metric of the protocol is told as it tells of itself, with what became of its clips."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.metric_readings import metric_readings, population_text
from lookaway.metrics import find
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.records import Population, Table
from tests.analyses.simulated_scores import changed, simulated

WHAT = simulated(0, families=1)


def table(findings: Findings) -> Table:
    made = metric_readings(findings)
    assert not isinstance(made, Abstain)
    return made[0]


def cell(made: Table, row: str, column: str) -> str:
    (line,) = [one for one in made.rows if one.title == row]
    found = line.cells[[one.name for one in made.columns].index(column)]
    return found.text or found.reason


def test_there_is_a_row_for_every_metric_and_what_it_reads_is_its_own_word() -> None:
    made = table(WHAT)
    assert len(made.rows) == len(WHAT.protocol.metrics)
    assert cell(made, "visual_integrity (paper)", "reads") == find("visual_integrity:paper").doc.partition("\n")[0]
    assert cell(made, "visual_integrity (paper)", "looked") == "patch_features"


def test_a_variant_that_is_the_same_of_something_says_of_what() -> None:
    told = cell(table(changed(WHAT, protocol=load("wrbench"))), "visible_state (sound)", "reads")
    whole, same = (find(f"visible_state:{name}").doc.partition("\n")[0] for name in ("paper", "sound"))
    assert same.startswith("The same")
    assert told == f"{whole} {same}"


def test_numbers_and_reasons_are_those_of_the_clips() -> None:
    made = table(WHAT)
    mine = WHAT.scores.filter(pl.col("metric") == "reobserved_state")
    (row,) = [one for one in made.rows if one.title == "reobserved_state (paper)"]
    assert (row.cells[0].n, row.cells[0].total) == (mine.drop_nulls("value").height, mine.height)
    avoided = mine.filter(pl.col("gate") == "avoided").height
    assert f"{avoided}× avoided" in row.cells[-1].text
    assert cell(made, "visible_state (paper)", "missing") == "none"


def test_judges_are_told_by_role_and_gates_and_populations_by_the_protocol() -> None:
    made = table(changed(WHAT, protocol=load("wrbench")))
    assert cell(made, "reobserved_state (sound)", "looked") == "gate judge, asked 1; scorer judge, asked 2"
    assert "comes back" in cell(made, "reobserved_state (sound)", "gates")
    precise = cell(made, "requested_camera_precision (sound)", "rows")
    assert precise == "system.condition_type: not prompt-only; twins too: static"
    assert cell(made, "prompt_camera_alignment (sound)", "rows") == "every clip"


def test_a_metric_that_is_not_installed_has_its_row_and_says_so() -> None:
    protocol = WHAT.protocol.model_copy(update={"metrics": (), "headline": ()}).model_dump() | {
        "metrics": ["nobodys:own"]
    }
    made = table(changed(WHAT, protocol=type(WHAT.protocol).model_validate(protocol)))
    assert made.rows[0].cells[1].reason == "the metric is not installed here"
    assert made.rows[0].cells[0].reason == "not scored"


def test_populations_are_put_into_words() -> None:
    assert population_text(Population()) == "every clip"
    limited = Population(tasks={"event": ("spatial", "!none")}, opportunity=True)
    assert population_text(limited) == "event: spatial, not none; only tasks that can hide the subject"
