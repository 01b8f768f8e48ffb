"""Forgot, or could not steer? Every task that gives true frames, with them and from its first frame alone.

Given the true way out a model need not steer there: who fails even then has forgotten; who fails only without could not
steer.
"""

from __future__ import annotations

import polars as pl

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.contrasts import PAIRING, contrast, difference_cell
from lookaway.analyses.pairs import ContrastArm, branch_tasks, paired, step_readings
from lookaway.analyses.populations import counted_rows
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.rates import wilson

GIVEN, ALONE = ContrastArm("given the way out"), ContrastArm("from the first frame", branch="without-prefix")
OUTCOMES = {  # of a pair: reached the last step with the frames given, and without
    "both": (1.0, 1.0),
    "could not steer": (1.0, 0.0),
    "forgot": (0.0, 0.0),
    "only without": (0.0, 1.0),
}
COLUMNS = (
    *(Column(name=name.replace(" ", "_"), title=name, unit="rate") for name in OUTCOMES),
    Column(name="difference", title="given minus not given", unit="rate"),
)


@analysis(version=1, title="Forgot, or could not steer")
def prefix_effect(findings: Findings) -> list[Table] | Abstain:
    """Per system: of tasks that give true frames, how many come right with them, without, with both or neither."""
    tasks = {id: task for id, task in branch_tasks(findings, ALONE.branch).items() if task.prefix is not None}
    if not findings.protocol.ledger:
        return Abstain("the protocol has no ledger, so that nothing says when a clip comes right")
    if not tasks:
        return Abstain("no case was made without its given frames: lookaway run --branches without-prefix")
    last = findings.protocol.ledger[-1].name
    readings = step_readings(findings.scores, findings.protocol, tasks, GIVEN, ALONE)
    pairs = paired(readings.filter(pl.col("metric") == last), tasks, GIVEN, ALONE)
    counted = counted_rows(pairs.rename({"pair": "task"}), findings)
    rows = [
        TableRow(title=s.label, cells=_cells(counted.filter(pl.col("system") == s.label))) for s in findings.systems
    ]
    table = Table(
        name=table_name("prefix-effect", findings.protocol.name),
        title="Forgot, or could not steer",
        columns=COLUMNS,
        rows=tuple(rows),
        notes=(
            f"A pair is a task with its true frames given and without them: {PAIRING}. Right is: {last}, and every "
            "step before. Pairs in which a side is unknown are left out.",
            "Rates have Wilson's intervals over pairs, the difference one over scenes.",
        ),
        protocol=findings.protocol.name,
        reading="Forgot: wrong even though the way out was given. Could not steer: wrong only without it.",
    )
    return [table]


def _cells(pairs: pl.DataFrame) -> tuple[TableCell, ...]:
    known = pairs.drop_nulls(["first", "second"])
    if not known.height:
        return tuple(TableCell(reason="no pair with two verdicts", n=0, total=pairs.height) for _ in COLUMNS)
    made = []
    for given, alone in OUTCOMES.values():
        count = known.filter((pl.col("first") == given) & (pl.col("second") == alone)).height
        rate = wilson(count, known.height)
        made.append(TableCell(value=rate.value, low=rate.low, high=rate.high, n=known.height, total=pairs.height))
    apart = contrast("given minus not given", pairs, GIVEN, ALONE, binary=True, most=1.0)
    return (*made, difference_cell(apart))
