"""What one clip and its truth cost beside the access pattern of MemoBench's release: writes memobench_reads.md.

    python benchmarks/memobench_reads.py [--rounds 3]

The release, its models left out, opens files 9 times for 81 generated and 141 true frames and reads 504 frames by
index, 221 of them after a seek; it compares 164 pairs of frames, of which 101 differ. Both sides run here in turns, on
one thread, in process time. With torch, LPIPS is compared too, with random weights.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from unittest import mock

os.environ.setdefault("OMP_NUM_THREADS", "1")

import av
import cv2
import numpy as np
from decode import panned
from numpy.typing import NDArray

from lookaway.geometry.phase_frames import true_indices
from lookaway.observers import Look
from lookaway.observers.fidelity import Fidelity, fidelity, psnr, ssim
from lookaway.records import Reference, Task
from lookaway.truth import Truth, _decoded
from lookaway.video import SharedFrames, encode, shared
from lookaway.video.resize import fitted_size

WIDTH, HEIGHT, FRAMES, TRUE_FRAMES, FPS = 832, 480, 81, 141, 24.0
OPENS, READS, SEEKS, PAIRS = 9, 504, 221, 164
OF_THE_TRUTH = 3  # opens, and so 168 reads: about its 164 sides of pairs
LONG_SIDE, KEY_EVERY = 640, 30
PAGE = Path(__file__).with_name("memobench_reads.md")
HEAD = """# Reads and pairs beside MemoBench's release

Made by `python benchmarks/memobench_reads.py`: process time of the release's access pattern over ours, in one run, on
one thread. Both clips are of 832 x 480, with 81 and 141 frames; both sides compare frames of at most 640 pixels. The
release's side reads 504 frames by index in 9 opens, 221 after a seek, spread evenly, and compares 164 pairs; ours
decodes each file once and compares each frame once. How much seeking costs depends on key frames: a clip of 81 frames
has one unless its encoder is told otherwise; the second row has one every 30 frames. LPIPS: both networks with random
weights, 164 pairs, both sides each time, over 81 frames beside features of true frames that an earlier clip of the task
has left; measured on 40 frames (AlexNet) and 4 (VGG 16) and scaled. At its default of 1024 MB `kept_mb` holds all 81
true frames for AlexNet and 8 for VGG 16, for which `lpips_vgg.kept_mb=10000` holds all.

