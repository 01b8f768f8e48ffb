"""What a worker answers about a clip, checked, and read at every frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from lookaway.errors import ObserveError, UsageError, problems
from lookaway.geometry.camera_pair import camera_path
from lookaway.geometry.resampling import resampled_poses
from lookaway.geometry.trajectory import Floats
from lookaway.outcomes import Abstain
from lookaway.records import Record

SEE = "see docs/pose-observers.md for what a worker answers"
Pose = tuple[tuple[float, ...], ...]


class WorkerReply(Record):
    """One answer: poses, or why there are none."""

    clip: int
    poses: tuple[Pose | None, ...] = Field(
        (), description="camera-to-world, (4, 4) or (3, 4), OpenCV; null: not placed"
    )
    confidence: tuple[float, ...] | None = None
    hfov_deg: float | tuple[float, ...] | None = None
    abstain: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class PlacedCameras:
    """A camera at every frame of a clip, seen from the first one."""

    camera_to_world: Floats  # (N, 4, 4); places in a unit of the worker's own
    trusted: NDArray[np.bool_]
    confidence: Floats
    hfov_deg: Floats | None  # of each frame, or one of all


def placed(answer: dict[str, Any], sampled: NDArray[np.int64], frames: int) -> PlacedCameras | Abstain:
    """The answer about the `sampled` frames, read at all of them.

    A frame between two sampled ones lies on the shortest turn between them, and is trusted where both are placed.
    """
    reply = _reply(answer)
    if reply.error is not None:
        raise ObserveError(reply.error)
    if reply.abstain is not None:
        return Abstain(reply.abstain)
    _check_counts(reply, len(sampled))
    known = np.array([pose is not None for pose in reply.poses])
    if not known[0]:
        return Abstain("the first frame could not be placed, and turns are counted from it")
    every = np.arange(frames)
    trusted = np.interp(every, sampled, known.astype(float)) > 1 - 1e-9
    confidence = np.ones(len(sampled)) if reply.confidence is None else np.array(reply.confidence)
    return PlacedCameras(
        resampled_poses(_poses(reply), sampled[known].astype(float), every.astype(float)),
        trusted,
        np.where(trusted, np.interp(every, sampled, confidence), 0.0),
        None if reply.hfov_deg is None else np.atleast_1d(np.array(reply.hfov_deg, float)),
    )


def _reply(answer: dict[str, Any]) -> WorkerReply:
    try:
        return WorkerReply.model_validate(answer)
    except ValidationError as error:
        raise ObserveError(f"the answer cannot be read: {problems(error).split('; ')[0]}; {SEE}") from error


def _check_counts(reply: WorkerReply, files: int) -> None:
    if len(reply.poses) != files:
        raise ObserveError(f"the answer has {len(reply.poses)} poses for {files} frames; {SEE}")
    if reply.confidence is not None:
        if len(reply.confidence) != files:
            raise ObserveError(f"the answer has {len(reply.confidence)} confidences for {files} frames; {SEE}")
        if not all(0 <= value <= 1 for value in reply.confidence):
            raise ObserveError(f"the answer has a confidence outside of 0 to 1; {SEE}")
    angles = np.atleast_1d(np.array([] if reply.hfov_deg is None else reply.hfov_deg, float))
    if not ((angles > 0) & (angles < 180)).all():
        raise ObserveError(f"the answer has a field of view outside of 0 to 180 degrees; {SEE}")


def _poses(reply: WorkerReply) -> Floats:
    """The poses of the frames that were placed, seen from the first."""
    try:
        path = camera_path([pose for pose in reply.poses if pose is not None], "the answer's poses")
    except UsageError as error:
        raise ObserveError(f"{error}; {SEE}") from error
    if not path.placed:
        raise ObserveError(f"the answer's poses are rotations alone; {SEE}")
    return path.poses
