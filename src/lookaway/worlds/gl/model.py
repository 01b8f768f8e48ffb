"""Parts as a MuJoCo model that holds meshes and textures, and nothing that could move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookaway.worlds.arrays import Bytes, Floats
from lookaway.worlds.extras import need
from lookaway.worlds.gl.lights import shadow_share
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.parts import Part
from lookaway.worlds.rendering.light import Light

NO_TEXTURE = -1
FEWEST_POINTS = 4  # of a mesh that the compiler takes
SHADOW_MAP_PX = 2048


@dataclass(frozen=True)
class Model:
    """Mesh n belongs to part n; `textures` has each part's texture number, or -1."""

    compiled: Any
    parts: Sequence[Part]
    textures: Sequence[int]

    def write(self, number: int, mesh: Mesh) -> None:
        """Replace the points and normals of a mesh; its triangles stay."""
        points, normals = self.compiled.mesh_vertadr[number], self.compiled.mesh_normaladr[number]
        self.compiled.mesh_vert[points : points + len(mesh.points)] = mesh.points
        self.compiled.mesh_normal[normals : normals + len(mesh.normals)] = mesh.normals


def compiled(parts: Sequence[Part], light: Light) -> Model:
    """The parts' meshes in their own coordinates.

    The compiler turns every mesh into its inertial frame; the true points are written back over its results.
    """
    mujoco = need("mujoco")
    spec = mujoco.MjSpec()
    spec.visual.quality.shadowsize, spec.visual.quality.offsamples = SHADOW_MAP_PX, 0
    spec.visual.map.shadowscale = shadow_share(light)
    textures = {id(part.material.texture): part.material.texture for part in parts}
    images = {key: image for key, image in textures.items() if image is not None}
    for number, image in enumerate(images.values()):
        add_texture(mujoco, spec, str(number), encoded(image))
    for number, part in enumerate(parts):
        add_mesh(mujoco, spec, str(number), part)
    numbers = {key: number for number, key in enumerate(images)}
    model = Model(spec.compile(), parts, [numbers.get(id(part.material.texture), NO_TEXTURE) for part in parts])
    for number, part in enumerate(parts):
        model.write(number, part.mesh)
    return model


def add_texture(mujoco: Any, spec: Any, name: str, image: Bytes) -> None:
    """A texture, and a material of the same number that shows it."""
    height, width, _ = image.shape
    texture = spec.add_texture(
        name=name,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        colorspace=mujoco.mjtColorSpace.mjCOLORSPACE_SRGB,
        width=width,
        height=height,
        nchannel=3,
    )
    texture.data = image.tobytes()
    material = spec.add_material(name=name)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def add_mesh(mujoco: Any, spec: Any, name: str, part: Part) -> None:
    mesh = part.mesh
    missing = max(FEWEST_POINTS - len(mesh.points), 0)
    points, normals, uv = (
        np.pad(rows, ((0, missing), (0, 0)), "edge").ravel()
        for rows in (mesh.points, mesh.normals, mesh.uv / part.material.tile_m)
    )
    faces = mesh.faces.ravel()
    spec.add_mesh(
        name=name,
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        uservert=points,
        usernormal=normals,
        usertexcoord=uv,
        userface=faces,
        userfacenormal=faces,
        userfacetexcoord=faces,
    )


def encoded(linear: Floats) -> Bytes:
    """Linear colour as sRGB bytes."""
    clipped = np.clip(linear, 0, 1)
    display = np.where(clipped <= 0.0031308, clipped * 12.92, 1.055 * clipped ** (1 / 2.4) - 0.055)
    codes: Bytes = (display * 255 + 0.5).astype(np.uint8)
    return codes
