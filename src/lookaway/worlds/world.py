"""A known world: a room and a process in it, rendered from any camera at any time."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookaway.errors import UsageError
from lookaway.records import WorldSpec
from lookaway.worlds.arrays import FloatArray, Ints
from lookaway.worlds.colours import SUBJECT_HUES, Hue, Palette
from lookaway.worlds.covers import OPEN, Cover, Covers
from lookaway.worlds.facts import Facts, Traits
from lookaway.worlds.mesh import Mesh
from lookaway.worlds.mirrored import Mirrored
from lookaway.worlds.parts import SHELL, Part
from lookaway.worlds.process import PROCESSES, Process, ProcessStage
from lookaway.worlds.rendering.camera import aimed, intrinsics
from lookaway.worlds.rendering.light import Lamp, Light
from lookaway.worlds.rendering.renderer import Picture, Renderer
from lookaway.worlds.rendering.tracer import Tracer
from lookaway.worlds.room import LAYOUTS, Room
from lookaway.worlds.view import View

HFOV_DEG = 60.0
VIEWS_KEPT = 160  # clips of one task share many moments
COUNTS_KEPT = 4000

RendererName = Literal["ray", "mujoco-gl"]
Affine = tuple[float, ...]  # a 4x4 transform of world space, row by row
STAYS: Affine = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
AS_TOLD = (STAYS,)


class Things(NamedTuple):
    """All that can be drawn, and what lights it."""

    static: Sequence[Part]
    bodies: Sequence[Part]
    glass: Sequence[Part]
    light: Light
    lamp: Lamp | None


class Draws(Protocol):
    """What a renderer can do."""

    def picture(
        self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]], level: float, power: float
    ) -> Picture: ...

    def parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints: ...

    def body_parts(self, camera_to_world: FloatArray, bodies: Sequence[tuple[int, Mesh]]) -> Ints: ...


@dataclass(frozen=True)
class Staging:
    """What surrounds the process, where that is not what the spec says; subject, process and camera stay."""

    room: tuple[str, int] | None = None  # another layout and seed
    removed: frozenset[str] = frozenset()  # parts of the room that are not there
    lamp_shift_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lamp_gain: float = 1.0
    tint_seed: int | None = None  # furniture in mildly other colours
    tint: float = 0.0


AS_BUILT = Staging()
ViewKey = tuple[bytes, float, frozenset[str], Cover, tuple[Affine, ...]]


class World:
    """Everything follows from the spec; equal specs give equal bytes on one machine."""

    intrinsics: FloatArray
    home: FloatArray
    subject: str
    instances: dict[int, str]
    subject_ids: list[int]  # instances of the subject and of what belongs to it
    facts: Facts

    def __init__(
        self,
        spec: WorldSpec,
        size: tuple[int, int] = (320, 180),
        renderer: RendererName = "ray",
        staging: Staging = AS_BUILT,
        hfov_deg: float = HFOV_DEG,
    ) -> None:
        self.spec, self.size = spec, size
        palette = Palette(subject_hue(spec))
        self._room = LAYOUTS.find(spec.layout).build(stream(spec.seed, spec.layout), palette)
        self._process = built_process(spec, self._room, palette)
        if staging != AS_BUILT:
            self._room = staged(self._room, staging, palette)
        self.facts, self.subject = facts_of(spec, self._room, self._process), self._process.subject
        self.intrinsics = intrinsics(size, hfov_deg)
        self.home = self.look(0.0)
        self._covers = Covers(self._room, self._process)

        static = [*self._room.parts, *self._process.props.solid]
        bodies = [*(body.part for body in self._process.bodies), *self._covers.parts]
        if shared := {part.name for part in static} & {part.name for part in bodies}:
            raise ValueError(f"{spec.layout}/{spec.process}: room and process both call a part {sorted(shared)}")
        self._body_part = {part.name: number for number, part in enumerate(bodies, start=len(static))}
        self._names = names = [part.name for part in (*static, *bodies)]
        ids = {name: number for number, name in enumerate(dict.fromkeys([SHELL, *names]))}
        self._instance_of_part = np.array([ids[name] for name in names], np.int16)
        self.instances = {number: name or "room" for name, number in ids.items()}
        self.subject_ids = [ids[body.part.name] for body in self._process.bodies if body.owner == self.subject]

        things = Things(static, bodies, self._process.props.glass, self._room.light, self._process.lamp)
        self._renderer = renderer_of(renderer, things, self.intrinsics, size, stream(spec.seed, "light"))
        self._views: dict[ViewKey, View] = {}
        self._counts: dict[ViewKey, int] = {}

    def state(self, second: float) -> dict[str, float]:
        """Scalar truth at that second, whatever any camera does."""
        return self._process.state(self._process_s(second))

    @property
    def pitch_deg(self) -> float:
        """Tilt of the first camera; up is positive."""
        return self._room.pitch_deg

    def look(self, yaw_deg: float, pitch_deg: float = 0.0) -> FloatArray:
        """The first-frame camera turned about the vertical (positive: right) and tilted (positive: up)."""
        return aimed(self._room.eye, yaw_deg, self._room.pitch_deg + pitch_deg)

    def render(
        self,
        camera_to_world: FloatArray,
        second: float,
        without: frozenset[str] = frozenset(),
        cover: Cover = OPEN,
        subject: tuple[Affine, ...] = AS_TOLD,
    ) -> View:
        """The view from that camera at that second, as if the named bodies did not exist.

        The subject is shown once for each transform in `subject`: not at all for none, twice for two. (Only the ray
        tracer can show it twice.)
        """
        process_s = self._process_s(second)
        if self.subject in without or not subject:
            without, subject = without | {self.subject}, ()
        key = (camera_to_world.tobytes(), process_s, without, cover, subject)
        if key not in self._views:
            if len(self._views) >= VIEWS_KEPT:
                self._views.pop(next(iter(self._views)))
            self._views[key] = self._rendered(camera_to_world, process_s, without, cover, subject)
        return self._views[key]

    def glance(self, camera_to_world: FloatArray, second: float, cover: Cover = OPEN) -> npt.NDArray[np.int16]:
        """Instance ids alone, without light or colour: much cheaper than a view."""
        part = self._renderer.parts(camera_to_world, self._bodies(self._process_s(second), frozenset(), cover))
        ids: npt.NDArray[np.int16] = self._instance_of_part[part]
        return ids

    def subject_pixels(
        self, camera_to_world: FloatArray, second: float, cover: Cover = OPEN, subject: tuple[Affine, ...] = AS_TOLD
    ) -> int:
        """How many pixels show the subject under those transforms; in the dark none. Cheaper still than a glance."""
        if cover.dark or not subject:
            return 0
        process_s = self._process_s(second)
        key = (camera_to_world.tobytes(), process_s, frozenset[str](), cover, subject)
        if key not in self._counts:
            if len(self._counts) >= COUNTS_KEPT:
                self._counts.pop(next(iter(self._counts)))
            bodies = self._bodies(process_s, frozenset(), cover, subject)
            ids = self._instance_of_part[self._renderer.body_parts(camera_to_world, bodies)]
            self._counts[key] = int(np.isin(ids, self.subject_ids).sum())
        return self._counts[key]

    @property
    def room_parts(self) -> frozenset[str]:
        """Names of all that belongs to the room and not to the process."""
        return frozenset(part.name for part in self._room.parts)

    def names_in(self, camera_to_world: FloatArray) -> frozenset[str]:
        """Names of the parts that one pixel at least shows, at second 0."""
        part = self._renderer.parts(camera_to_world, [])
        return frozenset(self._names[number] for number in np.unique(part))

    def subject_mask(self, instances: npt.NDArray[np.int16], cover: Cover = OPEN) -> npt.NDArray[np.bool_]:
        """Where the subject can be seen; in the dark nowhere."""
        if cover.dark:
            return np.zeros(instances.shape, bool)
        return np.isin(instances, self.subject_ids)

    def subject_points(self, second: float) -> FloatArray:
        """The subject's vertices at that second, in metres."""
        poses = self._process.poses(self._process_s(second))
        meshes = [
            body.part.mesh.moved(poses[body.part.name])
            for body in self._process.bodies
            if body.owner == self.subject and body.part.name in poses
        ]
        return np.concatenate([mesh.points for mesh in meshes]) if meshes else np.zeros((0, 3))

    def _process_s(self, second: float) -> float:
        waited_s = max(0.0, second - self.spec.start_s)
        return 0.0 if self.spec.variant == "still" else waited_s * self.spec.pace

    def _rendered(
        self,
        camera_to_world: FloatArray,
        process_s: float,
        without: frozenset[str],
        cover: Cover,
        subject: tuple[Affine, ...],
    ) -> View:
        bodies = self._bodies(process_s, without, cover, subject)
        power = 0.0 if self.subject in without else self._process.lamp_power(process_s)
        picture = self._renderer.picture(camera_to_world, bodies, cover.light_level, power)
        return View(picture.rgb, picture.depth, self._instance_of_part.take(picture.part))

    def _bodies(
        self, process_s: float, without: frozenset[str], cover: Cover, subject: tuple[Affine, ...] = AS_TOLD
    ) -> Sequence[tuple[int, Mesh]]:
        poses = self._process.poses(process_s)
        present = [
            (self._body_part[body.part.name], body.part.mesh.moved(matrix(transform) @ poses[body.part.name]))
            for body in self._process.bodies
            if body.part.name in poses and not without & {body.part.name, body.owner}
            for transform in (subject if body.owner == self.subject else AS_TOLD)
        ]
        hiding = [(self._body_part[part.name], part.mesh) for part in self._covers.placed(cover)]
        return [*present, *hiding]


