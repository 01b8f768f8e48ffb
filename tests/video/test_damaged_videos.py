"""A damaged file is told as such, whatever its container; no other error comes out of it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from video_clips import textured, write

from lookaway.errors import VideoError
from lookaway.video import SharedFrames, VideoInfo, probe

FRAMES = 40
KINDS = {
    "clip.mp4": ("libx264", "yuv420p"),
    "vp8.webm": ("libvpx", "yuv420p"),
    "vp9.webm": ("libvpx-vp9", "yuv420p"),
    "clip.gif": ("gif", "gray"),
    "clip.mkv": ("libx264", "yuv420p"),
    "clip.avi": ("mjpeg", "yuvj420p"),
    "mpeg4.avi": ("mpeg4", "yuv420p"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    return {
        name: write(folder / name, textured(FRAMES), codec, pix_fmt).read_bytes()
        for name, (codec, pix_fmt) in KINDS.items()
    }


def looked_at(path: Path) -> VideoInfo | None:
    """What a file is after all its frames were decoded, or None when it is refused with a reason."""
    try:
        with SharedFrames.load(path, long_side=32) as frames:
            assert (np.diff(frames.seconds) > 0).all()
            return frames.info
    except VideoError:
        return None


def cut_short(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: int(rng.integers(1, len(data)))]


def bits_flipped(data: bytes, rng: np.random.Generator) -> bytes:
    flipped = bytearray(data)
    for at in rng.integers(0, len(data), 3):
        flipped[at] ^= 1 << int(rng.integers(8))
    return bytes(flipped)


def zeroed(data: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(0, len(data) - 200))
    return data[:at] + bytes(200) + data[at + 200 :]


def head_overwritten(data: bytes, rng: np.random.Generator) -> bytes:
    written = bytearray(data)
    for at in rng.integers(0, 2000, 2):
        written[at] = int(rng.integers(256))
    return bytes(written)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("harm", [cut_short, bits_flipped, zeroed, head_overwritten])
def test_a_harmed_file_is_refused_or_whole_or_noted(name, harm, whole, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """Six files for every kind of harm and container: 168 in all."""
    for seed in range(6):
        path = tmp_path / f"{seed}_{name}"
        path.write_bytes(harm(whole[name], np.random.default_rng(seed)))
        info = looked_at(path)
        assert info is None or info.frames == FRAMES or info.notes, path.name


@pytest.mark.parametrize("name", ["vp8.webm", "vp9.webm", "clip.gif", "clip.avi", "mpeg4.avi"])
def test_frames_lost_in_the_middle_are_not_closed_up(name: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    for place in (0.3, 0.5, 0.7):
        path, at = tmp_path / f"{place}_{name}", int(len(whole[name]) * place)
        path.write_bytes(whole[name][:at] + bytes(3000) + whole[name][at + 3000 :])
        info = looked_at(path)
        assert info is None or info.frames == FRAMES or info.notes


def test_a_gif_whose_end_mark_comes_early_says_what_it_leaves_out(whole: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "clip.gif"
    path.write_bytes(whole["clip.gif"] + b"harmless words")
    assert probe(path).frames == FRAMES
    assert probe(path).notes == ("14 bytes follow its end mark and are not read",)


def test_a_checksum_that_does_not_hold_is_damage(whole: dict[str, bytes], tmp_path: Path) -> None:
    data = bytearray(whole["clip.mkv"])
    data[len(data) * 2 // 3] ^= 1
    path = tmp_path / "clip.mkv"
    path.write_bytes(data)
    with pytest.raises(VideoError, match=r"clip.mkv: damaged: .*byte \d+ is no part of a whole Matroska file"):
        probe(path)


@pytest.mark.parametrize("name", ["clip.mkv", "vp8.webm"])
def test_a_recording_whose_length_was_left_open_is_whole(name: str, tmp_path: Path) -> None:
    codec, pix_fmt = KINDS[name]
    path = write(tmp_path / name, textured(12), codec, pix_fmt, container={"live": "1"})
    assert (probe(path).frames, probe(path).notes) == (12, ())


def test_a_fragmented_mp4_is_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", textured(12), g="4", container={"movflags": "frag_keyframe+empty_moov"})
    assert (probe(path).frames, probe(path).notes) == (12, ())


@pytest.mark.parametrize("bf", ["0", "3"])
def test_a_trimmed_mp4_is_whole(bf: str, tmp_path: Path) -> None:
    """Phones trim by an edit list that shows the first half; the other frames stay in the file."""
    path = write(tmp_path / "a.mp4", textured(FRAMES), bf=bf)
    data = path.read_bytes()
    at = data.index(b"elst") + 12
    half = int.from_bytes(data[at : at + 4], "big") // 2
    path.write_bytes(data[:at] + half.to_bytes(4, "big") + data[at + 4 :])
    info = probe(path)
    assert info.frames == FRAMES // 2
    assert info.notes == ("20 of its frames are not shown (an edit list, or damage)",)
    with SharedFrames.load(path) as frames:
        assert len(frames) == FRAMES // 2


def test_an_mp4_that_lost_the_places_of_its_frames_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", textured(FRAMES))
    data = bytearray(path.read_bytes())
    data[data.index(b"stsc") + 19] = 28
    path.write_bytes(data)
    with pytest.raises(VideoError, match="damaged: 28 of 40 frames are there"):
        probe(path)


def test_frames_that_vp8_only_refers_to_are_not_missed(tmp_path: Path) -> None:
    hidden = {"auto-alt-ref": "1", "lag-in-frames": "16", "b": "200k"}
    path = write(tmp_path / "a.webm", textured(FRAMES), "libvpx", **hidden)
    assert probe(path).frames == FRAMES
    with SharedFrames.load(path) as frames:
        assert len(frames) == FRAMES


def test_frames_that_the_header_promises_and_nobody_finds_are_counted(whole: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "vp8.webm"
    path.write_bytes(whole["vp8.webm"].replace(b"00:00:01.667", b"00:00:03.334"))
    with pytest.raises(VideoError, match="damaged: 40 of 80 frames are there; copy or generate it again"):
        probe(path)


def test_an_uneven_clip_that_ends_before_its_header_says_so_has_a_note(tmp_path: Path) -> None:
    stamps = [0, 40, 80, 300, 340, 700]
    path = write(tmp_path / "a.webm", textured(6), "libvpx", rate=Fraction(1000), stamps_ms=stamps)
    data = path.read_bytes()
    at = data.index(b"00:00:00.7")
    path.write_bytes(data[:at] + b"00:00:09.7" + data[at + 10 :])
    (note,) = probe(path).notes
    assert note.startswith("its header says 9.70 s, its frames end at 0.7")
