"""A Look as files, to be read in another process, and arrays back. Nothing is pickled."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import ObserveError
from lookaway.observers import Arrays, Look, ObservedArrays
from lookaway.observers.pipe import Message
from lookaway.records import Reference, Task
from lookaway.truth import KnownTruth, Truth
from lookaway.video import SharedFrames, VideoInfo

RGB_FILE, LOOK_FILE, TRUTH_FILE, ANSWER_FILE = "rgb.npy", "look.npz", "truth.npz", "seen.npz"
WORLD, PART = "world.", "part."  # before the names of the truth's arrays: of a whole world, or of some parts of one


def hand_over(look: Look, folder: Path) -> Message:
    """Write a Look's arrays into the folder; what says the rest of it in JSON."""
    np.save(folder / RGB_FILE, look.frames.rgb, allow_pickle=False)
    np.savez(folder / LOOK_FILE, seconds=look.frames.seconds, first_frame=look.first_frame)
    info = dataclasses.asdict(look.frames.info) | {"path": str(look.frames.info.path)}
    told: Message = {"info": info, "task": look.task.model_dump(mode="json"), "settings": dict(look.settings)}
    return told | {"truth": None if look.truth is None else _hand_over_truth(look.truth, folder)}


def taken_over(told: Message, folder: Path) -> Look:
    """The Look that was handed over."""
    rgb = np.load(folder / RGB_FILE, mmap_mode="r")
    arrays = read_arrays(folder / LOOK_FILE)
    facts = told["info"]
    info = VideoInfo(**facts | {"path": Path(facts["path"]), "notes": tuple(facts["notes"])})
    truth = None if told["truth"] is None else _taken_over_truth(told["truth"], folder)
    frames = SharedFrames(info, arrays["seconds"], rgb)
    return Look(frames, Task.model_validate(told["task"]), arrays["first_frame"], truth, told["settings"])


def _hand_over_truth(truth: Truth, folder: Path) -> Message:
    world = {} if truth.world is None else {WORLD + name: array for name, array in vars(truth.world).items()}
    arrays: dict[str, Any] = {PART + name: array for name, array in truth.arrays.items()} | world
    np.savez(folder / TRUTH_FILE, seconds=truth.seconds, **arrays)
    return {
        "record": truth.record.model_dump(mode="json"),
        "video": None if truth.video is None else str(truth.video),
        "depth_file": None if truth.depth_file is None else str(truth.depth_file),
        "part": list(truth.part),
    }


_last: tuple[Message, Truth] | None = None  # clips of one task come one after the other, and caches go by the object


def _taken_over_truth(told: Message, folder: Path) -> Truth:
    global _last
    if _last is None or _last[0] != told:
        _last = (told, _read_truth(told, read_arrays(folder / TRUTH_FILE)))
    return _last[1]


def _read_truth(told: Message, arrays: dict[str, NDArray[Any]]) -> Truth:
    world, parts = (
        {name.removeprefix(kind): array for name, array in arrays.items() if name.startswith(kind)}
        for kind in (WORLD, PART)
    )
    left, top, right, bottom = told["part"]
    return Truth(
        Reference.model_validate(told["record"]),
        None if told["video"] is None else Path(told["video"]),
        arrays["seconds"],
        KnownTruth(**world) if world else None,
        None if told["depth_file"] is None else Path(told["depth_file"]),
        (left, top, right, bottom),
        parts,
    )


def write_arrays(path: Path, seen: object) -> None:
    """What an observer returns, by name."""
    if not isinstance(seen, ObservedArrays):
        raise ObserveError("an observer must return the arrays that it declares, or an Abstain")
    arrays: dict[str, Any] = seen.arrays()
    np.savez(path, **arrays)


def read_arrays(path: Path) -> Arrays:
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)
