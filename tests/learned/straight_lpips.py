"""LPIPS in plain numpy, and random weights of its networks in the files of their publishers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lookaway.observers.perceptual.network import Architecture

State = dict[str, np.ndarray]


def random_state(architecture: Architecture, seed: int = 0) -> tuple[State, State]:
    """Of the network and of its heads, under their published names."""
    rng = np.random.default_rng(seed)
    network, heads = {}, {}
    for i, stage in enumerate(architecture.stages):
        for layer in stage.layers:
            shape = (layer.made, layer.given, layer.side, layer.side)
            network[f"features.{layer.number}.weight"] = rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
            network[f"features.{layer.number}.bias"] = rng.normal(0, 0.1, layer.made)
        heads[f"lin{i}.model.1.weight"] = rng.uniform(0, 0.5, (1, stage.layers[-1].made, 1, 1))
    return network, heads


def write_weights(folder: Path, architecture: Architecture, network: State, heads: State) -> Path:
    import torch

    folder.mkdir(exist_ok=True)
    for name, state in ((architecture.network_file, network), (architecture.heads_file, heads)):
        torch.save({key: torch.from_numpy(np.float32(value)) for key, value in state.items()}, folder / name)
    return folder


def straight_lpips(a: np.ndarray, b: np.ndarray, architecture: Architecture, network: State, heads: State) -> float:
    """Of two pictures (height, width, 3) of 0 to 255, in double precision."""
    one, other = (unit_features(picture, architecture, network) for picture in (a, b))
    total = 0.0
    for i, (x, y) in enumerate(zip(one, other, strict=True)):
        weights = heads[f"lin{i}.model.1.weight"].reshape(-1, 1, 1)
        total += float((weights * (x - y) ** 2).sum(0).mean())
    return total


def unit_features(rgb: np.ndarray, architecture: Architecture, network: State) -> list[np.ndarray]:
    x = rgb.astype(float).transpose(2, 0, 1) / 255 * 2 - 1
    x = (x - np.reshape([-0.030, -0.088, -0.188], (3, 1, 1))) / np.reshape([0.458, 0.448, 0.450], (3, 1, 1))
    found = []
    for stage in architecture.stages:
        if stage.pool:
            side, stride = stage.pool
            x = _windows(x, side, stride).max(axis=(3, 4))
        for layer in stage.layers:
            padded = np.pad(x, ((0, 0), (layer.padding,) * 2, (layer.padding,) * 2))
            kernel, bias = (network[f"features.{layer.number}.{part}"] for part in ("weight", "bias"))
            x = np.einsum("chwij,ocij->ohw", _windows(padded, layer.side, layer.stride), kernel, optimize=True)
            x = np.maximum(x + bias[:, None, None], 0)
        found.append(x / (np.sqrt((x**2).sum(0, keepdims=True)) + 1e-10))
    return found


def _windows(x: np.ndarray, side: int, stride: int) -> np.ndarray:
    """(channels, rows, columns, side, side)"""
    return np.lib.stride_tricks.sliding_window_view(x, (side, side), axis=(1, 2))[:, ::stride, ::stride]
