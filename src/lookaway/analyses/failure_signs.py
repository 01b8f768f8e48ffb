"""Which words of the vocabulary each clip gets, by the scores that tell them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.clip_rows import UNASKED, clip_rows
from lookaway.analyses.failure_words import FAILURE_WORDS, FailureWord, Sign
from lookaway.metrics import METRICS, Metric
from lookaway.phrasing import ReadBy, told_apart, with_reader
from lookaway.records import MetricRef

CLIP = ["task", "system", "seed"]


class ReadSign(NamedTuple):
    """A sign as one metric, instrument and ask show it."""

    sign: Sign
    ref: MetricRef
    by: ReadBy


class ReadWord(NamedTuple):
    """A word by the readings that tell it: two instruments tell two."""

    word: FailureWord
    signs: tuple[ReadSign, ...]

    @property
    def title(self) -> str:
        labels = dict.fromkeys(one.by.label for one in self.signs if one.by.label)
        return with_reader(self.word.name, " and ".join(labels))


def read_words(findings: Findings) -> list[ReadWord]:
    """Every word that the protocol's scores can tell, once for each combination of who read them."""
    readable = ((word, next(_readable(word, findings), ())) for word in FAILURE_WORDS)
    return [one for word, refs in readable for one in _read(word, refs, findings)]


def read_rules(word: FailureWord, findings: Findings) -> list[tuple[ReadWord, ...]]:
    """A word by every rule that the protocol's scores can tell, in order; once for each choice of who read them."""
    by_rule = (_read(word, refs, findings) for refs in _readable(word, findings))
    return [rules for rules in product(*(one for one in by_rule if one)) if rules]


def _readable(word: FailureWord, findings: Findings) -> Iterator[list[tuple[Sign, MetricRef]]]:
    yield from (known for rule in word.rules if (known := _refs(rule, findings)))


def _read(word: FailureWord, refs: Iterable[tuple[Sign, MetricRef]], findings: Findings) -> list[ReadWord]:
    rows = findings.once(clip_rows)
    readers = [[ReadSign(sign, ref, by) for by in _readers(rows, ref)] for sign, ref in refs]
    return [ReadWord(word, signs) for signs in product(*readers) if signs]


def clip_words(findings: Findings, words: Sequence[ReadWord]) -> pl.DataFrame:
    """A row per clip with a column per word: 1 where all its signs are seen, 0 where one is known not to be.

    Null is unknown, or a question that the clip did not pose. `evidence` beside each word tells the scores.
    """
    rows = findings.once(clip_rows)
    clips = rows.select(*CLIP, "scene").unique(CLIP, keep="first", maintain_order=True)
    for number, word in enumerate(words):
        signs = [_seen(rows, one) for one in word.signs]
        for place, seen in enumerate(signs):
            clips = clips.join(seen, on=CLIP, how="left", maintain_order="left", suffix=f"_{place}")
        flags, texts = (_columns(name, len(signs)) for name in ("seen", "told"))
        holds, told = pl.all_horizontal(flags).cast(pl.Float64), pl.concat_str(texts, separator=", ", ignore_nulls=True)
        clips = clips.with_columns(holds.alias(f"word{number}"), told.alias(f"evidence{number}")).drop(*flags, *texts)
    return clips


def _columns(name: str, n: int) -> list[str]:
    """As joins name them: `seen`, `seen_1`."""
    return [name if place == 0 else f"{name}_{place}" for place in range(n)]


def _refs(rule: Iterable[Sign], findings: Findings) -> list[tuple[Sign, MetricRef]]:
    """The metrics that stand for the signs of a rule; none where one is not among the protocol's."""
    protocol, found = findings.protocol, []
    for sign in rule:
        named = [ref for name in sign.metrics for ref in (*protocol.headline, *protocol.metrics) if ref.name == name]
        if not named:
            return []
        found.append((sign, named[0]))
    return found


def _is_of(ref: MetricRef) -> pl.Expr:
    named = pl.col("metric") == ref.name
    return named & (pl.col("variant") == ref.variant) if ref.variant else named


def _readers(rows: pl.DataFrame, ref: MetricRef) -> list[ReadBy]:
    known = rows.filter(_is_of(ref)).select("instrument_key", "ask_key", "instrument", "ask").unique().sort(pl.all())
    labels = {(row[0], row[1]): (row[2], row[3]) for row in known.iter_rows()}
    return told_apart(labels) if labels else []


def _seen(rows: pl.DataFrame, one: ReadSign) -> pl.DataFrame:
    """Whether the sign is seen in a clip, in any of its rounds, and what was told there."""
    read_by = (pl.col("instrument_key") == one.by.instrument_key) & (pl.col("ask_key") == one.by.ask_key)
    mine = rows.filter(_is_of(one.ref) & read_by)
    told = pl.coalesce(pl.col("value").round(2).cast(pl.String), "reason")
    seen = pl.when(_holds(one)).then(True) if one.sign.gate else _holds(one)
    mine = mine.with_columns(seen=seen, told=pl.format(f"{one.ref.name} {{}}", told))
    return mine.group_by(CLIP, maintain_order=True).agg(
        pl.col("seen").any(ignore_nulls=False),
        pl.col("told").sort_by("seen", descending=True, nulls_last=True).first(),
    )


def _holds(one: ReadSign) -> pl.Expr:
    """Null where no number tells; a reason counts where a gate was closed, and its absence where there is a number."""
    sign, value = one.sign, pl.col("value")
    if sign.below is not None:
        return value < sign.below
    if sign.from_ is not None:
        return value >= sign.from_
    if sign.reason:
        asked = value.is_not_null() | pl.col("fate").is_in(UNASKED)
        return pl.when(asked).then(pl.col("reason").str.starts_with(sign.reason))
    metric = _registered(one.ref)
    return pl.lit(None, pl.Boolean) if metric is None else _alarm(metric)


def _registered(ref: MetricRef) -> Metric | None:
    return next((one for one in METRICS.all().values() if ref.may_be(one.ref)), None)


def _alarm(metric: Metric) -> pl.Expr:
    """Further from the best value than the metric's margin."""
    value, margin = pl.col("value"), metric.margin
    low, high = metric.range or (0.0, 1.0)
    match metric.better:
        case "lower":
            return value > low + margin
        case "higher":
            return value < high - margin
        case "one":
            return (value - 1).abs() > margin
