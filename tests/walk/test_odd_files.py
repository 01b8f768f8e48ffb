"""What is odd about a file is told of that file: a reason where it cannot be used, a note where it can."""

from __future__ import annotations

import os
import socket
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.frame import VideoFrame

from lookaway.generators import GENERATORS
from lookaway.images import png_bytes, read_image
from lookaway.pipeline.generate import recorded
from lookaway.pipeline.mapping import map_folder
from lookaway.records import CaseId, Clip, Score
from lookaway.store import Run
from lookaway.suites import find
from lookaway.video import encode
from lookaway.video.names import printable
from tests.walk.test_ingest import invoke, light_suite


def clips_of(out: Path) -> dict[str, Clip]:
    return {clip.case.task: clip for clip in Run(out).latest("clips", Clip).values()}


def frames_in(folder: Path, picture: bytes, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(picture)
    return folder


def test_odd_names_and_things_that_are_no_files_cost_only_their_own_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, names = light_suite(tmp_path / "suite", 13)
    digit, line, bytes_, inner, long, folder, pipe, piped, rate, device, loop, hole, good = names
    videos, out = tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    first = read_image(suite / "first.png")
    picture = png_bytes(first)
    encode([first] * 8, videos / f"{good}.mp4", 16)
    whole = (videos / f"{good}.mp4").read_bytes()
    frames_in(videos / digit, picture, "²0001.png", "0002.png")
    (videos / f"{line}\n.mp4").write_bytes(whole)
    (videos / os.fsdecode(bytes_.encode() + b"_\xff.mp4")).write_bytes(whole)
    frames_in(videos / inner, picture, os.fsdecode(b"\xff1.png"), os.fsdecode(b"\xff2.png"))
    (videos / f"{long}_{'x' * 230}.mp4").write_bytes(whole)
    (videos / f"{folder}.mp4").mkdir()
    os.mkfifo(videos / f"{pipe}.mp4")
    os.mkfifo(frames_in(videos / piped, picture, "1.png") / "2.png")
    os.mkfifo(frames_in(videos / rate, picture, "1.png") / "fps.txt")
    (frames_in(videos / device, picture, "1.png") / "2.png").symlink_to("/dev/zero")
    (videos / f"{loop}.mp4").symlink_to(f"{loop}.mp4")
    (videos / "around").symlink_to(videos)
    frames_in(videos / hole, picture, "1.png", "2.png", "5.png")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    assert code == 1
    assert "Traceback" not in said
    clips = clips_of(out)
    assert {clips[name].status for name in (digit, line, bytes_, inner, long, good)} == {"ok"}
    reasons = {
        folder: "has no png or jpg frames",
        pipe: "is a pipe, a socket or a device",
        piped: "2.png: is no file",
        rate: "fps.txt: nan is not a frame rate",
        device: "2.png: is no file",
        loop: "no such file",
        hole: "frame number 3 is missing, 2 in all",
    }
    for name, reason in reasons.items():
        assert clips[name].status == "unreadable"
        assert reason in clips[name].reason
        assert f"unreadable {name}/x/0: " in said
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out), "--json")
    assert "Traceback" not in said


def test_what_is_noted_of_a_clip_is_seen_in_show_and_report(tmp_path: Path) -> None:
    suite, names = light_suite(tmp_path / "suite", 3)
    hdr, still, counted = names
    videos, out = tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    first = read_image(suite / "first.png")
    hdr_video(videos / f"{hdr}.mp4", first)
    stamped_alike(videos / f"{still}.mkv", first)
    frames_in(videos / counted, png_bytes(first), *(f"{number}.png" for number in range(10, 40, 2)))
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    assert code == 0, said
    notes = {
        hdr: "HDR transfer (PQ); colours are read as SDR",
        still: "timestamps do not increase; frames are timed by the nominal rate of",
        counted: "frame numbers start at 10 and go in steps of 2",
    }
    code, ran = invoke("run", "--out", str(out))
    assert code == 0, ran
    assert {score.status for score in Run(out).latest("scores", Score).values()} & {"failed", "no_output"} == set()
    page = (out / "report.html").read_text()
    for name, note in notes.items():
        assert note in said
        assert note in page
        assert note in invoke("show", str(out), f"{name}/x/0")[1]


def hdr_video(path: Path, picture: object) -> None:
    pq, bt2020 = 16, 9
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", 16)
        stream.height, stream.width = picture.shape[:2]  # type: ignore[attr-defined]
        stream.pix_fmt = "yuv420p10le"
        stream.codec_context.color_trc, stream.codec_context.color_primaries = pq, bt2020
        for _ in range(20):
            frame = VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p10le")
            frame.color_trc, frame.color_primaries = pq, bt2020
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def stamped_alike(path: Path, picture: object) -> None:
    """Every second frame has the timestamp of the one before."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", 16)
        stream.height, stream.width = picture.shape[:2]  # type: ignore[attr-defined]
        stream.pix_fmt = "yuvj420p"
        for place in range(20):
            for packet in stream.encode(VideoFrame.from_ndarray(picture, format="rgb24")):
                packet.pts, packet.dts, packet.time_base = 100 + place // 2 * 2, place, Fraction(1, 16)
                container.mux(packet)


def test_a_socket_is_no_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite, (name,) = light_suite(tmp_path / "suite", 1)
    videos = tmp_path / "videos"
    videos.mkdir()
    monkeypatch.chdir(videos)  # the name of a socket may be a hundred bytes long
    with socket.socket(socket.AF_UNIX) as end:
        end.bind(f"{name}.mp4")
        invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(tmp_path / "run"))
    assert "is a pipe, a socket or a device" in clips_of(tmp_path / "run")[name].reason


def test_a_model_that_leaves_a_damaged_file_made_no_video(tmp_path: Path) -> None:
    """The file lies where the model was told to put it, and only decoding shows that it is not whole."""
    run, workdir = Run(tmp_path / "run"), tmp_path / "work"
    workdir.mkdir()
    (draft,) = find(str(light_suite(tmp_path / "suite", 1)[0])).drafts()
    task, _, *_ = draft.built(run.blobs)
    path = workdir / "clip.mp4"
    rng = np.random.default_rng(0)
    encode(rng.integers(0, 256, (12, 48, 64, 3), np.uint8), path, 16)
    data = path.read_bytes()
    half = len(data) // 2
    path.write_bytes(data[:half] + bytes(len(data) - half))
    case = CaseId(task=task.id, system="x", seed=0)
    clip = recorded(run, case, None, task, path, GENERATORS.get("command"), 1.0, workdir)
    assert clip.status == "unreadable"
    assert "damaged" in clip.reason


def test_a_folder_that_leads_back_to_itself_is_walked_once(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "up").symlink_to(tmp_path)
    (tmp_path / "deep" / "lamp.mp4").write_bytes(b"x")
    assert list(map_folder(tmp_path, ["lamp"]).matched) == [("lamp", 0)]


def test_only_ascii_digits_are_a_seed(tmp_path: Path) -> None:
    (tmp_path / "lamp_٣.mp4").write_bytes(b"x")
    assert list(map_folder(tmp_path, ["lamp"]).matched) == [("lamp", 0)]
    (tmp_path / "map.csv").write_text("video,task,seed\nlamp_٣.mp4,lamp,٣\n")
    with pytest.raises(Exception, match="seed '٣' is not a whole number"):
        map_folder(tmp_path, ["lamp"], map_file=tmp_path / "map.csv")


def test_a_name_is_printed_on_one_line() -> None:
    assert printable("a\nb\udcff\x1b[2J é.mp4") == r"a\nb\xff\x1b[2J é.mp4"
