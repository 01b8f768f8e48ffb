"""The truth of a task, loaded: what observers and metrics may know besides the video itself."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.framing import WHOLE, cut
from lookaway.geometry.phase_frames import Keyframes, keyframes, sight_frames
from lookaway.geometry.visibility import phases_from_visible
from lookaway.records import Box, Interval, Reference, Task, TruthPart
from lookaway.store import Blobs
from lookaway.video import SharedFrames

Floats = NDArray[np.float64]

VISIBLE_SHARE = 0.02  # of the first frame's subject pixels: below it the subject counts as out of view


@dataclass(frozen=True, eq=False)
class KnownTruth:
    """What only a known world can tell, per frame of the true clip."""

    camera_to_world: Floats
    intrinsics: Floats
    masks: NDArray[np.bool_]  # (N, H, W) of the first subject and what belongs to it
    visible: Floats  # (N,) subject pixels as a share of those in the first frame
    state: Floats  # (N, len(record.state_names))


@dataclass(frozen=True, eq=False)  # one object per reference: hashable, so that caches can hold on to it
class Truth:
    """A reference with its arrays in memory; the clip is decoded on first use."""

    record: Reference
    video: Path | None  # None where a suite ships no true clip
    seconds: Floats
    world: KnownTruth | None  # None where a suite ships less than poses, masks and state
    depth_file: Path | None = None
    part: Box = WHOLE  # of the true picture: what the clip beside it shows as well
    arrays: Mapping[str, NDArray[Any]] = field(
        default_factory=dict
    )  # where there is no whole world: poses, masks, state

    @property
    def phases(self) -> tuple[Interval, ...]:
        return self.record.phases

    @property
    def parts(self) -> tuple[TruthPart, ...]:
        """Which parts of the truth there are."""
        there: dict[TruthPart, object] = {
            "clip": self.video,
            "poses": self.poses,
            "depth": self.depth_file,
            "masks": self.masks,
            "state": self.state,
        }
        return tuple(part for part, known in there.items() if known is not None)

    @property
    def poses(self) -> Floats | None:
        """Camera-to-world (N, 4, 4)."""
        return self.world.camera_to_world if self.world is not None else self.arrays.get("camera_to_world")

    @property
    def masks(self) -> NDArray[np.bool_] | None:
        """(N, H, W) of the first subject."""
        return self.world.masks if self.world is not None else self.arrays.get("masks")

    @property
    def state(self) -> Floats | None:
        """(N, len(record.state_names))."""
        return self.world.state if self.world is not None else self.arrays.get("state")

    def frames(self) -> SharedFrames:
        if self.video is None:
            raise ValueError('no true clip here; declare needs_truth=("clip",)')
        return _decoded(self.video, self.part)

    def depth(self) -> NDArray[np.float32]:
        """Metric z-depth (N, H, W) of the true clip."""
        if self.depth_file is None:
            raise ValueError("no depth here; only a known world has it")
        with np.load(self.depth_file) as arrays:
            return np.asarray(cut(arrays["depth"], self.part), np.float32)


@lru_cache(maxsize=2)  # clips of one task are looked at one after the other
def _decoded(video: Path, part: Box = WHOLE) -> SharedFrames:
    frames = SharedFrames.load(video)
    return SharedFrames(frames.info, frames.seconds, cut(frames.rgb, part))


def true_keyframes(truth: Truth, task: Task) -> Keyframes | None:
    """Where the subject is first completely gone and first fully back: in a known world by its exact masks,
    elsewhere as the phases have it; None where it does not leave and come back."""
    found = keyframes(truth.phases, truth.seconds)
    if found is None or truth.world is None:
        return found
    masks, area = truth.world.masks, truth.world.visible
    edges = (masks[:, 0], masks[:, -1], masks[:, :, 0], masks[:, :, -1])
    cut_off = np.any([edge.any(1) for edge in edges], axis=0) | bool(task.cover)
    back = sight_frames(truth.seconds, area >= VISIBLE_SHARE, area, cut_off).returned
    back = back[back >= found.back]
    return found._replace(back=int(back[0])) if len(back) else found


def pack(
    seconds: Floats,
    camera_to_world: Floats,
    intrinsics: Floats,
    masks: NDArray[np.bool_],
    visible: Floats,
    state: Floats,
) -> bytes:
    """The arrays of a reference as one compressed npz."""
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        seconds=seconds,
        camera_to_world=camera_to_world,
        intrinsics=intrinsics,
        masks=np.packbits(masks, axis=-1),
        mask_width=np.array(masks.shape[-1]),
        visible=visible,
        state=state,
    )
    return buffer.getvalue()


@lru_cache(maxsize=8)
def load(reference: Reference, blobs: Path, part: Box = WHOLE) -> Truth:
    """The truth behind a reference, in that part of its picture."""
    store = Blobs(blobs)
    video = store.path(reference.video) if reference.video is not None else None
    depth = store.path(reference.depth) if reference.depth is not None else None
    if reference.arrays is None:
        seconds = _decoded(video).seconds if video is not None else np.zeros(0)
        return Truth(reference, video, seconds, None, depth, part)
    with np.load(store.path(reference.arrays)) as loaded:
        arrays = dict(loaded)
    whole = _whole(reference, video, depth, arrays)
    return whole if part == WHOLE else _in_part(whole, part)


def _whole(reference: Reference, video: Path | None, depth: Path | None, arrays: dict[str, NDArray[Any]]) -> Truth:
    if "masks" in arrays:
        arrays["masks"] = np.unpackbits(arrays["masks"], axis=-1, count=int(arrays["mask_width"])).astype(bool)
    names = ("camera_to_world", "intrinsics", "masks", "visible", "state")
    if not arrays.keys() >= set(names):
        return Truth(reference, video, arrays["seconds"], None, depth, arrays=arrays)
    return Truth(reference, video, arrays["seconds"], KnownTruth(*(arrays[name] for name in names)), depth)


def _in_part(whole: Truth, part: Box) -> Truth:
    world = whole.world
    if world is None:
        shown = {} if whole.masks is None else {"masks": cut(whole.masks, part)}
        return replace(whole, part=part, arrays=dict(whole.arrays) | shown)
    masks = cut(world.masks, part)
    height, width = masks.shape[1:]
    intrinsics = world.intrinsics.copy()
    intrinsics[:, :2, 2] = width / 2, height / 2
    area = masks.sum((1, 2))
    visible = area / max(1, area[0])
    phases = phases_from_visible(whole.seconds, visible >= VISIBLE_SHARE)
    return replace(
        whole,
        record=whole.record.model_copy(update={"phases": phases}),
        world=replace(world, masks=masks, intrinsics=intrinsics, visible=visible),
        part=part,
    )
