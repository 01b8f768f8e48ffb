"""The page of model cards is complete: a row for every evaluated system, and a meaning for every control setting."""

from __future__ import annotations

import re
from pathlib import Path

from lookaway import models
from lookaway.models.table import ordered, row

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text()


def cells(section: str) -> list[list[str]]:
    """The rows of a section's table whose first cell is in backticks."""
    text = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| `")
    ]


def test_the_table_says_what_the_cards_say() -> None:
    told = [[name.strip("`"), *rest] for name, *rest in cells("The systems")]
    assert told == [list(row(card).values()) for card in ordered(models.evaluated())]


def test_every_control_setting_that_a_card_uses_is_explained_and_no_other() -> None:
    explained = [name for names, _ in cells("How a control is written") for name in re.findall(r"`(\w+)`", names)]
    assert sorted(explained) == sorted({name for card in models.evaluated() for name in card.control_settings})


def test_every_format_and_convention_that_a_card_uses_is_explained() -> None:
    meanings = {names: meaning for names, meaning in cells("How a control is written")}
    for setting in ("format", "convention", "direction", "intrinsics"):
        used = {str(c.control_settings[setting]) for c in models.evaluated() if setting in c.control_settings}
        assert used <= set(re.findall(r"`(\w+)`", meanings[f"`{setting}`"])), setting
