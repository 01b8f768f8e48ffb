"""Pose observers that are programs of their own: VGGT, MapAnything and COLMAP, each in its own environment."""

from __future__ import annotations

import itertools
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import numpy as np
from pydantic import Field, ValidationError

from lookaway import workers
from lookaway.errors import MissingWeights, ObserveError, problems
from lookaway.geometry.trajectory import Floats
from lookaway.images import png_bytes
from lookaway.observers import OBSERVERS, Look, observer
from lookaway.observers.classical import PLAUSIBLE_DEG
from lookaway.observers.following import MIN_AGREEING, CameraTurns, features, grey
from lookaway.observers.pipe import asked
from lookaway.observers.placing import placed
from lookaway.outcomes import Abstain
from lookaway.records import Record
from lookaway.weights import HUB_NAME, found, how_to_get

SERVE = Path(workers.__file__).with_name("serve.py")


class WorkerSettings(Record):
    """What `--set vggt.NAME=VALUE` may say."""

    command: str = Field("{python} {worker}", description="{worker} is the program that comes with lookaway")
    model: str | None = Field(None, description="a checkpoint's name or folder; the worker's own choice unless told")
    frames: int = Field(64, ge=2, description="at most so many, evenly spread, are shown to the worker")
    timeout_s: float = Field(1800.0, gt=0, description="for one clip; the first one waits for the weights")


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


@observer(version=3, saw=Vggt, weights="facebook/VGGT-1B")
def vggt(look: Look) -> Vggt | Abstain:
    """Rotation and place per frame by VGGT, run as a worker: as `classical` gives them, and `translation`."""
    return seen_by(Vggt, look)


@observer(version=3, saw=MapAnything, weights="facebook/map-anything")
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
    settings = _settings(name, look)
    frames = len(look.frames)
    if frames < 2:
        return Abstain("a single frame has no camera motion")
    if (points := len(features(grey(look.frames.rgb[0])))) < MIN_AGREEING:
        return Abstain(f"the first frame has only {points} features to follow; it is blank or dark")
    sampled = np.unique(np.linspace(0, frames - 1, min(frames, settings.frames)).round().astype(np.int64))
    try:
        found = placed(_asked(name, look, settings, sampled), sampled, frames)
    except MissingWeights:
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


_numbers = itertools.count(1)


def _asked(name: str, look: Look, settings: WorkerSettings, sampled: np.ndarray) -> dict[str, object]:
    height, width = look.frames.rgb.shape[1:3]
    with TemporaryDirectory() as folder:
        files = [f"{index:06d}.png" for index in sampled]
        for file, index in zip(files, sampled, strict=True):
            (Path(folder) / file).write_bytes(png_bytes(look.frames.rgb[index]))
        request = {
            "clip": next(_numbers),
            "folder": folder,
            "files": files,
            "seconds": look.frames.seconds[sampled].tolist(),
            "width": width,
            "height": height,
            "hfov_deg": look.task.hfov_deg if look.task.hfov_declared else None,
            "model": _model(name, settings),
        }
        answer = asked(_words(name, settings.command), request, settings.timeout_s)
    if "missing_weights" in answer:
        named = str(answer["missing_weights"])
        if HUB_NAME.fullmatch(named):
            raise MissingWeights(named, how_to_get(named))
        raise ObserveError(f"cannot load the weights in {named}")
    return answer


def _model(name: str, settings: WorkerSettings) -> str | None:
    """The folder of the weights where they are here; else their name, which the worker's own library may find."""
    named = settings.model or OBSERVERS.get(name).weights
    folder = found(named) if named else None
    return settings.model if folder is None else str(folder.resolve())


def _words(name: str, command: str) -> tuple[str, ...]:
    """A command line, in which {python} is the one that runs this and {worker} the worker of that name."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ObserveError(f"its command cannot be read: {error}") from error
    if not words:
        raise ObserveError(f'its command is empty; give one: --set "{name}.command=ENVIRONMENT/bin/python {{worker}}"')
    places = {"{python}": [sys.executable], "{worker}": [str(SERVE), name]}
    return tuple(part for word in words for part in places.get(word, [word]))


def _settings(name: str, look: Look) -> WorkerSettings:
    try:
        return WorkerSettings.model_validate(dict(look.settings))
    except ValidationError as error:
        raise ObserveError(f"--set {name}.…: {problems(error)}") from error


def _lens(look: Look, measured: Floats | None) -> Floats:
    """Field of view, lowest and highest: over the frames as the worker found it, else as the task has it."""
    if measured is not None:
        return np.array([np.median(measured), measured.min(), measured.max()])
    given = look.task.hfov_deg
    return np.array([given, given, given] if look.task.hfov_declared else [given, *PLAUSIBLE_DEG])
