"""Findings about a few metrics: what the others say need not be read, joined and sorted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from lookaway.analyses import Findings


def headline_findings(findings: Findings) -> Findings:
    """The findings with the scores of the headline alone."""
    return of_metrics(findings, (ref.name for ref in findings.protocol.headline))


def of_metrics(findings: Findings, names: Iterable[str]) -> Findings:
    """The findings with the scores of metrics of those names."""
    return replace(findings, scores=findings.scores.filter(pl.col("metric").is_in(sorted(set(names)))))
