"""Tables that follow from the printed ones, and from the public verdicts."""

from __future__ import annotations

from pathlib import Path

from lookaway.published.paper import Paper
from lookaway.published.stevo.agreement import agreement_tables
from lookaway.published.stevo.counts import videos_table
from lookaway.published.stevo.release import read_release, shown_rates
from lookaway.records import Table


def derived_tables(paper: Paper) -> list[Table]:
    """Possible numbers of videos of Tables 2, 4 and 5, and what Table 4's MRA is without looking."""
    return [videos_table(paper), *agreement_tables(paper)]


def release_tables(paper: Paper, folder: Path) -> list[Table]:
    """What can be counted in the verdicts of a folder."""
    return [shown_rates(paper, read_release(folder))]
