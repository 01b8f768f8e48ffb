"""What visual integrity costs beside the bare forward passes of its model, on one clip; random weights will do.

    python benchmarks/integrity.py CLIP [--size 384] [--layers 12] [--rounds 3]

Process time on one thread: decoding is no part of either; preparing pictures and matching patches are part of ours.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
import torch
import transformers

from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.patch_features import FEATURES_LONG_SIDE
from lookaway.records import Task
from lookaway.video import SharedFrames, indices_at_rate

BATCH = 8


def timed(work: Callable[[], object], rounds: int) -> float:
    """The least process time of some rounds."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip", type=Path)
    parser.add_argument("--size", type=int, default=384, help="of a token: 384 is DINOv2's small model, 768 its base")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    config = transformers.Dinov2Config(
        hidden_size=given.size, num_hidden_layers=given.layers, num_attention_heads=given.size // 64, image_size=518
    )
    task = Task.model_construct()
    with tempfile.TemporaryDirectory() as folder, SharedFrames.load(given.clip) as frames:
        model = transformers.Dinov2Model(config).eval()
        model.save_pretrained(folder)
        look = Look(frames, task, frames.rgb[0], None, {"model": folder, "device": "cpu", "batch": BATCH})
        observer, metric = OBSERVERS.get("patch_features").function, METRICS.get("visual_integrity:paper").function
        count = len(indices_at_rate(len(frames), frames.info.fps))
        height, width = frames.rgb.shape[1:3]
        scale = FEATURES_LONG_SIDE / max(height, width)
        rows, columns = (-(-round(side * scale) // 14) * 14 for side in (height, width))
        pixels = torch.from_numpy(np.random.default_rng(0).standard_normal((count, 3, rows, columns), np.float32))

        def bare() -> None:
            with torch.inference_mode():
                for start in range(0, count, BATCH):
                    model(pixels[start : start + BATCH])

        def ours() -> object:
            seen = observer(look)
            return metric(Case(task, None, {"patch_features": seen.arrays()}, {}))

        ours(), bare()
        both = [(timed(ours, 1), timed(bare, 1)) for _ in range(given.rounds)]
        mine, passes = (min(each) for each in zip(*both, strict=True))
    sys.stdout.write(
        f"{given.clip.stem}: {count} frames of {columns}x{rows}, size {given.size}, {given.layers} layers: "
        f"integrity {mine:.2f} s, bare forward passes {passes:.2f} s, ratio {mine / passes:.3f}\n"
    )


if __name__ == "__main__":
    main()
