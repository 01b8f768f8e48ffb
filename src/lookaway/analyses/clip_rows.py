"""Scores with what their tasks say: one row per clip and metric, which analyses part and count as they need."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.populations import counted_rows
from lookaway.geometry.asked import asked_poses, asked_seconds, largest_turn_deg, stands_still
from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.geometry.visibility import obstacle
from lookaway.records import Task

KEPT = ["task", "system", "seed", "round", "metric", "variant", "instrument", "instrument_key", "ask", "ask_key"]
UNASKED = ("avoided", "no_opportunity", "not_judgeable")  # the clip did not pose the question, whosever fault it is
UNKNOWN = ("abstained", "failed")  # nobody knows
TRAJECTORY_TAGS = ("trajectory:", "camera:")
UNNAMED_LOOKS = ("look_away", "none")
NOTABLE_YAW_DEG = 2.0
MOMENTS = 65  # at which an asked path is looked at for its peak


def clip_rows(findings: Findings) -> pl.DataFrame:
    """The protocol's rows by the newest version of each metric, in its population, twins and branches left out.

    `fate` is the gate or the status; `credited` is the value, 0 where the clip did not pose the question, and null
    where nobody knows or there is no video. `direction` is left, right, static or other, `opportunity` null if unknown.
    """
    ours = findings.scores.filter(
        (pl.col("protocol") == findings.protocol.name)
        & (pl.col("branch") == "")
        & pl.col("task").is_in(list(findings.tasks))
    )
    newest = ours.filter(pl.col("version") == pl.col("version").max().over("metric", "variant"))
    fate = pl.coalesce("gate", "status")
    credited = pl.when(fate.is_in(UNASKED)).then(0.0).otherwise(pl.col("value"))
    told = ["version", "value", "low", "high", "reason"]
    rows = newest.select(*KEPT, *told, fate.alias("fate"), credited.alias("credited"))
    return counted_rows(rows, findings).join(_facts(findings), on="task", how="left").sort(*KEPT)


def direction(task: Task) -> str:
    """Which way the asked camera looks first: left, right, static, or other where it does neither."""
    return _direction(task.model_copy(update={"id": "", "scene": "", "prompt": ""})) if task.camera_asked else "other"


@lru_cache(maxsize=4096)
def _direction(task: Task) -> str:
    if stands_still(task):
        return "static"
    poses = asked_poses(task, np.linspace(0.0, asked_seconds(task), MOMENTS))
    yaw = yaw_pitch_deg(poses[:, :3, :3])[:, 0]
    peak = float(yaw[np.argmax(np.abs(yaw))])
    return "other" if abs(peak) < NOTABLE_YAW_DEG else "right" if peak > 0 else "left"


def camera(task: Task) -> str:
    """Such as `left 60`."""
    way = direction(task)
    return f"{way} {round(largest_turn_deg(task))}" if way in ("left", "right") else way


def trajectory(task: Task) -> str:
    """The look that is asked for by its name, in a tag or as a control; by the camera's way where it has none."""
    told = [tag.partition(":")[2] for tag in task.tags if tag.startswith(TRAJECTORY_TAGS)]
    named = [name for name in task.observation_controls if name not in UNNAMED_LOOKS]
    return told[0] if told else "+".join(named) or camera(task)


def opportunity(task: Task) -> bool | None:
    """Whether the task can hide its subject and bring it back; None where neither phases nor geometry tell."""
    known = task.phases or (task.camera_asked and task.subjects)
    return obstacle(task) is None if known else None


def _facts(findings: Findings) -> pl.DataFrame:
    told = [
        {
            "task": task.id,
            "scene": task.scene,
            "event": task.event,
            "direction": direction(task),
            "camera": camera(task),
            "opportunity": opportunity(task),
            "family": task.family,
            "action": task.action,
            "tier": task.tier,
            "venue": task.venue,
            "split": task.split,
            "trajectory": trajectory(task),
        }
        for task in findings.tasks.values()
    ]
    schema = {name: pl.Boolean if name == "opportunity" else pl.String for name in _FACTS}
    return pl.DataFrame(told, schema=schema)


_FACTS = (
    "task",
    "scene",
    "event",
    "direction",
    "camera",
    "opportunity",
    "family",
    "action",
    "tier",
    "venue",
    "split",
    "trajectory",
)
