"""The examples in docstrings do what they say. Add a function here when its docstring shows one."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from lookaway.analyses.dose import pooled
from lookaway.analyses.ledger import fates
from lookaway.analyses.populations import distinct
from lookaway.geometry.visibility import phases_from_visible
from lookaway.pipeline.pool_hours import parse_pool, pool_hours
from lookaway.pipeline.stage import selected
from lookaway.records import CaseId, Instrument, MetricRef, Protocol, Step, Table, field_text
from lookaway.reports.drawing.marks import with_marks
from lookaway.reports.drawing.phrases import number
from tests.analyses.score_tables import table
from tests.builders import task
from tests.store.store_records import a_score


@pytest.mark.parametrize(
    "function",
    [
        CaseId,
        Instrument,
        MetricRef,
        Table,
        distinct,
        field_text,
        number,
        parse_pool,
        phases_from_visible,
        pool_hours,
        pooled,
        selected,
        with_marks,
    ],
    ids=lambda f: f.__name__,
)
def test_the_example_in_a_docstring_is_true(function: Callable[..., Any]) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(function)
    assert len(example.examples) >= 2
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_table_in_the_docstring_of_fates_is_true() -> None:
    """Rows such as `a  0.9  0.7  ->  lost  1  0.7`: a clip, its two scores, how, where and with what it ended."""
    rows = [line.replace("->", " ").split() for line in str(fates.__doc__).splitlines() if "->" in line]
    assert len(rows) >= 3
    steps = tuple(Step(name=m, metric=f"{m}:sound", at_least=least) for m, least in (("place", 0.5), ("state", 0.8)))
    metrics = tuple(step.metric for step in steps)
    protocol = Protocol(name="diorama", summary="", metrics=metrics, headline=(), ledger=steps)
    scores = [
        a_score(name, metric=metric, **(_abstained() if value == "abstained" else {"value": float(value)}))
        for name, place, state, *_ in rows
        for metric, value in (("place", place), ("state", state))
    ]
    found = fates(table(scores), protocol, {name: task(id=name) for name, *_ in rows})
    told = found.select("task", "outcome", pl.col("ended", "value").cast(pl.String).fill_null("null"))
    assert told.rows() == [(name, outcome, ended, value) for name, _, _, outcome, ended, value in rows]


def _abstained() -> dict[str, Any]:
    return {"value": None, "status": "abstained", "reason": "why"}
