"""Montages: the clips that rows of tables name, as labelled strips of the frames that the run folder holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.exhibits import shown_strip
from lookaway.records import Clip, Plan, Table, TableRow
from lookaway.reports.exhibits import Montage, ShownClip
from lookaway.store import Run

MOST_OF_A_TABLE = 6  # rows whose clips are drawn, those that are marked first


def montages(run: Run, plan: Plan, tables: Iterable[Table]) -> tuple[Montage, ...]:
    """A montage for every row that leads to clips, up to the most of a table; the same clips are drawn once."""
    named = _drawn(tables)
    if not named:
        return ()
    clips = {str(clip.case): clip for clip in current_clips(run, plan)}
    return tuple(Montage(t.title, row.title, tuple(_clips(run, t, row, clips))) for t, row in named)


def _drawn(tables: Iterable[Table]) -> list[tuple[Table, TableRow]]:
    """Of each table its first rows with clips that no row before has together."""
    found: list[tuple[Table, TableRow]] = []
    drawn: set[frozenset[str]] = set()
    for table in tables:
        left = MOST_OF_A_TABLE
        for row in _leading_rows(table):
            clips = frozenset(cell.link for cell in row.cells if cell.link)
            if left and clips not in drawn:
                drawn.add(clips)
                found.append((table, row))
                left -= 1
    return found


def _leading_rows(table: Table) -> Iterator[TableRow]:
    leading = [row for row in table.rows if any(cell.link for cell in row.cells)]
    yield from sorted(leading, key=lambda row: not any("significant" in cell.marks for cell in row.cells))


def _clips(run: Run, table: Table, row: TableRow, clips: Mapping[str, Clip]) -> Iterator[ShownClip]:
    for column, cell in zip(table.columns, row.cells, strict=True):
        if not cell.link:
            continue
        title = f"{column.title}: {cell.text} ({cell.link})"
        clip = clips.get(cell.link)
        if clip is None or clip.video is None:
            yield ShownClip(title, "no video", "not in this run" if clip is None else clip.reason)
            continue
        yield shown_strip(run, title, clip.video)
