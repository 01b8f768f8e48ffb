from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from world_sight import Built

from lookaway.errors import UsageError
from lookaway.worlds import Cover, World
from lookaway.worlds.arrays import FloatArray
from lookaway.worlds.gl.canvas import osmesa
from lookaway.worlds.gl.renderer import GlRenderer
from lookaway.worlds.mesh import Mesh, box
from lookaway.worlds.parts import SHELL, Material, Part
from lookaway.worlds.rendering.camera import aimed, intrinsics
from lookaway.worlds.rendering.light import Lamp, Light
from lookaway.worlds.rendering.renderer import Picture

WORLDS = [("parlour", "ball", 0), ("workshop", "filling", 1), ("street", "walker", 2), ("garden", "ball", 0)]
VIEWS = [  # yaw in degrees, second, cover
    (0.0, 0.5, Cover()),
    (15.0, 2.0, Cover("cardboard", 0.6)),
    (-20.0, 3.5, Cover("curtain", 0.8)),
    (80.0, 1.0, Cover()),
    (160.0, 4.0, Cover()),
]

SIZE = (96, 54)
LIGHT = Light(centre=(0.0, 0.0, 2.8), radii=(0.3, 0.3), colour=(6.0, 6.0, 6.0), ambient=(0.4, 0.4, 0.4))
LAMP = Lamp((0.6, 1.0, 1.6), (1.0, 1.0, 1.0))
EYE = aimed((0.0, 0.0, 1.0), 0.0, 0.0)
FLOOR, CRATE, SIGN, FLAME, MOVER = range(5)
TRIANGLE = Mesh(
    points=np.array([(0.4, 3.0, 0.9), (0.9, 3.0, 0.9), (0.65, 3.0, 1.4)]),
    normals=np.tile([0.0, -1.0, 0.0], (3, 1)),
    uv=np.zeros((3, 2)),
    faces=np.array([(0, 1, 2)], np.int32),
)
STATIC = [
    Part(SHELL, box(6.0, 8.0, 0.1).at(0, 0, -0.1), Material((0.5, 0.5, 0.5))),
    Part("crate", box(0.6, 0.6, 0.6).at(-0.6, 3.0, 0.7), Material((0.6, 0.4, 0.2))),
    Part("sign", TRIANGLE, Material((0.8, 0.1, 0.1))),
]
BODIES = [
    Part("flame", box(0.2, 0.2, 0.2), Material((1.0, 0.5, 0.1), glow=1.5)),
    Part("mover", box(0.3, 0.3, 0.3), Material((0.1, 0.3, 0.9), glow=0.2)),
]
PRESENT = [(FLAME, BODIES[0].mesh.at(0.6, 2.0, 0.9)), (MOVER, BODIES[1].mesh.at(0.0, 2.0, 0.8))]
PANE = Part("pane", box(4.0, 0.01, 3.0).at(0, 1.0, 0), Material())


@dataclass(frozen=True)
class Both:
    """One world, drawn by either renderer."""

    world: World
    gl: GlRenderer

    def pictures(self, yaw_deg: float, second: float, cover: Cover) -> tuple[Picture, Picture]:
        camera, bodies = self.world.look(yaw_deg), self.world._bodies(second, frozenset(), cover)
        power = self.world._process.lamp_power(second)
        return (
            self.world._renderer.picture(camera, bodies, 1.0, power),
            self.gl.picture(camera, bodies, 1.0, power),
        )


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    """OSMesa, or no test here."""
    pytest.importorskip("mujoco")
    try:
        osmesa()
    except UsageError as missing:
        if os.environ.get("LOOKAWAY_REQUIRE_GL"):
            pytest.fail(f"mujoco-gl is required, but {missing}")
        pytest.skip(str(missing))


