"""Files beside a brought video that tell its camera, as WRBench's release has them.

`X.mp4.camera.json` (or `X.mp4.d1_target.json`, which wins) is what was asked, `X.mp4.target_c2w.npy` the path that was
delivered, gains and all, and `X.mp4.payload.json` what the model was handed. They are strangers' files: what is wrong
with one is said in a line, and the video is taken in without it.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from tokenize import TokenError
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lookaway.errors import UsageError, problems
from lookaway.geometry.camera_pair import camera_path
from lookaway.geometry.trajectory import Floats
from lookaway.limits import MB, SIDECAR_BYTES, VIDEO_FRAMES
from lookaway.places import safe_text
from lookaway.video.names import printable

ASKED = (".d1_target.json", ".camera.json")  # the first that is there counts
POSES, PAYLOAD = ".target_c2w.npy", ".payload.json"
AXES = "opencv_c2w"
FARTHEST = 1e6  # no camera of a clip stands that far away, in whatever unit
LONGEST_LINE = 240
_NO_ARRAY = (OSError, ValueError, SyntaxError, TypeError, OverflowError, MemoryError, EOFError, TokenError, UserWarning)


class FrameMapping(BaseModel):
    """Which frames of the video the poses belong to."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    target_frame_indices: tuple[Annotated[int, Field(ge=0, lt=VIDEO_FRAMES)], ...] = Field((), max_length=VIDEO_FRAMES)


class ToldCamera(BaseModel):
    """Of a `.camera.json`, what is used here; the rest is kept in the file."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    camera_script: str = Field("", max_length=2000)
    control_family: str = Field("", max_length=200)
    coordinate_convention: str = Field("", max_length=200)
    target_coordinate_convention: str = Field("", max_length=200)
    rotation_gain: float | None = Field(None, gt=0, le=100)
    translation_gain: float | None = Field(None, gt=0, le=100)
    fov: float | None = Field(None, ge=1, le=170, description="horizontal, in degrees")
    num_frames: int | None = None
    model_frame_count: int | None = None
    source_frame_count: int | None = None
    requested_frame_count: int | None = None
    generated_frame_count: int | None = None
    frame_mapping: FrameMapping | None = None

    @property
    def counts(self) -> set[int]:
        """The lengths that a path may have by what is told."""
        told = (self.num_frames, self.model_frame_count, self.source_frame_count, self.requested_frame_count)
        return {count for count in (*told, self.generated_frame_count) if count is not None}

    @property
    def axes(self) -> str:
        return self.target_coordinate_convention or self.coordinate_convention


@dataclass(frozen=True)
class Sidecars:
    """What the files beside a video tell."""

    told: ToldCamera | None = None
    poses: Floats | None = None  # camera-to-world (F, 4, 4) from the first camera, as delivered
    kept: dict[str, bytes] = field(default_factory=dict)  # the files that could be read, without places and secrets
    notes: tuple[str, ...] = ()  # what is wrong with the others


def sidecar_paths(video: Path) -> list[Path]:
    """The files beside a video that are looked at."""
    asked = next((path for ending in ASKED if _there(path := _beside(video, ending))), None)
    rest = [path for ending in (POSES, PAYLOAD) if _there(path := _beside(video, ending))]
    return [*([] if asked is None else [asked]), *rest]


def read_sidecars(video: Path) -> Sidecars:
    """All that can be read beside a video, and a line about each file that cannot."""
    told, poses, kept, notes = None, None, {}, _misnamed(video)
    for path in sidecar_paths(video):
        try:
            data = _bytes(path)
            if path.name.endswith(POSES):
                poses = _poses(path)
            else:
                facts, data = _object(data, path)
                told = told if path.name.endswith(PAYLOAD) else _told(facts, path)
            kept[printable(path.name)] = data
        except UsageError as error:
            notes.append(f"{_line(str(error))}; not used")
    if poses is not None and told is not None and told.axes not in ("", AXES):
        notes.append(_line(f"{printable(video.name)}{POSES}: its axes are '{told.axes}', and only {AXES} is read"))
        poses = None
    return Sidecars(told, poses, kept, tuple(notes))


def _beside(video: Path, ending: str) -> Path:
    return video.with_name(video.name + ending)


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _misnamed(video: Path) -> list[str]:
    """Files that are called after the video without its ending, which are not read."""
    others = [video.with_suffix(ending) for ending in (*ASKED, POSES) if video.suffix and not video.is_dir()]
    return [
        f"{printable(path.name)}: not read; beside {printable(video.name)} it is called "
        f"{printable(video.name + path.name[len(video.stem) :])}"
        for path in others
        if _there(path)
    ]


def _bytes(path: Path) -> bytes:
    name = printable(path.name)
    if not path.is_file():
        raise UsageError(f"{name}: no plain file")
    try:
        if path.stat().st_size > SIDECAR_BYTES:
            raise UsageError(f"{name}: larger than {SIDECAR_BYTES // MB} MB")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from error


def _object(data: bytes, path: Path) -> tuple[dict[str, object], bytes]:
    """What a JSON file says, and the same as it may be passed on."""
    try:
        facts = json.loads(data)
        kept = safe_text(json.dumps(facts)).encode()
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{printable(path.name)}: not JSON ({error})") from error
    if not isinstance(facts, dict):
        raise UsageError(f"{printable(path.name)}: not a JSON object")
    return facts, kept


def _told(facts: dict[str, object], path: Path) -> ToldCamera:
    try:
        return ToldCamera.model_validate(facts)
    except ValidationError as error:
        raise UsageError(f"{printable(path.name)}: not as WRBench writes it: {problems(error)}") from error


def _poses(path: Path) -> Floats:
    """The path in an npy file, which is looked into before any of it is taken into memory; nothing is unpickled."""
    name = printable(path.name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a header that has to be guessed at
            array = np.lib.format.open_memmap(path, mode="r")
    except _NO_ARRAY as error:
        raise UsageError(f"{name}: not a plain npy file ({error})") from error
    if array.ndim != 3 or array.shape[1:] != (4, 4) or array.dtype.kind not in "fiu":
        raise UsageError(f"{name}: holds {array.dtype.name} {array.shape}, not numbers (F, 4, 4)")
    if not 2 <= len(array) <= VIDEO_FRAMES:
        raise UsageError(f"{name}: holds {len(array)} poses, not 2 to {VIDEO_FRAMES}")
    poses = np.array(array, np.float64)
    if (np.abs(poses) > FARTHEST).any():
        raise UsageError(f"{name}: holds numbers beyond {FARTHEST:g}")
    return camera_path(poses, name).poses


def _line(text: str) -> str:
    """A reason in one line, whatever a stranger's file put into it."""
    plain = printable(" ".join(safe_text(text).split()))
    return plain if len(plain) <= LONGEST_LINE else f"{plain[:LONGEST_LINE]}…"
