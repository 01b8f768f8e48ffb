"""Scores to Cells: each row becomes a few small numbers once, then counts, sums and intervals over scenes.

The result depends on the rows alone, not on the order in which workers wrote them, down to the last bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from lookaway import dose
from lookaway.geometry.visibility import has_opportunity
from lookaway.records import Board, Cell, LedgerStep, Population, Protocol, Slice, Step, System, Task
from lookaway.stats.intervals import Floats, scene_mean, scene_rate

CELL = [
    "protocol",
    "metric",
    "variant",
    "version",
    "instrument",
    "instrument_key",
    "ask",
    "ask_key",
    "phase_source",
    "system",
]
CLIP = ["system", "task", "seed", "branch"]
STATUSES = ("ok", "not_applicable", "avoided", "no_opportunity", "not_judgeable", "abstained", "no_output", "failed")
COUNTED_AS_WORST = ("avoided", "no_output")
EVERYTHING = "all"


class Scale(NamedTuple):
    """What is known of a metric's values: the smallest, the largest, and which of them is the worst."""

    low: float
    high: float
    worst: float


Scales = Mapping[tuple[str, str], Scale]  # by metric and variant; absent where a metric has no fixed range


class TableScope(NamedTuple):
    """Tasks and systems that a protocol's tables are about."""

    tasks: Mapping[str, Task]
    systems: Sequence[System]


def cells(scores: pl.DataFrame, protocol: Protocol, asked: TableScope, scales: Scales) -> list[Cell]:
    """One cell per system, metric, variant, version, instrument and ask: over the population, per slice, and per kind
    of twin and branch, which are no part of it."""
    ours = scores.filter(pl.col("protocol") == protocol.name)
    scenes = pl.DataFrame(
        [(task.id, task.scene) for task in asked.tasks.values()],
        schema={"task": pl.String, "scene": pl.String},
        orient="row",
    ).with_columns(pl.col("scene").rank("dense").cast(pl.Int64) - 1)
    identities = ours.select(CELL).unique().sort(CELL)
    rows = (
        ours.lazy()
        .join(scenes.lazy(), on="task")
        .join(identities.lazy().with_columns(cell=pl.int_range(pl.len(), dtype=pl.Int64)), on=CELL)
        .select(
            "cell",
            "scene",
            *("task", "system", "branch", "metric", "variant"),
            *("value", "low", "high"),
            fate=pl.coalesce("gate", "status").cast(pl.Enum(STATUSES)).to_physical().cast(pl.Int64),
        )
        .sort("value", "low", "high")  # floats add up to other last bits in another order
        .collect()
    )
    counted = _counted(rows, protocol, asked)
    parted = [(counted.with_columns(label=pl.lit(EVERYTHING)), identities)]
    parted += [(_labelled(counted, part, asked), identities) for part in protocol.slices]
    parted += [(_arms(rows, asked), identities)]
    return [cell for part, facts in parted for cell in _part(part, facts, scales)]


def _counted(rows: pl.DataFrame, protocol: Protocol, asked: TableScope) -> pl.DataFrame:
    """The rows of each metric's population."""
    named = set(protocol.populations)
    whole = pl.concat_str("metric", "variant", separator=":").is_in(list(named)).not_() if named else pl.lit(True)
    parts = [rows.filter(whole & _inside(protocol.population, asked))]
    for name, population in protocol.populations.items():
        metric, _, variant = name.partition(":")
        one = (pl.col("metric") == metric) & (pl.col("variant") == variant)
        parts.append(rows.filter(one & _inside(population, asked)))
    return pl.concat(parts) if len(parts) > 1 else parts[0]


def _inside(population: Population, asked: TableScope) -> pl.Expr:
    tasks = [task.id for task in asked.tasks.values() if counts_task(population, task)]
    systems = [system.label for system in asked.systems if population.counts_system(system)]
    return pl.col("task").is_in(tasks) & pl.col("system").is_in(systems) & (pl.col("branch") == "")


def counts_task(population: Population, task: Task) -> bool:
    return population.counts_task(task) and (not population.opportunity or has_opportunity(task))


