"""Each broken input is one VideoError that names the file, the cause and the next step."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import av
import av.error
import numpy as np
import pytest
from av.audio.frame import AudioFrame
from av.bitstream import BitStreamFilterContext
from PIL import Image
from video_clips import cut, numbered, textured, write

from lookaway.errors import VideoError
from lookaway.video import SharedFrames, decode, encode, probe


def refusals(path: Path) -> set[str]:
    """The text of the error from each way in; one text means they agree."""
    ways: list[Callable[[], object]] = [
        lambda: probe(path),
        lambda: list(decode(path)),
        lambda: SharedFrames.load(path),
    ]
    texts = set()
    for way in ways:
        with pytest.raises(VideoError) as caught:
            way()
        texts.add(str(caught.value))
    return texts


def refusal(path: Path) -> str:
    (text,) = refusals(path)
    assert str(path) in text
    assert "; " in text
    return text


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "nowhere.mp4")


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.mp4"
    path.touch()
    assert "0 bytes" in refusal(path)


@pytest.mark.parametrize("text", ["hello\n" * 300, "#EXTM3U\n#EXTINF:1,\n/etc/hostname\n", "\0" * 5000])
def test_a_file_that_is_no_video(text: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.mp4"
    path.write_text(text)
    assert "cannot be read as video" in refusal(path)


def test_sound_only(tmp_path: Path) -> None:
    path = tmp_path / "sound.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", 16_000, layout="mono")
        sound = AudioFrame.from_ndarray(np.zeros((1, 4096), np.float32), "fltp", "mono")
        sound.sample_rate = 16_000
        container.mux(stream.encode(sound))
        container.mux(stream.encode(None))
    assert "no video stream, only audio" in refusal(path)


def test_an_mp4_whose_index_was_never_written(tmp_path: Path) -> None:
    whole = write(tmp_path / "clip.mov", textured(20))
    assert "truncated" in refusal(cut(whole, 0.5))
    data = write(tmp_path / "other.mov", textured(20)).read_bytes()
    unfinished = tmp_path / "unfinished.mov"
    unfinished.write_bytes(data[: data.index(b"moov") - 4])
    assert "index (moov) is missing" in refusal(unfinished)


def test_an_mp4_cut_in_the_middle_counts_what_is_left(tmp_path: Path) -> None:
    path = cut(write(tmp_path / "clip.mp4", textured(40), g="5", bf="0"), 0.6)
    text = refusal(path)
    left = int(text.split("truncated: ")[1].split(" of 40 frames decode")[0])
    assert 10 < left < 35


@pytest.mark.parametrize(
    ("name", "codec", "pix_fmt"),
    [("a.mkv", "libx264", "yuv420p"), ("a.webm", "libvpx-vp9", "yuv420p"), ("a.gif", "gif", "gray")],
)
def test_other_containers_cut_in_the_middle(name: str, codec: str, pix_fmt: str, tmp_path: Path) -> None:
    assert "truncated: " in refusal(cut(write(tmp_path / name, textured(20), codec, pix_fmt), 0.6))


def test_overwritten_bytes_are_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(40), g="5")
    data = bytearray(path.read_bytes())
    half = len(data) // 2
    data[half : half + 600] = bytes(600)
    path.write_bytes(data)
    with pytest.raises(VideoError, match=r"clip.mp4: damaged: \d+ of 40 frames decode; "):
        list(decode(path))


def test_a_frame_that_the_decoder_patched_up_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(40), g="5")
    whole = path.read_bytes()
    for start in range(len(whole) // 2, len(whole) - 40, 500):
        flipped = bytes(255 - byte for byte in whole[start : start + 40])
        path.write_bytes(whole[:start] + flipped + whole[start + 40 :])
        if patched_up(path):
            break
    with pytest.raises(VideoError, match=r"damaged: \d+ of 40 frames decode"):
        list(decode(path))


def patched_up(path: Path) -> bool:
    """Does PyAV decode every frame, some only by concealing an error?"""
    with av.open(str(path)) as container, contextlib.suppress(av.error.FFmpegError):
        flags = [frame.is_corrupt for frame in container.decode(video=0)]
        return len(flags) == 40 and any(flags)
    return False


def test_a_clip_that_starts_between_keyframes_is_damage(tmp_path: Path) -> None:
    whole, headless = write(tmp_path / "whole.mp4", textured(12), g="4"), tmp_path / "headless.mkv"
    with av.open(str(whole)) as source, av.open(str(headless), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in [each for each in source.demux(video=0) if each.size][1:]:
            packet.stream = stream
            target.mux(packet)
    with pytest.raises(VideoError, match="damaged: 8 of 11 frames decode"):
        list(decode(headless))


def test_a_playlist_is_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "clip.mp4", textured(2))
    playlist = tmp_path / "list.mp4"
    playlist.write_text("ffconcat version 1.0\nfile clip.mp4\n")
    assert "cannot be read as video" in refusal(playlist)


def test_bytes_appended_to_a_whole_mp4_are_harmless(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(5))
    path.write_bytes(path.read_bytes() + b"\xff" * 100)
    assert probe(path).frames == len(list(decode(path))) == 5


@pytest.mark.parametrize("name", ["clip.mp4", "folder/0.png"])
def test_a_pipe_is_not_waited_for(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / name)
    assert "file" in refusal(tmp_path / name.split("/")[0])


@pytest.mark.parametrize("name", ["clip.mp4", "folder/0.png"])
def test_a_link_to_a_device_or_to_itself_is_no_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target in ("/dev/zero", Path(name).name):
        (tmp_path / name).symlink_to(target)
        assert "file" in refusal(tmp_path / name.split("/")[0])
        (tmp_path / name).unlink()


def test_a_frame_too_large_to_hold(tmp_path: Path) -> None:
    header = b"GIF89a" + (20_000).to_bytes(2, "little") + (9).to_bytes(2, "little") + b"\0\0\0"
    image = b"\x2c" + bytes(4) + (20_000).to_bytes(2, "little") + (9).to_bytes(2, "little") + b"\0"
    path = tmp_path / "huge.gif"
    path.write_bytes(header + image + b"\x02\x02\x4c\x01\x00;")
    assert "20000x9 is too large" in refusal(path)
    (tmp_path / "folder").mkdir()
    Image.new("1", (20_000, 9)).save(tmp_path / "folder" / "0.png")
    assert "20000x9 is too large" in refusal(tmp_path / "folder")
    Image.new("1", (12_000, 12_000)).save(tmp_path / "folder" / "0.png")
    assert "cannot be read" in refusal(tmp_path / "folder")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run as root, whom nothing is denied: the denial itself is simulated."""
    path = write(tmp_path / "clip.mp4", textured(2))

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(io, "open", denied)
        assert "Permission denied" in refusal(path)
    monkeypatch.setattr(Path, "stat", denied)
    assert "Permission denied" in refusal(path)


