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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from disturbed_clips import DECLARED_DEG, HALVES, Course, courses, disturbed, filmed, true_rotations
from numpy.typing import NDArray

from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.observers.focal import CONTRADICTED, field_of_view
from lookaway.observers.following import Follow, followed
from lookaway.observers.following.interval import PER_SHIFT, POWER, Doubts

NEAR_CM = 10  # shifts up to this one are reported apart
CLIPS = 36

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """What one disturbed clip gave, per frame and of yaw and pitch."""

    facts: dict[str, Any]
    level: int
    error_deg: Floats  # (N, 2) of the middle; infinite where not placed
    doubts: Doubts
    excess: float  # see observers/focal.py; 0 where no lens could be read
    ms_per_frame: float

    @property
    def right_lens(self) -> bool:
        return bool(self.facts["hfov_deg"] == DECLARED_DEG)

    @property
    def near(self) -> bool:
        return bool(self.facts["shift_cm"] <= NEAR_CM)

    def line(self) -> str:
        return json.dumps({**vars(self), "error_deg": _listed(self.error_deg), "doubts": _lists(self.doubts)})

    @classmethod
    def of(cls, line: str) -> Run:
        given = json.loads(line)
        doubts = Doubts(**{name: np.array(rows) for name, rows in given.pop("doubts").items()})
        return cls(**{**given, "error_deg": np.array(given["error_deg"]), "doubts": doubts})


def _lists(doubts: Doubts) -> dict[str, Any]:
    return {name: _listed(rows) for name, rows in vars(doubts).items()}


def _listed(rows: Floats) -> Any:
    return np.round(rows, 5).tolist()


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
    doubts = Doubts.of(found.paths)
    return Run(
        facts=course.facts(),
        level=level,
        error_deg=np.where(found.trusted[:, None], error, np.inf),
        doubts=replace(doubts, **{name: rows[..., 1:, :] for name, rows in vars(doubts).items()}),
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


def flags(runs: list[Run]) -> list[str]:
    """How often the lens is contradicted."""
    lines = []
    for name, levels in (("levels 0-1", (0, 1)), ("levels 2-3", (2, 3))):
        for lens, right in (("right", True), ("wrong", False)):
            some = [run for run in runs if run.level in levels and run.right_lens == right]
            flagged = sum(run.excess > CONTRADICTED for run in some)
            lines.append(f"lens {lens}, {name}: contradicted in {flagged} of {len(some)}")
    return lines


def fitted(runs: list[Run]) -> list[str]:
    """What other constants would give."""
    right, lines = [run for run in runs if run.right_lens], []
    for power in (0.25, 0.3, 0.35, 0.4, 0.5):
        for per_shift in (2.0, 2.25, 2.5, 2.75, 3.0):
            for name, some in (("near", [r for r in right if r.near]), ("beyond", [r for r in right if not r.near])):
                lines.append(row(f"{per_shift:g} power {power:g}, {name}", some, _with(per_shift, power)))
    return lines


def _with(per_shift: float, power: float) -> Widths:
    return lambda run: run.doubts.half_width_deg(per_shift, power)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=list(HALVES), default="tune")
    parser.add_argument("--limit", type=int, default=CLIPS, help="courses; each gives two clips")
    parser.add_argument("--out", type=Path, required=True, help="a file that is gone on with")
    parser.add_argument("--fit", action="store_true", help="also what other constants would give")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    runs = gathered(chosen.half, chosen.limit, chosen.out)
    print("\n".join(table(runs, _with(PER_SHIFT, POWER))))
    print("\n".join(flags(runs)))
    print(f"{np.mean([run.ms_per_frame for run in runs]):.0f} core-ms a frame")
    if chosen.fit:
        print("\n".join(fitted(runs)))


if __name__ == "__main__":
    main()
