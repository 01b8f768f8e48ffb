"""The page of reference models is complete: every model, its kind or declared metrics, and every rung of its ladder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lookaway.worlds.reference import REFERENCE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference-models.md"
BOLD = re.compile(r"\*\*([^*]+)\*\*")


def rows() -> dict[str, list[str]]:
    """Cells behind the name of each table row whose first cell is a name."""
    lines = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    return {cells[0].strip().strip("`"): [cell.strip() for cell in cells[1:]] for cells in lines}


def test_the_page_has_a_row_for_every_reference_model_and_for_nothing_else() -> None:
    assert sorted(rows()) == sorted(REFERENCE.names())


@pytest.mark.parametrize("name", REFERENCE.names())
def test_a_row_says_what_is_registered(name: str) -> None:
    model, cells = REFERENCE.find(name), rows()[name]
    if model.kind != "fault":
        assert cells[0] == model.kind
        return
    _, ladder, unit, notices, _, limits = cells
    rungs = ladder.replace("*", "").split(", ")
    assert rungs == [f"{rung:g}" for rung in model.ladder] or (ladder == "none" and not model.ladder)
    assert BOLD.findall(ladder) == ([f"{model.plain:g}"] if model.ladder else [])
    assert unit.startswith(model.unit)
    assert re.findall(r"`(\w+)`", notices) == list(model.fails)
    assert bool(limits) == bool(model.unobservable)
