"""How to read each metric of a protocol: what it asks, who looks, which rows count, and why some have no number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.summaries import why_nothing
from lookaway.gates import GATES
from lookaway.metrics import METRICS, Metric
from lookaway.outcomes import Abstain
from lookaway.phrasing import titled
from lookaway.records import Column, MetricRef, Population, Table, TableCell, TableRow

UNKNOWN = TableCell(reason="the metric is not installed here")
SAME = "The same"
BETTER = {"higher": "higher is better", "lower": "lower is better", "one": "best at 1"}


@analysis(version=1, title="How to read each metric")
def metric_readings(findings: Findings) -> list[Table] | Abstain:
    """A row for every metric of the protocol, from what it says of itself and from what became of its clips."""
    rows = findings.once(clip_rows)
    if rows.is_empty():
        return Abstain("nothing was scored")
    return [
        Table(
            name=table_name("metric-readings", findings.protocol.name),
            title="How to read each metric",
            columns=(
                Column(name="numbers", title="clips with a number", unit="rate"),
                Column(name="reads", title="reads"),
                Column(name="scale", title="scale"),
                Column(name="looked", title="who looks"),
                Column(name="truth", title="needs of the truth"),
                Column(name="rows", title="counted"),
                Column(name="gates", title="asked only if"),
                Column(name="missing", title="without a number"),
            ),
            rows=tuple(_row(ref, rows, findings) for ref in findings.protocol.metrics),
            notes=("Made from what metrics and gates say of themselves, and from the reasons that their scores give.",),
            protocol=findings.protocol.name,
            reading="Before comparing two numbers, see whether they are about the same rows and by the same eyes.",
        )
    ]


def _row(ref: MetricRef, rows: pl.DataFrame, findings: Findings) -> TableRow:
    named = (pl.col("metric") == ref.name) & ((pl.col("variant") == ref.variant) | (ref.variant == ""))
    mine = rows.filter(named)
    known = mine.drop_nulls("value").height
    numbers = TableCell(reason="not scored", n=0, total=0)
    if mine.height:
        numbers = TableCell(value=known / mine.height, n=known, total=mine.height)
    missing = mine.filter(pl.col("value").is_null())
    told = "none" if missing.is_empty() else why_nothing(missing)
    metric = next((one for one in METRICS.all().values() if ref.may_be(one.ref)), None)
    facts = (UNKNOWN,) * 6 if metric is None else tuple(map(_text, _facts(metric, findings)))
    return TableRow(title=titled(ref), cells=(numbers, *facts, _text(told)))


def _facts(metric: Metric, findings: Findings) -> tuple[str, ...]:
    return (
        _reads(metric),
        f"{metric.unit}, {BETTER[metric.better]}",
        _who(metric, findings),
        ", ".join(metric.needs_truth),
        population_text(findings.protocol.population_of(metric.name, metric.variant)),
        " ".join(GATES.get(name).doc.partition("\n")[0] for name in metric.gates),
    )


def _reads(metric: Metric) -> str:
    """Its own first line; behind that of the variant it refers to, where it says that it is the same of something."""
    own = metric.doc.partition("\n")[0]
    others = [m.doc.partition("\n")[0] for m in METRICS.all().values() if m.name == metric.name]
    whole = [doc for doc in others if not doc.startswith(SAME)]
    return f"{whole[0]} {own}" if own.startswith(SAME) and whole else own


def _text(said: str) -> TableCell:
    return TableCell(text=said or "nothing")


def _who(metric: Metric, findings: Findings) -> str:
    """Observers, and judges by role with the number of things that they are asked."""
    asks = [findings.protocol.asks[name] for name in metric.all_asks if name in findings.protocol.asks]
    roles = Counter(ask.role for ask in asks)
    judges = [f"{role} judge, asked {n}" for role, n in roles.items()]
    return "; ".join([*metric.looks_with(findings.protocol.observers), *judges])


def population_text(population: Population) -> str:
    """`twins too: static; system.condition_type: not prompt-only`, or `every clip`."""
    limits = {name: choices for name, choices in population.tasks.items()}
    limits |= {f"system.{name}": choices for name, choices in population.systems.items()}
    told = [f"{name}: {_choices(choices)}" for name, choices in limits.items()]
    told += [f"twins too: {', '.join(population.twins)}"] if population.twins else []
    told += ["only tasks that can hide the subject"] if population.opportunity else []
    return "; ".join(told) or "every clip"


def _choices(choices: Iterable[str]) -> str:
    return ", ".join(f"not {one[1:]}" if one.startswith("!") else one for one in choices)
