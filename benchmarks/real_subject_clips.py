"""How well the subject is followed in five real generated clips, forwards and backwards, beside what a person sees.

    python benchmarks/real_subject_clips.py [--strips DIR]

Backwards, the box is that of its own last mask. Strips show every frame's mask and verdict, to be watched. Constants
were set while looking at these clips.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.gates import GATES
from lookaway.metrics import Case, find
from lookaway.observers import Look
from lookaway.observers.following import follow
from lookaway.observers.subject_track import SubjectTrack, subject_track
from lookaway.outcomes import Abstain
from lookaway.readings.track import track_phases
from lookaway.records import Box, Subject, Task
from lookaway.video import SharedFrames

PEERS = Path(__file__).resolve().parents[2] / "shared" / "peer-data" / "wrbench" / "videos"
ASSUMED_DEG = 60.0  # nobody tells the field of view
MAN: Box = (0.085, 0.0, 0.23, 0.59)
NOT_SCORED = "cat_expected"  # its colours do not stand out; it must say so
PICKED, ACROSS = 28, 7  # pictures of a strip


@dataclass(frozen=True)
class RealClip:
    """A clip, its subject's box in the first frame, and the frames from which on it is hidden, seen again and so on."""

    name: str
    box: Box
    changes: tuple[int, ...]

    def seen(self, count: int) -> NDArray[np.float64]:
        """By eye; not a number in the two frames at a change."""
        by_eye = np.array([1.0 - np.searchsorted(self.changes, i, side="right") % 2 for i in range(count)])
        for change in self.changes:
            by_eye[change - 1 : change + 1] = np.nan
        return by_eye


CLIPS = (
    RealClip("case_a_yaw_lr", MAN, ()),
    RealClip("case_a_yaw_rl", MAN, (18, 54)),
    RealClip("case_b_inspatio", (0.21, 0.145, 0.31, 0.53), (20, 106)),
    RealClip("cat_drag_wan22_5b_yaw_rl60", (0.19, 0.24, 0.38, 0.56), ()),
    RealClip("cat_expected_inspatio_yaw_rl60", (0.185, 0.225, 0.375, 0.56), (10, 61)),
)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--strips", type=Path)
    strips = options.parse_args().strips
    cv2.setNumThreads(1)
    forwards, backwards = [], []
    for clip in CLIPS:
        frames = SharedFrames.load(PEERS / f"{clip.name}.mp4")
        by_eye = clip.seen(len(frames))
        seen, accuracy = _followed(frames, clip.box, by_eye, clip.name, strips)
        last = int(np.flatnonzero(seen.visible)[-1])
        turned = SharedFrames(frames.info, frames.seconds[: last + 1], frames.rgb[last::-1])
        _, back = _followed(turned, _box(seen, last), by_eye[last::-1], f"{clip.name}-backwards", strips)
        if not clip.name.startswith(NOT_SCORED):
            forwards.append(accuracy)
            backwards.append(back)
    print(f"mean accuracy of four: forwards {np.mean(forwards):.3f}, backwards {np.mean(backwards):.3f}")


def _followed(
    frames: SharedFrames, box: Box, by_eye: NDArray[np.float64], name: str, strips: Path | None
) -> tuple[SubjectTrack, float]:
    look = Look(frames, _task(frames, box), frames.rgb[0], None)
    follow(look)
    started = time.process_time()
    seen = subject_track(look)
    cost = 1000 * (time.process_time() - started) / len(frames)
    assert not isinstance(seen, Abstain), seen.reason
    told = ~np.isnan(by_eye)
    accuracy = float((seen.visible[told] == (by_eye[told] > 0)).mean())
    print(f"{name}: accuracy {accuracy:.3f}, precision {seen.precision:.2f}, {cost:.1f} core-ms a frame")
    for line in _said(Case(look.task, None, {seen.observer: seen.arrays()}, {})):
        print(f"    {line}")
    if strips is not None:
        strips.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(strips / f"{name}.png"), _strip(frames, seen, by_eye)[..., ::-1])
    return seen, accuracy


def _said(case: Case) -> Iterator[str]:
    yield ", ".join(f"{i.phase} from {i.start_s:.2f} s" for i in track_phases(case))
    for name in ("refound", "dragged", "doubled", "replaced", "place_shift", "size_change", "identity"):
        metric = find(f"subject_{name}")
        closed = next((c for g in metric.gates if (c := GATES.get(g)(case)) is not None), None)
        outcome = metric.function(case) if closed is None else closed
        yield f"{name}: {outcome:.2f} {metric.unit}" if isinstance(outcome, float) else f"{name}: {outcome}"


def _task(frames: SharedFrames, box: Box) -> Task:
    seconds = float(frames.seconds[-1])
    return Task(
        id="a-clip",
        suite="real-clips",
        version="1",
        scene="a-clip",
        category="real",
        moves=True,
        changes_in_place=False,
        prompt="",
        first_frame="0" * 64,
        subjects=(Subject(name="the subject", box=box, side="left"),),
        expected_end="",
        camera=f"hold@{seconds:g}s",
        hfov_deg=ASSUMED_DEG,
        hfov_declared=False,
        width=frames.info.width,
        height=frames.info.height,
        fps=frames.info.fps,
        seconds=seconds,
    )


def _box(seen: SubjectTrack, i: int) -> Box:
    mask = seen.unpacked(np.array([i]))[0]
    rows, columns = np.nonzero(mask)
    height, width = mask.shape
    return columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height


def _strip(frames: SharedFrames, seen: SubjectTrack, by_eye: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Pictures of a clip with the mask's outline; the first letter is what was seen, the second what a person sees."""
    cells = []
    for i in np.linspace(0, len(frames) - 1, PICKED).astype(int):
        mask = seen.unpacked(np.array([i]))[0].astype(np.uint8)
        cell = np.asarray(cv2.resize(frames.rgb[i], mask.shape[::-1], interpolation=cv2.INTER_AREA), np.uint8)
        cell[cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) > 0] = (255, 0, 255)
        letters = f"{i} {'V' if seen.visible[i] else 'h'}{'?' if np.isnan(by_eye[i]) else 'hV'[int(by_eye[i])]}"
        cv2.putText(cell, letters, (3, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 0), 1)
        cells.append(cell)
    return np.vstack([np.hstack(cells[k : k + ACROSS]) for k in range(0, PICKED, ACROSS)])


if __name__ == "__main__":
    main()
