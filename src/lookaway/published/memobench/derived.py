"""Figures that follow from Tables 2 and 3, and tables that follow from the release."""

from __future__ import annotations

from pathlib import Path

from lookaway.published.memobench import banks, suite
from lookaway.published.memobench.release import read_release
from lookaway.published.paper import Paper
from lookaway.published.tables import printed_table
from lookaway.records import Table

RADARS = {
    "table2": ("fig-s17a", "Fig. S17a: Ten models over the automated metrics", "All columns of Table 2"),
    "table3": ("fig-s17b", "Fig. S17b: Ten models over the questions' dimensions", "All columns of Table 3"),
}


def derived_tables(paper: Paper) -> list[Table]:
    """Both radars; their axes are the columns of the two tables."""
    layouts = {table.name: table for table in paper.layouts.printed}
    made = []
    for source, (name, title, axes) in RADARS.items():
        table = printed_table(paper, layouts[source])
        note = f"{axes}, as printed; which axes the paper draws, and how they are scaled, is not known."
        changes = {"name": name, "title": title, "shape": "radar", "notes": (note,)}
        made.append(table.model_copy(update=changes))
    return made


def release_tables(paper: Paper, folder: Path) -> list[Table]:
    """What can be counted in the files of a folder."""
    release, protocol = read_release(folder), paper.layouts.name
    made = []
    listed = [*(release.real or ()), *(release.synthetic or ())]
    if listed:
        made.append(suite.path_counts(listed, protocol))
    if release.banks is not None:
        made.append(banks.funnel(release.banks, protocol))
    if release.synthetic is not None:
        made.append(suite.scene_counts(release.synthetic, protocol))
    return made
