"""A known world: a room and a process in it, rendered from any camera at any time."""

from __future__ import annotations

import zlib

import numpy as np

from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.colours import SUBJECT_HUES, Hue, Palette
from lookaway.worlds.facts import ProcessFacts
from lookaway.worlds.parts import SHELL
from lookaway.worlds.process import processes
from lookaway.worlds.rendering.camera import aimed, intrinsics
from lookaway.worlds.rendering.renderer import Renderer
from lookaway.worlds.rendering.tracer import Tracer
from lookaway.worlds.room import layouts
from lookaway.worlds.view import View

HFOV_DEG = 60.0
VIEWS_KEPT = 160  # clips of one task share many moments


class World:
    """Everything follows from layout, process and seed; the same three give the same bytes on one machine."""

    intrinsics: FloatArray
    home: FloatArray
    subject: str
    instances: dict[int, str]
    subject_ids: list[int]  # instances of the subject and of what belongs to it
    facts: ProcessFacts

    def __init__(self, layout: str, process: str, seed: int, size: tuple[int, int] = (320, 180)) -> None:
        build_room, build_process = layouts.find(layout), processes.find(process)
        palette = Palette(subject_hue(layout, process, seed))
        self._room = build_room(stream(seed, layout), palette)
        self._process = build_process(stream(seed, layout, process), self._room, palette)
        self.facts, self.subject = self._process.facts, self._process.subject
        self.intrinsics = intrinsics(size, HFOV_DEG)
        self.home = self.look(0.0)

        static = [*self._room.parts, *self._process.props.solid]
        bodies = [body.part for body in self._process.bodies]
        self._body_part = {part.name: number for number, part in enumerate(bodies, start=len(static))}
        names = [part.name for part in (*static, *bodies)]
        ids = {name: number for number, name in enumerate(dict.fromkeys([SHELL, *names]))}
        self._instance_of_part = np.array([ids[name] for name in names], np.int16)
        self.instances = {number: name or "room" for name, number in ids.items()}
        self.subject_ids = [ids[body.part.name] for body in self._process.bodies if body.owner == self.subject]

        glass, light = self._process.props.glass, self._room.light
        tracer = Tracer(static, bodies, glass, light, self.intrinsics[0, 0], stream(seed, "light"))
        self._renderer = Renderer(tracer, self.intrinsics, size)
        self._views: dict[tuple[bytes, float, frozenset[str]], View] = {}

    def state(self, process_s: float) -> dict[str, float]:
        """Scalar truth at that process time, whatever any camera does."""
        return self._process.state(process_s)

    def look(self, yaw_deg: float, pitch_deg: float = 0.0) -> FloatArray:
        """The first-frame camera turned about the vertical (positive: right) and tilted (positive: up)."""
        return aimed(self._room.eye, yaw_deg, self._room.pitch_deg + pitch_deg)

    def render(self, camera_to_world: FloatArray, process_s: float, without: frozenset[str] = frozenset()) -> View:
        """The view from that camera at that process time, as if the named bodies did not exist."""
        key = (camera_to_world.tobytes(), process_s, without)
        if key not in self._views:
            if len(self._views) >= VIEWS_KEPT:
                self._views.pop(next(iter(self._views)))
            self._views[key] = self._rendered(camera_to_world, process_s, without)
        return self._views[key]

    def _rendered(self, camera_to_world: FloatArray, process_s: float, without: frozenset[str]) -> View:
        poses = self._process.poses(process_s)
        present = [
            (self._body_part[body.part.name], body.part.mesh.moved(poses[body.part.name]))
            for body in self._process.bodies
            if body.part.name in poses and not without & {body.part.name, body.owner}
        ]
        picture = self._renderer.picture(camera_to_world, present)
        return View(picture.rgb, picture.depth, self._instance_of_part[picture.part])


def stream(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers of their own for each purpose, so that one choice never shifts another."""
    return np.random.default_rng([seed, zlib.crc32("/".join(purpose).encode())])


def subject_hue(layout: str, process: str, seed: int) -> Hue:
    """Consecutive seeds walk through all hues; layouts and processes start at different ones."""
    return SUBJECT_HUES[(seed + zlib.crc32(f"{layout}/{process}".encode())) % len(SUBJECT_HUES)]
