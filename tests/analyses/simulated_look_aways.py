"""Scores of simulated systems on clips that look away, in two splits, with effects of known size or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from lookaway.analyses import Findings, Scale
from lookaway.records import ModelCard, Protocol, Score, System, Table, TableCell, Task
from lookaway.store import parquet
from tests.builders import task

FIELDS = parquet.schema(Score)
CAMERAS = {
    "pan": "hold@1s, yaw:left:60@0.5s, hold@1s, yaw:right:60@0.5s, hold@1s",
    "u_turn": "hold@1s, yaw:left:90@0.5s, hold@0.5s, yaw:left:90@0.5s, hold@1.5s",
    "glance": "hold@1s, yaw:left:30@0.5s, hold@1s, yaw:right:30@0.5s, hold@1s",
}
MEANS = {
    "psnr_all:paper": 15.0,
    "psnr_visible:paper": 18.0,
    "psnr_returned:paper": 14.0,
    "ssim_all:paper": 0.5,
    "ssim_visible:paper": 0.6,
    "ssim_returned:paper": 0.45,
    "lpips_visible:paper": 0.3,
    "lpips_returned:paper": 0.45,
    "camera_controllability:sound": 0.6,
    "camera_rotation_error:sound": 20.0,
    "camera_gain:sound": 0.9,
    "vqa_instruction:sound": 0.6,
    "vqa_things:sound": 0.6,
    "vqa_memory:sound": 0.6,
    "vqa_physics:sound": 0.6,
}
HEADLINE = ("psnr_all:paper", "ssim_all:paper", "camera_controllability:sound")
PROTOCOL = Protocol(name="memobench", summary="", metrics=tuple(MEANS), headline=HEADLINE)
SCALES = {
    ("ssim_all", "paper"): Scale(0.0, 1.0, 0.0),
    ("camera_controllability", "sound"): Scale(0.0, 1.0, 0.0),
} | {(name.partition(":")[0], "sound"): Scale(0.0, 1.0, 0.0) for name in MEANS if name.startswith("vqa")}


@dataclass(frozen=True)
class Planted:
    """Effects on the scores; all empty is a null."""

    far: Mapping[str, float] = field(default_factory=dict)  # added where the camera makes a U-turn, by metric
    real: Mapping[str, float] = field(default_factory=dict)  # added in the split real
    falls: float = 0.0  # share of a system's lead while visible that it loses until the return
    scene: Mapping[str, float] = field(default_factory=dict)  # added in the first scene
    of_system: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # added to a system's values
    linked: float = 0.0  # by how much controllability falls for one standard deviation of rotation error
    spread: float = 0.1  # of systems' skills, relative to a metric's mean
    noise: float = 0.1  # of clips, likewise


def tasks(scenes: int = 12) -> list[Task]:
    return [
        task(
            id=f"s{scene:02}-{name}",
            scene=f"s{scene:02}",
            split="real" if scene % 2 else "synthetic",
            observation_controls=(name,),
            camera=camera,
        )
        for scene in range(scenes)
        for name, camera in CAMERAS.items()
    ]


def systems(*cards: Mapping[str, Any]) -> list[System]:
    """One for each set of facts of a card."""
    plain = {"summary": "", "control": "none", "generator": "x"}
    return [System(name=str(card["name"]), card=ModelCard.model_validate(plain | dict(card))) for card in cards]


def simulated(
    seed: int = 0,
    planted: Planted = Planted(),
    scenes: int = 12,
    among: Sequence[System] = tuple(systems(*({"name": f"m{number}"} for number in range(9)))),
) -> Findings:
    rng, asked, rows = np.random.default_rng(seed), tasks(scenes), []
    for system in among:
        skill = {name: planted.spread * rng.standard_normal() for name in MEANS}
        for measure in ("psnr", "ssim"):
            lead = skill[f"{measure}_visible:paper"]
            skill[f"{measure}_returned:paper"] = (1 - planted.falls) * lead
        skill["lpips_returned:paper"] = (1 - planted.falls) * skill["lpips_visible:paper"]
        for one in asked:
            error = float(rng.standard_normal())
            for name, mean in MEANS.items():
                noise = error if name.startswith("camera_rotation") else float(rng.standard_normal())
                size = MEANS[name.replace("_returned", "_visible")]  # a measure spreads as much before as after
                drawn = mean + size * (skill[name] + planted.noise * noise)
                drawn += planted.far.get(name, 0) * (one.observation_controls == ("u_turn",))
                drawn += planted.real.get(name, 0) * (one.split == "real")
                drawn += planted.scene.get(name, 0) * (one.scene == "s00")
                drawn += planted.of_system.get(system.label, {}).get(name, 0)
                drawn -= planted.linked * error * name.startswith("camera_controllability")
                known = SCALES.get((name.partition(":")[0], name.partition(":")[2]))
                rows.append(
                    _row(one.id, system.label, name, min(max(drawn, known.low), known.high) if known else drawn)
                )
    frame = pl.DataFrame(rows, schema=FIELDS, orient="row")
    return Findings(frame, {one.id: one for one in asked}, list(among), PROTOCOL, SCALES)


def _row(task: str, system: str, metric: str, value: float) -> list[Any]:
    name, _, variant = metric.partition(":")
    facts = {"task": task, "system": system, "metric": name, "variant": variant, "value": value}
    facts |= {"protocol": "memobench", "instrument": "eyes", "status": "ok"}
    plain = {"seed": 0, "round": 1, "version": 1, "attempt": 0, "evidence": []}
    return [facts.get(name, plain.get(name, None if name in ("low", "high", "gate") else "")) for name in FIELDS]


def without(findings: Findings, missing: pl.Expr) -> Findings:
    """The findings where some scores abstained."""
    lost = {"value": pl.lit(None, pl.Float64), "status": pl.lit("abstained"), "reason": pl.lit("not seen")}
    scores = findings.scores.with_columns(
        pl.when(missing).then(new).otherwise(name).alias(name) for name, new in lost.items()
    )
    return Findings(scores, findings.tasks, findings.systems, findings.protocol, findings.scales)


def cell(table: Table, row: str, column: str, after: str = "") -> TableCell:
    """By the row's title, below the row called `after` where given, and the beginning of the column's name."""
    titles = [one.title for one in table.rows]
    start = titles.index(after) if after else 0
    (place, *_) = [n for n, one in enumerate(table.columns) if one.name.startswith(column)]
    return table.rows[titles.index(row, start)].cells[place]


def marked_rows(table: Table) -> set[str]:
    return {row.title for row in table.rows if any("significant" in cell.marks for cell in row.cells)}
