"""Laws of driven worlds, read off real sessions of the known world, and off sessions that break one law each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look
from lookaway.outcomes import Abstain, Measured
from lookaway.records import WorldSpec
from lookaway.video import SharedFrames, VideoInfo
from lookaway.worlds.session import WorldSession
from tests.builders import task

pytest.importorskip("mujoco")
pytest.importorskip("embreex")
pytestmark = pytest.mark.every_world

FPS, SIZE = 8.0, (160, 90)
AT_REST = WorldSpec(layout="parlour", process="ball", seed=0, variant="still")
NO_OP = ("hold@1s",) * 3
THERE_AND_BACK = ("yaw:left:30@1s", "hold@0.5s", "yaw:right:30@1s", "hold@0.5s")
TWICE = ("yaw:left:20@1s", "hold@0.5s", "yaw:right:20@1s", "hold@0.5s", "yaw:left:20@1s")
Misreads = Callable[[int, str], str]  # what a session does instead of the action at that place


def obeys(place: int, action: str) -> str:
    return action


def drifts(place: int, action: str) -> str:
    return action.replace("hold", "yaw:left:4")


def undoes_in_part(place: int, action: str) -> str:
    return action.replace("right:30", "right:12")


def tires(place: int, action: str) -> str:
    return action.replace("20", "8") if place == 4 else action


def read(metric: str, observer: str, actions: tuple[str, ...], misreads: Misreads) -> Any:
    """A metric of the clip that a session shows when it is stepped by these actions."""
    session = WorldSession.open(AT_REST, SIZE, FPS)
    views = [session.first]
    for place, action in enumerate(actions):
        views += session.step(misreads(place, action))
    frames = np.stack([view.rgb for view in views])
    info = VideoInfo(Path("made.mp4"), *SIZE, len(frames), FPS, len(frames) / FPS, False, "none")
    asked = task(
        camera=", ".join(actions), fps=FPS, seconds=(len(frames) - 1) / FPS, moves=False, changes_in_place=False
    )
    look = Look(SharedFrames(info, np.arange(len(frames)) / FPS, frames), asked, frames[0], None)
    seen = OBSERVERS.get(observer).function(look)
    assert not isinstance(seen, Abstain), seen
    arrays = {name: np.asarray(getattr(seen, name)) for name in type(seen).kinds}
    found = METRICS.get(f"{metric}:sound").function(Case(asked, None, {observer: arrays}, {}))
    return found.value if isinstance(found, Measured) else found


@pytest.mark.parametrize(
    ("metric", "observer", "actions", "breaks"),
    [
        ("no_op_change", "signals", NO_OP, drifts),
        ("inverse_residue", "signals", THERE_AND_BACK, undoes_in_part),
        ("repeat_error", "classical", TWICE, tires),
    ],
)
def test_a_lawful_session_passes_and_one_that_breaks_the_law_is_noticed(
    metric: str, observer: str, actions: tuple[str, ...], breaks: Misreads
) -> None:
    margin = METRICS.get(f"{metric}:sound").margin
    lawful, broken = (read(metric, observer, actions, one) for one in (obeys, breaks))
    assert isinstance(lawful, float), lawful
    assert isinstance(broken, float), broken
    assert lawful <= margin / 2
    assert broken > 1.5 * margin
