"""A share that was counted by an instrument which errs, corrected by how often it errs (Rogan and Gladen 1978).

The interval is that of Lang and Reiczigel (2014): it carries what is not known of the instrument's error as well as
what is not known of the share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from lookaway.outcomes import Abstain
from lookaway.stats.bootstrap_t import LEVEL, Floats
from lookaway.stats.intervals import Estimate, effective_size

Z = float(ndtri(0.5 + LEVEL / 2))
NO_BETTER = "the instrument is not shown to tell yes from no better than chance"


class Share(NamedTuple):
    """A share of `n` independent rows; broken, where rows come in scenes."""

    rate: float
    n: float

    def widened(self, successes: float, rows: float) -> Share:
        """With so many rows added, of which so many are successes: a share from few rows is never quite 0 or 1."""
        return Share((self.rate * self.n + successes) / (self.n + rows), self.n + rows)

    @property
    def variance(self) -> float:
        return self.rate * (1 - self.rate) / self.n


def scene_share(successes: Floats, counts: Floats) -> Share | Abstain:
    """A share from each scene's successes and row count."""
    if len(counts) < 2:
        return Abstain(f"too few scenes ({len(counts)})")
    return Share(float(successes.sum() / counts.sum()), effective_size(successes, counts))


def corrected_share(seen: Share, sensitivity: Share, specificity: Share) -> Estimate | Abstain:
    """The share of rows that are yes, where `seen` of them are called so.

    `sensitivity` is the share of true yes that is called yes, `specificity` that of true no that is called no, from
    rows apart from those of `seen`. An instrument that says yes to 0.30 of all, to 0.9 of the true ones and to 0.1 of
    the others, has seen 0.25.
    """
    called, hits, passes = seen.widened(Z**2 / 2, Z**2), sensitivity.widened(1, 2), specificity.widened(1, 2)
    told = hits.rate + passes.rate - 1
    if told <= Z * np.sqrt(hits.variance + passes.variance):
        return Abstain(NO_BETTER)
    middle = (called.rate + passes.rate - 1) / told
    shift = 2 * Z**2 * (middle * hits.variance - (1 - middle) * passes.variance)
    spread = called.variance + middle**2 * hits.variance + (1 - middle) ** 2 * passes.variance
    half = Z * np.sqrt(spread) / told
    faked = 1 - specificity.rate
    value = (seen.rate - faked) / (sensitivity.rate - faked)
    ends = (value, middle + shift - half, middle + shift + half)
    value, low, high = (float(np.clip(end, 0, 1)) for end in ends)
    return Estimate(value, min(low, value), max(high, value), "Rogan-Gladen, Lang-Reiczigel")
