"""Systems against a first one in every metric of the headline: differences, tests, tables, a sentence to print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import (
    MCNEMAR,
    SIGNIFICANT,
    TEST,
    contrast,
    difference_cell,
    is_significant,
    widest_difference,
    with_holm,
)
from lookaway.analyses.dimensions import readers_in
from lookaway.analyses.pairs import ContrastArm
from lookaway.analyses.system_pairs import (
    SYSTEM_PAIRING,
    PairCoverage,
    coverage,
    measured_from_best,
    paired_systems,
    system_readings,
)
from lookaway.metrics import KNOWN_GATES, MEMORY_GATES, METRICS, Metric
from lookaway.phrasing import ReadBy, commonest, digits_of, titled, with_reader
from lookaway.records import Column, Contrast, MetricRef, Table, TableCell, TableRow

FAMILY = "metrics of the headline"
AFTER_RETURN = {*KNOWN_GATES, *MEMORY_GATES} - {"opportunity", "posed"}
ARROWS = {"higher": "↑", "lower": "↓", "one": "↓"}


class SystemContrast(NamedTuple):
    """One metric of the headline in two systems, the second minus the first, over clips of both."""

    first: str
    second: str
    metric: Metric
    by: ReadBy
    pairs: pl.DataFrame  # both numbers of every pair, as they are
    contrast: Contrast

    @property
    def title(self) -> str:
        return with_reader(titled(self.metric.ref), self.by.label)

    @property
    def name(self) -> str:
        """What the difference is of: where 1 is best, of the distance from it."""
        return f"distance of {self.title} from 1" if self.metric.better == "one" else self.title

    @property
    def tasks(self) -> int:
        """How many tasks have two numbers."""
        return self.pairs.drop_nulls(["first", "second"])["task"].n_unique()

    @property
    def gain(self) -> float:
        """How much better the second is; below 0 it is worse, 0 where nobody can say."""
        estimate = self.contrast.estimate or 0.0
        return estimate if self.metric.better == "higher" else -estimate


def system_contrasts(findings: Findings) -> list[SystemContrast]:
    """Every system against the first one in every metric of the headline, Holm over all of them together."""
    readings = findings.once(system_readings)
    first, *others = (system.label for system in findings.systems)
    found = []
    for second in others:
        pairs = paired_systems(readings, findings.tasks, first, second)
        for ref in dict.fromkeys(findings.protocol.headline):
            if (metric := METRICS.all().get(str(ref))) is None:
                continue  # told by `without_a_plugin`
            for by in readers_in(readings, ref):
                found.append(_contrasted(findings, pairs, first, second, metric, by))
    corrected = with_holm([one.contrast for one in found], FAMILY)
    return [one._replace(contrast=made) for one, made in zip(found, corrected, strict=True)]


def _contrasted(
    findings: Findings, pairs: pl.DataFrame, first: str, second: str, metric: Metric, by: ReadBy
) -> SystemContrast:
    mine = pairs.filter(
        (pl.col("metric") == metric.name)
        & (pl.col("variant") == metric.variant)
        & (pl.col("instrument_key") == by.instrument_key)
        & (pl.col("ask_key") == by.ask_key)
    )
    turned = measured_from_best(mine, metric.better).rename({"first": "before", "first_reason": "before_reason"})
    turned = turned.rename({"second": "first", "second_reason": "first_reason"})
    turned = turned.rename({"before": "second", "before_reason": "second_reason"})
    numbers = mine.select("first", "second").unpivot()["value"].drop_nulls()
    made = contrast(
        f"{second} minus {first}: {with_reader(titled(metric.ref), by.label)}",
        turned,
        ContrastArm(second),
        ContrastArm(first),
        binary=len(numbers) > 0 and bool(numbers.is_in([0.0, 1.0]).all()),
        most=widest_difference(metric.ref, findings.scales),
        pairing=SYSTEM_PAIRING,
    )
    return SystemContrast(first, second, metric, by, mine, made)


def coverages(findings: Findings) -> dict[str, tuple[PairCoverage, PairCoverage]]:
    """For every system after the first: its own coverage, and that of the first beside it."""
    readings = findings.once(system_readings)
    first, *others = (system.label for system in findings.systems)
    return {one: (coverage(readings, one, first), coverage(readings, first, one)) for one in others}


def coverage_table(findings: Findings) -> Table:
    """How many tasks and clips each system has, how many pair with the first one's, and why the others do not."""
    first = findings.systems[0].label
    rows, notes = [], []
    for second, (own, firsts) in coverages(findings).items():
        for arm, found in ((second, own), (first, firsts)):
            counts = (found.tasks, found.clips, found.paired_tasks, found.paired_clips)
            cells = tuple(TableCell(value=count) for count in counts)
            rows.append(TableRow(title=arm, group=f"{second} against {first}", cells=cells))
            notes += [f"{arm}: {commonest(found.alone)}"] if found.alone else []
    names = ("tasks", "clips", "paired tasks", "paired clips")
    return Table(
        name=table_name("coverage", findings.protocol.name),
        title="Which clips pair",
        columns=tuple(Column(name=name.replace(" ", "_"), title=name, digits=0) for name in names),
        rows=tuple(rows),
        notes=tuple(dict.fromkeys(notes)),
        protocol=findings.protocol.name,
        reading=f"A pair is one clip of each system: {SYSTEM_PAIRING}; only pairs are compared.",
    )


