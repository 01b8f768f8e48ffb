"""What a scene is made of: named parts, each a mesh with a material."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lookaway.worlds.arrays import FloatArray, Floats
from lookaway.worlds.colours import RGB
from lookaway.worlds.mesh import Mesh

SHELL = ""
SELF_LIT = 0.5


@dataclass(frozen=True, eq=False)
class Material:
    """How a surface looks; colours are linear, a texture multiplies the colour once every `tile_m` metres.

    A moving body whose glow is at least SELF_LIT shines in the dark too; any weaker glow, and that of whatever stands
    still, goes out with the room's light.
    """

    colour: RGB = (1.0, 1.0, 1.0)
    texture: Floats | None = None
    tile_m: float = 1.0
    shine: float = 0.0
    gloss: float = 30.0
    glow: float = 0.0


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh with a material; parts of one name are one instance, the room's shell has the empty name."""

    name: str
    mesh: Mesh
    material: Material


def moved(parts: Iterable[Part], transform: FloatArray) -> list[Part]:
    """The same parts elsewhere."""
    return [replace(part, mesh=part.mesh.moved(transform)) for part in parts]
