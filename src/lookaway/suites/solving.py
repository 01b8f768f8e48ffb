"""How far must a look go until it hides the subject, and how far may it go while hiding nothing?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import SuiteError
from lookaway.geometry.script import poses_at
from lookaway.suites.look_aways import EXIT, OTHER_SIDE, Angle, LookAway, Timing, Turn, out_and_back
from lookaway.worlds import World, covers_at
from lookaway.worlds.covers import OPEN, Cover

Floats = NDArray[np.float64]

ANGLES_DEG = np.arange(20.0, 151.0, 2.0)
MARGIN_DEG = 2.0  # past the angle at which the last pixel leaves
WAIT_MOMENTS = 5  # of each hidden time at which the subject is looked for
SMALL_DEG = (10.0, 7.0, 5.0, 3.0, 2.0, 1.0)
SMALL_REACH = 0.15
SMALL_PERCENT = (60.0, 45.0, 30.0, 20.0, 10.0, 5.0, 2.0)
FOLLOWING_DEG = (15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0)
CHECKS = 17  # moments of a clip at which an observed twin is checked
KEPT_SHARE = 0.85  # of the pixels a resting camera sees; a thing shrinks by up to a tenth as it nears the middle
FOLLOWED_SHARE = 0.15  # of the first pixels that a following camera must keep; a train looks small on the far side


@dataclass(frozen=True)
class Scripts:
    """What the camera does, and what comes between it and the subject."""

    camera: str
    cover: str


def hiding_scripts(world: World, look: LookAway, timing: Timing, turn: Turn, angle: Angle) -> Scripts:
    """The look with its angle solved where it is still open."""
    solved = exit_angle(world, look, timing, turn) if angle == EXIT and look.camera else angle
    return Scripts(look.camera_script(timing, turn, solved), look.cover_script(timing))


def exit_angle(world: World, look: LookAway, timing: Timing, turn: Turn, share: float = 1.0) -> float:
    """The smallest angle, with a margin, at which that share of the subject's pixels is out while the camera waits.

    The place where the subject was first seen must be out as well, so that the view itself shows the look-away.
    """
    waits = np.concatenate(
        [
            timing.total_s * number + timing.before_s + timing.out_s + timing.hidden_s * np.linspace(0, 1, WAIT_MOMENTS)
            for number in range(look.rounds)
        ]
    )
    resting = {moment: _pixels(world, world.home, moment) for moment in (0.0, *waits)}

    def out(angle: float) -> bool:
        poses = world.home @ poses_at(look.camera_script(timing, turn, float(angle)), waits, world.pitch_deg)
        return all(
            _pixels(world, pose, moment) <= (1 - share) * resting[moment]
            for pose, wait in zip(poses, waits, strict=True)
            for moment in (wait, 0.0)
        )

    place = bisect_left(ANGLES_DEG, True, key=out)
    if place == len(ANGLES_DEG):
        raise SuiteError(f"{look.name}: even {ANGLES_DEG[-1]:g} degrees leave {world.facts.words.subject} in view")
    return float(ANGLES_DEG[place]) + MARGIN_DEG


def observed_scripts(world: World, look: LookAway, timing: Timing, turn: Turn) -> Scripts:
    """The same look, as large as it can be without hiding any of the subject."""
    seconds = np.linspace(0, timing.total_s * look.rounds, CHECKS)
    resting = np.array([_pixels(world, world.home, second) for second in seconds])
    follows = look.camera is None and look.cover is None
    enough = np.full(CHECKS, FOLLOWED_SHARE * resting[0]) if follows else KEPT_SHARE * resting
    for scripts in _smaller(look, timing, turn):
        poses = world.home @ poses_at(scripts.camera, seconds, world.pitch_deg)
        covers = covers_at(scripts.cover, seconds)
        if all(_pixels(world, *shown) >= least for *shown, least in zip(poses, seconds, covers, enough, strict=True)):
            return scripts
    raise SuiteError(f"{look.name}: even the smallest one hides {world.facts.words.subject}")


def _smaller(look: LookAway, timing: Timing, turn: Turn) -> Iterator[Scripts]:
    """Candidates from large to small; a subject that leaves by itself is followed instead."""
    if look.camera:
        for angle in SMALL_DEG:
            yield Scripts(look.camera_script(timing, turn, angle, SMALL_REACH), "")
    elif look.cover:
        for percent in SMALL_PERCENT:
            yield Scripts(look.camera_script(timing, turn, EXIT), look.cover_script(timing, percent))
    else:
        for angle in FOLLOWING_DEG:
            for way in (turn, OTHER_SIDE[turn]):
                yield Scripts(out_and_back(timing, f"yaw:{way}:{angle:g}", f"yaw:{OTHER_SIDE[way]}:{angle:g}"), "")


def _pixels(world: World, pose: Floats, second: float, cover: Cover = OPEN) -> int:
    """Subject pixels in view."""
    return int(world.subject_mask(world.glance(pose, float(second), cover), cover).sum())
