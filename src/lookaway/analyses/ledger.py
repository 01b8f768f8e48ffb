"""How far clips got: each walks the protocol's steps and stops at the first that it does not reach."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.cells import CELL
from lookaway.analyses.columns import table_name
from lookaway.analyses.populations import counts_task
from lookaway.outcomes import Abstain
from lookaway.phrasing import stopped_here, with_reader
from lookaway.records import Column, LedgerStep, Protocol, Step, Table, TableCell, TableRow, Task

CLIP = ["system", "task", "seed", "branch"]


class MetricReader(NamedTuple):
    """Whose readings of one metric are taken."""

    metric: str
    variant: str
    instrument_key: str
    ask_key: str
    label: str  # empty where there is no other


def fates(
    scores: pl.DataFrame, protocol: Protocol, tasks: Mapping[str, Task], branches: Sequence[str] = ("",)
) -> pl.DataFrame:
    """One row per clip of the protocol's population: how its way through the ledger ended.

    `outcome` is reached (every step that concerns it), lost or unknown; `ended` the number of the step at which it was
    lost or became unknown, `value` and `reason` what that step's metric says; `gated` whether any of the ledger's
    metrics was gated; `skipped` has a bit for every step that does not concern it, before its end and after. Of several
    look-aways the worst counts. With the steps place >= 0.5 and state >= 0.8:

        task  place      state      outcome  ended  value
        a     0.9        0.7    ->  lost     1      0.7
        b     abstained  0.9    ->  unknown  0      null
        c     0.9        0.9    ->  reached  null   null

    Where a metric has columns of several instruments, each clip has a row for each, told apart by `instruments`.
    """
    steps = protocol.ledger
    known = [task.id for task in tasks.values() if counts_task(protocol.population, task)]
    ours = (
        scores.filter(
            (pl.col("protocol") == protocol.name)
            & pl.col("metric").is_in([step.metric.name for step in steps])
            & pl.col("task").is_in(known)
            & pl.col("branch").is_in(branches)
        )
        .select(*CLIP, *CELL[1:-1], "status", "gate", "value", "reason")
        .filter(pl.col("version") == pl.col("version").max().over("metric", "variant"))
    )
    numbered = ours.select(CLIP).unique(maintain_order=True).with_row_index("clip")
    ours = ours.join(numbered, on=CLIP)
    found = [_walked(ours, steps, tasks, chosen) for chosen in _columns(ours, steps)]
    return pl.concat(found).sort(*CLIP, "instruments")


def _columns(ours: pl.DataFrame, steps: Sequence[Step]) -> Iterator[dict[tuple[str, str], MetricReader]]:
    """Every choice of one column for each metric; there is one choice unless several instruments looked."""
    keys = ["metric", "variant", "instrument_key", "ask_key"]
    known = ours.select(*keys, "instrument", "ask").unique(keys).sort(keys)
    choices = []
    for name, variant in dict.fromkeys((step.metric.name, step.metric.variant) for step in steps):
        mine = known.filter((pl.col("metric") == name) & (pl.col("variant") == variant)).rows(named=True)
        label = len(mine) > 1
        columns = [
            MetricReader(
                name,
                variant,
                row["instrument_key"],
                row["ask_key"],
                ", ".join(filter(None, [row["instrument"], row["ask"]])) if label else "",
            )
            for row in mine
        ]
        choices.append(columns or [MetricReader(name, variant, "", "", "")])
    for chosen in itertools.product(*choices):
        yield {(column.metric, column.variant): column for column in chosen}


FATES = ("lost", "unknown", "reached", "skipped")  # of several readings of one step the first counts


def _walked(
    ours: pl.DataFrame, steps: Sequence[Step], tasks: Mapping[str, Task], chosen: Mapping[tuple[str, str], MetricReader]
) -> pl.DataFrame:
    label = " | ".join(dict.fromkeys(filter(None, (column.label for column in chosen.values()))))
    clips = ours.group_by(*CLIP, "clip").agg(gated=(pl.col("status") == "gated").any())
    clips = clips.with_columns(
        instruments=pl.lit(label, pl.String),
        outcome=pl.lit(None, pl.String),
        ended=pl.lit(None, pl.Int64),
        value=pl.lit(None, pl.Float64),
        reason=pl.lit("", pl.String),
        skipped=pl.lit(0, pl.Int64),
    )
    for number, step in enumerate(steps):
        column = chosen[step.metric.name, step.metric.variant]
        mine = ours.filter(
            (pl.col("metric") == column.metric)
            & (pl.col("variant") == column.variant)
            & (pl.col("instrument_key") == column.instrument_key)
            & (pl.col("ask_key") == column.ask_key)
        )
        about = [task.id for task in tasks.values() if step.about(task)]
        clips = _one_step_on(clips, _at_step(clips.select("clip", "task"), mine, step, about), number)
    some_step = pl.col("outcome").is_not_null() | (pl.col("skipped") != (1 << len(steps)) - 1)
    columns = [*CLIP, "instruments", "outcome", "ended", "value", "reason", "gated", "skipped"]
    return clips.filter(some_step).with_columns(pl.col("outcome").fill_null("reached")).select(columns)


def _one_step_on(clips: pl.DataFrame, here: pl.DataFrame, number: int) -> pl.DataFrame:
    """The clips with `ended` and the rest where their way ends here, and a bit where the step does not concern them."""
    ends = pl.col("outcome").is_null() & pl.col("outcome_here").is_in(("lost", "unknown"))
    told = [pl.when(ends).then(f"{name}_here").otherwise(name).alias(name) for name in ("outcome", "value", "reason")]
    bit = pl.when(pl.col("outcome_here") == "skipped").then(1 << number).otherwise(0)
    return (
        clips.join(here, on="clip", suffix="_here")
        .with_columns(*told, ended=pl.when(ends).then(number).otherwise("ended"), skipped=pl.col("skipped") + bit)
        .drop(f"{name}_here" for name in ("outcome", "value", "reason"))
    )


def _at_step(clips: pl.DataFrame, mine: pl.DataFrame, step: Step, about: Sequence[str]) -> pl.DataFrame:
    """The outcome of each clip at this step alone, with `value` and `reason`."""
    within = _beyond(step) <= 0
    outcome = (
        pl.when(~pl.col("task").is_in(about) | (pl.col("gate") == "no_opportunity").fill_null(False))
        .then(pl.lit("skipped"))
        .when(pl.col("value").is_not_null())
        .then(pl.when(within).then(pl.lit("reached")).otherwise(pl.lit("lost")))
        .when((pl.col("gate") == "avoided").fill_null(False) | (pl.col("status") == "no_output").fill_null(False))
        .then(pl.lit("lost"))
        .otherwise(pl.lit("unknown"))
    )
    joined = clips.join(mine.select("clip", "status", "gate", "value", "reason"), on="clip", how="left")
    judged = joined.with_columns(outcome=outcome, reason=pl.col("reason").fill_null("not scored"))
    if judged.height > clips.height:
        order = pl.col("outcome").cast(pl.Enum(FATES)).to_physical()
        worst_first = judged.sort(order, _beyond(step), "reason", descending=[False, True, False], nulls_last=True)
        judged = worst_first.unique("clip", keep="first", maintain_order=True)
    return judged.drop("task", "status", "gate")


def _beyond(step: Step) -> pl.Expr:
    """How far a value lies outside of the step's bounds; at most 0 inside."""
    below = [] if step.at_least is None else [step.at_least - pl.col("value")]
    above = [] if step.at_most is None else [pl.col("value") - step.at_most]
    return pl.max_horizontal(*below, *above)


