"""An off-screen OpenGL canvas on OSMesa that MuJoCo draws on; its colours are floats, so light stays linear."""

from __future__ import annotations

import importlib
import os
import sys
import weakref
from types import ModuleType
from typing import Any

import numpy as np

from lookaway.errors import UsageError
from lookaway.worlds.arrays import Floats, Ints
from lookaway.worlds.extras import need

ME = "the renderer mujoco-gl"
OSMESA = "osmesa"
BACKENDS = ("MUJOCO_GL", "PYOPENGL_PLATFORM")
THREADS = "LP_NUM_THREADS"  # of Mesa; parallel work is done by processes here


class Canvas:
    """Draws scenes of one MuJoCo model, up to one size; free it with `close`."""

    def __init__(self, model: Any, size: tuple[int, int]) -> None:
        context = osmesa()
        self._mujoco = need("mujoco")
        self._gl = importlib.import_module("OpenGL.GL")
        self._model = model
        self._window = context.GLContext(*size)
        self._window.make_current()
        self._context = self._mujoco.MjrContext(model, self._mujoco.mjtFontScale.mjFONTSCALE_50)
        self._mujoco.mjr_setBuffer(self._mujoco.mjtFramebuffer.mjFB_WINDOW, self._context)
        self._context.readDepthMap = self._mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self.close = weakref.finalize(self, free, self._window, self._context)

    def upload(self, mesh: int) -> None:
        """Take over a mesh that was changed in the model."""
        self._enter()
        self._mujoco.mjr_uploadMesh(self._model, self._context, mesh)

    def colours(self, scene: Any, size: tuple[int, int]) -> Floats:
        """The lit scene as linear colour, (H, W, 3)."""
        self._draw(scene, size, segments=False)
        pixels = self._gl.glReadPixels(0, 0, *size, self._gl.GL_RGB, self._gl.GL_FLOAT)
        width, height = size
        image: Floats = np.asarray(pixels, np.float32).reshape(height, width, 3)[::-1]
        return image

    def segments(self, scene: Any, size: tuple[int, int]) -> tuple[Ints, Floats]:
        """The segment number of every pixel centre (-1: none) and its depth buffer (1 near, 0 far)."""
        width, height = size
        rect = self._draw(scene, size, segments=True)
        code, depth = np.empty((height, width, 3), np.uint8), np.empty((height, width), np.float32)
        self._mujoco.mjr_readPixels(code, depth, rect, self._context)
        number: Ints = code.astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32) - 1
        return number[::-1], depth[::-1]

    def _enter(self) -> None:
        if not self.close.alive:
            raise UsageError(f"{ME} is closed; make another one")
        self._window.make_current()

    def _draw(self, scene: Any, size: tuple[int, int], segments: bool) -> Any:
        flag = self._mujoco.mjtRndFlag
        scene.flags[flag.mjRND_SEGMENT] = scene.flags[flag.mjRND_IDCOLOR] = segments
        rect = self._mujoco.MjrRect(0, 0, *size)
        self._enter()
        self._mujoco.mjr_render(rect, scene, self._context)
        return rect


def osmesa() -> ModuleType:
    """MuJoCo's OSMesa module; whatever stands in its way is said."""
    need("mujoco")
    for variable in BACKENDS:
        chosen = os.environ.setdefault(variable, OSMESA)
        if chosen.lower() != OSMESA:
            raise UsageError(f"{ME} draws on OSMesa, but {variable}={chosen} asks for another OpenGL; unset it")
    os.environ.setdefault(THREADS, "0")
    loaded = sys.modules.get("OpenGL.platform")
    if loaded is not None and type(loaded.PLATFORM).__name__ != "OSMesaPlatform":
        raise UsageError(
            f"{ME} draws on OSMesa, but this process already uses another OpenGL; "
            f"set PYOPENGL_PLATFORM={OSMESA} before it starts"
        )
    try:
        return importlib.import_module("mujoco.osmesa")
    except (ImportError, AttributeError) as missing:  # PyOpenGL trips over an absent library in either way
        raise UsageError(
            f"{ME} needs the system library OSMesa: apt-get install libosmesa6; or use the default renderer"
        ) from missing


def free(window: Any, context: Any) -> None:
    """Give back what lives outside Python."""
    window.make_current()
    context.free()
    window.free()
