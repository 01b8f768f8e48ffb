"""What looking away costs: every task against its observed twin, in which nothing was ever out of sight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import (
    MCNEMAR,
    PAIRING,
    SIGNIFICANT,
    TEST,
    contrast,
    difference_cell,
    widest_difference,
    with_holm,
)
from lookaway.analyses.pairs import (
    HIDDEN,
    OBSERVED,
    QUESTION,
    STEP,
    ContrastArm,
    metric_readings,
    paired,
    stand_ins,
    step_readings,
)
from lookaway.analyses.populations import counted_rows, counts_task
from lookaway.geometry.visibility import has_opportunity
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.phrasing import ReadBy, commonest, titled, told_apart, with_reader
from lookaway.records import Column, Contrast, MetricRef, Table, TableCell, TableRow, Task

SHARED_CLIP = "the same picture, prompt, resting camera and seconds; scenes are counted once"
DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "one": "best at 1"}


class Effect(NamedTuple):
    """The contrast of one system in one metric or step of the ledger, as one instrument read it."""

    system: str
    metric: MetricRef  # its variant is `step` for a step of the ledger
    by: ReadBy
    family: str  # of tests that are corrected together; empty: none
    contrast: Contrast


@analysis(version=2, title="The observation effect")
def observation_effect(findings: Findings) -> list[Table] | Abstain:
    """Hidden minus observed in every metric and step of the ledger, over pairs of a task and its observed twin."""
    if not OBSERVED.pairs(findings.tasks):
        return Abstain("no task has an observed twin")
    found = effects(findings)
    if not any(effect.contrast.n_pairs for effect in found):
        return Abstain("no task and its observed twin have a number in the same metric")
    measured = [effect for effect in found if effect.contrast.n_pairs]
    main = [effect for effect in measured if effect.family]
    further = [effect for effect in measured if not effect.family]
    return [
        *([_overview(found, findings), _tests("observation-effect-tests", main, findings)] if main else []),
        *([_tests("further-observation-effect", further, findings)] if further else []),
    ]


def effects(
    findings: Findings,
    first: ContrastArm = HIDDEN,
    second: ContrastArm = OBSERVED,
    tasks: Mapping[str, Task] | None = None,
) -> list[Effect]:
    """Every system in every metric, instrument and step, in the order of plan and protocol; first minus second arm.

    `tasks` are those to be paired, if not all. Holm corrects a system's metrics of the headline among each other, and
    its steps; other metrics stay uncorrected.
    """
    protocol, posed = findings.protocol, findings.tasks if tasks is None else tasks
    readings = _readings(findings, posed, first, second)
    pairs = paired(readings, posed, first, second)
    counted = counted_rows(pairs.rename({"pair": "task"}), findings)
    by_place = counted.partition_by(["system", *QUESTION], as_dict=True)
    known = readings.select(*QUESTION, "instrument", "ask").unique().sort(*QUESTION, "instrument", "ask")
    steps = [MetricRef(name=step.name, variant=STEP) for step in protocol.ledger]
    further = [metric for metric in protocol.metrics if metric not in protocol.headline]
    families = {"metrics of the headline": protocol.headline, "steps of the ledger": steps, "": further}
    found = []
    for family, metrics in families.items():
        places = [(metric, by) for metric in metrics for by in _readers(known, metric)]
        for system in findings.systems:
            keys = [(system.label, m.name, m.variant, by.instrument_key, by.ask_key) for m, by in places]
            rows = [by_place.get(key, counted.clear()) for key in keys]
            made = [_contrast(m, one, first, second, findings) for (m, _), one in zip(places, rows, strict=True)]
            made = with_holm(made, family) if family else made
            found += [Effect(system.label, *place, family, one) for place, one in zip(places, made, strict=True)]
    order = {system.label: number for number, system in enumerate(findings.systems)}
    return sorted(found, key=lambda effect: order[effect.system])


def _readings(findings: Findings, tasks: Mapping[str, Task], first: ContrastArm, second: ContrastArm) -> pl.DataFrame:
    scores, protocol = findings.scores, findings.protocol
    metrics = metric_readings(scores, protocol)
    if not protocol.ledger:
        return metrics
    return pl.concat([metrics, step_readings(scores, protocol, tasks, first, second)])


def _readers(known: pl.DataFrame, metric: MetricRef) -> list[ReadBy]:
    mine = known.filter((pl.col("metric") == metric.name) & (pl.col("variant") == metric.variant))
    rows = mine.select("instrument_key", "ask_key", "instrument", "ask").iter_rows()
    return told_apart({(instrument_key, ask_key): (who, asked) for instrument_key, ask_key, who, asked in rows})


def _contrast(
    ref: MetricRef, pairs: pl.DataFrame, first: ContrastArm, second: ContrastArm, findings: Findings
) -> Contrast:
    step = ref.variant == STEP
    most = 1.0 if step else widest_difference(ref, findings.scales)
    about = f"{first.name} minus {second.name}: {ref.name}"
    return contrast(about, pairs, first, second, binary=step, most=most)


def _overview(found: Sequence[Effect], findings: Findings) -> Table:
    return effect_table(
        "observation-effect",
        "The observation effect",
        found,
        findings,
        (*_about(), *_unpaired(findings)),
        "Hidden minus observed: what the camera's looking away changed; 0 if nothing.",
    )


def effect_table(
    name: str, title: str, found: Sequence[Effect], findings: Findings, notes: Sequence[str], reading: str
) -> Table:
    """A row per system, a column per metric of the headline and step that has a pair."""
    columns = list(dict.fromkeys((e.metric, e.by) for e in found if e.family and e.contrast.n_pairs))
    shown = [effect for effect in found if effect.family and (effect.metric, effect.by) in columns]
    cells = {(effect.system, effect.metric, effect.by): difference_cell(effect.contrast) for effect in shown}
    labels = [system.label for system in findings.systems]
    rows = [TableRow(title=label, cells=tuple(cells[label, *place] for place in columns)) for label in labels]
    return Table(
        name=table_name(name, findings.protocol.name),
        title=title,
        columns=tuple(_column(*place) for place in columns),
        rows=tuple(rows),
        notes=(*notes, *_missing(shown)),
        protocol=findings.protocol.name,
        reading=reading,
    )


def _title(metric: MetricRef, by: ReadBy) -> str:
    return with_reader(metric.name if metric.variant == STEP else titled(metric), by.label)


def _column(metric: MetricRef, by: ReadBy) -> Column:
    step, known = metric.variant == STEP, METRICS.all().get(str(metric))
    better = "higher" if step else known.better if known else "none"
    title = _title(metric, by)
    return Column(
        name=":".join(filter(None, [str(metric), by.instrument_key, by.ask_key])),
        title=f"{title} (best at 1)" if better == "one" else title,
        unit="rate" if step else known.unit if known else "",
        better="none" if better == "one" else better,
        group="ledger" if step else "metrics",
    )


def _tests(name: str, found: Iterable[Effect], findings: Findings) -> Table:
    """A row for every contrast, with its tests."""
    return Table(
        name=table_name(name, findings.protocol.name),
        title="The observation effect, further metrics" if "further" in name else "The observation effect, tested",
        columns=(
            Column(name="difference", title="hidden minus observed"),
            Column(name="p", title="sign-flip", unit="p"),
            Column(name="p_corrected", title="Holm", unit="p"),
            Column(name="p_mcnemar", title=MCNEMAR, unit="p"),
            Column(name="scenes", title="n", unit="scenes"),
        ),
        rows=tuple(
            TableRow(title=_described(effect), group=effect.system, cells=_test_cells(effect)) for effect in found
        ),
        notes=_about(),
        protocol=findings.protocol.name,
        reading="A small corrected p says that chance alone would hardly set hidden and observed so far apart.",
    )


def _described(effect: Effect) -> str:
    """`return_state (explained, higher is better)`."""
    title, known = _title(effect.metric, effect.by), METRICS.all().get(str(effect.metric))
    if effect.metric.variant == STEP:
        return f"step: {title} (rate, higher is better)"
    return f"{title} ({known.unit}, {DIRECTIONS[known.better]})" if known else title


def _test_cells(effect: Effect) -> tuple[TableCell, ...]:
    one = effect.contrast
    return (
        difference_cell(one),
        _p_cell(one.p, one.method.removeprefix("no interval: ")),
        _p_cell(one.p_corrected, "no p" if one.p is None else "not corrected"),
        _p_cell(one.p_beside.get(MCNEMAR), "all pairs agree" if effect.metric.variant == STEP else "no step"),
        TableCell(value=one.n_scenes),
    )


def _p_cell(p: float | None, why_not: str) -> TableCell:
    return TableCell(reason=why_not) if p is None else TableCell(value=p)


def _about() -> tuple[str, ...]:
    return (
        f"A pair is a task and its observed twin: {PAIRING}. Intervals are 95 % over scenes.",
        f"The test is a {TEST}. Holm corrects it over a system's metrics of the headline, and over its steps of the "
        f"ledger; marked is a corrected p below {SIGNIFICANT}.",
        "A step that was lost, or came after a lost one, was not reached: steering counts. Pairs in which a side is "
        "unknown or not concerned are left out.",
    )


def _missing(found: Iterable[Effect]) -> list[str]:
    """Of each system, why pairs lack a number in the metrics of the headline."""
    counts: dict[str, Counter[str]] = {}
    for effect in found:
        if effect.metric.variant != STEP:
            counts.setdefault(effect.system, Counter()).update(effect.contrast.missing)
    return [
        f"{system}: {sum(why.values())} pairs of readings lack a number: {commonest(dict(why.most_common()))}"
        for system, why in counts.items()
        if why
    ]


def _unpaired(findings: Findings) -> list[str]:
    """Which tasks borrow an observed arm, and which have none, and why."""
    tasks, population = findings.tasks, findings.protocol.population
    borrowed = stand_ins(tasks)
    paired_ids = {*OBSERVED.pairs(tasks).values(), *borrowed}
    hidden = [task for task in tasks.values() if task.twin in (None, "opposite") and counts_task(population, task)]
    why = Counter(_why_alone(task) for task in hidden if task.id not in paired_ids and has_opportunity(task))
    shared = f"{len(borrowed)} tasks are set against the observed clip of another cover: {SHARED_CLIP}."
    told = commonest(dict(why.most_common()))
    lacking = f"{why.total()} hidden tasks have no observed arm and are in no pair: {told}"
    return [*([shared] if borrowed else []), *([lacking] if why else [])]


def _why_alone(task: Task) -> str:
    if task.twin == "opposite":
        return "the opposite act is never watched throughout"
    return "no observed task has the same condition" if task.variant_of else "no observed task is otherwise the same"
