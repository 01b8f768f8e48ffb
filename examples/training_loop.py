"""A training loop that asks, every few steps, whether the model's world keeps going when nobody looks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import lookaway
from lookaway.generators.python import VideoRequest

Model = Callable[[VideoRequest], list[NDArray[np.uint8]]]

STEPS, EVALUATE_EVERY = 4, 2
TASK = "parlour0_ball_left"  # leave it out for the whole suite


def train(weights: float) -> float:
    """One step of a trainer that learns nothing."""
    return weights + 0.1


def model_with(weights: float) -> Model:
    """The model under these weights. This one knows nothing but its first frame, whatever the weights."""

    def still(request: VideoRequest) -> list[NDArray[np.uint8]]:
        return [request.image()] * request.frames

    return still


def main() -> None:
    weights = 0.0
    with tempfile.TemporaryDirectory() as runs:  # a real loop keeps this folder
        before = None
        for step in range(1, STEPS + 1):
            weights = train(weights)
            if step % EVALUATE_EVERY:
                continue
            board = lookaway.evaluate(
                model_with(weights), "diorama-mini", name="still", checkpoint=f"step {step}", only=TASK, out=runs
            )
            cell = board.cell(f"still@step {step}", "object_return")
            status = "avoided" if cell.avoided else "measured" if cell.ok else "not measured"
            print(f"step {step}: object_return {status}, value {cell.value}")
            if before is not None:
                print(*board.compare(before).sentences)
            before = board


if __name__ == "__main__":
    main()
