"""Pose observers that are programs of their own: VGGT, MapAnything and COLMAP, each in its own environment."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from pydantic import Field

from lookaway.errors import MissingPackage, MissingWeights, ObserveError
from lookaway.geometry.trajectory import Floats
from lookaway.observers import Look, observer
from lookaway.observers.classical import PLAUSIBLE_DEG
from lookaway.observers.following import MIN_AGREEING, CameraTurns, features, grey
from lookaway.observers.pipe import Message
from lookaway.observers.placing import placed
from lookaway.observers.worker_calls import WorkerSettings, worker_answer, worker_settings
from lookaway.outcomes import Abstain


class PoseSettings(WorkerSettings):
    """What `--set vggt.NAME=VALUE` may say."""

    frames: int = Field(64, ge=2, description="at most so many, evenly spread, are shown to the worker")


class WorkerPoses(CameraTurns):
    """What a worker finds: turns, places and the lens, as `classical` has it."""

    translation: Floats  # (N, 3), in a unit of the worker's own
    hfov_deg: Floats  # (3,): field of view, lowest and highest


class Vggt(WorkerPoses):
    """By VGGT."""


class MapAnything(WorkerPoses):
    """By MapAnything."""


class Colmap(WorkerPoses):
    """By COLMAP."""


P = TypeVar("P", bound=WorkerPoses)


@observer(version=3, saw=Vggt, weights="facebook/VGGT-1B", unverified=True)
def vggt(look: Look) -> Vggt | Abstain:
    """Rotation and place per frame by VGGT, run as a worker: as `classical` gives them, and `translation`."""
    return seen_by(Vggt, look)


@observer(version=3, saw=MapAnything, weights="facebook/map-anything", unverified=True)
def mapanything(look: Look) -> MapAnything | Abstain:
    """Rotation and place per frame by MapAnything, run as a worker: as `classical` gives them, and `translation`."""
    return seen_by(MapAnything, look)


@observer(version=3, saw=Colmap)
def colmap(look: Look) -> Colmap | Abstain:
    """Rotation and place per frame by COLMAP, run as a worker; abstains where the camera only turns or rests."""
    return seen_by(Colmap, look)


def seen_by(saw: type[P], look: Look) -> P | Abstain:
    """What the worker of that observer makes of a clip."""
    name = saw.observer
    settings = worker_settings(PoseSettings, name, look)
    frames = len(look.frames)
    if frames < 2:
        return Abstain("a single frame has no camera motion")
    if (points := len(features(grey(look.frames.rgb[0])))) < MIN_AGREEING:
        return Abstain(f"the first frame has only {points} features to follow; it is blank or dark")
    sampled = np.unique(np.linspace(0, frames - 1, min(frames, settings.frames)).round().astype(np.int64))
    try:
        found = placed(worker_answer(name, look, settings, sampled.tolist(), _facts(look, sampled)), sampled, frames)
    except (MissingWeights, MissingPackage):
        raise
    except ObserveError as error:
        raise ObserveError(f"worker {name}: {error}") from error
    if isinstance(found, Abstain):
        return found
    return saw(
        seconds=look.frames.seconds,
        rotation=found.camera_to_world[:, :3, :3],
        translation=found.camera_to_world[:, :3, 3],
        trusted=found.trusted,
        confidence=found.confidence,
        half_width_deg=np.zeros((frames, 2)),  # nobody knows
        hfov_deg=_lens(look, found.hfov_deg),
    )


def _facts(look: Look, sampled: np.ndarray) -> Message:
    height, width = look.frames.rgb.shape[1:3]
    return {
        "seconds": look.frames.seconds[sampled].tolist(),
        "width": width,
        "height": height,
        "hfov_deg": look.task.hfov_deg if look.task.hfov_declared else None,
    }


def _lens(look: Look, measured: Floats | None) -> Floats:
    """Field of view, lowest and highest: over the frames as the worker found it, else as the task has it."""
    if measured is not None:
        return np.array([np.median(measured), measured.min(), measured.max()])
    given = look.task.hfov_deg
    return np.array([given, given, given] if look.task.hfov_declared else [given, *PLAUSIBLE_DEG])
