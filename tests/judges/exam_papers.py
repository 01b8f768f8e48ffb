"""A small exam that nobody has to render: clips of noise and plain black, and a judge whose server is asked for it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from lookaway.records import EXAM_KINDS, ExamItem, ExamPaper
from lookaway.store import Blobs
from lookaway.video import encode
from tests.builders import task

CLIPS, FRAMES = 24, 8
MODEL = ("--set", "openai.model=tiny", "--set", "openai.unique_ids=false", "--set", "openai.scores=top")
IN_WORDS = ("--set", "openai.scores=none", "--set", "openai.temperature=1")


def small_paper(blobs: Blobs, secret: bytes | None = None) -> ExamPaper:
    """Every other clip is black at its end, and is asked about; kinds come round in turn."""
    items = [item for number in range(CLIPS) for item in _items(number, _clip(number, blobs, secret))]
    tasks = {f"scene{number}": task(id=f"scene{number}") for number in range(6)}
    return ExamPaper(version=0, frames=f"uniform:{FRAMES}", prompt="question@2", tasks=tasks, items=tuple(items))


def _items(number: int, clip: str) -> list[ExamItem]:
    black = number % 2 == 1
    plain = {"clip": clip, "scene": f"scene{number % 6}", "kind": EXAM_KINDS[number % 6], "shown": "noise"}
    last = ExamItem(
        id=f"{number:02d}-black_last",
        text="Is the last frame nothing but black?",
        expected="yes" if black else "no",
        alarm=black,
        **plain,
    )
    first = ExamItem(
        id=f"{number:02d}-black_first", text="Is the first frame black?", expected="no", alarm=False, **plain
    )
    return [last, first]


def _clip(number: int, blobs: Blobs, secret: bytes | None) -> str:
    rng = np.random.default_rng([number, *(secret or b"")])
    noise = rng.integers(0, 255, (FRAMES, 6, 8, 3), np.uint8).repeat(16, axis=1).repeat(16, axis=2)
    if number % 2:
        noise[-1] = 0
    with TemporaryDirectory() as folder:
        path = Path(folder) / "clip.mp4"
        encode(list(noise), path, 2.0)
        return blobs.put_file(path)
