"""What the whole set of MemoBench's metrics costs on one clip, observer by observer, with random weights.

    python benchmarks/memobench_set.py [--protocol memobench]

One clip of 81 frames of 832x480 beside a true clip of 141; process time on one thread; each file is decoded once.
Models are of their true sizes with random weights; LPIPS's VGG 16 keeps no features of an earlier clip. What needs a
worker's package, known world or masks abstains, and its row says so.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import transformers
from learned_cost import BATCH, FPS, FRAMES, TRUE_FRAMES, Row, look_at, panned, saved

from lookaway.errors import LookawayError
from lookaway.metrics import METRICS
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.perceptual.network import ALEX, VGG, Architecture, made_network
from lookaway.outcomes import Abstain
from lookaway.protocols import load
from lookaway.records import Setting
from lookaway.video import SharedFrames, encode

MODELS = {
    "facebook/dinov2-base": "dinov2",
    "depth-anything/Depth-Anything-V2-Base-hf": "depth_base",
    "depth-anything/Depth-Anything-V2-Small-hf": "depth",
    "openai/clip-vit-large-patch14": "clip_large",
    "openai/clip-vit-base-patch32": "clip_base",
    "lpips/vgg": "vgg",
    "lpips/alex": "alex",
}


def lpips_folder(folder: Path, architecture: Architecture) -> None:
    """Random weights in the files that are published, under the names that they have there."""
    model = made_network(architecture)
    layers = [layer for stage in architecture.stages for layer in stage.layers]
    convolutions = [part for stage in model["stages"] for part in stage if isinstance(part, torch.nn.Conv2d)]
    network = {
        f"features.{layer.number}.{kind}": getattr(part, kind).detach()
        for layer, part in zip(layers, convolutions, strict=True)
        for kind in ("weight", "bias")
    }
    heads = {f"lin{i}.model.1.weight": head.weight.detach().abs() for i, head in enumerate(model["heads"])}
    folder.mkdir()
    torch.save(network, folder / architecture.network_file)
    torch.save(heads, folder / architecture.heads_file)


def base_depth() -> transformers.DepthAnythingForDepthEstimation:
    """Depth Anything V2, Base."""
    backbone = transformers.Dinov2Config(
        image_size=518,
        patch_size=14,
        out_features=["stage3", "stage6", "stage9", "stage12"],
        reshape_hidden_states=False,
    )
    config = transformers.DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=768,
        patch_size=14,
        neck_hidden_sizes=[96, 192, 384, 768],
        fusion_hidden_size=128,
    )
    return transformers.DepthAnythingForDepthEstimation(config)


def weights(folder: Path) -> dict[str, Path]:
    names = ("dinov2", "depth", "clip_large", "clip_base")
    made = saved(folder, tiny=False, rows=[Row("", name, "") for name in names])
    base_depth().save_pretrained(folder / "depth_base")
    for name, architecture in (("vgg", VGG), ("alex", ALEX)):
        lpips_folder(folder / name, architecture)
    return {**made, **{name: folder / name for name in ("depth_base", "vgg", "alex")}}


def settings_of(name: str, made: dict[str, Path]) -> dict[str, Setting]:
    observer = OBSERVERS.get(name)
    if observer.weights not in MODELS:
        return {}
    heads = {setting: str(made["clip_large"].with_name("head.pth")) for setting in observer.heads}
    batch = {} if observer.weights.startswith("lpips") else {"batch": BATCH}
    return {"model": str(made[MODELS[observer.weights]]), "device": "cpu", **batch, **heads}


def looked(name: str, look: Look, made: dict[str, Path]) -> str:
    given = Look(look.frames, look.task, look.first_frame, look.truth, settings_of(name, made))
    start = time.process_time()
    try:
        seen = OBSERVERS.get(name).function(given)
        told = f"abstains: {seen.reason}" if isinstance(seen, Abstain) else ""
    except LookawayError as error:
        told = f"abstains: {str(error).splitlines()[0]}"
    return f"| `{name}` | {time.process_time() - start:.2f} | {told} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--protocol", default="memobench")
    protocol = load(parser.parse_args().protocol)
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    needed = {need for ref in protocol.metrics for need in METRICS.get(str(ref)).observers}
    names = sorted(needed.union(protocol.observers))
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        made = weights(folder)
        encode(list(panned((832, 480), TRUE_FRAMES, 1)), folder / "true.mp4", FPS)
        encode(list(panned((832, 480), FRAMES, 2)), folder / "clip.mp4", FPS)
        start = time.process_time()
        look = look_at(np.asarray(SharedFrames.load(folder / "clip.mp4").rgb), folder / "true.mp4", TRUE_FRAMES)
        assert look.truth is not None
        look.truth.frames()
        decoding, begun = time.process_time() - start, time.process_time()
        print(f"| observer of `{protocol.name}` | CPU s | |\n|---|---:|---|")
        print(f"| decoding both files | {decoding:.2f} | |")
        for name in names:
            print(looked(name, look, made), flush=True)
        total = decoding + time.process_time() - begun
    print(f"| **{len(names)} observers, {len(protocol.metrics)} metrics** | **{total:.1f}** | |")


if __name__ == "__main__":
    main()
