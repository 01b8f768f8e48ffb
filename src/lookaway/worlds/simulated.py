"""Physics run once when a process is built, and looked up at any time afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.extras import need

Data: TypeAlias = Any  # mujoco.MjData, which has no type stubs


@dataclass(frozen=True)
class Recording:
    """What was observed at every step of a simulation, one row each."""

    rows: FloatArray
    step_s: float

    def at(self, process_s: float) -> FloatArray:
        """The row at that time, between two steps a mixture of both; before and after it holds its ends."""
        place = float(np.clip(process_s / self.step_s, 0, len(self.rows) - 1))
        before = min(int(place), len(self.rows) - 2)
        share = place - before
        row: FloatArray = self.rows[before] * (1 - share) + self.rows[before + 1] * share
        return row


def recorded(
    xml: str,
    until_s: float,
    observe: Callable[[Data], Sequence[float]],
    start: Callable[[Data], None] = lambda data: None,
    push: Callable[[Data], None] = lambda data: None,
) -> Recording:
    """Simulate a MuJoCo model; `start` sets it going, `push` may set forces before every step."""
    mujoco = need("mujoco")
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    start(data)
    mujoco.mj_forward(model, data)
    rows = []
    for _ in range(round(until_s / model.opt.timestep) + 1):
        rows.append(list(observe(data)))
        push(data)
        mujoco.mj_step(model, data)
    return Recording(np.array(rows, np.float64), float(model.opt.timestep))


def placed(data: Data, body: str) -> list[float]:
    """Position and quaternion of a body: seven numbers of a row."""
    seen = data.body(body)
    return [*seen.xpos, *seen.xquat]


def rigid(place: FloatArray) -> FloatArray:
    """4x4 transform of a position and quaternion; the quaternion may be a mixture of two near ones."""
    rotation = np.zeros(9)
    need("mujoco").mju_quat2Mat(rotation, place[3:7] / np.linalg.norm(place[3:7]))
    transform = np.eye(4)
    transform[:3, :3] = rotation.reshape(3, 3)
    transform[:3, 3] = place[:3]
    return transform
