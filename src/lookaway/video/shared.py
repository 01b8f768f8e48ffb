"""One decoded clip that every observer reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import overload

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import VideoError
from lookaway.video.decode import Frame, decode
from lookaway.video.probe import VideoInfo, probe
from lookaway.video.resize import fitted_size
from lookaway.video.sample import nearest_index


class SharedFrames(Sequence[Frame]):
    """All frames of a clip as one read-only array, in memory or in a temporary file that close() gives back.

    `rgb` is (N, height, width, 3), `seconds` (N,) counts from the first frame. `info` describes the file: its
    width and height may exceed those of `rgb`.
    """

    def __init__(self, info: VideoInfo, seconds: NDArray[np.float64], rgb: NDArray[np.uint8]) -> None:
        self.info, self.seconds, self.rgb = info, seconds, rgb

    @classmethod
    def load(
        cls,
        path: Path,
        long_side: int | None = 640,
        max_bytes: int = 1 << 28,
        folder_fps: float | None = None,
    ) -> SharedFrames:
        """Decode once; an array larger than `max_bytes` goes to a temporary file (its folder is TMPDIR's)."""
        info = probe(path, folder_fps)
        width, height = fitted_size(info.width, info.height, long_side)
        shape = (info.frames, height, width, 3)
        if np.prod(shape, dtype=np.int64) <= max_bytes:
            return cls._in_memory(info, shape, long_side, folder_fps)
        return cls._in_file(info, shape, long_side, folder_fps)

    @classmethod
    def _in_memory(
        cls, info: VideoInfo, shape: tuple[int, ...], long_side: int | None, folder_fps: float | None
    ) -> SharedFrames:
        rgb, seconds = np.empty(shape, np.uint8), np.empty(shape[0])
        for frame in decode(info.path, long_side, folder_fps):
            rgb[frame.index], seconds[frame.index] = frame.rgb, frame.seconds
        rgb.flags.writeable = False
        return cls(info, seconds, rgb)

    @classmethod
    def _in_file(
        cls, info: VideoInfo, shape: tuple[int, ...], long_side: int | None, folder_fps: float | None
    ) -> SharedFrames:
        seconds = np.empty(shape[0])
        try:
            with TemporaryFile() as spool:
                for frame in decode(info.path, long_side, folder_fps):
                    spool.write(frame.rgb.data)
                    seconds[frame.index] = frame.seconds
                spool.flush()
                return cls(info, seconds, np.memmap(spool, np.uint8, "r", shape=shape))
        except OSError as error:
            raise VideoError(
                f"{info.path}: no room for its decoded frames ({error.strerror}); "
                "set TMPDIR to a larger disk or lower long_side"
            ) from error

    def index_at(self, seconds: float) -> int:
        """The frame shown nearest to that second."""
        return nearest_index(self.seconds, seconds)

    def close(self) -> None:
        """Forget the frames; the temporary file has no name and goes with the last view of it."""
        self.rgb = np.empty((0, *self.rgb.shape[1:]), np.uint8)
        self.seconds = self.seconds[:0]

    def __len__(self) -> int:
        return len(self.seconds)

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> list[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | list[Frame]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        return Frame(position, float(self.seconds[position]), self.rgb[position])

    def __enter__(self) -> SharedFrames:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
