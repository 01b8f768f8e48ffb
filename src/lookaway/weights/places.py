"""Where weights lie on this machine.

    ROOT/facebook--dinov2-base/config.json          fetched by `lookaway weights get`
    ROOT/facebook--dinov2-base/weights.lock         what each file was when it was fetched
    HF_HOME/hub/models--facebook--dinov2-base/…     the cache of the Hugging Face hub, read without its library

`LOOKAWAY_WEIGHTS` names another ROOT.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import platformdirs

from lookaway.errors import UsageError
from lookaway.weights.catalogue import HUB_NAME, Weights, catalogue, check_name

INDEX = ".index.json"


def root() -> Path:
    named = os.environ.get("LOOKAWAY_WEIGHTS", "")
    return Path(named).expanduser() if named else platformdirs.user_data_path("lookaway", appauthor=False) / "weights"


def own_folder(name: str) -> Path:
    return root() / name.replace("/", "--")


def found(named: str) -> Path | None:
    """The folder of whole weights that a folder's path or a name on the hub stands for; None where none are here."""
    if Path(named).is_dir():
        return Path(named) if is_whole(Path(named), _known_by_files(Path(named))) else None
    if not HUB_NAME.fullmatch(named):
        return None
    known = next((weights for weights in catalogue() if weights.name == named), None)
    own, snapshot = own_folder(named), hub_snapshot(named)
    return next((place for place in (own, snapshot) if place is not None and is_whole(place, known)), None)


def _known_by_files(folder: Path) -> Weights | None:
    """Those of the catalogue without a configuration whose files a folder has all."""
    plain = (weights for weights in catalogue() if "config.json" not in weights.files)
    return next((weights for weights in plain if all((folder / file).is_file() for file in weights.files)), None)


def hub_snapshot(name: str) -> Path | None:
    """Where the hub's library keeps the branch `main` of a model, if it does."""
    kept = hub_cache() / f"models--{name.replace('/', '--')}"
    try:
        commit = check_name((kept / "refs" / "main").read_text().strip())
    except (OSError, ValueError):
        return None
    return kept / "snapshots" / commit


def hub_cache() -> Path:
    if hub := os.environ.get("HF_HUB_CACHE"):
        return Path(hub).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "huggingface" / "hub"


def is_whole(folder: Path, weights: Weights | None) -> bool:
    """Whether all files are there: those of the catalogue, else a configuration and weights; and what an index has."""
    try:
        whole = all((folder / name).is_file() for name in files_of(folder, weights))
    except UsageError:
        return False
    return whole and (weights is not None or any(any(folder.glob(kind)) for kind in ("*.safetensors", "*.bin")))


def files_of(folder: Path, weights: Weights | None) -> list[str]:
    """The names of all files that belong to weights in a folder."""
    files = weights.files if weights is not None else ("config.json", *map(_name, sorted(folder.glob(f"*{INDEX}"))))
    named = (shards(folder / file) for file in files if file.endswith(INDEX))
    return list(dict.fromkeys([*files, *(shard for index in named for shard in index)]))


def _name(path: Path) -> str:
    return path.name


def shards(index: Path) -> list[str]:
    """The files that an index names, each once."""
    try:
        named = sorted(set(json.loads(index.read_text())["weight_map"].values()))
        return [check_name(name) for name in named]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{index}: not an index of weights ({error}); delete it and get it again") from error
