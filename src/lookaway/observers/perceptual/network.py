"""The networks of LPIPS, their weights read from the files that their publishers offer. Needs torch."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NamedTuple


class ConvolutionLayer(NamedTuple):
    """A convolution and what is cut off below zero after it."""

    number: int  # in torchvision's list of the network's layers
    given: int  # channels
    made: int
    side: int  # of its window
    stride: int = 1
    padding: int = 1


class FeatureStage(NamedTuple):
    """Layers up to the next features that are compared, after a pool where there is one."""

    pool: tuple[int, int] | None  # its window's side and stride
    layers: tuple[ConvolutionLayer, ...]


class Architecture(NamedTuple):
    network_file: str
    heads_file: str
    stages: tuple[FeatureStage, ...]


def _vgg_stage(first: bool, given: int, made: int, *numbers: int) -> FeatureStage:
    layers = (ConvolutionLayer(number, made if i else given, made, 3) for i, number in enumerate(numbers))
    return FeatureStage(None if first else (2, 2), tuple(layers))


VGG = Architecture(
    "vgg16-397923af.pth",
    "vgg.pth",
    (
        _vgg_stage(True, 3, 64, 0, 2),
        _vgg_stage(False, 64, 128, 5, 7),
        _vgg_stage(False, 128, 256, 10, 12, 14),
        _vgg_stage(False, 256, 512, 17, 19, 21),
        _vgg_stage(False, 512, 512, 24, 26, 28),
    ),
)
ALEX = Architecture(
    "alexnet-owt-7be5be79.pth",
    "alex.pth",
    (
        FeatureStage(None, (ConvolutionLayer(0, 3, 64, 11, stride=4, padding=2),)),
        FeatureStage((3, 2), (ConvolutionLayer(3, 64, 192, 5, padding=2),)),
        FeatureStage((3, 2), (ConvolutionLayer(6, 192, 384, 3),)),
        FeatureStage(None, (ConvolutionLayer(8, 384, 256, 3),)),
        FeatureStage(None, (ConvolutionLayer(10, 256, 256, 3),)),
    ),
)


def opened_network(folder: Path, architecture: Architecture) -> Any:
    """Stages and heads with the weights of a folder."""
    model = made_network(architecture)
    weights = _state(folder / architecture.network_file)
    heads = _state(folder / architecture.heads_file)
    try:
        model.load_state_dict(_named(architecture, weights, heads))
    except (KeyError, RuntimeError) as error:
        raise ValueError(f"no weights of this network: {error}") from error
    return in_rows(model)


def in_rows(model: Any) -> Any:
    """With the channels of a place beside each other, as they are compared."""
    import torch

    return model.to(memory_format=torch.channels_last)


def made_network(architecture: Architecture) -> Any:
    """With random weights."""
    from torch import nn

    stages = []
    for stage in architecture.stages:
        parts: list[Any] = [nn.MaxPool2d(*stage.pool)] if stage.pool else []
        for layer in stage.layers:
            parts += [nn.Conv2d(layer.given, layer.made, layer.side, layer.stride, layer.padding), nn.ReLU(True)]
        stages.append(nn.Sequential(*parts))
    heads = [nn.Conv2d(stage.layers[-1].made, 1, 1, bias=False) for stage in architecture.stages]
    return nn.ModuleDict({"stages": nn.ModuleList(stages), "heads": nn.ModuleList(heads)})


def _named(architecture: Architecture, weights: dict[str, Any], heads: dict[str, Any]) -> dict[str, Any]:
    """The published weights under the names that they have here."""
    found = {}
    for i, stage in enumerate(architecture.stages):
        for j, layer in enumerate(stage.layers):
            for part in ("weight", "bias"):
                found[f"stages.{i}.{2 * j + bool(stage.pool)}.{part}"] = weights[f"features.{layer.number}.{part}"]
        found[f"heads.{i}.weight"] = heads[f"lin{i}.model.1.weight"]
    return found


def _state(path: Path) -> dict[str, Any]:
    """Tensors by name; a file that would run code is refused."""
    import torch

    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, EOFError, RuntimeError) as error:
        raise ValueError(f"{path.name} cannot be read as weights: {error}") from error
    return state
