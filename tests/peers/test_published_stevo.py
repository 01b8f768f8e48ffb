"""StEvo-Bench's printed numbers against the facts that we were given, and its public verdicts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from lookaway.published import CheckLine, published_tables, read_paper
from lookaway.published.stevo.check import check_lines
from lookaway.published.stevo.release import MODELS, read_release

pytestmark = pytest.mark.peers
PAPER = read_paper("stevo")
ARMS = {"observed": "Observ. Full", "controlled": "Observ. Control"}
METRICS = {"accuracy": "Acc", "roc_auc": "ROC-AUC", "mra": "MRA"}


@pytest.fixture(scope="module")
def folder(peer_data: Path) -> Path:
    return peer_data / "stevo"


def facts(peer_data: Path, name: str) -> list[dict[str, str]]:
    with (peer_data / "published" / f"stevo_{name}.csv").open() as file:
        return list(csv.DictReader(file))


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


def test_what_we_ship_is_what_is_printed(peer_data: Path) -> None:
    for fact in facts(peer_data, "table2_5"):
        shipped = PAPER.row("table2", fact["model"]).cells | PAPER.row("table5", fact["model"]).cells
        assert shipped == {name: text for name, text in fact.items() if name not in ("group", "model")}
    for fact in facts(peer_data, "table3"):
        assert PAPER.row("table3", ARMS[fact.pop("arm")]).cells == fact
    for fact in facts(peer_data, "table1"):
        assert PAPER.row("table1", fact.pop("category")).cells == fact
    agreed = {(row.group, row.title): row.cells for row in PAPER.rows["table4"]}
    for fact in facts(peer_data, "table4_agreement"):
        assert agreed[fact.pop("pair"), METRICS[fact.pop("metric")]] == fact


def test_the_public_verdicts_are_44_and_one_video_does_both(folder: Path) -> None:
    videos = read_release(folder)
    assert len(videos) == 44
    assert {video.model for video in videos} == {*MODELS}
    assert sum(video.controlled for video in videos) == 20
    assert sum(video.evolving for video in videos) == 3
    assert [(video.task, video.model) for video in videos if video.controlled and video.evolving] == [
        ("billiard_break_lightoff", "sora2_pro")
    ]


def test_the_page_is_as_we_know_it_and_asks_uncontrolled_videos_too(folder: Path) -> None:
    lines = check_lines(PAPER, folder)
    shown = line(lines, "Project page", "44 videos")
    assert (shown.verdict, shown.count) == ("agrees", "4 of 4")
    assert "Lingbot: lightbulb_and_switch is missing" in shown.remark
    asked = line(lines, "Project page", "controlled videos only")
    assert (asked.verdict, asked.count) == ("contradicts", "20 of 44")
    assert len(asked.differing) == 3
    assert not [one for one in lines if one.verdict == "needs a file"]


def test_public_rates_have_two_denominators(folder: Path) -> None:
    (made,) = [table for table in published_tables(PAPER, folder) if table.name == "table2-shown"]
    whole = {column.name: cell.value for column, cell in zip(made.columns, made.rows[-1].cells, strict=True)}
    assert (whole["of-all-videos:success"], whole["of-controlled-videos:success"]) == (3, 1)
    assert (whole["of-all-videos:progress"], whole["of-controlled-videos:progress"]) == (6, 2)