def difference_table(found: Sequence[SystemContrast], findings: Findings) -> Table | None:
    """A row for every metric of the headline: both means over the pairs, the difference, its tests."""
    if not found:
        return None
    notes = [
        f"Differences are a system minus {findings.systems[0].label}; intervals are 95 % over scenes. The test is a "
        f"{TEST}; Holm corrects it over all {sum(one.contrast.p is not None for one in found)} of this table. Marked "
        f"is a corrected p below {SIGNIFICANT}. {MCNEMAR}, where scores are yes or no, takes pairs for independent.",
        *(f"{one.second}, {one.title}: {commonest(one.contrast.missing)}" for one in found if one.contrast.missing),
    ]
    beside = any(one.contrast.p_beside for one in found)
    columns = [
        Column(name="first", title="first"),
        Column(name="second", title="second"),
        Column(name="difference", title="second minus first"),
        Column(name="p", title="sign-flip", unit="p"),
        Column(name="p_corrected", title="Holm", unit="p"),
        *([Column(name="p_mcnemar", title=MCNEMAR, unit="p")] if beside else []),
        Column(name="scenes", title="scenes", digits=0),
    ]
    rows = [
        TableRow(
            title=f"{one.name} {ARROWS[one.metric.better]}",
            group=f"{one.second} (second) against {one.first} (first)",
            cells=_difference_cells(one, beside),
        )
        for one in found
    ]
    return Table(
        name=table_name("differences", findings.protocol.name),
        title="Differences",
        columns=tuple(columns),
        rows=tuple(rows),
        notes=tuple(notes),
        protocol=findings.protocol.name,
        reading="A small corrected p says that chance alone would hardly set the two so far apart.",
    )


def _difference_cells(one: SystemContrast, beside: bool) -> tuple[TableCell, ...]:
    made = one.contrast
    whole = measured_from_best(one.pairs, one.metric.better).drop_nulls(["first", "second"])
    silent = made.method.removeprefix("no interval: ") or "no pairs"
    return (
        *(_mean_cell(whole[side], made.reason) for side in ("first", "second")),
        difference_cell(made),
        p_cell(made.p, silent),
        p_cell(made.p_corrected, "no p"),
        *([p_cell(made.p_beside.get(MCNEMAR), "no pairs that differ in yes and no")] if beside else []),
        TableCell(value=made.n_scenes),
    )