| what | measured | target | verdict |
|---|---|---|---|
"""

Image = NDArray[np.uint8]
Read = Callable[[int, bool], Image]  # a frame by its index, after a seek or in order


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    cv2.setNumThreads(1)
    with TemporaryDirectory() as made:
        folder = Path(made)
        write_clips(folder)
        rows = [*file_rows(folder, rounds), *pair_rows(folder, rounds), *lpips_rows(folder)]
    lines = [f"| {name} | {value:.2f} | {target} | {verdict(value, target)} |\n" for name, value, target in rows]
    PAGE.write_text(HEAD + "".join(lines))
    sys.stdout.write("".join(lines))
    return 0


def verdict(value: float, target: str) -> str:
    sign, _, limit = target.partition(" ")
    return "" if not target else "ok" if {">=": value >= float(limit), "<=": value <= float(limit)}[sign] else "MISSED"


def write_clips(folder: Path) -> None:
    """As mp4 with one key frame, as encoders write short clips unless told, and with more; and as folders of png."""
    for name, frames in (("clip", FRAMES), ("true", TRUE_FRAMES)):
        pictures = texture(frames)
        encode(pictures, folder / f"{name}.mp4", fps=FPS, crf=18)
        write_with_keys(pictures, folder / f"{name}-keys.mp4")
        (folder / name).mkdir()
        for i, picture in enumerate(pictures):
            cv2.imwrite(str(folder / name / f"{i:04d}.png"), picture[..., ::-1])


def write_with_keys(pictures: list[Image], path: Path) -> None:
    """A key frame every KEY_EVERY frames: three in the clip."""
    with av.open(str(path), "w") as container:
        options = {"crf": "18", "g": str(KEY_EVERY), "sc_threshold": "0"}
        stream = container.add_stream("libx264", rate=int(FPS), options=options)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def texture(frames: int) -> list[Image]:
    rng = np.random.default_rng(0)
    scene = np.zeros((HEIGHT * 2, WIDTH * 2, 3), np.float32)
    for cells in (8, 32, 128, 512):
        scene += cv2.resize(rng.random((cells, cells, 3), np.float32), (WIDTH * 2, HEIGHT * 2), interpolation=2)
    scene *= 63
    rate = FRAMES / frames
    return [panned(scene, i * rate) + rng.integers(0, 6, (HEIGHT, WIDTH, 3), np.uint8) for i in range(frames)]


# ---------------------------------------------------------------- reading and comparing


def file_rows(folder: Path, rounds: int) -> list[tuple[str, float, str]]:
    rows = []
    kinds = (
        ("mp4", ".mp4", ">= 15"),
        (f"mp4, a key every {KEY_EVERY}", "-keys.mp4", ""),
        ("frame folders", "", ">= 2"),
    )
    for kind, suffix, target in kinds:
        clip, true = folder / f"clip{suffix}", folder / f"true{suffix}"
        theirs, ours = cpu_medians(rounds, lambda: released(clip, true), lambda: looked(clip, true))  # noqa: B023
        rows += [(f"CPU without models, {kind}", theirs / ours, target), (f"  ours, s ({kind})", ours, "")]
        rows.append((f"  files decoded per file ({kind})", decodes(clip, true) / 2, "<= 1"))
    return rows


def looked(clip: Path, true: Path) -> Fidelity:
    """Ours: both decoded, all frames compared."""
    _decoded.cache_clear()
    with SharedFrames.load(clip, folder_fps=FPS) as frames:
        truth = Truth(Reference(task="t", instance="i"), true, np.arange(TRUE_FRAMES) / FPS, None)
        found = fidelity(Look(frames, Task.model_construct(), frames.rgb[0], truth))
    assert isinstance(found, Fidelity)
    return found


def decodes(clip: Path, true: Path) -> int:
    calls = count()

    def counted(*given: object, decode: Callable[..., object] = shared.decode) -> object:
        next(calls)
        return decode(*given)

    with mock.patch.object(shared, "decode", counted):
        looked(clip, true)
    return next(calls)


def released(clip: Path, true: Path) -> list[tuple[float, float]]:
    """Its reads, evenly spread over its opens and files, and its pairs by the straight forms."""
    each, kept = READS // OPENS, dict[str, list[Image]](clip=[], true=[])
    number = 0
    for opened in range(OPENS):
        name = "true" if opened < OF_THE_TRUTH else "clip"
        path, frames = (true, TRUE_FRAMES) if name == "true" else (clip, FRAMES)
        read = opened_reader(path)
        for i in range(each):
            seeks = (number + 1) * SEEKS // READS > number * SEEKS // READS
            kept[name].append(fitted(read(i * frames // each, seeks)))
            number += 1
    pairs = [(kept["clip"][i % len(kept["clip"])], kept["true"][i % len(kept["true"])]) for i in range(PAIRS)]
    return [(straight_psnr(a, b), straight_ssim(a, b)) for a, b in pairs]


def opened_reader(path: Path) -> Read:
    if path.is_dir():
        files = sorted(path.iterdir())
        return lambda index, seeks: np.asarray(cv2.imread(str(files[index]))[..., ::-1], np.uint8)
    video, frames = cv2.VideoCapture(str(path)), int(cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT))

    def read(index: int, seeks: bool) -> Image:
        if seeks or video.get(cv2.CAP_PROP_POS_FRAMES) >= frames:
            video.set(cv2.CAP_PROP_POS_FRAMES, index)
        good, bgr = video.read()
        assert good
        return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), np.uint8)

    return read


def fitted(rgb: Image) -> Image:
    return np.asarray(cv2.resize(rgb, fitted_size(WIDTH, HEIGHT, LONG_SIDE), interpolation=cv2.INTER_AREA), np.uint8)


def straight_psnr(a: Image, b: Image) -> float:
    error = np.mean((a.astype(np.float64) - b.astype(np.float64)) ** 2)
    return 99.0 if error == 0 else min(99.0, float(10 * np.log10(255**2 / error)))


def straight_ssim(a: Image, b: Image) -> float:
    x, y = (cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float64) for rgb in (a, b))

    def blur(image: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(cv2.GaussianBlur(image, (11, 11), 1.5)[5:-5, 5:-5], np.float64)

    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mx, my = blur(x), blur(y)
    vx, vy, both = blur(x * x) - mx**2, blur(y * y) - my**2, blur(x * y) - mx * my
    return float((((2 * mx * my + c1) * (2 * both + c2)) / ((mx**2 + my**2 + c1) * (vx + vy + c2))).mean())


def pair_rows(folder: Path, rounds: int) -> list[tuple[str, float, str]]:
    clip, true = (SharedFrames.load(folder / f"{name}.mp4").rgb for name in ("clip", "true"))
    pairs = list(zip(clip, true[true_indices(len(clip), len(true))], strict=True))
    rows, targets = [], {"PSNR": (straight_psnr, psnr, ">= 8"), "SSIM": (straight_ssim, ssim, ">= 1.7")}
    for name, (straight, own, target) in targets.items():
        theirs, ours = cpu_medians(
            rounds,
            lambda: [straight(a, b) for a, b in pairs],  # noqa: B023
            lambda: [own(a, b) for a, b in pairs],  # noqa: B023
        )
        apart = max(abs(straight(a, b) - own(a, b)) for a, b in pairs[::8])
        rows += [(f"{name} of a pair", theirs / ours, target), (f"  apart x 10000 ({name})", 1e4 * apart, "<= 1")]
    return rows


def cpu_medians(rounds: int, *works: Callable[[], object]) -> list[float]:
    spent: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, times in zip(works, spent, strict=True):
            start = process_time()
            work()
            times.append(process_time() - start)
    return [median(times) for times in spent]


# ---------------------------------------------------------------- LPIPS


def lpips_rows(folder: Path) -> list[tuple[str, float, str]]:
    """Its 164 pairs, both sides each time, over our 81 frames beside kept features of the truth."""
    try:
        import torch
    except ImportError:
        return []
    from lookaway.observers.learned import LoadedModel
    from lookaway.observers.perceptual.distances import TruthFeatures, apart, features
    from lookaway.observers.perceptual.network import ALEX, VGG, in_rows, made_network

    torch.set_num_threads(1)
    clip, true = (SharedFrames.load(folder / f"{name}.mp4").rgb for name in ("clip", "true"))
    rows = []
    for name, network, some, batch, target in (("AlexNet", ALEX, 40, 8, ">= 3"), ("VGG 16", VGG, 4, 2, ">= 3")):
        model = made_network(network).eval()
        plain = LoadedModel(torch, model, "cpu", "float32")
        with torch.inference_mode():
            straight_s = timed(lambda: [straight_lpips(torch, plain, clip[i], true[i]) for i in range(some)])  # noqa: B023
            eyes, kept = LoadedModel(torch, in_rows(model), "cpu", "float32"), TruthFeatures(1 << 34)
            spans = [range(start, min(some, start + batch)) for start in range(0, some, batch)]

            def ours() -> None:
                for span in spans:  # noqa: B023
                    beside = kept.of(list(span), eyes, lambda i: true[i])  # noqa: B023
                    apart(eyes, features(eyes, clip[span.start : span.stop]), beside)  # noqa: B023

            first_s, next_s = timed(ours), timed(ours)
        rows.append((f"LPIPS by {name}, truth kept", PAIRS * straight_s / (FRAMES * next_s), target))
        rows.append((f"  first clip of a task ({name})", PAIRS * straight_s / (FRAMES * first_s), ""))
        size = sum(layer.numel() * 4 for layer in kept.of([0], eyes, lambda i: true[i])) / 1e6
        rows += [(f"  kept of a true frame, MB ({name})", size, ""), (f"  ours, s a frame ({name})", next_s / some, "")]
    return rows


def straight_lpips(torch: object, eyes: object, a: Image, b: Image) -> float:
    """Both pictures through the network, channels first, one pair at a time."""
    from lookaway.observers.perceptual.distances import SCALE, SHIFT

    found = []
    for rgb in (a, b):
        pixels = torch.from_numpy(rgb.copy()).permute(2, 0, 1)[None].float() / 127.5 - 1  # type: ignore[attr-defined]
        flowing = (pixels - torch.tensor(SHIFT).view(1, 3, 1, 1)) / torch.tensor(SCALE).view(1, 3, 1, 1)  # type: ignore[attr-defined]
        layers = []
        for stage in eyes.model["stages"]:  # type: ignore[attr-defined]
            flowing = stage(flowing)
            layers.append(flowing / ((flowing**2).sum(1, keepdim=True).sqrt() + 1e-10))
        found.append(layers)
    heads = eyes.model["heads"]  # type: ignore[attr-defined]
    return sum(float(head((x - y) ** 2).mean()) for head, x, y in zip(heads, *found, strict=True))


def timed(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


if __name__ == "__main__":
    sys.exit(main())