@pytest.fixture(scope="module", params=WORLDS, ids=lambda world: f"{world[0]}-{world[1]}")
def both(request: pytest.FixtureRequest, built: Built) -> Iterator[Both]:
    world = built(*request.param)
    process, room = world._process, world._room
    gl = GlRenderer(
        [*room.parts, *process.props.solid],
        [*(body.part for body in process.bodies), *world._covers.parts],
        process.props.glass,
        room.light,
        process.lamp,
        world.intrinsics,
        (round(2 * world.intrinsics[0, 2]), round(2 * world.intrinsics[1, 2])),
    )
    yield Both(world, gl)
    gl.close()


def small(glass: Sequence[Part] = (), lamp: Lamp | None = None, camera: FloatArray | None = None) -> GlRenderer:
    return GlRenderer(STATIC, BODIES, glass, LIGHT, lamp, intrinsics(SIZE, 60.0) if camera is None else camera, SIZE)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: f"{view[0]:.0f}")
def test_both_renderers_show_the_same_scene(both: Both, view: tuple[float, float, Cover]) -> None:
    ray, gl = both.pictures(*view)
    assert (ray.part == gl.part).mean() >= 0.99
    assert np.median(np.abs(ray.depth - gl.depth)) <= 0.01
    assert np.quantile(np.abs(ray.depth - gl.depth), 0.95) <= 0.02
    colours = ray.rgb.astype(np.float64), gl.rgb.astype(np.float64)
    assert np.abs(colours[0].mean(axis=(0, 1)) - colours[1].mean(axis=(0, 1))).max() <= 20
    assert np.abs(colours[0] - colours[1]).mean() <= 25
    assert np.corrcoef(colours[0].ravel(), colours[1].ravel())[0, 1] >= 0.7


def test_a_glance_equals_the_picture(both: Both) -> None:
    bodies = both.world._bodies(1.0, frozenset(), Cover())
    seen = both.gl.parts(both.world.home, bodies)
    assert np.array_equal(seen, both.gl.picture(both.world.home, bodies).part)


def test_equal_requests_give_equal_bytes(both: Both) -> None:
    first, again = (both.pictures(10.0, 1.5, Cover())[1] for _ in range(2))
    both.pictures(-60.0, 4.0, Cover("cardboard", 0.6))
    later = both.pictures(10.0, 1.5, Cover())[1]
    for other in (again, later):
        assert all(np.array_equal(vars(first)[name], vars(other)[name]) for name in vars(first))


def test_an_off_centre_camera_shifts_the_image() -> None:
    shifted = intrinsics(SIZE, 60.0)
    shifted[:2, 2] += (12, -7)
    plain, moved = small().parts(EYE, []), small(camera=shifted).parts(EYE, [])
    assert np.array_equal(plain[8:40, 5:80] == CRATE, moved[1:33, 17:92] == CRATE)
    assert (plain == CRATE).sum() > 100


def test_depth_is_along_the_camera_axis_and_far_where_nothing_is() -> None:
    picture = small().picture(EYE, PRESENT)
    assert picture.depth[picture.part == CRATE].min() == pytest.approx(2.7, abs=1e-3)
    assert picture.depth[0, 0] == pytest.approx(1000.0)
    assert picture.part[0, 0] == 0


def test_a_single_triangle_is_drawn() -> None:
    seen = small().parts(EYE, []) == SIGN
    assert seen.sum() == pytest.approx(0.5 * 0.5**2 * (intrinsics(SIZE, 60.0)[0, 0] / 3) ** 2, rel=0.1)


def test_a_body_is_drawn_in_the_shape_it_has_now() -> None:
    renderer = small()
    plain = BODIES[1].mesh.at(0.0, 2.0, 0.8)
    stretched = BODIES[1].mesh.moved(np.diag([1.0, 1.0, 2.0, 1.0])).at(0.0, 2.0, 0.8)
    masks = [renderer.parts(EYE, [(MOVER, mesh)]) == MOVER for mesh in (plain, stretched, plain)]
    heights = [np.ptp(np.nonzero(mask)[0]) + 1 for mask in masks]
    assert heights[1] == pytest.approx(2 * heights[0], abs=2)
    assert np.array_equal(masks[0], masks[2])


