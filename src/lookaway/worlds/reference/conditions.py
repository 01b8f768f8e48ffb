"""When can a task show a reference model? Each condition gives the empty string, or the reason why not."""

from __future__ import annotations

from ctypes.util import find_library
from functools import cache

import numpy as np

from lookaway.geometry.script import duration, parse, yaw_at
from lookaway.geometry.visibility import has_opportunity
from lookaway.records import Task, WorldSpec

GOES_ON_S = 0.5  # of the process must be left to see after the return
LEAST_SKIP = 0.5  # hidden durations
LONGEST_S, STEP_S = 20.0, 1 / 16
STILL = 0.02  # of a state's range
AIRBORNE = {"balloon", "parachute"}
PERIODIC = {"pendulum": "swings to and fro", "circling": "goes round and round", "patrol": "walks to and fro"}


NEVER_AWAY = "the subject is never out of view and back"


def hides(task: Task) -> str:
    return "" if task.phases and has_opportunity(task) else NEVER_AWAY


def happens(task: Task) -> str:
    return "nothing happens" if task.world is not None and task.world.variant == "still" else ""


def ends(task: Task) -> str:
    """What comes round again looks the same a round later, whatever the clock."""
    return PERIODIC.get(task.world.process, "") if task.world is not None else ""


def waits(task: Task) -> str:
    """Out of view by its own motion, it is away for as long as its clock says."""
    away = not task.cover and all(move.still for move in parse(task.camera))
    return "the subject leaves by its own motion, so that its clock decides when it is out of view" if away else ""


def goes_on(task: Task) -> str:
    """What has ended looks the same ever after, however far its clock has run."""
    ended = room_to_skip(task) < LEAST_SKIP
    return "the process has ended, or soon will have, when the view returns" if ended else ""


def room_to_skip(task: Task) -> float:
    """How far the process could run ahead, in times of the first look-away, and still go on after the return."""
    if task.world is None:
        return np.inf
    first = next(interval for interval in task.phases if interval.phase == "hidden")
    return (_ended_s(task.world) - GOES_ON_S - first.end_s) / (first.end_s - first.start_s)


@cache
def _ended_s(spec: WorldSpec) -> float:
    """The second from which on nothing changes any more."""
    from lookaway.worlds.world import World

    world = World(spec)
    seconds = np.arange(0.0, LONGEST_S, STEP_S)
    states = np.array([list(world.state(float(second)).values()) for second in seconds])
    changing = np.flatnonzero((np.abs(states - states[-1]) > STILL * np.ptp(states, axis=0)).any(axis=1))
    return float(seconds[changing[-1]]) if len(changing) else 0.0


def stands(task: Task) -> str:
    """What floats has nothing beneath it to sink into."""
    floats = task.world is not None and task.world.process in AIRBORNE
    return "the subject is in the air" if floats else ""


def changes(task: Task) -> str:
    return "" if task.changes_in_place else "the subject's state does not change"


def camera_moves(task: Task) -> str:
    return "the camera does not move" if all(move.still for move in parse(task.camera)) else ""


def turns_back(task: Task) -> str:
    """Round in a circle, the camera comes home while what it takes along is still on its way."""
    end = np.array([duration(task.camera)])
    circle = abs(yaw_at(task.camera, end, task.pitch_deg)[0]) > 180
    return "the camera turns full circle instead of turning back" if circle else ""


def way_out_is_free(task: Task) -> str:
    return "the way out is given as a true prefix" if task.prefix else ""


def lights_go_out(task: Task) -> str:
    return "" if "lights:" in task.cover else "no lights go out"


def something_covers(task: Task) -> str:
    return "" if "cardboard:" in task.cover or "curtain:" in task.cover else "nothing is put before the subject"


def opengl_is_here(task: Task) -> str:
    return "" if _osmesa() else "the renderer mujoco-gl needs OSMesa, in Debian the package libosmesa6"


@cache
def _osmesa() -> bool:
    return find_library("OSMesa") is not None
