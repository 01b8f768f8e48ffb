"""How often the signals without truth are right, on rendered clips that were cut, faded, covered, run back or walked.

    python benchmarks/real_signals.py --half tune|test --out signals.jsonl [--count 12] [--walks 30]

Layouts of one half, and the five real clips, were looked at while the rules were made; those of the other half were
not. Every line of the file is one set of clips, and what is done is skipped.
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
from disturbed_clips import DECLARED_DEG, FPS, FRAMES, HALVES, Course, Image, courses, disturbed, filmed, filmed_along
from disturbed_clips import poses as poses_of
from real_subject_clips import ASSUMED_DEG, CLIPS, PEERS

from lookaway.geometry.trajectory import yaw_matrix
from lookaway.observers import Look
from lookaway.observers.following import Follow, follow, turn_of_pair
from lookaway.observers.likeness import likeness, small_grey
from lookaway.observers.same_place import SamePlace, same_place
from lookaway.observers.signals import COMPARED_FEATURES, Signals, signals
from lookaway.observers.subject_track import SubjectTrack, subject_track
from lookaway.readings.film import WALKED_DEG, is_undone, never_twice, place_word, slowly_replaced, walked_deg
from lookaway.records import Box, Subject, Task
from lookaway.video import SharedFrames, VideoInfo

CUT_AT = 20
COVERED = slice(18, 30)
PAN_DEG = 10.0  # a frame, all the way round: every wall is in view once
WALKS_M, WALKS_DEG = (1.0, 3.0), (10.0, 40.0)
WALKS = ("dolly", "truck with the turn", "truck against it", "dolly", "orbit")
FOLLOWED = 0.9  # of the frames: then the subject's track answers
SHOWN = 0.05  # of its first area
HOME = {"back": 1.0, "pitch_deg": 0.0, "roll_deg": 0.0}
STILL = {"yaw_deg": 0.0} | HOME

Rights = Iterator[tuple[str, bool]]


def looked(frames: Image, box: Box | None = None, fps: float = FPS, hfov_deg: float = DECLARED_DEG) -> Look:
    info = VideoInfo(Path("made"), frames.shape[2], frames.shape[1], len(frames), fps, len(frames) / fps, False, "none")
    shared = SharedFrames(info, np.arange(len(frames)) / fps, np.ascontiguousarray(frames))
    task = Task(
        id="t", suite="s", version="1", scene="s", category="", moves=True, changes_in_place=True, prompt="",
        first_frame="0", subjects=() if box is None else (Subject(name="it", box=box, side="left"),), expected_end="",
        hfov_deg=hfov_deg, width=frames.shape[2], height=frames.shape[1], fps=fps, seconds=(len(frames) - 1) / fps,
    )  # fmt: skip
    return Look(shared, task, frames[0], None)


def seen_in(look: Look | Image) -> Signals:
    seen = signals(look if isinstance(look, Look) else looked(look))
    assert isinstance(seen, Signals), seen
    return seen


def places_in(look: Look) -> SamePlace:
    seen = same_place(look)
    assert isinstance(seen, SamePlace), seen
    return seen


# ---------------------------------------------------------------- one camera path


def tested(course: Course, stranger: Course) -> Rights:
    chance = np.random.default_rng(course.seed)
    moving = replace(course, shift_cm=min(course.shift_cm, 3), hfov_deg=DECLARED_DEG, **HOME)
    elsewhere = replace(moving, layout=stranger.layout, process=stranger.process, seed=stranger.seed)
    base, other = filmed(moving), filmed(elsewhere)
    level = int(chance.integers(1, 4))
    for each in (0, level):
        yield from harmless(looked(disturbed(base, each, 1)), each)
        spliced = seen_in(disturbed(np.concatenate([base[:CUT_AT], other[CUT_AT:]]), each, 1))
        yield f"cut found, level {each}", np.flatnonzero(spliced.cut).tolist() == [CUT_AT]
    yield from pan(moving)
    yield from fade(filmed(replace(moving, **STILL)), filmed(replace(elsewhere, **STILL)), chance)
    yield from cover(base, chance)
    yield from undone(base)
    yield from other_place(base, other)


def harmless(look: Look, level: int) -> Rights:
    """A true clip, out and back, with a subject that moves on."""
    seen, places = seen_in(look), places_in(look)
    yield f"no cut, level {level}", not seen.cut.any()
    yield f"no walk, level {level}", walked_deg(seen) <= WALKED_DEG
    yield f"no cover, level {level}", not seen.covered.any()
    yield f"no fade in a turn, level {level}", not slowly_replaced(seen).any()
    yield f"not undone, level {level}", is_undone(seen) is not True
    for tied, alike in zip(places.tied, places.likeness, strict=True):
        yield f"same place, level {level}", place_word(tied, alike).startswith("the same")


def pan(course: Course) -> Rights:
    """Once round the room."""
    path = np.tile(np.eye(4), (round(360 / PAN_DEG) + 1, 1, 1))
    path[:, :3, :3] = [yaw_matrix(np.sign(course.yaw_deg) * PAN_DEG * k) for k in range(len(path))]
    seen = seen_in(filmed_along(course, path)[0])
    yield "no cut in a pan of 10 deg a frame", not seen.cut.any()
    yield "no cover on any wall", not seen.covered.any()


def fade(still: Image, other: Image, chance: np.random.Generator) -> Rights:
    frames = round(FPS * chance.uniform(1, 2))
    share = np.clip((np.arange(FRAMES) - 8) / frames, 0, 1)[:, None, None, None]
    faded = (still * (1 - share) + other * share).astype(np.uint8)
    yield "fade found", bool(slowly_replaced(seen_in(faded)).any())
    yield "no fade", not slowly_replaced(seen_in(still)).any()


def cover(base: Image, chance: np.random.Generator) -> Rights:
    haze = float(chance.uniform(0.75, 0.95))
    kinds: dict[str, Callable[[Image], Image]] = {
        "black": np.zeros_like,
        "haze": lambda frames: (frames * (1 - haze) + 200 * haze).astype(np.uint8),
        "blur": lambda frames: np.stack([cv2.GaussianBlur(frame, (0, 0), 40) for frame in frames]),
    }
    for name, made in kinds.items():
        clip = base.copy()
        clip[COVERED] = made(base[COVERED])
        yield f"cover found, {name}", bool(seen_in(clip).covered[COVERED].mean() >= 0.9)


def undone(base: Image) -> Rights:
    half = base[: FRAMES // 2]
    yield "run back, found", is_undone(seen_in(np.concatenate([half, half[::-1]]))) is True
    quick = half[::-1][np.linspace(0, len(half) - 1, round(len(half) * 0.8)).round().astype(int)]
    yield "run back quicker, found", is_undone(seen_in(np.concatenate([half, quick]))) is True


def other_place(base: Image, other: Image) -> Rights:
    frames = np.concatenate([base[:2], other[:2]])
    found = follow(looked(frames))
    assert isinstance(found, Follow)
    for i, j in ((0, 2), (1, 3)):
        turn = turn_of_pair(found, frames, j, i)
        count = max(COMPARED_FEATURES, min(len(found.features[i]), len(found.features[j])))
        tied = 0.0 if turn is None else turn.count / count
        onto = np.eye(3) if turn is None else turn.rotation
        alike = likeness(small_grey(frames[i]), small_grey(frames[j]), onto, DECLARED_DEG)
        yield "another place", place_word(tied, alike) == "another"


# ---------------------------------------------------------------- walks and real clips


def walked(course: Course) -> Rights:
    """A walk of some metres and a turn, every second one back again; the rest of the numbers are for information."""
    chance, back = np.random.default_rng((course.seed, 1)), float(course.number // len(WALKS) % 2)
    metres = float(chance.uniform(*WALKS_M)) * (-1 if course.number % len(WALKS) == 3 else 1)
    going = replace(
        course, way=WALKS[course.number % len(WALKS)], shift_cm=round(100 * metres), back=back,
        yaw_deg=float(np.sign(course.yaw_deg) * chance.uniform(*WALKS_DEG)), hfov_deg=DECLARED_DEG,
    )  # fmt: skip
    frames, masks = filmed_along(going, poses_of(going))
    level = course.number % 2
    rows, columns = (np.flatnonzero(masks[0].any(axis)) for axis in (1, 0))
    box = (columns[0] / masks.shape[2], rows[0] / masks.shape[1], (columns[-1] + 1) / masks.shape[2],
           (rows[-1] + 1) / masks.shape[1])  # fmt: skip
    look = looked(disturbed(frames, level, 1), box)
    kind = "sideways" if going.way.startswith("truck") else going.way
    yield f"walk named, {kind}, level {level}", walked_deg(seen_in(look)) > WALKED_DEG
    if back:
        yield "walk and back: revisit answers", not never_twice(places_in(look))
    seen, shown = subject_track(look), masks.sum((1, 2)) / masks[0].sum() > SHOWN
    right = isinstance(seen, SubjectTrack) and float((seen.visible == shown).mean()) >= FOLLOWED
    yield "walk: subject's track answers, right in nine frames of ten", right


def real(name: str) -> Rights:
    """A real clip, forwards and backwards."""
    video = SharedFrames.load(PEERS / f"{name}.mp4")
    half = video.rgb[: len(video) // 2]
    fps = float(video.info.fps)
    for way, frames in (("forwards", video.rgb), ("backwards", video.rgb[::-1])):
        seen = seen_in(looked(frames, fps=fps, hfov_deg=ASSUMED_DEG))
        yield f"real clip {way}: no cut", not seen.cut.any()
        yield f"real clip {way}: not undone", is_undone(seen) is not True
        yield f"real clip {way}: no cover", not seen.covered.any()
        yield f"real clip {way}: no walk", walked_deg(seen) <= WALKED_DEG
    back = seen_in(looked(np.concatenate([half, half[::-1]]), fps=fps, hfov_deg=ASSUMED_DEG))
    yield "real clip run back, found", is_undone(back) is True


def sets(half: str, count: int, walks: int) -> Iterator[tuple[str, Callable[[], Rights]]]:
    """Every set of clips under its name."""
    every = list(courses(half, max(count + 1, walks)))
    for number in range(walks):
        yield f"walk {number}", lambda number=number: walked(every[number])
    for number in range(count):
        yield f"path {number}", lambda number=number: tested(every[number], every[number + 1])
    if half == "tune":
        for clip in CLIPS:
            yield clip.name, lambda clip=clip: real(clip.name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, required=True)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--walks", type=int, default=30)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    done = dict(json.loads(line) for line in given.out.read_text().splitlines()) if given.out.exists() else {}
    with given.out.open("a") as file:
        for name, made in sets(given.half, given.count, given.walks):
            if name not in done:
                done[name] = [[what, bool(right)] for what, right in made()]
                file.write(json.dumps([name, done[name]]) + "\n")
                file.flush()
    counts: dict[str, list[bool]] = defaultdict(list)
    for what, right in (each for rows in done.values() for each in rows):
        counts[what].append(right)
    for what in sorted(counts):
        print(f"| {what} | {sum(counts[what])} of {len(counts[what])} |")


if __name__ == "__main__":
    main()
