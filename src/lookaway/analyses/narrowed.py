"""Findings about the metrics that a report opens with: what the others say need not be read, joined and sorted."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from lookaway.analyses import Findings

BESIDE = ("psnr_returned", "ssim_returned")  # set beside what came back


def headline_findings(findings: Findings) -> Findings:
    """The findings with the scores of headline, ledger and pixels after the return alone; asked for by `once`."""
    protocol = findings.protocol
    names = {*BESIDE, *(ref.name for ref in protocol.headline), *(step.metric.name for step in protocol.ledger)}
    return replace(findings, scores=findings.scores.filter(pl.col("metric").is_in(sorted(names))))
