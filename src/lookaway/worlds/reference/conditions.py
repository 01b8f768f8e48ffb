"""When can a task show a reference model? Each condition gives the empty string, or the reason why not."""

from __future__ import annotations

from ctypes.util import find_library
from functools import cache

import numpy as np

from lookaway.geometry.script import duration, parse, yaw_at
from lookaway.geometry.visibility import has_opportunity
from lookaway.records import Task

PERIODIC = {"pendulum": "swings to and fro", "circling": "goes round and round", "patrol": "walks to and fro"}


def hides(task: Task) -> str:
    return "" if task.phases and has_opportunity(task) else "the subject is never out of view and back"


def happens(task: Task) -> str:
    return "nothing happens" if task.world is not None and task.world.variant == "still" else ""


def ends(task: Task) -> str:
    """What comes round again looks the same a round later, whatever the clock."""
    return PERIODIC.get(task.world.process, "") if task.world is not None else ""


def waits(task: Task) -> str:
    """Out of view by its own motion, it is away for as long as its clock says."""
    away = not task.cover and all(move.still for move in parse(task.camera))
    return "the subject leaves by its own motion, so that its clock decides when it is out of view" if away else ""


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
