"""Pairs: the same question in two arms, such as hidden and observed; alike in everything else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.ledger import CLIP, fates
from lookaway.geometry.cover import parse_cover
from lookaway.records import Population, Protocol, Task, Twin

READING = ["task", "system", "seed", "branch", "round", "metric", "variant"]
READING += ["instrument", "instrument_key", "ask", "ask_key", "value", "reason"]
QUESTION = ["metric", "variant", "instrument_key", "ask_key"]
PAIR = ["pair", "system", "seed", "round"]
STEP = "step"  # the variant of a reading that is a step of the ledger


class ContrastArm(NamedTuple):
    """One side of a contrast: a kind of twin, a branch, or neither: the tasks as they are."""

    name: str
    twin: Twin | None = None
    branch: str = ""

    def pairs(self, tasks: Mapping[str, Task]) -> dict[str, str]:
        """Its tasks, each with the id of the task that it is paired by: the one it is a twin of, or its own."""
        mine = [task for task in tasks.values() if task.twin == self.twin]
        return {task.id: task.id if self.twin is None else str(task.twin_of) for task in mine}


HIDDEN, OBSERVED = ContrastArm("hidden"), ContrastArm("observed", twin="observed")


def paired(scores: pl.DataFrame, tasks: Mapping[str, Task], first: ContrastArm, second: ContrastArm) -> pl.DataFrame:
    """One row per pair: the same system, seed, metric, instrument, ask and round of a task in both arms.

    `first` and `second` are the two numbers; where one has none it is null, and `first_reason` or `second_reason` says
    why. `scene` is the scene of the pair. A task that has no counterpart in the other arm is in no pair.

        task  twin of  value       pair  first  second
        a     -        0.2     ->  a     0.2    0.9
        b     a        0.9
        c     -        0.5
    """
    members = [_members(arm, tasks) for arm in (first, second)]
    both = set(members[0]["pair"]) & set(members[1]["pair"])
    scenes = {pair: task.scene for pair, task in tasks.items() if pair in both}
    one, other = (
        _side(scores, arm, mine.filter(pl.col("pair").is_in(list(scenes))), name)
        for arm, mine, name in ((first, members[0], "first"), (second, members[1], "second"))
    )
    found = one.join(other, on=[*PAIR, *QUESTION], how="full", coalesce=True)
    return found.with_columns(
        reason_of("first"), reason_of("second"), scene=pl.col("pair").replace_strict(scenes, return_dtype=pl.String)
    ).sort(*QUESTION, *PAIR)


def reason_of(name: str) -> pl.Expr:
    """Why a side has no number; null where it has one."""
    told = pl.col(f"{name}_reason").fill_null("not scored")
    return pl.when(pl.col(name).is_null()).then(told).alias(f"{name}_reason")


def _members(arm: ContrastArm, tasks: Mapping[str, Task]) -> pl.DataFrame:
    """Tasks of an arm and their pairs; an observed one is in the pair of every task that it is comparable with."""
    also = stand_ins(tasks) if arm.twin == "observed" else {}
    found = [*arm.pairs(tasks).items(), *((observed, hidden) for hidden, observed in also.items())]
    return pl.DataFrame(found, schema={"task": pl.String, "pair": pl.String}, orient="row")


def stand_ins(tasks: Mapping[str, Task]) -> dict[str, str]:
    """Of hidden tasks without an observed twin, the twin of a comparable one: the same but for what hides.

    One picture, one prompt and a resting camera hidden by cardboard, a curtain or darkness for the same seconds are
    observed once.
    """
    watched: dict[tuple[object, ...], str] = {}
    twins = [task for task in tasks.values() if task.twin == "observed" and str(task.twin_of) in tasks]
    for twin in twins:
        watched.setdefault(_comparable(tasks[str(twin.twin_of)]), twin.id)
    own = {twin.twin_of for twin in twins}
    alone = [task for task in tasks.values() if task.twin is None and task.id not in own]
    return {task.id: seen for task in alone if task.cover and (seen := watched.get(_comparable(task)))}


def _comparable(task: Task) -> tuple[object, ...]:
    """All that must be alike for one observed clip to serve two hidden tasks: everything but the kind of cover."""
    plan = parse_cover(task.cover) if task.cover else None
    hidden = tuple((phase.start_s, phase.end_s) for phase in task.phases if phase.phase == "hidden")
    shape = (task.width, task.height, task.fps, task.seconds, task.hfov_deg, task.pitch_deg)
    told = (task.suite, task.scene, task.prompt, task.first_frame, task.camera, task.poses)
    return *told, *shape, hidden, plan and (plan.seconds, plan.shares)


def _side(scores: pl.DataFrame, arm: ContrastArm, pairs: pl.DataFrame, name: str) -> pl.DataFrame:
    mine = scores.filter(pl.col("branch") == arm.branch).with_columns(pl.col("task").cast(pl.String))
    named = mine.join(pairs, on="task").select(
        *("system", "seed", "round"),
        *QUESTION,
        "pair",
        pl.col("value").alias(name),
        pl.col("reason").alias(f"{name}_reason"),
    )
    return named.sort(name, f"{name}_reason").unique([*PAIR, *QUESTION], keep="first", maintain_order=True)


def branch_tasks(findings: Findings, branch: str) -> dict[str, Task]:
    """The tasks of which some case went along that branch."""
    along = set(findings.scores.filter(pl.col("branch") == branch)["task"].cast(pl.String))
    return {id: task for id, task in findings.tasks.items() if id in along}


def step_readings(
    scores: pl.DataFrame, protocol: Protocol, tasks: Mapping[str, Task], *arms: ContrastArm
) -> pl.DataFrame:
    """The ledger as readings, one per clip of the arms and step: 1 reached, 0 lost there or before.

    A clip that became unknown at the step or before has no number, nor has one that the step does not concern.
    """
    mine = {id: tasks[id] for arm in arms for id in arm.pairs(tasks)}
    whole = protocol.model_copy(update={"population": Population(twins=("observed", "static", "opposite"))})
    clips = fates(scores, whole, mine, list(dict.fromkeys(arm.branch for arm in arms)))
    parts = [_readings_of_step(clips, number, step.name) for number, step in enumerate(protocol.ledger)]
    return pl.concat(parts)


def _readings_of_step(clips: pl.DataFrame, number: int, name: str) -> pl.DataFrame:
    ended_by_now = (pl.col("ended") <= number).fill_null(False)
    unknown = ended_by_now & (pl.col("outcome") == "unknown")
    skipped = pl.col("skipped") // (1 << number) % 2 == 1
    reached = pl.when(ended_by_now).then(0.0).otherwise(1.0)
    why = (
        pl.when(skipped).then(pl.lit(f"{name} does not concern it")).when(unknown).then("reason").otherwise(pl.lit(""))
    )
    return clips.select(
        *CLIP,
        pl.lit(1, pl.Int64).alias("round"),
        pl.lit(name).alias("metric"),
        pl.lit(STEP).alias("variant"),
        pl.col("instruments").alias("instrument"),
        pl.col("instruments").alias("instrument_key"),
        pl.lit("").alias("ask"),
        pl.lit("").alias("ask_key"),
        pl.when(~unknown & ~skipped).then(reached).alias("value"),
        why.alias("reason"),
    ).select(READING)


def metric_readings(scores: pl.DataFrame, protocol: Protocol) -> pl.DataFrame:
    """The protocol's scores by the newest version of each metric."""
    ours = scores.filter(pl.col("protocol") == protocol.name)
    return ours.filter(pl.col("version") == pl.col("version").max().over("metric", "variant")).select(READING)
