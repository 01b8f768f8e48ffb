"""The truth of a task, loaded: what observers and metrics may know besides the video itself."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lookaway.records import Interval, Reference
from lookaway.store import Blobs
from lookaway.video import SharedFrames

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class World:
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
    world: World | None  # None where a suite ships a true clip and nothing else
    depth_file: Path | None = None

    @property
    def phases(self) -> tuple[Interval, ...]:
        return self.record.phases

    def frames(self) -> SharedFrames:
        return _decoded(self.video)

    def depth(self) -> NDArray[np.float32]:
        """Metric z-depth (N, H, W) of the true clip."""
        if self.depth_file is None:
            raise ValueError("no depth here; only a known world has it")
        with np.load(self.depth_file) as arrays:
            return np.asarray(arrays["depth"], np.float32)


@lru_cache(maxsize=2)  # clips of one task are looked at one after the other
def _decoded(video: Path) -> SharedFrames:
    return SharedFrames.load(video)


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
def load(reference: Reference, blobs: Path) -> Truth:
    """The truth behind a reference."""
    store = Blobs(blobs)
    video = store.path(reference.video)
    if reference.arrays is None:
        return Truth(reference, video, _decoded(video).seconds, None)
    with np.load(store.path(reference.arrays)) as a:
        masks = np.unpackbits(a["masks"], axis=-1, count=int(a["mask_width"])).astype(bool)
        world = World(a["camera_to_world"], a["intrinsics"], masks, a["visible"], a["state"])
        depth = store.path(reference.depth) if reference.depth is not None else None
        return Truth(reference, video, a["seconds"], world, depth)
