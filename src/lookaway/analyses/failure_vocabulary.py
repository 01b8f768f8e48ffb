"""Failures in words: how often systems fail in which way, clips to look at, and every clip with its words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.failure_signs import ReadWord, clip_words, read_words
from lookaway.analyses.failure_words import FAILURE_WORDS
from lookaway.analyses.profile import in_condition_order
from lookaway.analyses.summaries import estimate
from lookaway.outcomes import Abstain
from lookaway.records import CaseId, Column, Table, TableCell, TableRow

EXAMPLES = 2  # of a word, of different systems where it can be
MOST_CLIPS = 1000  # listed one by one


@analysis(version=1, title="Failures in words")
def failure_vocabulary(findings: Findings) -> list[Table] | Abstain:
    """The share of clips that fail in each way, clips that show it, and every clip with its words."""
    words = read_words(findings)
    if not words:
        return Abstain("nothing by which a failure is told was scored")
    clips = clip_words(findings, words)
    return [
        _shares(words, clips, findings),
        *_examples(words, clips, findings),
        *_listed(words, clips, findings),
    ]


def _shares(words: Sequence[ReadWord], clips: pl.DataFrame, findings: Findings) -> Table:
    rows = []
    systems = in_condition_order(findings)
    kinds = list(dict.fromkeys(system.card.condition_type for system in systems))
    for kind in kinds:
        mine = [system.label for system in systems if system.card.condition_type == kind]
        of_kind = clips.filter(pl.col("system").is_in(mine))
        rows.append(TableRow(title=f"all of {kind}", group=kind, cells=_share_cells(words, of_kind)))
        for label in mine:
            cells = _share_cells(words, of_kind.filter(pl.col("system") == label))
            rows.append(TableRow(title=label, group=kind, cells=cells, level=1))
    columns = [
        Column(name=f"word{number}", title=word.title, unit="rate", better="lower") for number, word in enumerate(words)
    ]
    return Table(
        name=table_name("failure-words", findings.protocol.name),
        title="Failures in words: the share of clips",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=_notes(words),
        protocol=findings.protocol.name,
        reading="A signature: which ways of failing go with a kind of system; a clip may fail in several ways.",
    )


def _share_cells(words: Sequence[ReadWord], clips: pl.DataFrame) -> tuple[TableCell, ...]:
    return tuple(share_cell(clips, f"word{number}") for number in range(len(words)))


def share_cell(clips: pl.DataFrame, word: str) -> TableCell:
    """The share of the clips of which it is known, with an interval over scenes."""
    known = clips.drop_nulls(word)
    if known.is_empty():
        return TableCell(reason="not told of any clip", n=0, total=clips.height)
    found = estimate(known, word)
    return TableCell(value=found.value, low=found.low, high=found.high, n=known.height, total=clips.height)


def _notes(words: Sequence[ReadWord]) -> tuple[str, ...]:
    read = {one.word.name for one in words}
    told = [f"{one.name}: {one.about} ({one.rule_text})." for one in FAILURE_WORDS if one.name in read]
    other = [f"{one.name} ({one.rule_text or 'no metric tells it'})" for one in FAILURE_WORDS if one.name not in read]
    left = f"Not told here: {'; '.join(other)}." if other else "All of the vocabulary is told here."
    return (
        "n counts the clips of which it is known whether they fail so; a clip that did not pose the question is not "
        "among them.",
        *told,
        left,
    )


def _examples(words: Sequence[ReadWord], clips: pl.DataFrame, findings: Findings) -> list[Table]:
    """Of each word that a clip has, a few clips."""
    rows = []
    for number, word in enumerate(words):
        shown = clips.filter(pl.col(f"word{number}") == 1).sort("task", "system", "seed")
        few = shown.unique("system", keep="first", maintain_order=True).head(EXAMPLES)
        cells = [clip_cell(row, row[f"evidence{number}"]) for row in few.iter_rows(named=True)]
        if cells:
            cells += [TableCell(reason="no other system fails so")] * (EXAMPLES - len(cells))
            count = TableCell(value=shown.height, n=shown.height, total=clips[f"word{number}"].drop_nulls().len())
            rows.append(TableRow(title=word.title, cells=(count, *cells)))
    if not rows:
        return []
    columns = [Column(name=f"example{place + 1}", title=f"clip {place + 1}") for place in range(EXAMPLES)]
    return [
        Table(
            name=table_name("failure-examples", findings.protocol.name),
            title="Failures in words: clips that show them",
            columns=(Column(name="clips", title="clips", unit="clips"), *columns),
            rows=tuple(rows),
            notes=("The first clips by task and system, one of a system; the numbers are those that the rule reads.",),
            protocol=findings.protocol.name,
            reading="Look at the clips before believing a word: a rule reads scores, not pictures.",
        )
    ]


def clip_cell(row: dict[str, object], evidence: object) -> TableCell:
    """A clip by its case, with what was told of it."""
    case = CaseId.model_validate({name: row[name] for name in ("task", "system", "seed")})
    return TableCell(text=f"{case.system}: {evidence}", link=str(case))


def _listed(words: Sequence[ReadWord], clips: pl.DataFrame, findings: Findings) -> list[Table]:
    """Every clip that has a word, with all it has."""
    any_word = pl.any_horizontal(pl.col(f"word{number}") == 1 for number in range(len(words)))
    failing = clips.filter(any_word.fill_null(False)).sort("task", "system", "seed")
    rows = []
    for row in failing.head(MOST_CLIPS).iter_rows(named=True):
        mine = [number for number in range(len(words)) if row[f"word{number}"] == 1]
        cell = clip_cell(row, "; ".join(dict.fromkeys(str(row[f"evidence{number}"]) for number in mine)))
        named = TableCell(text=", ".join(words[number].title for number in mine))
        rows.append(TableRow(title=cell.link, cells=(named, cell.model_copy(update={"link": ""}))))
    if not rows:
        return []
    left = failing.height - len(rows)
    return [
        Table(
            name=table_name("further-failure-clips", findings.protocol.name),
            title="Failures in words: every clip",
            columns=(Column(name="words", title="fails by"), Column(name="evidence", title="told by")),
            rows=tuple(rows),
            notes=(f"{left} further clips have words and are not listed.",) if left else (),
            protocol=findings.protocol.name,
            reading="All words that hold of a clip; a clip without any is not listed.",
        )
    ]
