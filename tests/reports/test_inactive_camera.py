"""The flag of an inactive camera stands beside a system's scores, in every format."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from lookaway.records import Board
from lookaway.reports.terminal import show
from lookaway.reports.words import headlines

FLAG = "camera inactive in 2 of 2 clips"


def test_only_the_system_whose_camera_stood_still_is_flagged(demo_board: Board) -> None:
    (table,) = headlines(demo_board)
    flags = {row.system: row.inactive for row in table.rows}
    assert flags == {"truth": "", "frozen": "", "vanished": "", "static-camera": FLAG}


def test_every_report_shows_the_flag(demo_board: Board, demo_run: Path) -> None:
    assert f"| static-camera ({FLAG}) |" in (demo_run / "report.md").read_text()
    assert (demo_run / "report.html").read_text().count(FLAG) == 1
    page = io.StringIO()
    show(demo_board, Console(file=page, width=100))
    words = " ".join(line.split("│")[1] for line in page.getvalue().splitlines() if line.count("│") > 2)
    assert "static-camera camera inactive" in " ".join(words.split())
