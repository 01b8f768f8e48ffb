"""The truth of a task, loaded: what observers and metrics may know besides the video itself."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.framing import WHOLE, cut
from lookaway.geometry.visibility import phases_from_visible
from lookaway.records import Box, Interval, Reference
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
    video: Path
    seconds: Floats
    world: KnownTruth | None  # None where a suite ships a true clip and nothing else
    depth_file: Path | None = None
    part: Box = WHOLE  # of the true picture: what the clip beside it shows as well

    @property
    def phases(self) -> tuple[Interval, ...]:
        return self.record.phases

    def frames(self) -> SharedFrames:
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
    video = store.path(reference.video)
    if reference.arrays is None:
        return Truth(reference, video, _decoded(video).seconds, None, part=part)
    with np.load(store.path(reference.arrays)) as a:
        masks = np.unpackbits(a["masks"], axis=-1, count=int(a["mask_width"])).astype(bool)
        world = KnownTruth(a["camera_to_world"], a["intrinsics"], masks, a["visible"], a["state"])
        depth = store.path(reference.depth) if reference.depth is not None else None
        whole = Truth(reference, video, a["seconds"], world, depth)
    return whole if part == WHOLE else _in_part(whole, world, part)


def _in_part(whole: Truth, world: KnownTruth, part: Box) -> Truth:
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
