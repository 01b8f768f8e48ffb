"""Rows of a run in the layout of StEvo-Bench's Tables 2, 3 and 5."""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.own_rows import OURS, OwnRows
from lookaway.analyses.pairs import HIDDEN, OBSERVED, ContrastArm, metric_readings
from lookaway.analyses.verified_clips import EVOLUTION, YOKED, VerifiedClips, share, verified_clips
from lookaway.published import Paper, PrintedTable
from lookaway.records import TableCell, TableRow

ARMS = {"Observ. Full": OBSERVED, "Observ. Control": HIDDEN}  # by their printed rows
PROGRESS, *OTHERS, SUCCESS = EVOLUTION
COUNTED = "Rows of this run are shares of videos with a verdict, with Wilson's intervals over clips."
BOTH = (
    "Evolution of this run stands over all videos and over controlled ones; of the printed rows it is not told, and "
    "some are possible over all videos only. Success: progress, physics and coherence together; task success, which "
    "asks for both controls too, stands in the table of `verifier_rates`."
)
TWINS = (
    "Rows of this run: tasks with an observed twin, each arm over the pairs in which both have a verdict; both are "
    "asked the same about the same seconds, which the paper does not tell of its own. Success: that progress, with "
    "physics and coherence."
)


def verdict_rows(paper: Paper, findings: Findings) -> list[OwnRows]:
    """Tables 2, 3 and 5, as far as their verifiers were asked."""
    layouts = {table.name: table for table in paper.layouts.printed}
    read = [clips for clips in verified_clips(findings) if len(clips.rows)]
    made = [
        OwnRows(layouts["table2"], "published-table2", _evolution(layouts["table2"], read, findings), (BOTH, COUNTED)),
        OwnRows(layouts["table3"], "published-table3", _arms(layouts["table3"], findings), (TWINS, COUNTED)),
        OwnRows(layouts["table5"], "published-table5", _control(layouts["table5"], read, findings), (COUNTED,)),
    ]
    return [own for own in made if own.rows]


# ---------------------------------------------------------------- Tables 2 and 5


def _evolution(table: PrintedTable, read: list[VerifiedClips], findings: Findings) -> list[TableRow]:
    """Over all videos once for each judge, over controlled ones once for each reading of the controls."""
    groups: dict[str, pl.DataFrame] = {}
    for clips in read:
        groups.setdefault(f"{OURS}, {clips.evolution} by {clips.judge}, of all videos", clips.rows)
    for clips in read:
        controlled = clips.rows.filter(pl.col("control_success") == 1.0)
        groups[f"{OURS}, {clips.title}, of controlled videos"] = controlled
    return _of_systems(table, groups, findings)


def _control(table: PrintedTable, read: list[VerifiedClips], findings: Findings) -> list[TableRow]:
    groups = {f"{OURS}, {clips.control} by {clips.judge}": clips.rows for clips in read}
    return _of_systems(table, groups, findings)


def _of_systems(table: PrintedTable, groups: dict[str, pl.DataFrame], findings: Findings) -> list[TableRow]:
    return [
        _row(system.label, group, table, rows.filter(pl.col("system") == system.label))
        for group, rows in groups.items()
        for system in findings.systems
    ]


def _row(title: str, group: str, table: PrintedTable, rows: pl.DataFrame) -> TableRow:
    cells = tuple(_cell(rows, column.metric, column.times) for column in table.columns)
    return TableRow(title=title, group=group, cells=cells)


def _cell(rows: pl.DataFrame, metric: str, times: float) -> TableCell:
    found = share(rows, metric)
    if found is None:
        return TableCell(reason="no verdict" if len(rows) else "no such video", n=0, total=len(rows))
    value, low, high = (times * each for each in (found.value, found.low, found.high))
    return TableCell(value=value, low=low, high=high, n=found.n, total=len(rows))


# ---------------------------------------------------------------- Table 3


def _arms(table: PrintedTable, findings: Findings) -> list[TableRow]:
    """Each system observed and hidden; none where progress was not asked of both arms alike."""
    readings = _arm_readings(findings)
    judges = (
        readings.filter(pl.col("metric") == PROGRESS).select("instrument", "instrument_key").unique().sort(pl.all())
    )
    made = []
    for judge, key in judges.iter_rows():
        mine = readings.filter(pl.col("instrument_key") == key)
        sides = {title: _verdicts(mine, arm, findings) for title, arm in ARMS.items()}
        for system in findings.systems:
            both = _shared({title: rows.filter(pl.col("system") == system.label) for title, rows in sides.items()})
            group = f"{OURS}, {system.label} by {judge}"
            made += [_row(title, group, table, rows) for title, rows in both.items() if len(rows)]
    return made


def _arm_readings(findings: Findings) -> pl.DataFrame:
    """Yoked progress, and the other verdicts as the protocol reads them for its success."""
    variants = [ref.variant for ref in findings.protocol.metrics if ref.name == SUCCESS]
    yoked = (pl.col("metric") == PROGRESS) & (pl.col("variant") == YOKED)
    others = pl.col("metric").is_in(OTHERS) & pl.col("variant").is_in(variants[:1])
    return metric_readings(findings.scores, findings.protocol).filter((yoked | others) & (pl.col("branch") == ""))


def _verdicts(readings: pl.DataFrame, arm: ContrastArm, findings: Findings) -> pl.DataFrame:
    """One row for each clip of an arm, named by its pair, and a column for each verdict and for success."""
    population = findings.protocol.population
    pairs = {task: pair for task, pair in arm.pairs(findings.tasks).items() if pair in findings.tasks}
    pairs = {task: pair for task, pair in pairs.items() if population.counts_task(findings.tasks[pair])}
    mine = readings.filter(pl.col("task").is_in(list(pairs)))
    named = mine.with_columns(pl.col("task").replace_strict(pairs, default=None, return_dtype=pl.String).alias("pair"))
    wide = named.pivot("metric", index=["system", "pair", "seed", "round"], values="value", aggregate_function="first")
    absent = [pl.lit(None, pl.Float64).alias(name) for name in (PROGRESS, *OTHERS) if name not in wide.columns]
    return wide.with_columns(absent).with_columns(_success().alias(SUCCESS))


def _success() -> pl.Expr:
    """0 where one verdict is against the video, whatever the others say; null where one is missing."""
    verdicts = [pl.col(name) for name in (PROGRESS, *OTHERS)]
    lost = pl.any_horizontal([(each == 0.0).fill_null(False) for each in verdicts])
    known = pl.all_horizontal([each.is_not_null() for each in verdicts])
    return pl.when(lost).then(0.0).when(known).then(1.0)


def _shared(sides: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Rows of pairs that both arms have; a verdict that one arm lacks is left out of both."""
    index = ["pair", "seed", "round"]
    one, other = sides.values()
    columns = [PROGRESS, SUCCESS]
    both = one.select(*index, *columns).join(other.select(*index, *columns), on=index, suffix="_other").sort(index)
    known = {name: both[name].is_not_null() & both[f"{name}_other"].is_not_null() for name in columns}
    first, second = (
        both.select(pl.when(known[name]).then(pl.col(f"{name}{end}")).alias(name) for name in columns)
        for end in ("", "_other")
    )
    return dict(zip(sides, (first, second), strict=True))
