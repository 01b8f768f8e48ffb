"""How close decoding is to the floor: two ratios of CPU time from one run with interleaved repeats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from lookaway.video import decode, decode_some, encode, indices_uniform

WIDTH, HEIGHT, FRAMES, SAMPLED, REPEATS = 832, 480, 81, 16, 15


def measure() -> dict[str, float]:
    """`full_over_bare`: decode() against a bare PyAV loop, at most 1.25. `all_over_some`: at least 1.2."""
    with TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.mp4"
        encode(moving_texture(), clip, fps=24, crf=18)
        wanted = indices_uniform(FRAMES, SAMPLED)
        check_bits(clip, wanted)
        bare, full, some = cpu_medians(
            lambda: bare_loop(clip),
            lambda: [frame.rgb for frame in decode(clip)],
            lambda: [frame.rgb for frame in decode_some(clip, wanted)],
        )
    return {"full_over_bare": full / bare, "all_over_some": full / some}


def moving_texture() -> list[NDArray[np.uint8]]:
    """Noise at several scales, panned and zoomed, with grain that differs in every frame."""
    rng = np.random.default_rng(0)
    scene = np.zeros((HEIGHT * 2, WIDTH * 2, 3), np.float32)
    for cells in (8, 32, 128, 512):
        noise = rng.random((cells, cells, 3), np.float32)
        scene += cv2.resize(noise, (WIDTH * 2, HEIGHT * 2), interpolation=cv2.INTER_CUBIC)
    scene *= 63
    return [panned(scene, index) + rng.integers(0, 6, (HEIGHT, WIDTH, 3), np.uint8) for index in range(FRAMES)]


def panned(scene: NDArray[np.float32], index: int) -> NDArray[np.uint8]:
    zoom = 1 + index / 400
    view = np.float32([[zoom, 0, -4.3 * index], [0, zoom, -2.1 * index]])
    return np.clip(cv2.warpAffine(scene, view, (WIDTH, HEIGHT)), 0, 245).astype(np.uint8)


def bare_loop(clip: Path) -> list[NDArray[np.uint8]]:
    with av.open(str(clip)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def check_bits(clip: Path, wanted: list[int]) -> None:
    bare = bare_loop(clip)
    for frame in [*decode(clip), *decode_some(clip, wanted)]:
        if not np.array_equal(frame.rgb, bare[frame.index]):
            raise SystemExit(f"frame {frame.index} differs from the bare decode")


def cpu_medians(*works: Callable[[], object]) -> list[float]:
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(REPEATS):
        for work, times in zip(works, spent, strict=True):
            start = process_time()
            work()
            times.append(process_time() - start)
    return [median(times) for times in spent]


if __name__ == "__main__":
    for name, ratio in measure().items():
        print(f"{name} {ratio:.2f}")
