"""A score table of simulated systems under MemoBench's metrics, with effects of known size or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from lookaway.analyses import Findings, Scale
from lookaway.records import ModelCard, Protocol, Score, System, Task
from lookaway.store import parquet
from tests.builders import task

SYSTEMS = tuple(f"m{n}" for n in range(8))
RATES = (
    "visual_quality",
    "motion_smoothness",
    "object_identity",
    "geometric_consistency",
    "object_reappearance",
    "ssim_all",
    "lpips_all",
    "ssim_returned",
    "lpips_returned",
    "camera_controllability",
    "image_reward",
    "vqa_instruction",
    "vqa_things",
    "vqa_memory",
    "vqa_physics",
)
IN_DB = ("psnr_all", "psnr_returned")
CAMERAS = {"far": "hold@1s, yaw:left:120@1s, yaw:right:120@1s", "near": "hold@1s, yaw:left:40@1s, yaw:right:40@1s"}
FIELDS = parquet.schema(Score)

Shift = Callable[[str, str, Task], float]  # of a system, a metric and a task: what is added to its mean


def nothing(system: str, metric: str, one: Task) -> float:
    return 0.0


def shifted(**by_metric: Mapping[str, float]) -> Shift:
    """`shifted(visual_quality={"m0": 0.2})`"""
    return lambda system, metric, one: by_metric.get(metric, {}).get(system, 0.0)


def tasks(scenes: int = 12) -> list[Task]:
    return [
        task(id=f"s{scene:02}-{kind}", scene=f"s{scene:02}", camera=path, split="synthetic" if scene % 2 else "real")
        for scene in range(scenes)
        for kind, path in CAMERAS.items()
    ]


def simulated(
    seed: int = 0,
    shift: Shift = nothing,
    *,
    metrics: Sequence[str] = (*RATES, *IN_DB),
    still: Mapping[str, float] | None = None,
    rest_bonus: Mapping[str, float] | None = None,
    variant: str = "paper",
    noise: float = 0.08,
    scenes: int = 12,
    protocol: str = "memobench",
) -> Findings:
    """Every metric of every clip; `still` is the share of a system's clips at rest, `rest_bonus` what that adds."""
    rng, asked = np.random.default_rng(seed), tasks(scenes)
    hard = {one.scene: 0.05 * rng.standard_normal() for one in asked}
    rows = []
    for system in SYSTEMS:
        for one in asked:
            rests = bool(rng.random() < (still or {}).get(system, 0.0))
            rows.append(_row(one, system, "camera_inactivity", "sound", float(rests), protocol))
            for metric in metrics:
                bonus = (rest_bonus or {}).get(metric, 0.0) * rests
                drawn = hard[one.scene] + shift(system, metric, one) + bonus + noise * rng.standard_normal()
                value = 15 + 10 * drawn if metric in IN_DB else float(np.clip(0.5 + drawn, 0, 1))
                rows.append(_row(one, system, metric, variant, value, protocol))
    refs = tuple(f"{name}:{variant}" for name in metrics)
    known = Protocol(name=protocol, summary="", metrics=(*refs, "camera_inactivity:sound"), headline=refs)
    scales = {(name, variant): Scale(0.0, 1.0, 0.0) for name in metrics if name not in IN_DB}
    frame = pl.DataFrame(rows, schema=FIELDS, orient="row")
    return Findings(frame, {one.id: one for one in asked}, [_system(name) for name in SYSTEMS], known, scales)


def _system(name: str) -> System:
    return System(name=name, card=ModelCard(name=name, summary="", control="none", generator="x"))


def _row(one: Task, system: str, metric: str, variant: str, value: float, protocol: str) -> list[Any]:
    facts = {
        **{"task": one.id, "system": system, "protocol": protocol, "metric": metric, "variant": variant},
        **{"instrument": "eye", "status": "ok", "gate": None, "value": value, "reason": ""},
    }
    plain = {"seed": 0, "round": 1, "version": 1, "key": "", "inputs": "", "attempt": 0, "evidence": []}
    return [facts.get(name, plain.get(name, None if name in ("low", "high") else "")) for name in FIELDS]