def _labelled(rows: pl.DataFrame, part: Slice, asked: TableScope) -> pl.DataFrame:
    """The rows with the label of a slice."""
    schema = dict.fromkeys(("task", "system", "label"), pl.String)
    if not part.is_about_systems:
        labels = [(task.id, "", part.label(task, None)) for task in asked.tasks.values()]
        table = pl.DataFrame(labels, schema=schema, orient="row").drop("system")
        return rows.join(table, on="task", maintain_order="left")
    pairs = itertools.product(asked.tasks.values(), asked.systems)
    labels = [(task.id, system.label, part.label(task, system)) for task, system in pairs]
    return rows.join(pl.DataFrame(labels, schema=schema, orient="row"), on=["task", "system"], maintain_order="left")


def _arms(rows: pl.DataFrame, asked: TableScope) -> pl.DataFrame:
    """Rows of twins and of branches: arms of contrasts, each kind in cells of its own."""
    twins = {task.id: f"twin={task.twin}" for task in asked.tasks.values() if task.twin is not None}
    apart = rows.filter(pl.col("task").is_in(list(twins)) | (pl.col("branch") != ""))
    twin = pl.col("task").replace_strict(twins, default=None, return_dtype=pl.String)
    branch = pl.when(pl.col("branch") != "").then(pl.format("branch={}", pl.col("branch")))
    return apart.with_columns(label=pl.concat_str(twin, branch, separator=", ", ignore_nulls=True))


def _part(rows: pl.DataFrame, identities: pl.DataFrame, scales: Scales) -> list[Cell]:
    """The cells of one way to part the rows, by label and then by identity."""
    if not rows.height:
        return []
    labels = rows["label"].unique().sort()
    rows = rows.with_columns(label=pl.col("label").rank("dense").cast(pl.Int64) - 1)
    facts, scenes = identities.rows(named=True), int(rows["scene"].max() or 0) + 1  # type: ignore[arg-type]
    scene, fate, value = (rows[column].to_numpy() for column in ("scene", "fate", "value"))
    place, places = rows["label"].to_numpy() * len(facts) + rows["cell"].to_numpy(), len(labels) * len(facts)
    table = np.bincount(place * len(STATUSES) + fate, minlength=places * len(STATUSES))
    counts = table.reshape(-1, len(STATUSES)).tolist()

    ok = fate == STATUSES.index("ok")
    bounds = _bounds(rows.filter(ok), place[ok], places)
    place, scene, value = place[ok], scene[ok], value[ok]
    spots, spot = np.unique(place * scenes + scene, return_inverse=True)
    sums, measured = (np.bincount(spot, weights).astype(np.float64) for weights in (value, None))
    graded = np.bincount(place, (value != 0) & (value != 1), places) > 0
    ends = np.searchsorted(spots, np.arange(places + 1) * scenes).tolist()

    made = []
    for number in np.flatnonzero(table.reshape(-1, len(STATUSES)).any(axis=1)).tolist():
        label, cell = divmod(number, len(facts))
        here = slice(ends[number], ends[number + 1])
        seen = dict(zip(STATUSES, counts[number], strict=True))
        scale = scales.get((facts[cell]["metric"], facts[cell]["variant"]))
        made.append(
            Cell(
                slice=labels[label],
                n=sum(counts[number]),
                scenes=here.stop - here.start,
                floor=_floor(seen, float(sums[here].sum()), scale),
                **facts[cell],
                **seen,
                **_estimate(sums[here], measured[here], bool(graded[number]), scale),
                **bounds.get(number, {}),
            )
        )
    return made


def _bounds(ok: pl.DataFrame, place: Floats, places: int) -> dict[int, dict[str, float]]:
    """Means of what the measurements allow, for cells in which any measurement tells its bounds."""
    if ok["low"].null_count() == ok.height:
        return {}
    n = np.bincount(place, minlength=places)
    told = np.bincount(place, ok["low"].is_not_null().to_numpy(), places)
    low, high = (np.bincount(place, ok[end].fill_null(ok["value"]).to_numpy(), places) for end in ("low", "high"))
    return {
        int(spot): {"measured_low": float(low[spot] / n[spot]), "measured_high": float(high[spot] / n[spot])}
        for spot in np.flatnonzero(told)
    }


