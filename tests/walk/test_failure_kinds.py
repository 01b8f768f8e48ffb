"""On clips of the known world: every named fault is counted under its kind, and true clips under none."""

from __future__ import annotations

import pytest

from lookaway.analyses.failure_words import FAILURE_TYPES
from lookaway.pipeline import make_board, plans
from lookaway.records import Table
from lookaway.store import open_run
from tests.command import invoke

FAULTS = {
    "vanished": "object vanish",
    "wrong-colour": "identity drift",
    "reset": "state reset",
    "teleported": "teleport",
    "other-room": "background hallucination",
    "never-returns": "camera drift",
}
FINE = ("truth", "jitter")
TASK = "workshop1_filling*"
METRICS = sorted({sign.metrics[0] for one in FAILURE_TYPES for rule in one.rules for sign in rule})


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("kinds")
    named = ", ".join(f'"{name}"' for name in METRICS)
    (folder / "kinds.toml").write_text(
        f'summary = "x"\nmetrics = [{named}]\nheadline = ["return_place"]\nanalyses = ["failure_taxonomy"]\n'
    )
    code, said = invoke(
        *("run", "--suite", "diorama-mini", "--models", ",".join((*FINE, *FAULTS)), "--only", TASK),
        *("--protocols", str(folder / "kinds.toml"), "--out", str(folder / "run")),
    )
    assert code == 0, said
    run = open_run(folder / "run")
    return next(table for table in make_board(run, plans.load(run)).tables if table.name.startswith("failure-types"))


def kinds(counts: Table, system: str) -> set[str]:
    (row,) = [row for row in counts.rows if row.title == system]
    return {column.title for column, cell in zip(counts.columns, row.cells, strict=True) if cell.value}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_counted_under_its_kind(counts: Table, fault: str) -> None:
    assert FAULTS[fault] in kinds(counts, fault)


@pytest.mark.parametrize("system", FINE)
def test_a_clip_that_is_right_is_counted_under_none(counts: Table, system: str) -> None:
    assert kinds(counts, system) == set()
