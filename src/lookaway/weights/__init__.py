"""Weights of learned observers, judges and workers: which there are, where they lie here, which content they have."""

from __future__ import annotations

from pathlib import Path

from lookaway.errors import MissingWeights, UsageError
from lookaway.weights.catalogue import HUB_NAME, Weights, catalogue, find
from lookaway.weights.content import LOADED, READ_WITH_WORDS, weights_sha256
from lookaway.weights.places import found

__all__ = [
    "HUB_NAME",
    "LOADED",
    "READ_WITH_WORDS",
    "Weights",
    "catalogue",
    "find",
    "found",
    "how_to_get",
    "needed",
    "weights_sha256",
]


def needed(named: str) -> Path:
    """The folder of weights that a setting names; MissingWeights says how to get those that are not here."""
    folder = found(named)
    if folder is not None:
        return folder
    if Path(named).is_dir():
        raise UsageError(
            f"{named}: no config.json with *.safetensors or *.bin there; give a folder that a download made"
        )
    if not HUB_NAME.fullmatch(named):
        raise UsageError(f"no folder '{named}', and no name of weights on the hub, such as facebook/dinov2-base")
    raise MissingWeights(named, how_to_get(named))


def how_to_get(name: str) -> str:
    """The command that gets weights by their name on the hub."""
    known = any(weights.name == name for weights in catalogue())
    return f"lookaway weights get {name}" if known else f"hf download {name}"