def _estimate(sums: Floats, counts: Floats, graded: bool, scale: Scale | None) -> dict[str, Any]:
    """`value`, `low`, `high` and `method` of a cell; an interval ends where the metric's values do."""
    if not len(sums):
        return {"value": None, "low": None, "high": None, "method": "nothing measured"}
    found = scene_mean(sums, counts) if graded else scene_rate(sums, counts)
    if scale is not None and found.low is not None and found.high is not None:
        found = found._replace(low=max(found.low, scale.low), high=min(found.high, scale.high))
    return found._asdict()


def _floor(seen: Mapping[str, int], total: float, scale: Scale | None) -> float | None:
    """The mean if every output that avoided the question or never came counted as the worst value."""
    missing = sum(seen[name] for name in COUNTED_AS_WORST)
    if scale is None or seen["ok"] + missing == 0:
        return None
    return (total + scale.worst * missing) / (seen["ok"] + missing)


class MetricReader(NamedTuple):
    """Whose readings of one metric are taken."""

    metric: str
    variant: str
    instrument_key: str
    ask_key: str
    label: str  # empty where there is no other


def fates(scores: pl.DataFrame, protocol: Protocol, tasks: Mapping[str, Task]) -> pl.DataFrame:
    """One row per clip of the protocol's population: how its way through the ledger ended.

    `outcome` is reached (every step that concerns it), lost or unknown; `ended` the number of the step at which it was
    lost or became unknown, `value` and `reason` what that step's metric says; `gated` whether any of the ledger's
    metrics was gated; `skipped` has a bit for every step that does not concern it. Of several look-aways the worst
    counts. With the steps place >= 0.5 and state >= 0.8:

        task  place      state      outcome  ended  value
        a     0.9        0.7    ->  lost     1      0.7
        b     abstained  0.9    ->  unknown  0      null
        c     0.9        0.9    ->  reached  null   null

    Where a metric has columns of several instruments, each clip has a row for each, told apart by `instruments`.
    """
    steps = protocol.ledger
    refs = [f"{step.metric.name}:{step.metric.variant}" for step in steps]
    known = [task.id for task in tasks.values() if counts_task(protocol.population, task)]
    ours = (
        scores.filter(
            (pl.col("protocol") == protocol.name)
            & pl.concat_str("metric", "variant", separator=":").is_in(refs)
            & pl.col("task").is_in(known)
            & (pl.col("branch") == "")
        )
        .select(*CLIP, *CELL[1:-1], "status", "gate", "value", "reason")
        .filter(pl.col("version") == pl.col("version").max().over("metric", "variant"))
    )
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
    going = ours.group_by(CLIP).agg(gated=(pl.col("status") == "gated").any())
    going = going.with_columns(skipped=pl.lit(0, pl.Int64), instruments=pl.lit(label, pl.String))
    stopped = []
    for number, step in enumerate(steps):
        column = chosen[step.metric.name, step.metric.variant]
        mine = ours.filter(
            (pl.col("metric") == column.metric)
            & (pl.col("variant") == column.variant)
            & (pl.col("instrument_key") == column.instrument_key)
            & (pl.col("ask_key") == column.ask_key)
        )
        about = [task.id for task in tasks.values() if step.about(task)]
        here = _at_step(going, mine, step, about).with_columns(ended=pl.lit(number, pl.Int64))
        stopped.append(here.filter(pl.col("outcome").is_in(("lost", "unknown"))))
        passed = here.filter(pl.col("outcome").is_in(("reached", "skipped")))
        bit = pl.when(pl.col("outcome") == "skipped").then(1 << number).otherwise(0)
        going = passed.with_columns(skipped=pl.col("skipped") + bit).select(going.columns)
    through = going.filter(pl.col("skipped") != (1 << len(steps)) - 1).with_columns(
        value=pl.lit(None, pl.Float64),
        reason=pl.lit("", pl.String),
        outcome=pl.lit("reached", pl.String),
        ended=pl.lit(None, pl.Int64),
    )
    columns = [*CLIP, "instruments", "outcome", "ended", "value", "reason", "gated", "skipped"]
    return pl.concat([part.select(columns) for part in (*stopped, through)])


