"""Every system in the peers' published files resolves to one card."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from lookaway import models

pytestmark = pytest.mark.peers


def column(path: Path, name: str) -> list[str]:
    with path.open() as file:
        return [row[name] for row in csv.DictReader(file)]


@pytest.mark.parametrize("name", ["model_id", "display_name"])
def test_the_23_rows_of_the_released_table_are_23_cards_of_the_same_condition(peer_data: Path, name: str) -> None:
    table = peer_data / "wrbench" / "wrbench_23model_results.csv"
    cards = [models.called("wrbench", spelling) for spelling in column(table, name)]
    assert len({card.name for card in cards}) == 23
    assert [card.condition_type for card in cards] == column(table, "viewpoint_condition_type")
    assert [card.papers["wrbench"].label for card in cards] == column(table, "paper_group")


@pytest.mark.parametrize(
    ("paper", "file", "systems"),
    [
        ("memobench", "published/memobench_table2.csv", 10),
        ("memobench", "published/memobench_table3.csv", 10),
        ("memobench", "published/memobench_tableS5.csv", 8),
        ("memobench", "published/memobench_tableS6.csv", 8),
        ("memobench", "published/memobench_tableS8.csv", 8),
        ("stevo", "published/stevo_table2_5.csv", 9),
        ("stevo", "stevo/site_records.csv", 9),
    ],
)
def test_every_published_spelling_resolves(peer_data: Path, paper: str, file: str, systems: int) -> None:
    spellings = set(column(peer_data / file, "model"))
    assert len({models.called(paper, spelling).name for spelling in spellings}) == systems == len(spellings)
