"""Motion smoothness of a pure translation whose flow is known exactly, by the three warps: writes smoothness.md.

python benchmarks/smoothness.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.metrics.motion_smoothness import TAU
from lookaway.observers.flow_errors import PairErrors, pair_errors

SIZE, FINER = (640, 368), 4  # pixels; the world is drawn so many times finer, so that parts of a pixel are exact
STEPS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # pixels a frame
PAGE = Path(__file__).with_name("smoothness.md")
HEAD = """# Motion smoothness of a pure translation

Made by `python benchmarks/smoothness.py`. A picture of {width} x {height} moves to the left by so many pixels a frame;
nothing else changes. Its flow is known exactly. Scores are 100 exp(-e / 0.15), e the mean absolute difference of RGB
from 0 to 1: `printed` samples the first frame at x + f and compares it with the second, as the paper's text and its
release have it; `none` compares the frames as they are; `correct` samples the second frame at x + f and compares it
with the first, pixels out of view left out. A perfectly smooth pan should score 100. The printed warp is worse than
none: it doubles the motion instead of cancelling it. `dis` is `correct` with the flow that OpenCV's dense inverse
search finds. Grain as fine as a pixel cannot be interpolated at parts of one: that is what `correct` loses there, with
the right flow.
"""
ROW = "| {:g} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n"


def main() -> int:
    cv2.setNumThreads(1)
    pages = [HEAD.format(width=SIZE[0], height=SIZE[1])]
    held = True
    for name, picture in (("Down to grain of a pixel", scene((6, 24, 96, 384))), ("Coarse structure", scene((6, 24)))):
        rows = [(step, *measured(picture, step)) for step in STEPS]
        held &= all(100 * score(errors.warped) >= 98 for step, errors, _ in rows if step in (1, 2, 4))
        held &= all(errors.printed >= errors.unwarped for _, errors, _ in rows)
        pages.append(f"\n## {name}\n\n| px a frame | printed | none | correct | dis |\n|---|---|---|---|---|\n")
        pages += [
            ROW.format(step, *(100 * score(e) for e in (errors.printed, errors.unwarped, errors.warped, dis.warped)))
            for step, errors, dis in rows
        ]
    PAGE.write_text("".join(pages))
    sys.stdout.write("".join(pages))
    return 0 if held else 1


def score(error: float) -> float:
    return float(np.exp(-error / TAU))


def measured(picture: NDArray[np.uint8], step: float) -> tuple[PairErrors, PairErrors]:
    """By the exact flow, and by the one that is found."""
    first, second = view(picture, 0), view(picture, step)
    exact = np.tile(np.float32([-step, 0]), (*first.shape[:2], 1))
    greys = (cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in (first, second))
    found = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM).calc(*greys, np.zeros_like(exact))
    return pair_errors(first, second, exact), pair_errors(first, second, found)


def view(picture: NDArray[np.uint8], right: float) -> NDArray[np.uint8]:
    start = round(right * FINER)
    fine = picture[:, start : start + SIZE[0] * FINER]
    return np.asarray(cv2.resize(fine, SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def scene(cells: tuple[int, ...]) -> NDArray[np.uint8]:
    """Noise at several scales, wide enough for the longest step."""
    rng = np.random.default_rng(0)
    width, height = (SIZE[0] + 32) * FINER, SIZE[1] * FINER
    made = np.full((height, width, 3), 128, np.float32)
    for count in cells:
        grains = rng.normal(0, 90 / np.sqrt(len(cells)), (count, 2 * count, 3)).astype(np.float32)
        made += cv2.resize(grains, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.clip(made, 0, 255).astype(np.uint8)


if __name__ == "__main__":
    sys.exit(main())
