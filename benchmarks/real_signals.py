"""How often the signals without truth are right, on rendered clips that were cut, faded, covered, run back or walked.

    python benchmarks/real_signals.py --half tune --out signals.jsonl

Layouts of one half were looked at while the rules were made, those of the other were not. What is done is skipped.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from disturbed_clips import DECLARED_DEG, FPS, FRAMES, HALVES, Course, Image, courses, disturbed, filmed

from lookaway.observers import Look
from lookaway.observers.following import Follow, follow, turn_of_pair
from lookaway.observers.likeness import likeness, small_grey
from lookaway.observers.same_place import SamePlace, same_place
from lookaway.observers.signals import COMPARED_FEATURES, Signals, signals
from lookaway.readings.film import WALKED, is_undone, place_word, slowly_replaced
from lookaway.records import Task
from lookaway.video import SharedFrames, VideoInfo

CUT_AT = 20
COVERED = slice(18, 30)
WALKS_M = (1.5, 3.0)
HOME = {"back": 1.0, "pitch_deg": 0.0, "roll_deg": 0.0}
STILL = {"yaw_deg": 0.0} | HOME


def looked(frames: Image) -> tuple[Look, Follow]:
    info = VideoInfo(Path("made"), frames.shape[2], frames.shape[1], len(frames), FPS, len(frames) / FPS, False, "none")
    shared = SharedFrames(info, np.arange(len(frames)) / FPS, np.ascontiguousarray(frames))
    task = Task(
        id="t", suite="s", version="1", scene="s", category="", moves=True, changes_in_place=True, prompt="",
        first_frame="0", subjects=(), expected_end="", hfov_deg=DECLARED_DEG, width=frames.shape[2],
        height=frames.shape[1], fps=FPS, seconds=(len(frames) - 1) / FPS,
    )  # fmt: skip
    look = Look(shared, task, frames[0], None)
    found = follow(look)
    assert isinstance(found, Follow), found
    return look, found


def seen_in(frames: Image) -> Signals:
    seen = signals(looked(frames)[0])
    assert isinstance(seen, Signals)
    return seen


def cut(base: Image, other: Image, chance: np.random.Generator) -> Iterator[tuple[str, bool]]:
    for level in (0, int(chance.integers(1, 4))):
        spliced = disturbed(np.concatenate([base[:CUT_AT], other[CUT_AT:]]), level, 1)
        yield f"cut found, level {level}", np.flatnonzero(seen_in(spliced).cut).tolist() == [CUT_AT]
        yield f"no cut, level {level}", not seen_in(disturbed(base, level, 1)).cut.any()
    yield "no cut in a pan of every second frame", not seen_in(base[::2]).cut.any()


def fade(still: Image, other: Image, chance: np.random.Generator) -> Iterator[tuple[str, bool]]:
    frames = round(FPS * chance.uniform(1, 2))
    share = np.clip((np.arange(FRAMES) - 8) / frames, 0, 1)[:, None, None, None]
    faded = (still * (1 - share) + other * share).astype(np.uint8)
    yield "fade found", bool(slowly_replaced(seen_in(faded)).any())
    yield "no fade", not slowly_replaced(seen_in(still)).any()


def cover(base: Image, chance: np.random.Generator) -> Iterator[tuple[str, bool]]:
    haze = float(chance.uniform(0.75, 0.95))
    kinds: dict[str, Callable[[Image], Image]] = {
        "black": np.zeros_like,
        "haze": lambda frames: (frames * (1 - haze) + 200 * haze).astype(np.uint8),
        "blur": lambda frames: np.stack([cv2.GaussianBlur(frame, (0, 0), 40) for frame in frames]),
    }
    for name, made in kinds.items():
        clip = base.copy()
        clip[COVERED] = made(base[COVERED])
        yield f"{name} found", bool(seen_in(clip).covered[COVERED].mean() >= 0.9)
    yield "no cover", not seen_in(base).covered.any()


def undone(base: Image) -> Iterator[tuple[str, bool]]:
    half = base[: FRAMES // 2]
    yield "run back, found", is_undone(seen_in(np.concatenate([half, half[::-1]]))) is True
    quick = half[::-1][np.linspace(0, len(half) - 1, round(len(half) * 0.8)).round().astype(int)]
    yield "run back quicker, found", is_undone(seen_in(np.concatenate([half, quick]))) is True
    yield "not undone", is_undone(seen_in(base)) is not True


def words(base: Image, other: Image, chance: np.random.Generator) -> Iterator[tuple[str, bool]]:
    for level in (0, int(chance.integers(1, 4))):
        seen = same_place(looked(disturbed(base, level, 2))[0])
        assert isinstance(seen, SamePlace)
        for tied, alike in zip(seen.tied, seen.likeness, strict=True):
            yield f"same place, level {level}", place_word(tied, alike).startswith("the same")
    _, found = looked(np.concatenate([base[:2], other[:2]]))
    for i, j in ((0, 2), (1, 3)):
        turn = turn_of_pair(found, np.concatenate([base[:2], other[:2]]), j, i)
        count = max(COMPARED_FEATURES, min(len(found.features[i]), len(found.features[j])))
        tied = 0.0 if turn is None else turn.count / count
        onto = np.eye(3) if turn is None else turn.rotation
        alike = likeness(small_grey(base[i]), small_grey(other[j - 2]), onto, DECLARED_DEG)
        yield "another place", place_word(tied, alike) == "another"


def walk(course: Course, base: Image, chance: np.random.Generator) -> Iterator[tuple[str, bool]]:
    metres = float(chance.uniform(*WALKS_M))
    walked = replace(course, way="dolly", shift_cm=round(100 * metres), yaw_deg=course.yaw_deg / 3, back=0.0)
    yield "walk named", bool(np.abs(seen_in(filmed(walked)).growth).max() > WALKED)
    yield "no walk", bool(np.abs(seen_in(base).growth).max() <= WALKED)


def tested(course: Course, stranger: Course) -> Iterator[tuple[str, bool]]:
    chance = np.random.default_rng(course.seed)
    moving = replace(course, shift_cm=min(course.shift_cm, 3), hfov_deg=DECLARED_DEG, **HOME)
    elsewhere = replace(moving, layout=stranger.layout, process=stranger.process, seed=stranger.seed)
    base, other = filmed(moving), filmed(elsewhere)
    yield from cut(base, other, chance)
    yield from fade(filmed(replace(moving, **STILL)), filmed(replace(elsewhere, **STILL)), chance)
    yield from cover(base, chance)
    yield from undone(base)
    yield from words(base, other, chance)
    yield from walk(moving, base, chance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    done = [json.loads(line) for line in given.out.read_text().splitlines()] if given.out.exists() else []
    every = list(courses(given.half, given.count + 1))
    with given.out.open("a") as file:
        for course, stranger in zip(every[len(done) :], every[len(done) + 1 :], strict=False):
            done.append([[name, right] for name, right in tested(course, stranger)])
            file.write(json.dumps(done[-1]) + "\n")
            file.flush()
    counts: dict[str, list[bool]] = defaultdict(list)
    for name, right in (each for row in done for each in row):
        counts[name].append(right)
    for name in sorted(counts):
        print(f"{name:40} {sum(counts[name]):4} of {len(counts[name])}")


if __name__ == "__main__":
    main()
