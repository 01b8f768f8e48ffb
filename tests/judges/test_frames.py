"""What a judge is shown is chosen, encoded and hashed by us; what did not arrive is noticed."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from PIL import Image

from lookaway.errors import UsageError
from lookaway.judges.frames import (
    Encoding,
    FrameRule,
    TokenRule,
    black_frames,
    dropped_media,
    frame_rule,
    repeated_frames,
    sent_frames,
)
from lookaway.video import Frame
from tests.judges.made import frames, pictures


@pytest.mark.parametrize("encoding", [Encoding("png"), Encoding("jpeg", 80), Encoding("jpeg", 95, 32)])
def test_the_hash_is_that_of_the_pixels_which_the_judge_decodes(encoding: Encoding) -> None:
    for frame in frames(3, encoding):
        decoded = np.asarray(Image.open(io.BytesIO(frame.data)).convert("RGB"))
        height, width = decoded.shape[:2]
        assert frame.sha256 == hashlib.sha256(f"{width}x{height}:".encode() + decoded.tobytes()).hexdigest()
        assert np.array_equal(frame.rgb, decoded)
        assert max(decoded.shape) == (encoding.long_side or 64)


def test_a_lossy_encoding_is_not_hashed_as_what_it_was_made_from() -> None:
    raw, png, jpeg = (frames(1, Encoding(kind))[0] for kind in ("raw", "png", "jpeg"))
    assert raw.sha256 == png.sha256 != jpeg.sha256
    assert raw.data == b""
    assert (jpeg.index, jpeg.label) == (0, "0.00 s")


def test_pictures_of_another_shape_have_another_hash() -> None:
    wide = Frame(0, 0.0, np.zeros((2, 8, 3), np.uint8))
    tall = Frame(0, 0.0, np.zeros((8, 2, 3), np.uint8))
    assert len({frame.sha256 for frame in sent_frames([wide, tall], Encoding())}) == 2


@pytest.mark.parametrize("encoding", [Encoding(), Encoding("jpeg", 60)])
def test_black_and_repeated_frames_are_found_and_dark_ones_are_not(encoding: Encoding) -> None:
    noise = [picture.rgb for picture in pictures(3)]
    black, dark = np.zeros_like(noise[0]), noise[0] // 4
    shown = [noise[0], black, black, dark, noise[1], noise[1], noise[2]]
    sent = sent_frames([Frame(i, i / 8, rgb) for i, rgb in enumerate(shown)], encoding)
    assert black_frames(sent) == (1, 2)
    assert repeated_frames(sent) == (2, 5)


def test_one_small_thing_that_moves_is_no_repetition() -> None:
    still = np.full((48, 64, 3), 90, np.uint8)
    moved = still.copy()
    moved[20:26, 30:36] = 250
    assert repeated_frames(sent_frames([Frame(0, 0, still), Frame(1, 0.1, moved)], Encoding())) == ()


def test_frame_rules() -> None:
    assert frame_rule("uniform:3").indices(9, 8.0) == [0, 4, 8]
    assert frame_rule("rate:4:24").indices(9, 8.0) == [0, 2, 4, 6, 8]
    assert len(frame_rule("rate:8:5").indices(81, 16.0)) == 5
    for rule in (FrameRule(), FrameRule("rate", 24, 2.5), FrameRule("released", 16, 2)):
        assert frame_rule(str(rule)) == rule
    for text in (
        "uniform",
        "uniform:0",
        "rate:3",
        "rate:x:3",
        "rate:-1:3",
        "rate:inf:3",
        "released",
        "released:3",
        "all",
    ):
        with pytest.raises(UsageError, match="uniform:12"):
            frame_rule(text)


def test_the_released_rule_is_chosen_by_name_and_is_another_rule() -> None:
    released, ours = frame_rule("released:12:10"), frame_rule("rate:12:10")
    assert released.indices(60, 30.0) == [0, 5, 12, 20, 25, 32, 40, 45, 52, 59]
    assert ours.indices(60, 30.0) != released.indices(60, 30.0)
    assert (str(released), str(ours)) == ("released:12:10", "rate:12:10")  # as replies keep it


def test_tokens_expected_of_a_video_and_of_images() -> None:
    assert TokenRule().expected(12, 640, 352) == 6 * 20 * 11
    assert TokenRule(frames_per_step=1).expected(12, 640, 352) == 12 * 20 * 11
    assert TokenRule().expected(13, 640, 352) == 7 * 20 * 11
    assert TokenRule().expected(768, 1920, 1088) == 384 * 7 * 4, "at most 12288, in whole cells a side"
    assert TokenRule(most=128).expected(22, 320, 180) == 11 * 4 * 2


def test_frames_that_were_dropped_are_missed() -> None:
    sent = sent_frames(pictures(12, (320, 192)), Encoding())
    rule = TokenRule()
    assert rule.expected(12, 320, 192) == 360
    assert dropped_media(395, sent, rule) is None  # and 35 of words
    assert dropped_media(35, sent, rule) == "frames were dropped: 12 of 320x192 make about 360 tokens, not 35"
    assert dropped_media(215, sent, rule) is not None, "half of the frames"
    assert dropped_media(35, [], rule) is None
