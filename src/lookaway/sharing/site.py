"""A leaderboard as a folder of static files, made from sealed runs: nothing to serve, nothing to trust but them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import SealError, StoreError, problems
from lookaway.published import published_tables, read_paper
from lookaway.published.layouts import names as printed_protocols
from lookaway.records import Audit, Table
from lookaway.reports.drawing.csv import csv_table
from lookaway.reports.drawing.html import html_table, table_style
from lookaway.reports.pages import render
from lookaway.sharing import history
from lookaway.sharing.comparable import ComparableRuns, comparable_runs
from lookaway.sharing.leaderboards import anchored_table, tables
from lookaway.store import write_whole


def write_site(
    seals: Sequence[Path],
    folder: Path,
    *,
    title: str = "Leaderboard",
    reason: str = "",
    audits: Sequence[Path] = (),
    anchor: str = "",
) -> list[Path]:
    """Write the pages, and add what changed to the history; returns the files."""
    found, known = comparable_runs(seals)
    checked = [audit for audit in map(read_audit, audits) if audit.bundle in known]
    of_bundle = {bundle: [audit for audit in checked if audit.bundle == bundle] for bundle in known}
    kept = [tables(standing, number, of_bundle) for number, standing in enumerate(found, 1)]
    across = anchored_table(found, anchor) if anchor else None
    printed = _printed(found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}; choose another --out") from error
    log = folder / history.FILE
    events = history.read_history(log)
    events += history.further(events, _shown(found), checked, reason)
    every = [table for group in kept for table in group] + ([across] if across else [])
    page = render(
        "site.jinja",
        title=title,
        groups=[
            (standing, [html_table(table) for table in group]) for standing, group in zip(found, kept, strict=True)
        ],
        across=html_table(across) if across else "",
        printed=[html_table(table) for table in printed],
        events=events[::-1],
        seals=known,
        style=table_style(),
    )
    return [
        write_whole(log, history.lines(events)),
        write_whole(folder / "tables.csv", "".join(_csv(every))),
        write_whole(folder / "index.html", str(page)),
    ]


def read_audit(path: Path) -> Audit:
    try:
        return Audit.model_validate_json(path.read_bytes())
    except OSError as error:
        raise SealError(f"{path}: {error.strerror or error}") from error
    except ValidationError as error:
        raise SealError(f"{path}: not what `lookaway share audit --out` writes ({problems(error)})") from error


def _shown(found: Sequence[ComparableRuns]) -> dict[tuple[str, str], str]:
    """Row and table to bundle; a row of the same name in one table is the last one given."""
    return {
        (row.label, f"{standing.suite}@{standing.suite_version}: {standing.protocol.name}"): row.bundle
        for standing in found
        for row in standing.rows
    }


def _printed(found: Sequence[ComparableRuns]) -> list[Table]:
    """What papers printed of the protocols that are shown: the first table of each."""
    shown = {standing.protocol.name for standing in found}
    return [published_tables(read_paper(name))[0] for name in printed_protocols() if name in shown]


def _csv(found: Sequence[Table]) -> list[str]:
    texts = [csv_table(table) for table in found]
    return [*texts[:1], *(text.partition("\r\n")[2] for text in texts[1:])]
