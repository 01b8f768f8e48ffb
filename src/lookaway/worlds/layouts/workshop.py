"""A workshop: brick, concrete, a rack of tins, tools on a board, crates, a barrel, a workbench."""

from __future__ import annotations

import numpy as np

from lookaway.worlds.colours import Palette, linear
from lookaway.worlds.furniture.lamps import ceiling_lamp
from lookaway.worlds.furniture.on_walls import door, poster, tool_board, window
from lookaway.worlds.furniture.standing import ladder
from lookaway.worlds.furniture.storage import barrel, crates, pallet, tin_rack
from lookaway.worlds.furniture.tables import workbench
from lookaway.worlds.mesh import pose, tilted
from lookaway.worlds.parts import Material, Part, moved
from lookaway.worlds.patterns.pictures import calendar, window_view
from lookaway.worlds.patterns.school import diagram
from lookaway.worlds.patterns.surfaces import brick, concrete, planks, plaster, tiles, wood
from lookaway.worlds.patterns.walls import panelled
from lookaway.worlds.rendering.light import Light
from lookaway.worlds.room import Room, layout
from lookaway.worlds.shell import Shell, Wall, told_apart

SHELL = Shell(half_width=3.2, near=-3.9, far=2.6, height=3.0)
BRICKS = ("#a0563f", "#b08a5e", "#8f8a83", "#d2cbbd", "#8a5a48")
WOODS = ("#b08a5c", "#9a7448", "#c2a06c", "#7d6040")
SIDE_PLACES = (0.75, -0.95, -2.6)
METALS = ("#5d6b78", "#6b6f6a", "#7c5a48", "#4d5150")


@layout("workshop", "indoor")
def workshop(rng: np.random.Generator, palette: Palette) -> Room:
    floor_word, floor = floor_covering(rng)
    bricks = Material(texture=brick(rng, palette.choose(rng, BRICKS)), tile_m=1.35)
    painted = Material(texture=panelled(rng, palette.choose(rng, ("#b9b7ae", "#a9b0ae", "#bdb29e"))), tile_m=1.3)
    walls: dict[Wall, Material] = {"far": bricks, "left": bricks, "right": bricks, "near": painted}
    skirting, ceiling = Material(linear("#6d6a64")), Material(texture=planks(rng, "#9a8d7a"), tile_m=1.8)
    timber = palette.choose(rng, WOODS)
    groups = [
        SHELL.parts(floor, walls, ceiling, skirting),
        *far_side(rng, palette, timber),
        *other_sides(rng, palette, timber),
    ]
    light = tube_light(rng)
    groups += [behind_the_eye(rng), ceiling_lamp(light, SHELL.height)]
    return Room(
        description=f"a workshop with brick walls, {floor_word}, a rack of tins, a tool board and a barrel",
        parts=told_apart(groups),
        light=light,
        eye=(0.0, -2.5, 1.35),
        pitch_deg=-8.5,
    )


def floor_covering(rng: np.random.Generator) -> tuple[str, Material]:
    """Words for the floor, and its material."""
    if rng.random() < 0.6:
        return "a concrete floor", Material(texture=concrete(rng, "#b3b0a8"), tile_m=1.5)
    return "a tiled floor", Material(texture=tiles(rng, "#b8b3a6", "#8b8a86"), tile_m=1.5, shine=0.05)


def far_side(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Four groups in random order along the wall one sees first."""
    door_code = palette.choose(rng, ("#98a1a5", "#a59d8c", "#868b84"))
    groups = [
        tin_rack(rng, palette, palette.choose(rng, METALS)),
        [*tool_board(rng, "#c9b48c", 1.08), *crates(rng, timber, stacked=False)],
        door(plaster(rng, "#ffffff"), door_code, knob_side=-1),
        [
            *moved(barrel(rng, "#96703f"), pose(-0.35, 0, 0)),
            *moved(ladder(wood(rng, timber)), pose(0.3, 0, 0)),
        ],
    ]
    return SHELL.spread(rng, groups, "far", (-2.2, -0.75, 0.75, 2.2))


def other_sides(rng: np.random.Generator, palette: Palette, timber: str) -> list[list[Part]]:
    """Six groups shared out at random over both side walls; a bench and crates behind the eye."""
    bench = workbench(Material(texture=wood(rng, timber), tile_m=0.9))
    upright = pose(-0.1, -0.3, 0.46) @ tilted(-78, 0)
    calendar_sheet = poster("calendar", calendar(), 0.46, 0.62, 1.12)
    groups = [
        [*bench, *window(window_view(rng, palette), "#8f8b82", 1.15, 0.72, 1.12)],
        tin_rack(rng, palette, palette.choose(rng, METALS)),
        [*crates(rng, timber, stacked=True), *moved(calendar_sheet, pose(-0.55, 0, 0))],
        [*tool_board(rng, "#bfae8e", 1.12), *moved(barrel(rng, "#8c6a44"), pose(0.2, 0, 0))],
        [*moved(pallet(rng, timber), upright), *window(window_view(rng, palette), "#8f8b82", 0.8, 0.6, 1.22)],
        [
            *moved(ladder(wood(rng, timber)), pose(-0.35, 0, 0)),
            *moved(barrel(rng, "#a07c4c"), pose(0.35, 0, 0)),
        ],
    ]
    return [
        *SHELL.on_both_sides(rng, groups, SIDE_PLACES),
        *SHELL.spread(rng, [bench, crates(rng, timber, stacked=True)], "near", (-1.6, 1.6)),
    ]


def behind_the_eye(rng: np.random.Generator) -> list[Part]:
    """A tool board and a plan pinned up below it."""
    plan = poster("plan", diagram(rng), 0.9, 0.6, 0.5)
    return moved([*tool_board(rng, "#b5a27c", 1.2), *moved(plan, pose(0.1, 0, 0))], SHELL.against("near", 0.0))


def tube_light(rng: np.random.Generator) -> Light:
    """A long lamp across the room, neutral to cool."""
    coolness = rng.uniform(0, 1)
    power = rng.uniform(7.0, 8.0)
    return Light(
        centre=(rng.uniform(-0.8, 0.8), rng.uniform(-1.2, -0.2), 2.85),
        radii=(0.6, 0.12),
        colour=(power * (1 - 0.06 * coolness), power * 0.97, power * (0.92 + 0.06 * coolness)),
        ambient=(0.47, 0.475, 0.48),
    )