def test_glass_tints_colours_but_hides_no_part() -> None:
    clear, glazed = small().picture(EYE, PRESENT), small([PANE]).picture(EYE, PRESENT)
    assert np.array_equal(clear.part, glazed.part)
    assert np.array_equal(clear.depth, glazed.depth)
    change = np.abs(clear.rgb.astype(int) - glazed.rgb)[clear.part == CRATE]
    assert 1 <= change.mean() <= 40


def test_only_self_lit_bodies_shine_in_the_dark() -> None:
    dark = small(lamp=LAMP).picture(EYE, PRESENT, level=0.0)
    assert dark.rgb[inner(dark.part == FLAME)].min(axis=0)[0] > 150
    assert dark.rgb[inner(dark.part != FLAME)].max() == 0


def inner(mask: np.ndarray) -> np.ndarray:
    """Without the pixels that share an edge with others."""
    trimmed = mask.copy()
    for shift, axis in ((1, 0), (-1, 0), (1, 1), (-1, 1)):
        trimmed &= np.roll(mask, shift, axis)
    return trimmed


def test_light_level_and_lamp_power_brighten() -> None:
    renderer = small(lamp=LAMP)
    means = [
        renderer.picture(EYE, PRESENT, *mood).rgb.mean() for mood in ((0.0, 0.0), (0.0, 1.0), (0.5, 1.0), (1.0, 1.0))
    ]
    assert means == sorted(means)
    assert min(np.diff(means)) > 3


def test_what_stands_under_the_lamp_throws_a_shadow() -> None:
    renderer = small()
    high = BODIES[1].mesh.at(0.0, 2.6, 0.5)
    lit, shaded = renderer.picture(EYE, []), renderer.picture(EYE, [(MOVER, high)])
    floor = (lit.part == FLOOR) & (shaded.part == FLOOR) & (lit.depth < 100)
    fallen = lit.rgb[floor].astype(int).mean(axis=1) - shaded.rgb[floor].mean(axis=1)
    assert fallen.max() > 15
    assert np.median(np.abs(fallen)) <= 1


def test_many_renderers_live_side_by_side_and_close_twice() -> None:
    renderers = [small() for _ in range(6)]
    first = renderers[0].picture(EYE, PRESENT).rgb
    for renderer in renderers[1:4]:
        assert np.array_equal(renderer.picture(EYE, PRESENT).rgb, first)
        renderer.close()
        renderer.close()
    assert np.array_equal(renderers[0].picture(EYE, PRESENT).rgb, first)
    with pytest.raises(UsageError, match="closed"):
        renderers[1].picture(EYE, PRESENT)


ASK = "from lookaway.worlds.gl.canvas import osmesa; osmesa()"
NO_LIBRARY = f"""
import ctypes
load = ctypes.CDLL.__init__
def refuse(self, name, *more, **options):
    if "OSMesa" in str(name):
        raise OSError("no such library")
    load(self, name, *more, **options)
ctypes.CDLL.__init__ = refuse
{ASK}
"""
OTHER_OPENGL = f"""
import sys, types
class GLXPlatform: pass
sys.modules["OpenGL.platform"] = types.SimpleNamespace(PLATFORM=GLXPlatform())
{ASK}
"""


@pytest.mark.parametrize(
    ("program", "chosen", "said"),
    [
        (NO_LIBRARY, {}, "apt-get install libosmesa6"),
        (OTHER_OPENGL, {}, "already uses another OpenGL; set PYOPENGL_PLATFORM=osmesa"),
        (ASK, {"MUJOCO_GL": "egl"}, "MUJOCO_GL=egl asks for another OpenGL; unset it"),
        (ASK, {"PYOPENGL_PLATFORM": "egl"}, "PYOPENGL_PLATFORM=egl asks for another OpenGL; unset it"),
    ],
)
def test_what_stands_in_the_way_is_said(program: str, chosen: dict[str, str], said: str) -> None:
    environment = {key: value for key, value in os.environ.items() if key not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment | chosen, check=False
    )
    assert done.stderr.splitlines()[-1].startswith("lookaway.errors.UsageError: the renderer mujoco-gl")
    assert said in done.stderr.splitlines()[-1]