def _at_step(going: pl.DataFrame, mine: pl.DataFrame, step: Step, about: Sequence[str]) -> pl.DataFrame:
    """The clips that got here with their outcome at this step, `value` and `reason`."""
    within = pl.col("value") >= step.at_least if step.at_most is None else pl.col("value") <= step.at_most
    outcome = (
        pl.when(~pl.col("task").is_in(about) | (pl.col("gate") == "no_opportunity").fill_null(False))
        .then(pl.lit("skipped"))
        .when(pl.col("value").is_not_null())
        .then(pl.when(within).then(pl.lit("reached")).otherwise(pl.lit("lost")))
        .when((pl.col("gate") == "avoided").fill_null(False) | (pl.col("status") == "no_output").fill_null(False))
        .then(pl.lit("lost"))
        .otherwise(pl.lit("unknown"))
    )
    joined = going.join(mine.select(*CLIP, "status", "gate", "value", "reason"), on=CLIP, how="left")
    judged = joined.with_columns(outcome=outcome, reason=pl.col("reason").fill_null("not scored"))
    order = pl.col("outcome").cast(pl.Enum(FATES)).to_physical()
    worst_first = judged.sort(order, "value", "reason", descending=[False, step.at_most is not None, False])
    return worst_first.unique(CLIP, keep="first", maintain_order=True).drop("status", "gate")


def ledger(scores: pl.DataFrame, protocol: Protocol, asked: TableScope) -> list[LedgerStep]:
    """How far each system's clips got, step by step, and the reasons at the step where they stopped."""
    clips = fates(scores, protocol, asked.tasks) if protocol.ledger else None
    if clips is None:
        return []
    return [
        step
        for system in asked.systems
        for instruments in clips["instruments"].unique().sort()
        for step in _ledger_of(clips, protocol, system.label, instruments)
    ]


def _ledger_of(clips: pl.DataFrame, protocol: Protocol, system: str, instruments: str) -> Iterator[LedgerStep]:
    mine = clips.filter((pl.col("system") == system) & (pl.col("instruments") == instruments))
    reached, unknown_before = mine.height, 0
    for number, step in enumerate(protocol.ledger):
        here = mine.filter(pl.col("ended") == number)
        lost, unknown = (_reasons(here.filter(pl.col("outcome") == outcome), step) for outcome in ("lost", "unknown"))
        reached -= here.height
        going = mine.filter(pl.col("ended").is_null() | (pl.col("ended") > number))
        yield LedgerStep(
            protocol=protocol.name,
            system=system,
            instruments=instruments,
            step=step.name,
            reached=reached,
            total=mine.height,
            skipped=int(((going["skipped"].to_numpy() >> number) & 1).sum()),
            lost=lost,
            unknown=unknown,
            unknown_before=unknown_before,
        )
        unknown_before += sum(unknown.values())


def _reasons(clips: pl.DataFrame, step: Step) -> dict[str, int]:
    """Why these clips stopped, the commonest reason first."""
    why = pl.when(pl.col("value").is_not_null()).then(pl.lit(f"{step.metric.name} {step.miss}")).otherwise("reason")
    counted = clips.group_by(why.alias("why")).len().sort(["len", "why"], descending=[True, False])
    return dict(zip(counted["why"], counted["len"], strict=True))


def board(
    suite: str,
    suite_version: str,
    protocols: Iterable[Protocol],
    asked: TableScope,
    scores: pl.DataFrame,
    scales: Scales,
    not_measured: Mapping[str, str],
    environment: Mapping[str, str],
) -> Board:
    """Everything a report shows, in one record."""
    protocols, labels = list(protocols), [system.label for system in asked.systems]
    current = scores.select(*CELL, "task", "seed", "branch", "status", "gate", "value", "low", "high", "reason").filter(
        pl.col("system").is_in(labels)
        & pl.col("task").is_in(list(asked.tasks))
        & pl.col("protocol").is_in([p.name for p in protocols])
    )
    contexts = {s.label: s.card.context_s for s in asked.systems if s.card.context_s is not None}
    return Board(
        suite=suite,
        suite_version=suite_version,
        systems=tuple(labels),
        protocols=tuple(protocols),
        cells=tuple(cell for p in protocols for cell in cells(current, p, asked, scales)),
        ledger=tuple(step for p in protocols for step in ledger(current, p, asked)),
        dose=tuple(
            curve
            for p in protocols
            if p.ledger
            for curve in dose.curves(fates(current, p, asked.tasks), p, asked.tasks.values(), labels, contexts)
        ),
        not_measured=dict(not_measured),
        environment=dict(environment),
    )
