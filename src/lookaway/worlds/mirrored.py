"""A process as its mirror image, left and right exchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.parts import Part
from lookaway.worlds.process import Process, Props

FLIP = np.diag([-1.0, 1.0, 1.0, 1.0])


class Mirrored(Process):
    """The same process with x turned into -x; its words must already speak of the mirrored sides."""

    def __init__(self, original: Process) -> None:
        self._original = original
        self.words, self.subject = original.words, original.subject
        self.props = Props([_flipped(p) for p in original.props.solid], [_flipped(p) for p in original.props.glass])
        self.bodies = [replace(body, part=_flipped(body.part)) for body in original.bodies]
        if original.lamp is not None:
            x, y, z = original.lamp.centre
            self.lamp = replace(original.lamp, centre=(-x, y, z))

    def state(self, process_s: float) -> dict[str, float]:
        return self._original.state(process_s)

    def poses(self, process_s: float) -> Mapping[str, FloatArray]:
        return {name: FLIP @ pose @ FLIP for name, pose in self._original.poses(process_s).items()}

    def lamp_power(self, process_s: float) -> float:
        return self._original.lamp_power(process_s)


def _flipped(part: Part) -> Part:
    mesh = part.mesh
    across = FLIP[:3, :3]
    return replace(part, mesh=Mesh(mesh.points @ across, mesh.normals @ across, mesh.uv, mesh.faces[:, ::-1]))