def test_a_codec_nobody_knows(tmp_path: Path) -> None:
    path = write(tmp_path / "clip.mp4", textured(3))
    path.write_bytes(path.read_bytes().replace(b"avc1", b"zzzz"))
    assert "codec is unknown" in refusal(path)


def test_a_size_that_changes_midway(tmp_path: Path) -> None:
    small, large = (write(tmp_path / f"{side}.mkv", [numbered(1, side, 48)] * 3, g="1") for side in (64, 96))
    path = tmp_path / "joined.mkv"
    with av.open(str(path), "w") as target:
        with av.open(str(small)) as source:
            stream = target.add_stream_from_template(source.streams.video[0])
        for place, name in enumerate((small, large)):
            with av.open(str(name)) as source:
                headers = BitStreamFilterContext("h264_mp4toannexb", source.streams.video[0])
                for packet in (
                    each for one in source.demux(video=0) for each in headers.filter(one if one.size else None)
                ):
                    packet.pts = packet.dts = packet.pts + 200 * place
                    packet.stream = stream
                    target.mux(packet)
    with pytest.raises(VideoError, match="changes size at frame 3"):
        list(decode(path))


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "no png or jpg frames" in refusal(tmp_path)


def test_a_folder_of_mixed_sizes(tmp_path: Path) -> None:
    for index, width in enumerate((32, 32, 30)):
        Image.fromarray(numbered(0, width, 20)).save(tmp_path / f"{index}.png")
    assert "2.png: is 30x20 but 0.png is 32x20" in refusal(tmp_path)


@pytest.mark.parametrize("keep", [0, 20, 300])
@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_a_broken_image_in_a_folder_is_named(keep: int, suffix: str, tmp_path: Path) -> None:
    for index in range(3):
        Image.fromarray(textured(1)[0]).save(tmp_path / f"{index}.{suffix}")
    broken = tmp_path / f"1.{suffix}"
    broken.write_bytes(broken.read_bytes()[:keep])
    with pytest.raises(VideoError, match=rf"1\.{suffix}: cannot be read as an image .*; write this frame again"):
        list(decode(tmp_path))


def test_a_sixteen_bit_image_is_not_silently_clipped(tmp_path: Path) -> None:
    Image.fromarray(np.full((8, 8), 40_000, np.uint16)).save(tmp_path / "0.png")
    with pytest.raises(VideoError, match="more than 8 bits"):
        list(decode(tmp_path))


@pytest.mark.parametrize("text", ["", "fast", "0", "-3", "inf", "nan", "1e300", "1e-300"])
def test_a_folder_rate_that_is_no_rate(text: str, tmp_path: Path) -> None:
    Image.fromarray(numbered(0)).save(tmp_path / "0.png")
    (tmp_path / "fps.txt").write_text(text)
    assert "fps.txt" in next(iter(refusals(tmp_path)))


def test_a_pipe_that_stands_for_a_rate_is_not_waited_for(tmp_path: Path) -> None:
    Image.fromarray(numbered(0)).save(tmp_path / "0.png")
    os.mkfifo(tmp_path / "fps.txt")
    assert "fps.txt: nan is not a frame rate" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("frames", "name", "cause"),
    [
        ([], "a.mp4", "no frames"),
        ([numbered(0), numbered(0, 32, 32)], "a.mp4", "frame 1 is uint8"),
        ([numbered(0).astype(np.float32)], "a.mp4", "frame 0 is float32"),
        ([numbered(0)[..., 0]], "a.mp4", "frame 0 is uint8"),
        ([numbered(0)], "a.unknown", "cannot be written"),
        ([numbered(0)], "missing/a.mp4", "cannot be written"),
    ],
)
def test_what_cannot_be_encoded_leaves_nothing_behind(
    frames: list[np.ndarray], name: str, cause: str, tmp_path: Path
) -> None:
    with pytest.raises(VideoError, match=cause):
        encode(frames, tmp_path / name, 24)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fps", [0, -1, float("nan"), float("inf"), 1e300, 1e-300])
def test_a_rate_that_is_no_rate(fps: float, tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="not a frame rate"):
        encode([numbered(0)], tmp_path / "a.mp4", fps)


def test_an_unknown_codec(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="cannot be written"):
        encode([numbered(0)], tmp_path / "a.mp4", 24, codec="nonsense")