def clip_fates(findings: Findings) -> pl.DataFrame:
    """The fates of all clips of the findings' protocol."""
    return fates(findings.scores, findings.protocol, findings.tasks)


def ledger(findings: Findings) -> list[LedgerStep]:
    """How far each system's clips got, step by step, and the reasons at the step where they stopped."""
    protocol = findings.protocol
    if not protocol.ledger:
        return []
    clips = findings.once(clip_fates)
    totals = _counts(clips.group_by("system", "instruments").len())
    stops, skips = _stops(clips, protocol.ledger), _skips(clips, protocol.ledger)
    return [
        step
        for system in findings.systems
        for instruments in clips["instruments"].unique().sort()
        for step in _ledger_of(protocol, (system.label, instruments), totals, stops, skips)
    ]


Counts = Mapping[tuple[str | int, ...], int]
Stops = Mapping[tuple[str | int, ...], dict[str, int]]


def _ledger_of(
    protocol: Protocol, who: tuple[str, str], totals: Counts, stops: Stops, skips: Counts
) -> Iterator[LedgerStep]:
    total = reached = totals.get(who, 0)
    unknown_before = 0
    for number, step in enumerate(protocol.ledger):
        lost, unknown = (stops.get((*who, number, outcome), {}) for outcome in ("lost", "unknown"))
        reached -= sum(lost.values()) + sum(unknown.values())
        yield LedgerStep(
            protocol=protocol.name,
            system=who[0],
            instruments=who[1],
            step=step.name,
            reached=reached,
            total=total,
            skipped=skips.get((*who, number), 0),
            lost=lost,
            unknown=unknown,
            unknown_before=unknown_before,
        )
        unknown_before += sum(unknown.values())


