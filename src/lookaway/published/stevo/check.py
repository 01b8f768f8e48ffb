"""Every check of StEvo-Bench's printed numbers, and what is left that nothing can be compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lookaway.published.lines import CheckLine, place
from lookaway.published.paper import Paper
from lookaway.published.stevo.agreement import agreement
from lookaway.published.stevo.claims import claims
from lookaway.published.stevo.counts import counts
from lookaway.published.stevo.release import LABEL, RECORDS, WHAT, of_videos, read_release


def check_lines(paper: Paper, folder: Path | None) -> list[CheckLine]:
    """All lines, by the order of the paper; without a folder, what needs a file says so."""
    if folder is None:
        shown = [CheckLine(LABEL, WHAT, "needs a file", remark=f"needs {RECORDS} of the release")]
    else:
        shown = of_videos(read_release(folder))
    lines = [*counts(paper), *agreement(paper), *claims(paper), *shown]
    return sorted([*lines, *_uncompared(paper, lines)], key=lambda line: place(line.label))


def _uncompared(paper: Paper, lines: Sequence[CheckLine]) -> list[CheckLine]:
    """What is printed and has no check, and what is not printed at all."""
    checked = {line.label for line in lines}
    only = [(table.label, table.title) for table in paper.layouts.printed if table.label not in checked]
    return [
        *(CheckLine(label, what, "printed only") for label, what in only),
        *(CheckLine(one.label, one.title, "layout only", remark=one.why) for one in paper.layouts.absent),
    ]
