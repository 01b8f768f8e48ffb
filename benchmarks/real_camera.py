"""Do the intervals of the recovered turn hold, on clips that are disturbed as generated ones are?

    python benchmarks/real_camera.py --half tune --out tune.jsonl --fit
    python benchmarks/real_camera.py --half test --out test.jsonl

Constants are fitted on five layouts (`tune`) and reported on four others (`test`). A file that holds some clips
already is gone on with. A frame that could not be placed counts as not held.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from disturbed_clips import DECLARED_DEG, HALVES, Course, courses, disturbed, filmed, true_rotations
from numpy.typing import NDArray

from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.observers.focal import field_of_view
from lookaway.observers.following import Follow, followed
from lookaway.observers.following.interval import FLOOR_DEG, PER_SD, PER_SHIFT, shift_deg

NEAR_CM = 10  # shifts up to this one are reported apart
CLIPS = 36

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """What one disturbed clip gave: per step of the keyframes (2), frame (N) and angle (yaw, pitch)."""

    facts: dict[str, Any]
    level: int
    error_deg: Floats  # (N, 2) of the middle; infinite where not placed
    half_deg: Floats  # (N, 2)
    sd_deg: Floats  # (2, N, 2)
    shift_deg: Floats  # (2, N, 2)
    excess: float  # see observers/focal.py; 0 where no lens could be read
    ms_per_frame: float

    @property
    def right_lens(self) -> bool:
        return bool(self.facts["hfov_deg"] == DECLARED_DEG)

    @property
    def near(self) -> bool:
        return bool(self.facts["shift_cm"] <= NEAR_CM)

    def half_width(self, floor: float, per_sd: float, per_shift: float) -> Floats:
        """The half-width that other constants would give."""
        return np.asarray((floor + per_sd * self.sd_deg + per_shift * self.shift_deg).max(axis=0))

    def line(self) -> str:
        rounded = {k: np.round(v, 4).tolist() if isinstance(v, np.ndarray) else v for k, v in vars(self).items()}
        return json.dumps(rounded)

    @classmethod
    def of(cls, line: str) -> Run:
        given = json.loads(line)
        return cls(**{k: np.array(v, float) if isinstance(v, list) else v for k, v in given.items()})


def measured(course: Course) -> Iterable[Run]:
    """Each clip of a course, disturbed at both of its levels."""
    frames, true = filmed(course), true_rotations(course)
    for level in course.levels:
        clip = disturbed(frames, level, course.seed)
        started = time.process_time()
        found = followed(clip, clip[0], DECLARED_DEG)
        spent = time.process_time() - started
        yield _run(course, level, found, true, 1000 * spent / len(clip))


def _run(course: Course, level: int, found: Follow, true: Floats, ms: float) -> Run:
    off = yaw_pitch_deg(found.rotations) - yaw_pitch_deg(true)
    error = np.abs((off + 180) % 360 - 180)
    lens = field_of_view(found)
    return Run(
        facts=course.facts(),
        level=level,
        error_deg=np.where(found.trusted[:, None], error, np.inf),
        half_deg=np.asarray(found.half_width_deg),
        sd_deg=np.stack([path.sd_deg[1:] for path in found.paths]),
        shift_deg=np.stack([shift_deg(path)[1:] for path in found.paths]),
        excess=0.0 if lens is None else lens.excess,
        ms_per_frame=ms,
    )


def gathered(half: str, count: int, out: Path) -> list[Run]:
    """All runs of a half, those that the file lacks being made now."""
    out.parent.mkdir(parents=True, exist_ok=True)
    runs = [Run.of(line) for line in out.read_text().splitlines()] if out.exists() else []
    done = {(run.facts["number"], run.level) for run in runs}
    with out.open("a") as file:
        for course in courses(half, count):
            if all((course.number, level) in done for level in course.levels):
                continue
            for run in measured(course):
                if (course.number, run.level) not in done:
                    file.write(run.line() + "\n")
                    file.flush()
                    runs.append(run)
    return [run for run in runs if run.facts["number"] < count]


Widths = Callable[[Run], Floats]


def row(name: str, runs: list[Run], widths: Widths) -> str:
    """One line of the table."""
    if not runs:
        return f"| {name} | 0 |"
    errors, halves = np.concatenate([r.error_deg for r in runs]), np.concatenate([widths(r) for r in runs])
    held = (errors <= halves).mean(axis=0)
    ends = np.mean([r.error_deg[-1, 0] <= widths(r)[-1, 0] for r in runs])
    peaks = np.mean([_peak(r.error_deg[:, 0] <= widths(r)[:, 0], r) for r in runs])
    worst = min(float((r.error_deg[:, 0] <= widths(r)[:, 0]).mean()) for r in runs)
    wide, narrow = np.quantile(halves[:, 0], [0.5, 0.9]), np.quantile(errors[:, 0], [0.5, 0.9])
    numbers = f"{held[0]:.3f} | {held[1]:.3f} | {worst:.2f} | {peaks:.2f} | {ends:.3f}"
    return f"| {name} | {len(runs)} | {numbers} | {wide[0]:.2f} / {wide[1]:.2f} | {narrow[0]:.2f} / {narrow[1]:.2f} |"


def _peak(held: NDArray[np.bool_], run: Run) -> bool:
    return bool(held[len(held) // 2])


def table(runs: list[Run], widths: Widths) -> list[str]:
    right = [run for run in runs if run.right_lens]
    lines = [
        "| clips | n | yaw held | pitch held | worst clip | peak held | end held | half-width | error |",
        "|---|---|---|---|---|---|---|---|---|",
        row("all, right lens", right, widths),
        row(f"shift <= {NEAR_CM} cm", [run for run in right if run.near], widths),
        row("shift beyond", [run for run in right if not run.near], widths),
    ]
    for cm in sorted({run.facts["shift_cm"] for run in right}):
        lines.append(row(f"shift {cm} cm", [run for run in right if run.facts["shift_cm"] == cm], widths))
    for level in range(4):
        lines.append(row(f"level {level}", [run for run in right if run.level == level], widths))
    still = [run for run in right if run.level == 0 and run.facts["shift_cm"] == 0]
    lines.append(row("pure turns", still, widths))
    lines.append(row("lens wrong by a fifth", [run for run in runs if not run.right_lens], widths))
    return lines


def flags(runs: list[Run], limit: float) -> list[str]:
    """How often the lens is contradicted."""
    lines = []
    for name, levels in (("levels 0-1", (0, 1)), ("levels 2-3", (2, 3))):
        for lens, right in (("right", True), ("wrong", False)):
            some = [run for run in runs if run.level in levels and run.right_lens == right]
            flagged = sum(run.excess > limit for run in some)
            lines.append(f"lens {lens}, {name}: contradicted in {flagged} of {len(some)}")
    return lines


def fitted(runs: list[Run]) -> list[str]:
    """What other constants would give: frames held near and beyond, ends, and widths."""
    right, lines = [run for run in runs if run.right_lens], []
    for per_sd in (4.0, 5.0, 6.0, 7.0, 8.0, 10.0):
        for per_shift in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0):
            lines.append(
                row(
                    f"{FLOOR_DEG:g} {per_sd:g} {per_shift:g} near",
                    [r for r in right if r.near],
                    _with(per_sd, per_shift),
                )
            )
            lines.append(
                row(
                    f"{FLOOR_DEG:g} {per_sd:g} {per_shift:g} beyond",
                    [r for r in right if not r.near],
                    _with(per_sd, per_shift),
                )
            )
    return lines


def _with(per_sd: float, per_shift: float) -> Widths:
    return lambda run: run.half_width(FLOOR_DEG, per_sd, per_shift)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=list(HALVES), default="tune")
    parser.add_argument("--limit", type=int, default=CLIPS, help="courses; each gives two clips")
    parser.add_argument("--out", type=Path, required=True, help="a file that is gone on with")
    parser.add_argument("--fit", action="store_true", help="also what other constants would give")
    parser.add_argument("--flag", type=float, default=1.15, help="excess from which a lens is contradicted")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    runs = gathered(chosen.half, chosen.limit, chosen.out)
    print("\n".join(table(runs, _with(PER_SD, PER_SHIFT))))
    print("\n".join(flags(runs, chosen.flag)))
    print(f"{np.mean([run.ms_per_frame for run in runs]):.0f} core-ms a frame")
    if chosen.fit:
        print("\n".join(fitted(runs)))


if __name__ == "__main__":
    main()
