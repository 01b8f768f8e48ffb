"""MemoBench's printed counts against the files that its authors released."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.published import CheckLine, published_tables, read_paper
from lookaway.published.memobench.banks import funnel, stage_counts
from lookaway.published.memobench.check import check_lines
from lookaway.published.memobench.release import read_release

pytestmark = pytest.mark.peers
PAPER = read_paper("memobench")


@pytest.fixture(scope="module")
def folder(peer_data: Path) -> Path:
    return peer_data / "memobench"


@pytest.fixture(scope="module")
def lines(folder: Path) -> list[CheckLine]:
    return check_lines(PAPER, folder)


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


@pytest.mark.parametrize(
    ("label", "what", "count"),
    [
        ("Suite", "164 clips", "1 of 1"),
        ("Suite", "196 clips, syn", "1 of 1"),
        ("Table S2", "real-world", "3 of 3"),
        ("Table S2", "synthetic", "1 of 1"),
        ("Fig. S1a", "14 scenes", "1 of 1"),
        ("Question bank", "45 synthetic clips of 12 scenes", "1 of 1"),
        ("Question bank", "24 questions", "23 of 23"),
    ],
)
def test_it_agrees(lines: list[CheckLine], label: str, what: str, count: str) -> None:
    found = line(lines, label, what)
    assert (found.verdict, found.count, list(found.differing)) == ("agrees", count, [])


def test_questions_are_generated_filtered_and_kept(folder: Path) -> None:
    banks = read_release(folder).banks
    assert banks is not None
    assert stage_counts(banks) == (552, 533, 451, 423)
    assert "instruction 0.550, things 0.488, memory 0.459, physics 0.537" in " ".join(funnel(banks, "memobench").notes)


def test_most_kept_questions_do_not_tell_the_failure(lines: list[CheckLine]) -> None:
    found = line(lines, "Question bank", "penalise")
    assert (found.verdict, found.count) == ("contradicts", "28 of 451")
    assert found.remark.startswith("15 of 23 banks")


def test_nothing_needs_a_file_any_more(lines: list[CheckLine]) -> None:
    assert not [one for one in lines if one.verdict == "needs a file"]


def test_fourteen_scenes_add_up_to_the_synthetic_clips(folder: Path) -> None:
    (scenes,) = [table for table in published_tables(PAPER, folder) if table.name == "fig-s1a"]
    counts = [row.cells[0].value or 0 for row in scenes.rows]
    assert (len(counts), sum(counts)) == (14, 196)