def matrix(transform: Affine) -> FloatArray:
    return np.array(transform).reshape(4, 4)


def staged(room: Room, staging: Staging, palette: Palette) -> Room:
    """The room as the staging has it, seen by the same eye."""
    built = room
    if staging.room is not None:
        layout, seed = staging.room
        built = LAYOUTS.find(layout).build(stream(seed, layout), palette)
    parts = [part for part in built.parts if part.name not in staging.removed]
    if staging.tint_seed is not None:
        rng = stream(staging.tint_seed, "tint")
        parts = [tinted(part, rng, staging.tint) if part.name != SHELL else part for part in parts]
    x, y, z = (float(value) for value in np.add(built.light.centre, staging.lamp_shift_m))
    red, green, blue = (float(value) * staging.lamp_gain for value in built.light.colour)
    light = replace(built.light, centre=(x, y, z), colour=(red, green, blue))
    return Room(built.description, parts, light, room.eye, room.pitch_deg)


def tinted(part: Part, rng: np.random.Generator, tint: float) -> Part:
    """The part in a colour that is off by at most that share."""
    red, green, blue = (
        float(c * f) for c, f in zip(part.material.colour, 1 + rng.uniform(-tint, tint, 3), strict=True)
    )
    return replace(part, material=replace(part.material, colour=(red, green, blue)))


