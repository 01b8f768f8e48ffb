"""Where a model's weights lie on this machine, and which weights they are."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from lookaway.errors import UsageError

PARTS = ("*.json", "*.jinja", "*.txt", "*.model", "*.safetensors")  # all that a checkpoint needs, once
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")


def checkpoint_folder(source: str) -> Path:
    """A folder is taken as it is; a name of the Hugging Face hub is fetched, or found where it was fetched before."""
    if Path(source).is_dir():
        return _whole(Path(source))
    if not HUB_NAME.fullmatch(source):
        raise UsageError(f"no folder '{source}', and no name of a model on the hub, such as Qwen/Qwen3-VL-8B-Instruct")
    from huggingface_hub import snapshot_download

    try:
        return _whole(Path(snapshot_download(source, allow_patterns=list(PARTS))))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{source}: no weights here and none to be had ({_first_line(error)}); {how_to(source)}"
        ) from error


def how_to(source: str) -> str:
    return f"download them with 'hf download {source}', or name a folder: --judge transformers:FOLDER"


def weights_sha256(folder: Path) -> str:
    """Names the weights: the hub's commit, or the hash of every file."""
    if folder.parent.name == "snapshots":
        return folder.name
    whole = hashlib.sha256()
    for path in sorted(path for part in PARTS for path in folder.glob(part)):
        facts = path.stat()
        whole.update(f"{path.name}:{_sha256(path, facts.st_size, facts.st_mtime_ns)}\n".encode())
    return whole.hexdigest()


@lru_cache(maxsize=1000)
def _sha256(path: Path, size: int, changed_ns: int) -> str:
    """Of a file, read once as long as it stays the same."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _whole(folder: Path) -> Path:
    for part, what in (("config.json", "configuration"), ("*.safetensors", "weights")):
        if not any(folder.glob(part)):
            raise UsageError(
                f"{folder}: no {what} ({part}) there; give a folder that a download or save_pretrained made"
            )
    return folder


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
