"""Where every number of a page leads: to the clips that it counts, as data that the page shows when one follows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from lookaway.metrics import METRICS
from lookaway.phrasing import digits_of, titled
from lookaway.records import (
    Board,
    Cell,
    Column,
    LedgerStep,
    MetricRef,
    PlainWords,
    Score,
    StatedNumber,
    Table,
    TableCell,
    TableRow,
    field_text,
)
from lookaway.reports.exhibits import Exhibits, ShownClip, ShownTask


class BoardReading(NamedTuple):
    """A metric as one instrument read it under one protocol: what a cell is the mean of."""

    protocol: str
    metric: str
    variant: str
    instrument_key: str
    ask_key: str

    @property
    def title(self) -> str:
        return titled(MetricRef(name=self.metric, variant=self.variant)).replace("_", " ")


def reading_of(one: Score | Cell) -> BoardReading:
    return BoardReading(one.protocol, one.metric, one.variant, one.instrument_key, one.ask_key)


@dataclass(frozen=True, eq=False)
class PageEvidence:
    """Addresses of numbers on a page, and what is found there."""

    board: Board
    exhibits: Exhibits

    @cached_property
    def readings(self) -> dict[BoardReading, int]:
        """Each with its number, in the order of the board."""
        shown = (reading_of(s.score) for task in self.exhibits.tasks for clip in task.clips for s in clip.scores)
        found = dict.fromkeys([*(reading_of(cell) for cell in self.board.cells), *shown])
        return {reading: number for number, reading in enumerate(found)}

    @cached_property
    def ledgers(self) -> dict[tuple[str, str], int]:
        """By protocol and instruments."""
        found = dict.fromkeys((step.protocol, step.instruments) for step in self.board.ledger)
        return {ledger: number for number, ledger in enumerate(found)}

    # ------------------------------------------------------------ addresses

    def of_cell(self, cell: Cell) -> str:
        part = "" if cell.slice == "all" else f"/{quote(cell.slice, safe='')}"
        return f"#evidence/r{self.readings[reading_of(cell)]}/s{self.board.systems.index(cell.system)}{part}"

    def of_step(self, step: LedgerStep) -> str:
        return self._of_step(step.protocol, step.instruments, step.step, step.system)

    def _of_step(self, protocol: str, instruments: str, step: str, system: str) -> str:
        number, place = self.ledgers[protocol, instruments], self.board.systems.index(system)
        return f"#evidence/l{number}.{self._steps(protocol).index(step)}/s{place}"

    def of_dose(self, protocol: str, instruments: str, kind: str, low: float, high: float, system: str) -> str:
        if kind not in self.exhibits.doses or (protocol, instruments) not in self.ledgers:
            return "#dose"
        number, place = self.ledgers[protocol, instruments], self.board.systems.index(system)
        return f"#evidence/d{number};{kind};{low:g};{high:g}/s{place}"

    def of_ground(self, words: PlainWords, ground: StatedNumber) -> str:
        if ground.step:
            return self._of_step(words.protocol, words.instruments, ground.step, words.system)
        found = self._reading(words.protocol, str(ground.metric)) if ground.metric is not None else None
        return "#dose" if found is None else f"#evidence/r{found}/s{self.board.systems.index(words.system)}"

    def of_table_cell(self, table: Table, row: TableRow, column: Column, cell: TableCell) -> str:
        """The clips behind a cell of any table, as far as its headings tell; else how the table was made."""
        if cell.link:
            return self.of_case(cell.link)
        words = (column.name, column.title, row.title, row.group, column.group)
        system = next((self._system(word) for word in words if self._system(word) is not None), None)
        reading = next((found for word in words if (found := self._reading(table.protocol, word)) is not None), None)
        if "published" in cell.marks or (system is None and reading is None):
            return f"#how-{table.name}"
        parts = [*([] if reading is None else [f"r{reading}"]), *([] if system is None else [f"s{system}"])]
        return "/".join(["#evidence", *parts])

    def of_case(self, case: str) -> str:
        """A clip, on this page or on the page of its task; the section of clips, where a large run leaves it out."""
        clip = case.partition("!")[0]  # what comes behind names a score
        if self.exhibits.clips_left_out and clip not in self._pages:
            return "#cases"
        return f"{quote(self._pages.get(clip, ''))}#{quote(case)}"

    def of_score(self, clip: ShownClip, score: Score) -> str:
        return f"{clip.case}!{self.readings[reading_of(score)]}" + (f".{score.round}" if score.round > 1 else "")

    @cached_property
    def _pages(self) -> dict[str, str]:
        return {clip.case: task.page for task in self.exhibits.tasks for clip in task.clips}

    def _steps(self, protocol: str) -> list[str]:
        return next([step.name for step in p.ledger] for p in self.board.protocols if p.name == protocol)

    def _system(self, word: str) -> int | None:
        named = word.partition(", by ")[0]
        return self.board.systems.index(named) if named in self.board.systems else None

    def _reading(self, protocol: str, word: str) -> int | None:
        """The first reading of the metric that a heading begins with, as `return_state:sound` or `return_state (…)`."""
        name, _, rest = word.partition(" ")[0].partition(":")
        variant = rest.partition(":")[0]
        return self._by_metric.get((protocol, name, variant), self._by_metric.get((protocol, name, "")))

    @cached_property
    def _by_metric(self) -> dict[tuple[str, str, str], int]:
        found: dict[tuple[str, str, str], int] = {}
        for reading, number in self.readings.items():
            for variant in (reading.variant, ""):
                found.setdefault((reading.protocol, reading.metric, variant), number)
        return found

    # ------------------------------------------------------------ what is found there

    def as_json(self) -> Markup:
        """All clips with their scores and fates; nothing in it can end the element that it stands in."""
        text = json.dumps(self._data(), ensure_ascii=False, separators=(",", ":"))
        return Markup(text.replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " "))

    def _data(self) -> dict[str, Any]:
        clips = [(task, clip) for task in self.exhibits.tasks for clip in task.clips]
        reasons: dict[str, int] = {}
        scores: dict[int, list[list[Any]]] = {}
        for place, (_, clip) in enumerate(clips):
            for one in (shown.score for shown in clip.scores):
                why = reasons.setdefault(one.reason, len(reasons)) if one.value is None else -1
                value = None if one.value is None else float(f"{one.value:.5g}")
                row = [place, value, why, *([one.round] if one.round > 1 else [])]
                scores.setdefault(self.readings[reading_of(one)], []).append(row)
        return {
            "systems": self.board.systems,
            "left_out": self.exhibits.clips_left_out,
            "tasks": [task.task.id for task in self.exhibits.tasks],
            "clips": list(self._clip_rows()),
            "readings": [_described(reading) for reading in self.readings],
            "scores": scores,
            "reasons": list(reasons),
            "ledgers": [
                {"title": ", by ".join(filter(None, ledger)), "steps": self._steps(ledger[0])}
                for ledger in self.ledgers
            ],
            "slices": self._slices(),
            "doses": {
                kind: [known.get(t.task.id) for t in self.exhibits.tasks] for kind, known in self.exhibits.doses.items()
            },
        }

    def _clip_rows(self) -> Iterator[list[Any]]:
        """Case, place of its system, place of its task, its page, and by ledger: step, outcome and words."""
        for number, task in enumerate(self.exhibits.tasks):
            for clip in task.clips:
                fates = {
                    self.ledgers[end.protocol, end.instruments]: [end.step, end.outcome, end.words]
                    for end in clip.ledger
                    if (end.protocol, end.instruments) in self.ledgers
                }
                yield [clip.case, self.board.systems.index(clip.system), number, task.page, fates]

    def _slices(self) -> dict[str, list[int]]:
        """Places of the tasks that a slice of the board counts, where it is told by a field of the task."""
        found = {}
        for name in dict.fromkeys(cell.slice for cell in self.board.cells if cell.slice != "all"):
            field, _, value = name.partition("=")
            found[name] = [n for n, task in enumerate(self.exhibits.tasks) if _field(task, field) == value]
        return {name: places for name, places in found.items() if places}


def _field(task: ShownTask, field: str) -> str | None:
    return field_text(task.task, field) if hasattr(task.task, field) else None


def _described(reading: BoardReading) -> dict[str, Any]:
    known = METRICS.all().get(f"{reading.metric}:{reading.variant}")
    unit = known.unit if known else ""
    return {
        "title": reading.title,
        "protocol": reading.protocol,
        "unit": unit,
        "digits": digits_of(unit),
        "better": known.better if known else "none",
    }
