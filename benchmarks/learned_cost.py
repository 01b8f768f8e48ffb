"""What MemoBench's learned observers cost beside the bare forward passes of their models, and whether memory grows.

    python benchmarks/learned_cost.py cost [--rounds 3] [--only NAME] [--stride 4]     random weights of the true sizes
    python benchmarks/learned_cost.py memory [--clips 200]                random weights of tiny configurations

Process time on one thread, one clip of 81 frames of 832x480 and a true clip of 141 beside it, both decoded before.
The bare loop runs the same model over as many pictures of the same size, already prepared, in the same batches.
Preparing pictures, comparing them and the metric are part of ours.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import cv2
import numpy as np
import torch
import transformers

from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look, learned
from lookaway.records import Interval, Reference, Subject, Task
from lookaway.truth import Truth
from lookaway.video import SharedFrames, VideoInfo, encode

BATCH, FPS = 8, 16.0
STRIDE = 4  # of `aesthetics`
FRAMES, TRUE_FRAMES, GONE, BACK = 81, 141, 45, 95
RELEASED = {"dinov2": 10, "depth": 8, "clip_large": 21, "clip_base": 6}  # forwards a clip of MemoBench's release


class Row(NamedTuple):
    """An observer, the model it looks with, and a metric that reads it."""

    observer: str
    model: str
    metric: str


ROWS = (
    Row("returned_patches", "dinov2", "object_identity:paper"),
    Row("returned_patches_released", "dinov2", "object_identity:released"),
    Row("phase_depths_released", "depth", "geometric_consistency:released"),
    Row("aesthetics", "clip_large", "aesthetic_score:paper"),
    Row("returned_views", "clip_base", "revisit_similarity:released"),
)


def dinov2(tiny: bool) -> Any:
    sizes = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4} if tiny else {}
    return transformers.Dinov2Model(transformers.Dinov2Config(image_size=518, patch_size=14, **sizes))


def depth(tiny: bool) -> Any:
    """Depth Anything V2, Small."""
    size, heads = (48, 4) if tiny else (384, 6)
    backbone = transformers.Dinov2Config(
        hidden_size=size,
        num_attention_heads=heads,
        num_hidden_layers=4 if tiny else 12,
        image_size=518,
        patch_size=14,
        out_features=["stage1", "stage2", "stage3", "stage4"] if tiny else ["stage3", "stage6", "stage9", "stage12"],
        reshape_hidden_states=False,
    )
    neck = {"neck_hidden_sizes": [8, 16, 16, 16], "fusion_hidden_size": 8, "head_hidden_size": 8} if tiny else {}
    return transformers.DepthAnythingForDepthEstimation(
        transformers.DepthAnythingConfig(backbone_config=backbone, reassemble_hidden_size=size, patch_size=14, **neck)
    )


def clip(tiny: bool, large: bool) -> Any:
    text = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    sizes = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}
    vision = text if tiny else sizes if large else {}
    config = transformers.CLIPConfig(
        text_config={**text, "vocab_size": 99, "bos_token_id": 1, "eos_token_id": 2},
        vision_config={**vision, "patch_size": 14 if large else 32, "image_size": 224},
        projection_dim=768 if large else 512,
    )
    return transformers.CLIPModel(config)


def saved(folder: Path, tiny: bool, rows: Sequence[Row]) -> dict[str, Path]:
    """Random checkpoints of these rows by name, and a head beside the larger CLIP."""
    made = {
        "dinov2": lambda: dinov2(tiny),
        "depth": lambda: depth(tiny),
        "clip_large": lambda: clip(tiny, large=True),
        "clip_base": lambda: clip(tiny, large=False),
    }
    torch.manual_seed(0)
    for name in {row.model for row in rows}:
        made[name]().save_pretrained(folder / name)
    torch.save(torch.nn.Linear(768, 1).state_dict(), folder / "head.pth")
    return {name: folder / name for name in made}


def picture(size: tuple[int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 255, (size[1] // 16, size[0] // 16, 3), np.uint8)
    return np.asarray(cv2.resize(coarse, (size[0] + 160, size[1]), interpolation=cv2.INTER_CUBIC))


def panned(size: tuple[int, int], count: int, seed: int) -> np.ndarray:
    """A camera that goes to the right and comes back."""
    wide, shifts = picture(size, seed), 150 * np.sin(np.linspace(0, np.pi, count))
    return np.stack([wide[:, round(shift) : round(shift) + size[0]] for shift in shifts])


def look_at(rgb: np.ndarray, true_clip: Path, true_frames: int) -> Look:
    height, width = rgb.shape[1:3]
    gone, back, end = (frame / TRUE_FRAMES * true_frames / FPS for frame in (GONE, BACK, TRUE_FRAMES))
    spans = (("visible", 0.0, gone), ("hidden", gone, back), ("returned", back, end))
    phases = tuple(Interval(phase=phase, start_s=start, end_s=stop) for phase, start, stop in spans)
    known = Truth(Reference(task="a", instance="a", phases=phases), true_clip, np.arange(true_frames) / FPS, None)
    info = VideoInfo(Path("made.mp4"), width, height, len(rgb), FPS, len(rgb) / FPS, False, "none")
    frames = SharedFrames(info, np.arange(len(rgb)) / FPS, rgb)
    subject = Subject(name="a patch", box=(0.4, 0.4, 0.6, 0.6), side="centre")
    task = Task.model_construct(id="a", subjects=(subject,), prompt="a wall", hfov_deg=60.0)
    return Look(frames, task, rgb[0], known, {})


def settings_of(row: Row, weights: Mapping[str, Path], stride: int) -> dict[str, Any]:
    more = {"head": str(weights["clip_large"].with_name("head.pth")), "stride": stride}
    return {
        **{"model": str(weights[row.model]), "device": "cpu", "batch": BATCH},
        **(more if row.observer == "aesthetics" else {}),
    }


def ours(row: Row, look: Look, weights: Mapping[str, Path], stride: int = STRIDE) -> object:
    given = Look(look.frames, look.task, look.first_frame, look.truth, settings_of(row, weights, stride))
    seen = OBSERVERS.get(row.observer).function(given)
    case = Case(look.task, look.truth, {row.observer: seen.arrays()}, {})  # type: ignore[union-attr]
    value = METRICS.get(row.metric).function(case)
    assert isinstance(value, float), value
    return value


class Recorder:
    """Whatever a model is shown, and what is made of it."""

    def __init__(self) -> None:
        self.shown: list[np.ndarray] = []
        self.run: Callable[[Any, Any], Any] | None = None
        self.loaded: learned.LoadedModel | None = None

    def __call__(self, loaded: learned.LoadedModel, pixels: Any, batch: int, run: Any) -> Any:
        self.shown, self.run, self.loaded = list(pixels), run, loaded
        return _IN_BATCHES(loaded, pixels, batch, run)


_IN_BATCHES = learned.in_batches


def recorded(row: Row, look: Look, weights: Mapping[str, Path], stride: int) -> Recorder:
    """What an observer shows its model, by looking once."""
    recorder = Recorder()
    OBSERVERS.all()  # else some are imported only when they look
    rooms = [room for room in sys.modules.values() if getattr(room, "in_batches", None) is _IN_BATCHES]
    for room in rooms:
        room.in_batches = recorder  # type: ignore[attr-defined]
    ours(row, look, weights, stride)
    for room in rooms:
        room.in_batches = _IN_BATCHES  # type: ignore[attr-defined]
    return recorder


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def cost(rounds: int, only: str, stride: int, folder: Path) -> None:
    rows = [row for row in ROWS if only in ("", row.observer)]
    weights = saved(folder, tiny=False, rows=rows)
    encode(list(panned((832, 480), TRUE_FRAMES, 1)), folder / "true.mp4", FPS)
    look = look_at(panned((832, 480), FRAMES, 2), folder / "true.mp4", TRUE_FRAMES)
    assert look.truth is not None
    look.truth.frames()
    for row in rows:
        recorder = recorded(row, look, weights, stride)
        assert recorder.run is not None
        assert recorder.loaded is not None
        run, model = recorder.run, recorder.loaded.model
        batches = [
            torch.from_numpy(np.stack(recorder.shown[i : i + BATCH])) for i in range(0, len(recorder.shown), BATCH)
        ]

        def bare(batches: Any = batches, run: Any = run, model: Any = model) -> None:
            with torch.inference_mode():
                for together in batches:
                    run(model, together)

        bare()
        both = [(timed(partial(ours, row, look, weights, stride)), timed(bare)) for _ in range(rounds)]
        mine, passes = (min(each) for each in zip(*both, strict=True))
        size = "x".join(map(str, recorder.shown[0].shape[:0:-1]))
        sys.stdout.write(
            f"| `{row.observer}` | {row.model} | {len(recorder.shown)} of {size} | {RELEASED[row.model]} "
            f"| {mine:.2f} | {passes:.2f} | {mine / passes:.3f} |\n"
        )
        sys.stdout.flush()


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory(clips: int, folder: Path) -> None:
    weights = saved(folder, tiny=True, rows=ROWS)
    for i in range(3):  # as in a run: another true clip now and then
        encode(list(panned((320, 180), 49, 100 + i)), folder / f"true{i}.mp4", FPS)
    for number in range(1, clips + 1):
        look = look_at(panned((320, 180), 33, number), folder / f"true{number // 8 % 3}.mp4", 49)
        for row in ROWS:
            ours(row, look, weights)
        if number in (1, 10) or number % 25 == 0:
            sys.stdout.write(f"| {number} | {resident_mb():.0f} |\n")
            sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cost", "memory"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="one observer")
    parser.add_argument("--stride", type=int, default=STRIDE, help="frames between those that `aesthetics` looks at")
    parser.add_argument("--clips", type=int, default=200)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "cost":
            cost(given.rounds, given.only, given.stride, Path(folder))
        else:
            memory(given.clips, Path(folder))


if __name__ == "__main__":
    main()
