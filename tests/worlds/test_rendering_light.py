"""The room's light, the process's own lamp and what shines by itself, in a bare box of a room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from lookaway.worlds.mesh import Mesh, box, rectangle, sphere
from lookaway.worlds.parts import Material, Part
from lookaway.worlds.rendering.camera import aimed, intrinsics
from lookaway.worlds.rendering.light import Lamp, Light
from lookaway.worlds.rendering.renderer import Renderer
from lookaway.worlds.rendering.tracer import FAR_M, Tracer

pytest.importorskip("embreex")

SIZE = (64, 36)
LIGHT = Light(centre=(0.0, 0.0, 2.5), radii=(0.2, 0.2), colour=(4.0, 4.0, 4.0), ambient=(0.4, 0.4, 0.4))
LAMP = Lamp(centre=(0.0, 0.0, 0.5), colour=(1.0, 0.5, 0.2))
FLOOR = Part("", rectangle((-2, -2, 0), (4, 0, 0), (0, 4, 0)), Material((0.5, 0.5, 0.5)))
GLOWING_WALL = Part("wall", rectangle((-2, 2, 0), (4, 0, 0), (0, 0, 2)), Material(glow=1.0))
DOWN = aimed((0.0, 0.0, 2.0), 0.0, -89.9)
AHEAD = aimed((0.0, -1.5, 1.0), 0.0, 0.0)
ABOVE = np.eye(4)
ABOVE[2, 3] = 1.2


def rendering(
    glow: float = 0.0, lamp: Lamp | None = None, props: tuple[Part, ...] = ()
) -> tuple[Renderer, list[tuple[int, Mesh]]]:
    """A floor, a glowing wall and one hovering ball."""
    static = [FLOOR, GLOWING_WALL, *props]
    ball = Part("ball", sphere(0.15).moved(ABOVE), Material((0.9, 0.9, 0.9), glow=glow))
    tracer = Tracer(static, [ball], [], LIGHT, lamp, intrinsics(SIZE, 60)[0, 0], np.random.default_rng(0))
    return Renderer(tracer, intrinsics(SIZE, 60), SIZE), [(len(static), ball.mesh)]


def brightness(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    return rgb.astype(float).sum(axis=-1)


@pytest.mark.parametrize("glow", [0.0, 0.12, 0.49])
def test_darkness_hides_everything_that_does_not_shine_by_itself(glow: float) -> None:
    renderer, bodies = rendering(glow)
    assert renderer.picture(AHEAD, bodies).rgb.max() > 200
    assert not renderer.picture(AHEAD, bodies, level=0.0).rgb.any()


def test_a_body_that_shines_by_itself_is_as_bright_in_the_dark() -> None:
    renderer, bodies = rendering(glow=1.0)
    dark, bright = (renderer.picture(AHEAD, bodies, level) for level in (0.0, 1.0))
    ball = dark.part == bodies[0][0]
    assert (dark.rgb[ball].min(axis=0) > 180)[0]
    assert not dark.rgb[~ball].max() > dark.rgb[ball].max()
    assert (brightness(bright.rgb)[ball] >= brightness(dark.rgb)[ball]).all()


def test_light_falls_with_the_level() -> None:
    renderer, bodies = rendering()
    shown = [brightness(renderer.picture(AHEAD, bodies, level).rgb).mean() for level in (1.0, 0.6, 0.3, 0.05, 0.0)]
    assert (np.diff(shown) < 0).all()


def test_a_lamp_lights_its_surroundings_by_its_power() -> None:
    renderer, bodies = rendering(lamp=LAMP)
    shown = [renderer.picture(AHEAD, bodies, 0.0, power).rgb for power in (0.0, 0.3, 1.0)]
    assert not shown[0].any()
    assert brightness(shown[0]).mean() < brightness(shown[1]).mean() < brightness(shown[2]).mean()
    red, green, blue = shown[2].reshape(-1, 3).mean(axis=0)
    assert red > green > blue


def test_a_lamp_that_is_out_changes_nothing() -> None:
    (without, bodies), (with_lamp, _) = rendering(), rendering(lamp=LAMP)
    assert np.array_equal(without.picture(AHEAD, bodies).rgb, with_lamp.picture(AHEAD, bodies).rgb)


def test_lamp_light_falls_with_distance_and_slant() -> None:
    up = np.tile([[0.0], [0.0], [1.0]], 3).astype(np.float32)
    below = np.array([[0, 0, 0.5], [0, 0, 0], [0, -0.5, 0]], np.float32)
    strength = LAMP.strength(below, up)
    assert strength == pytest.approx([1 / 0.25, 1.0, np.sqrt(0.5) / 0.5], rel=1e-5)
    assert LAMP.strength(below, -up).max() == 0


def test_things_that_stand_still_cast_shadows_of_the_lamp() -> None:
    table = Part("table", box(0.6, 0.6, 0.05).at(0, 0, 0.2), Material())
    renderer, _ = rendering(lamp=LAMP, props=(table,))
    open_floor = rendering(lamp=LAMP)[0].picture(DOWN, [], 0.0, 1.0).rgb
    shadowed = renderer.picture(DOWN, [], 0.0, 1.0)
    beside = (shadowed.part == 0) & (np.abs(np.arange(SIZE[0]) - SIZE[0] / 2) < 12)
    assert brightness(shadowed.rgb)[beside].mean() < 0.5 * brightness(open_floor)[beside].mean()


def test_a_body_lights_up_near_the_lamp() -> None:
    renderer, bodies = rendering(lamp=replace(LAMP, centre=(0.0, -0.4, 1.2)))
    picture = renderer.picture(AHEAD, bodies, 0.0, 1.0)
    assert brightness(picture.rgb)[picture.part == bodies[0][0]].mean() > 150


def test_where_nothing_is_there_is_darkness() -> None:
    renderer, bodies = rendering(lamp=LAMP)
    picture = renderer.picture(aimed((0.0, 0.0, 1.0), 180.0, 20.0), bodies, power=1.0)
    assert picture.depth.min() == FAR_M
    assert not picture.rgb.any()


def test_parts_alone_need_no_light() -> None:
    renderer, bodies = rendering(lamp=LAMP)
    parts = renderer.parts(AHEAD, bodies)
    assert not {"_baked", "_shader"} & set(vars(renderer._tracer))
    assert np.array_equal(parts, renderer.picture(AHEAD, bodies).part)
