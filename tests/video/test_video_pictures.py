"""Scaling a picture and showing a clip as a strip."""

from __future__ import annotations

import numpy as np
import pytest
from video_clips import numbered

from lookaway.video import Frame, filmstrip, resize

FRAMES = [Frame(i, i / 4, numbered(i)) for i in range(9)]


def test_shrinking_averages_and_growing_interpolates() -> None:
    checker = np.indices((8, 8)).sum(axis=0) % 2 * 200
    rgb = np.repeat(checker[..., None], 3, axis=2).astype(np.uint8)
    assert (resize(rgb, (4, 4)) == 100).all()
    assert resize(numbered(5), (100, 75)).shape == (75, 100, 3)
    assert (resize(numbered(5), (100, 75)) == numbered(5)[0, 0]).all()
    assert resize(rgb, (8, 8)) is rgb


def test_a_strip_shows_evenly_spread_frames_in_order() -> None:
    strip = filmstrip(FRAMES, height=48, count=5)
    middles = [strip[24, 32 + 68 * place, 0] for place in range(5)]
    assert middles == [FRAMES[i].rgb[0, 0, 0] for i in (0, 2, 4, 6, 8)]
    assert strip.shape[1] == 5 * 64 + 4 * 4


def test_a_strip_writes_seconds_under_the_frames() -> None:
    caption = filmstrip(FRAMES, height=48, count=5)[48:]
    assert (caption < 128).any()
    later = filmstrip([Frame(f.index, f.seconds + 1, f.rgb) for f in FRAMES], height=48, count=5)[48:]
    assert not np.array_equal(caption, later)


def test_marks_colour_the_phases() -> None:
    marks = ["visible", "hidden", "hidden", "returned", "unheard of"]
    strip = filmstrip(FRAMES, height=48, count=5, marks=marks)
    colours = [tuple(strip[1, 68 * place + 1].tolist()) for place in range(5)]
    assert colours[1] == colours[2]
    assert len(set(colours)) == 4
    with pytest.raises(ValueError, match="2 marks for 5 frames"):
        filmstrip(FRAMES, count=5, marks=["visible", "hidden"])


def test_short_clips_make_short_strips() -> None:
    assert filmstrip(FRAMES[:1], height=48).shape[1] == 64
    assert filmstrip([], height=48).shape[2] == 3
