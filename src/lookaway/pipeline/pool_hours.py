"""How long so many clips take on a pool of CPUs and GPUs, by what one clip costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from lookaway.errors import UnknownName, UsageError

Device = Literal["cpu", "gpu"]
HOUR_S = 3600.0


@dataclass(frozen=True)
class ClipCost:
    """Seconds that one thing takes for one clip, on one CPU or GPU; None where nobody measured it."""

    name: str
    device: Device
    seconds: float | None


@dataclass(frozen=True)
class PoolHours:
    """Hours on each part of a pool. Both work at the same time, so the longer one is how long it takes."""

    clips: int
    seconds_per_clip: dict[Device, float]
    hours_of: dict[Device, float]
    unknown: tuple[str, ...]  # not counted

    @property
    def hours(self) -> float:
        return max(self.hours_of.values())


def pool_hours(costs: Sequence[ClipCost], pool: Mapping[Device, int], clips: int) -> PoolHours:
    """Without GPUs in the pool, what wants one runs on CPUs at the seconds that are told.

    >>> pool_hours([ClipCost("see", "cpu", 3.6), ClipCost("model", "gpu", 1.8)], {"cpu": 2, "gpu": 1}, 1000).hours_of
    {'cpu': 0.5, 'gpu': 0.5}
    >>> pool_hours([ClipCost("see", "cpu", 3.6), ClipCost("model", "gpu", 1.8)], {"cpu": 2}, 1000).hours_of
    {'cpu': 0.75}
    """
    kinds: list[Device] = [device for device in get_args(Device) if pool.get(device)]
    per_clip: dict[Device, float] = dict.fromkeys(kinds, 0.0)
    for cost in costs:
        per_clip[cost.device if cost.device in per_clip else "cpu"] += cost.seconds or 0.0
    hours = {device: per_clip[device] * clips / pool[device] / HOUR_S for device in kinds}
    return PoolHours(clips, per_clip, hours, tuple(cost.name for cost in costs if cost.seconds is None))


def with_rates(costs: Sequence[ClipCost], rates: Mapping[str, float]) -> list[ClipCost]:
    """The costs with seconds per clip that somebody measured; what has a name of its own, such as a judge, is added."""
    names = {cost.name for cost in costs}
    alien = [name for name in rates if name not in names and not name.startswith("judge")]
    if alien:
        raise UnknownName("cost", alien[0], [*names, "judge"])
    told = [replace(cost, seconds=rates.get(cost.name, cost.seconds)) for cost in costs]
    return told + [ClipCost(name, "gpu", seconds) for name, seconds in rates.items() if name not in names]


def parse_pool(text: str) -> dict[Device, int]:
    """
    >>> parse_pool("cpu=64,gpu=8")
    {'cpu': 64, 'gpu': 8}
    >>> parse_pool("cpu=2")
    {'cpu': 2}
    """
    pool: dict[Device, int] = {}
    for part in text.split(","):
        name, _, count = part.strip().partition("=")
        if name not in get_args(Device) or not count.isdecimal():
            raise UsageError(f"--pool '{text}' must read cpu=NUMBER,gpu=NUMBER, such as cpu=64,gpu=8")
        pool["cpu" if name == "cpu" else "gpu"] = int(count)
    if not pool.get("cpu"):
        raise UsageError(f"--pool '{text}' has no CPU, and scores need one")
    return pool
