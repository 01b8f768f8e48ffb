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
PAUSE_S, FEW_ITEMS = 5.0, 4  # about how fast people are

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
| seconds until acknowledged: median / p95 / p99 / most | {flat_out} |
| the same of {few} answers of {raters} raters who take 5 s for one, without kills | {at_ease} |

SQLite {sqlite}, write-ahead log, `synchronous=FULL`; FastAPI {fastapi}, uvicorn {uvicorn}; {cores} cores, shared with
the raters and with other work (load average {busy:.0f}).
"""


def times(load: Load) -> str:
    return " / ".join(f"{seconds:.3f}" for seconds in np.percentile(load.seconds, [50, 95, 99, 100]))


def page(load: Load, after: Found, at_ease: Load) -> str:
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
        flat_out=times(load),
        few=len(at_ease.kept),
        at_ease=times(at_ease),
        busy=os.getloadavg()[0],
        sqlite=sqlite3.sqlite_version,
        fastapi=version("fastapi"),
        uvicorn=version("uvicorn"),
        cores=os.cpu_count(),
    )


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        study = many_pairs(Path(folder) / "study", ITEMS)
        load = loaded(study, RATERS, KILLS)
        at_ease = loaded(many_pairs(Path(folder) / "few", FEW_ITEMS), RATERS, 0, PAUSE_S)
        print(page(load, found(study, load), at_ease), end="")
