"""Taking some frames gives the bits of taking all."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from video_clips import index_seen, numbered, stamped_in_coding_order, textured, write

from lookaway.errors import VideoError
from lookaway.video import decode, decode_some

sparse_decode = importlib.import_module("lookaway.video.decode")._without_unwanted_leaves

X264 = {
    "no_b": {"bf": "0"},
    "flat_b": {"bf": "3", "b-pyramid": "none"},
    "b_pyramid": {"bf": "5", "b-pyramid": "normal", "b_strategy": "0"},
    "open_gop": {"bf": "3", "g": "12", "x264-params": "open-gop=1"},
    "slices": {"bf": "2", "x264-params": "slices=4"},
}


@pytest.mark.parametrize("kind", X264)
@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
def test_some_h264_frames_equal_those_of_a_full_decode(kind: str, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"clip.{suffix}", textured(41), crf="30", **X264[kind])
    full = list(decode(path))
    rng = np.random.default_rng(len(kind))
    subsets = [rng.choice(41, size, replace=False).tolist() for size in (1, 2, 5, 12, 40)]
    for wanted in [*subsets, *([index] for index in range(41))]:
        assert sparse_decode(path, set(wanted)) is not None
        some = decode_some(path, wanted)
        assert [frame.index for frame in some] == wanted
        for frame in some:
            assert frame.seconds == full[frame.index].seconds
            np.testing.assert_array_equal(frame.rgb, full[frame.index].rgb)


def test_some_hevc_frames_equal_those_of_a_full_decode(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(25), "libx265", **{"x265-params": "log-level=none:bframes=4"})
    full = list(decode(path))
    for frame in decode_some(path, [0, 7, 8, 9, 23]):
        np.testing.assert_array_equal(frame.rgb, full[frame.index].rgb)


def test_timestamps_in_coding_order_do_not_misname_frames(tmp_path: Path) -> None:
    wrong = stamped_in_coding_order(write(tmp_path / "clip.mp4", [numbered(i) for i in range(25)], bf="3"))
    assert sparse_decode(wrong, {3}) is None
    assert [index_seen(frame.rgb) for frame in decode_some(wrong, [3, 10, 17])] == [3, 10, 17]


def test_frames_that_are_not_there_are_named(tmp_path: Path) -> None:
    for path in (
        write(tmp_path / "clip.mp4", textured(9)),
        write(tmp_path / "clip.gif", textured(9), "gif", "gray"),
    ):
        assert decode_some(path, []) == []
        with pytest.raises(VideoError, match=r"clip\.\w+: has no frame 9"):
            decode_some(path, [2, 9])
        with pytest.raises(VideoError, match="has no frame -1"):
            decode_some(path, [-1])