def renderer_of(
    name: RendererName, things: Things, intrinsics: FloatArray, size: tuple[int, int], rng: np.random.Generator
) -> Draws:
    """The renderer of that name; `mujoco-gl` is imported only here, since it needs OpenGL."""
    if name == "mujoco-gl":
        from lookaway.worlds.gl.renderer import GlRenderer

        return GlRenderer(*things, intrinsics, size)
    return Renderer(Tracer(*things, intrinsics[0, 0], rng), intrinsics, size)


def built_process(spec: WorldSpec, room: Room, palette: Palette) -> Process:
    """The process in that room, its subject on the asked side."""
    kind = PROCESSES.find(spec.process)
    opposite = spec.variant == "opposite"
    if opposite and not kind.traits.opposite:
        raise UsageError(f"process '{spec.process}' has no opposite; only causal changes have one")
    if spec.start_s and not kind.traits.can_wait:
        raise UsageError(f"process '{spec.process}' cannot be set off later; only causal changes that rest before can")
    stage = ProcessStage(stream(spec.seed, spec.layout, spec.process), room, palette, spec.side, opposite)
    process = kind.build(stage)
    return process if spec.side == "left" else Mirrored(process)


def facts_of(spec: WorldSpec, room: Room, process: Process) -> Facts:
    """Traits, words and prompt of the world that the spec names."""
    words, traits = process.words, PROCESSES.find(spec.process).traits
    place = "Inside" if LAYOUTS.find(spec.layout).place == "indoor" else "In"
    opening = f"{place} {room.description}. There is {words.subject} {words.setting}"
    if spec.variant == "still":
        still = Traits(traits.category, moves=False, changes_in_place=False, glows=traits.glows)
        prompt = f"{opening}. Everything stays exactly as it is."
        return Facts(still, words, spec.side, room.description, prompt, f"{words.subject} is just as at the start")
    started = "" if words.trigger == "none" else f"{words.trigger}; "
    when = f". After {spec.start_s:g} seconds, " if spec.start_s else "; "
    prompt = f"{opening}{when}{started}{words.action}. Everything else stays as it is."
    return Facts(traits, words, spec.side, room.description, prompt, words.end)


def stream(seed: int, *purpose: str) -> np.random.Generator:
    """Random numbers of their own for each purpose, so that one choice never shifts another."""
    return np.random.default_rng([seed, zlib.crc32("/".join(purpose).encode())])


def subject_hue(spec: WorldSpec) -> Hue:
    """Consecutive seeds walk through all hues; layouts and processes start at different ones."""
    return SUBJECT_HUES[(spec.seed + zlib.crc32(f"{spec.layout}/{spec.process}".encode())) % len(SUBJECT_HUES)]


@lru_cache(maxsize=2)
def world_of(spec: WorldSpec, size: tuple[int, int], hfov_deg: float = HFOV_DEG) -> World:
    """A world with its view cache, kept while clips of one task are made one after the other."""
    return World(spec, size, hfov_deg=hfov_deg)
