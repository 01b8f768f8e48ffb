"""100 raters answer at once while the server is killed -9 five times: what is lost, what is doubled, how long.

    python benchmarks/people.py > benchmarks/people.md

Takes some minutes. Every rater sends the next answer as soon as the last is acknowledged, which no person does.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.people.load import Found, Load, found, loaded, many_pairs

RATERS, ITEMS, KILLS = 100, 50, 5  # with two questions an item: 10,000 answers

PAGE = """\
# 100 raters at once, the server killed five times

Made by `python benchmarks/people.py`: {raters} raters over real HTTP, {answers} answers to `lookaway people serve` in a
process of its own, killed with SIGKILL {kills} times while they answer and started again on the same port. A rater who
gets no answer sends the same submission again. Raters send as fast as they are answered, which no person does: these
are times of a server at its limit.

| | |
|---|---|
| answers acknowledged | {answers} |
| kills | {kills} |
| acknowledged and lost, or kept as something else | **{lost}** |
| doubled | **{doubled}** |
| rows in the book | {rows} |
| sent again because the server was gone | {again} |
| told to wait (10 answers a second each) | {waited} |
| answers a second, deaths and starts included | {rate:.0f} |
| seconds until acknowledged: median / p95 / p99 / most | {median:.3f} / {p95:.3f} / {p99:.3f} / {most:.3f} |

SQLite {sqlite}, write-ahead log, `synchronous=FULL`; FastAPI {fastapi}, uvicorn {uvicorn}; {cores} cores, shared with
the raters and with other work.
"""


def page(load: Load, after: Found) -> str:
    median, p95, p99 = np.percentile(load.seconds, [50, 95, 99])
    return PAGE.format(
        raters=RATERS,
        answers=f"{len(load.kept):,}",
        kills=load.kills,
        lost=after.lost,
        doubled=after.doubled,
        rows=f"{after.rows:,}",
        again=load.sent_again,
        waited=load.told_to_wait,
        rate=len(load.kept) / load.lasted_s,
        median=median,
        p95=p95,
        p99=p99,
        most=max(load.seconds),
        sqlite=sqlite3.sqlite_version,
        fastapi=version("fastapi"),
        uvicorn=version("uvicorn"),
        cores=os.cpu_count(),
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        study = many_pairs(Path(folder) / "study", ITEMS)
        load = loaded(study, RATERS, KILLS)
        print(page(load, found(study, load)), end="")
