"""What the subject looks like to a descriptor of the user's own, an ONNX file."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.errors import MissingExtra, ObserveError
from lookaway.observers import Look, observer
from lookaway.observers.learned import learned_settings
from lookaway.observers.tracking.sights import IMAGENET, Crop, SubjectSights, Tones, sights, subject_crop
from lookaway.outcomes import Abstain
from lookaway.records import Record

NAME = "subject_features_onnx"
QUIET = 4  # of the library's levels of telling: what goes wrong is told by its exceptions
TONES: dict[str, Tones] = {
    "imagenet": IMAGENET,
    "unit": ([0.0] * 3, [1.0] * 3),  # 0 to 1
    "signed": ([0.5] * 3, [0.5] * 3),  # -1 to 1
}


class OnnxSights(SubjectSights):
    """As the user's descriptor tells."""


class OnnxSettings(Record):
    """What `--set subject_features_onnx.NAME=VALUE` may say."""

    model: str = Field("", description="the file: one picture (1, 3, side, side) in, one vector out")
    side: int = Field(224, ge=8, le=2048, description="pixels of a crop, where the file does not tell")
    tones: Literal["imagenet", "unit", "signed"] = "imagenet"
    tracker: str = Field(
        "subject_track", description="whose masks are cut out; give it where subject_track.by is given"
    )


@observer(version=1, saw=OnnxSights, extra="onnx")
def subject_features_onnx(look: Look) -> OnnxSights | Abstain:
    """A vector of the subject alone, cut out by its masks, in a few frames of each stretch that shows it."""
    settings = learned_settings(OnnxSettings, NAME, look)
    if not settings.model:
        return Abstain(f"no descriptor was given: --set {NAME}.model=FILE.onnx")
    descriptor = _opened(Path(settings.model), settings.side)
    crop = functools.partial(subject_crop, side=descriptor.side, tones=TONES[settings.tones])
    return sights(OnnxSights, look, settings.tracker, crop, descriptor.vectors)


class Descriptor:
    """An ONNX file that makes one vector of one picture."""

    def __init__(self, path: Path, side: int) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingExtra("onnx", f"observer {NAME}") from error
        how = onnxruntime.SessionOptions()
        how.log_severity_level = QUIET
        how.intra_op_num_threads = how.inter_op_num_threads = 1  # sums in one order
        self.path = path
        self._how = onnxruntime.RunOptions()
        self._how.log_severity_level = QUIET
        try:
            self._session: Any = onnxruntime.InferenceSession(path.read_bytes(), how, ["CPUExecutionProvider"])
        except Exception as error:  # its errors have no class in common
            raise ObserveError(f"{path.name}: cannot be opened as ONNX: {error}; --set {NAME}.model=FILE") from error
        (given, *more) = self._session.get_inputs()
        colours = given.shape[1] if len(given.shape) == 4 else 0
        if more or given.type != "tensor(float)" or (colours != 3 and not isinstance(colours, str)):
            told = ", ".join(f"{each.name} {each.type} {each.shape}" for each in (given, *more))
            raise ObserveError(f"{path.name}: wants {told}; expected one picture (1, 3, side, side) of float32")
        self._name, told_side = given.name, given.shape[2]
        self.side = told_side if isinstance(told_side, int) and told_side > 0 else side

    def vectors(self, crops: list[Crop]) -> NDArray[np.float32]:
        """One row each, a picture at a time: many files take no more."""
        return np.stack([self._vector(crop) for crop in crops])

    def _vector(self, crop: Crop) -> NDArray[np.float32]:
        try:
            (made, *_) = self._session.run(None, {self._name: crop[None]}, self._how)
        except Exception as error:
            raise ObserveError(f"{self.path.name}: fails on a picture of {crop.shape}: {error}") from error
        vector = np.asarray(made, np.float32)
        if vector.size < 2 or max(vector.shape) != vector.size or not np.isfinite(vector).all():
            shape = "x".join(map(str, vector.shape))
            raise ObserveError(f"{self.path.name}: made {shape} of a picture; expected one vector of finite numbers")
        return vector.ravel()


@functools.lru_cache(maxsize=2)
def _opened_as_it_was(path: Path, side: int, changed_ns: int) -> Descriptor:
    return Descriptor(path, side)


def _opened(path: Path, side: int) -> Descriptor:
    """Opened once, as long as the file stays the same."""
    if not path.is_file():
        raise ObserveError(f"no file '{path}'; --set {NAME}.model=FILE.onnx")
    return _opened_as_it_was(path, side, path.stat().st_mtime_ns)