def _mean_cell(values: pl.Series, reason: str) -> TableCell:
    mean = values.mean()
    return TableCell(value=float(mean)) if isinstance(mean, float) else TableCell(reason=reason or "no pairs")


def p_cell(p: float | None, why_not: str) -> TableCell:
    return TableCell(reason=why_not) if p is None else TableCell(value=p)


def sentence(found: Sequence[SystemContrast]) -> str:
    """What the contrasts of two systems come to, in one sentence made from their numbers.

    `b remembers better than a: return_identity +0.21 [0.08, 0.34] over 96 paired tasks in 36 scenes, p = .002, after
    Holm over 7 metrics of the headline.`
    """
    first, second = found[0].first, found[0].second
    sure = [one for one in found if is_significant(one.contrast)]
    if not sure:
        return _undecided(first, second, found)
    better = [one for one in sure if one.gain > 0]
    worse = [one for one in sure if one.gain < 0]
    parts = []
    for some, word in ((better, "better"), (worse, "worse")):
        if some:
            some = sorted(some, key=lambda one: (one.contrast.p_corrected or 0, -abs(one.gain)))
            verb = "remembers" if all(_is_memory(one.metric) for one in some) else "does"
            parts.append(f"{verb} {word} than {first}: {'; '.join(map(_told, some))}")
    return f"{second} {', but '.join(parts)}, after {sure[0].contrast.correction}."


def _undecided(first: str, second: str, found: Sequence[SystemContrast]) -> str:
    tested = [one for one in found if one.contrast.p_corrected is not None]
    if tested:
        nearest = min(tested, key=lambda one: (one.contrast.p_corrected or 0, one.contrast.p or 0))
        scenes = max(one.contrast.n_scenes for one in tested)
        if (least := 2.0 ** (1 - scenes)) >= SIGNIFICANT:
            widest = max(tested, key=lambda one: abs(one.gain))
            return (
                f"{second} and {first} cannot be told apart: of {scenes} scenes no test gives a p below {least:g}; "
                f"the widest gap is {_told(widest)}."
            )
        told = f"{_told(nearest)}, after {nearest.contrast.correction}"
        return f"No difference between {second} and {first} can be told from chance; the nearest to one is {told}."
    equal = [one for one in found if one.contrast.n_pairs]
    if equal:
        why = equal[0].contrast.method.removeprefix("no interval: ")
        return f"{second} and {first} cannot be told apart: {why} ({', '.join(one.title for one in equal)})."
    return f"{second} and {first} cannot be compared: {found[0].contrast.reason}."


def _told(one: SystemContrast) -> str:
    made, digits = one.contrast, digits_of(one.metric.unit)
    low, high = made.low, made.high
    interval = "" if low is None or high is None else f" [{low:.{digits}f}, {high:.{digits}f}]"
    scenes = f"{made.n_scenes} scene{'s' if made.n_scenes != 1 else ''}"
    n = f"{made.n_pairs} paired tasks" if made.n_pairs == one.tasks else f"{made.n_pairs} pairs of {one.tasks} tasks"
    return f"{one.name} {made.estimate:+.{digits}f}{interval} over {n} in {scenes}, p {p_text(made.p_corrected)}"


def p_text(p: float | None) -> str:
    """As papers print it: `= .002`, `< .001`, `= 1`."""
    if p is None:
        return "unknown"
    return "< .001" if p < 0.001 else "= 1" if p >= 0.9995 else f"= {p:.3f}".replace("0.", ".", 1)


def _is_memory(metric: Metric) -> bool:
    """Whether it is asked only once the subject was hidden and the view came back."""
    return bool(AFTER_RETURN & set(metric.gates))


def without_a_plugin(refs: Sequence[MetricRef]) -> dict[str, str]:
    """Metrics of the headline that are not installed here, and so cannot be compared."""
    known = METRICS.all()
    return {
        str(ref): "not installed here, so nobody knows which way is better" for ref in refs if str(ref) not in known
    }
