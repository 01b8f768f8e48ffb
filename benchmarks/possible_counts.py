"""Does the checker of denominators keep the true one, and how many does it leave? Verdict tables are simulated.

python benchmarks/possible_counts.py [TABLES]
"""

from __future__ import annotations

import sys

import numpy as np

from lookaway.stats.possible_counts import possible_counts

MOST = 400


def main(tables: int = 200_000) -> None:
    draw = np.random.default_rng(11)
    for rates in (2, 4, 6):
        missed, left = 0, []
        for n in draw.integers(2, MOST + 1, tables):
            passed = draw.binomial(n, draw.random(rates))
            possible = possible_counts(np.round(100 * passed / n, 1).tolist(), most=MOST)
            missed += n not in possible
            left.append(len(possible) / MOST)
        print(
            f"{rates} rates, {tables} tables: true n missing {missed}; median list {np.median(left):.1%} of n <= {MOST}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
