"""A folder of frames counts its frames in their names: a number left out is time left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PIL import Image
from video_clips import index_seen, numbered

from lookaway.errors import VideoError
from lookaway.video import decode, probe


def frames(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for index, name in enumerate(names):
        Image.fromarray(numbered(index)).save(folder / name)
    return folder


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["0001.png", "0002.png", "0005.png"], "frame number 3 is missing, 2 in all"),
        (["f_0.jpg", "f_4.jpg", "f_8.jpg", "f_16.jpg"], "frame number 12 is missing, 1 in all"),
        (["cam2_9.png", "cam2_10.png", "cam2_12.png"], "frame number 11 is missing, 1 in all"),
        (["1.png", "2.png", "999999999999999999.png"], "frame number 3 is missing"),
    ],
)
def test_a_frame_number_that_is_left_out_is_named(names: list[str], missing: str, tmp_path: Path) -> None:
    folder = frames(tmp_path / "clip", *names)
    for way in (probe, lambda path: list(decode(path))):
        with pytest.raises(VideoError, match=rf"clip: {missing}.*; write them"):
            way(folder)


def test_two_frames_of_one_number_are_named(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="clip: 2 images have the frame number 1; keep one of them"):
        probe(frames(tmp_path / "clip", "1.png", "01.png", "2.png"))


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (["0.png", "1.png", "2.png"], ()),
        (["0001.png", "0002.jpg"], ()),
        (["only.png"], ()),
        (["v2_017.png", "v2_018.png"], ("frame numbers start at 17; frames are taken one after the other",)),
        (["0.png", "4.png", "8.png"], ("frame numbers go in steps of 4; frames are taken one after the other",)),
        (
            ["10.png", "20.png"],
            ("frame numbers start at 10 and go in steps of 10; frames are taken one after the other",),
        ),
        (["a.png", "b.png"], ("frames are not numbered in one row; they are taken in the order of their names",)),
        (["0_1.png", "1_0.png"], ("frames are not numbered in one row; they are taken in the order of their names",)),
    ],
)
def test_other_ways_of_counting_are_taken_with_a_note(names: list[str], note: tuple[str, ...], tmp_path: Path) -> None:
    folder = frames(tmp_path / "clip", *names)
    assert probe(folder).notes == note
    assert [index_seen(frame.rgb) for frame in decode(folder)] == list(range(len(names)))


@pytest.mark.parametrize("name", ["²0001.png", "٣.png", "0001\n.png", "①.png", "x" * 240 + ".png"])
def test_an_odd_name_is_a_name(name: str, tmp_path: Path) -> None:
    folder = frames(tmp_path / "clip", "0002.png", name)
    assert probe(folder).frames == len(list(decode(folder))) == 2


def test_a_name_that_is_no_text_is_a_name(tmp_path: Path) -> None:
    folder = frames(tmp_path / "clip", "a1.png", "a2.png")
    for number in (1, 2):
        (folder / f"a{number}.png").rename(folder / os.fsdecode(b"\xff%d.png" % number))
    assert (probe(folder).frames, probe(folder).notes) == (2, ())