def _counts(table: pl.DataFrame) -> Counts:
    """The last column by all others."""
    return {tuple(row[:-1]): row[-1] for row in table.rows()}


def _stops(clips: pl.DataFrame, steps: Sequence[Step]) -> Stops:
    """By system, instruments, step and outcome: why clips stopped there, the commonest reason first."""
    why = pl.col("reason")
    for number, step in enumerate(steps):
        for bound, text in _misses(step):
            why = pl.when((pl.col("ended") == number) & bound).then(pl.lit(text)).otherwise(why)
    place = ["system", "instruments", "ended", "outcome"]
    stopped = clips.filter(pl.col("ended").is_not_null()).group_by(*place, why.alias("why")).len()
    found: dict[tuple[str | int, ...], dict[str, int]] = {}
    for *where, reason, count in stopped.sort(["len", "why"], descending=[True, False]).rows():
        found.setdefault(tuple(where), {})[reason] = count
    return found


def _misses(step: Step) -> Iterator[tuple[pl.Expr, str]]:
    """Each way to miss a step by a number, and how that is said."""
    if step.at_least is not None:
        yield pl.col("value") < step.at_least, f"{step.metric.name} below {step.at_least:g}"
    if step.at_most is not None:
        yield pl.col("value") > step.at_most, f"{step.metric.name} above {step.at_most:g}"


def _skips(clips: pl.DataFrame, steps: Sequence[Step]) -> Counts:
    """By system, instruments and step: clips that go on there because it does not concern them."""
    found: dict[tuple[str | int, ...], int] = {}
    for number in range(len(steps)):
        going = pl.col("ended").is_null() | (pl.col("ended") > number)
        bit = (pl.col("skipped") // (1 << number)) % 2 == 1
        counted = clips.filter(going & bit).group_by("system", "instruments").len()
        found |= {(*who, number): count for who, count in _counts(counted).items()}
    return found


@analysis(name="ledger", version=1, title="How far the clips got")
def ledger_tables(findings: Findings) -> list[Table] | Abstain:
    """The share of each system's clips that got as far as each step; bounds where nobody knows of some of them."""
    protocol = findings.protocol
    if not protocol.ledger:
        return Abstain("the protocol has no ledger")
    ways: dict[str, list[LedgerStep]] = {}
    for step in findings.once(ledger):
        ways.setdefault(with_reader(step.system, step.instruments), []).append(step)
    if not any(steps[0].total for steps in ways.values()):
        return Abstain("no clip was scored for it")
    stops = [
        f"{row}, {step.step}: {told}" for row, steps in ways.items() for step in steps for told in stopped_here(step)
    ]
    columns = [Column(name=f"{n}", title=s.name, unit="rate", better="higher") for n, s in enumerate(protocol.ledger)]
    return [
        Table(
            name=table_name("ledger", protocol.name),
            title="How far the clips got",
            shape="funnel",
            columns=tuple(columns),
            rows=tuple(TableRow(title=row, cells=tuple(map(_table_cell, steps))) for row, steps in ways.items()),
            notes=tuple(stops),
            protocol=protocol.name,
            reading="The share of clips that reached a step and all before it; measured from it to the share if every "
            "clip of which nobody knows had reached it too.",
        )
    ]


def _table_cell(step: LedgerStep) -> TableCell:
    if step.bounds is None:
        return TableCell(reason="no clips", n=0, total=0)
    low, high = step.bounds
    return TableCell(value=low, measured_low=low, measured_high=high, n=step.reached, total=step.total)
