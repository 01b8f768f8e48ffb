"""Rules of a check: `world_clock worsens 0.1` is a metric, how much worse it may become, and what counts as most."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from lookaway.errors import UsageError
from lookaway.metrics import Metric, find
from lookaway.observers import OBSERVERS
from lookaway.records import MetricRef

_RULE = re.compile(r"\s*(\S+)\s+worsens(?:\s+(?:by\s+)?(\S+))?(?:\s+within\s+(\S+))?\s*", re.ASCII)
EXAMPLE = '"world_clock worsens 0.1"'
SERVING_SHARE = 0.05  # of a metric's span: the margin of the rules that `--preset serving` brings
CLOCK_SPAN = 1.0  # a metric that is best at 1 and has no range: as far off as a clock that stopped
LEARNED = {"torch", "onnx"}  # extras of observers that look with weights


class WorseningRule(NamedTuple):
    """Fail if a metric moves away from its best value by more than the margin, in the mean over scenes."""

    text: str
    metric: Metric
    margin: float
    span: float  # no pair counts for more, in either direction


def worsening_rule(text: str) -> WorseningRule:
    """`METRIC worsens AMOUNT [within SPAN]`; without an amount, at all.

    >>> rule = worsening_rule("world_clock worsens 0.1")
    >>> rule.metric.name, rule.margin, rule.span
    ('world_clock', 0.1, 1.0)
    """
    match = _RULE.fullmatch(text)
    if match is None:
        raise UsageError(f"--fail-if '{text}' must read METRIC worsens AMOUNT, such as {EXAMPLE}")
    name, amount, within = match.groups()
    margin = _number(text, amount, "amount") if amount is not None else 0.0
    metric = find(name)
    span = _number(text, within, "span") if within is not None else _usual_span(metric, text)
    if span <= margin:
        raise UsageError(
            f"--fail-if '{text}': no worsening counts for more than {span:g}, so none can exceed {margin:g}"
        )
    return WorseningRule(text, metric, margin, span)


def _number(text: str, given: str, what: str) -> float:
    try:
        number = float(given)
    except ValueError:
        number = -1.0
    if not 0 <= number < math.inf:
        raise UsageError(f"--fail-if '{text}': the {what} '{given}' must be a number, 0 or more, such as {EXAMPLE}")
    return number


def _usual_span(metric: Metric, text: str) -> float:
    if metric.range is not None:
        low, high = metric.range
        return max(abs(high - 1), abs(low - 1)) if metric.better == "one" else float(high - low)
    if metric.better == "one":
        return CLOCK_SPAN
    raise UsageError(
        f"--fail-if '{text}': {metric.name} has no fixed range; say what counts as most, in {metric.unit}: "
        f"'{text.strip()} within SPAN'"
    )


def needs_weights(metric: Metric) -> str:
    """Which learned weights or judges a metric looks with, in words; nothing where it needs none."""
    seen = [OBSERVERS.get(name) for name in metric.observers]
    learned = [one.name for one in seen if one.weights or one.heads or one.extra in LEARNED]
    return ", ".join([*learned, *(f"a judge ({ask})" for ask in metric.all_asks)])


def serving_rules(headlines: Iterable[MetricRef]) -> list[WorseningRule]:
    """A rule for each metric of the headlines that needs no weights and has a span of its own."""
    rules = []
    for ref in dict.fromkeys(headlines):
        metric = find(ref)
        if needs_weights(metric) or (metric.range is None and metric.better != "one"):
            continue
        margin = SERVING_SHARE * _usual_span(metric, str(ref))
        rules.append(worsening_rule(f"{ref} worsens {margin:g}"))
    return rules
