"""A suite of grey clips that costs next to nothing: each task with its truth and two questions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from lookaway.images import png_bytes
from lookaway.video import encode
from tests.builders import task

SIZE, FPS, FRAMES = (64, 48), 8.0, 9
QUESTIONS = [
    {"id": "grey", "text": "Is it grey?", "dimension": "colour", "polarity": "positive", "expected": "yes"},
    {"id": "red", "text": "Is it red?", "dimension": "colour", "polarity": "negative", "expected": "no"},
]


def grey_suite(folder: Path, count: int) -> Path:
    """So many tasks, no two of which look the same."""
    folder.mkdir()
    (folder / "suite.toml").write_text('name = "greys"\nversion = 1\nsummary = "grey clips"\n')
    rows = []
    for number in range(count):
        frames = [np.full((SIZE[1], SIZE[0], 3), 10 + 9 * number + 3 * k, np.uint8) for k in range(FRAMES)]
        (folder / f"{number}.png").write_bytes(png_bytes(frames[0]))
        encode(frames, folder / f"{number}.mp4", FPS, crf=4)
        plain = task(
            id=f"grey_{number}",
            scene=f"scene_{number}",
            first_frame=f"{number}.png",
            camera="hold@0.5s, yaw:left:20@0.5s",
            width=SIZE[0],
            height=SIZE[1],
            fps=FPS,
            seconds=1.0,
        )
        row = plain.model_dump(mode="json", exclude={"suite", "version"}, exclude_defaults=True)
        rows.append(json.dumps(row | {"reference": f"{number}.mp4", "questions": QUESTIONS}))
    (folder / "tasks.jsonl").write_text("\n".join(rows))
    return folder
