"""Where the weights of a judge lie on this machine; see `lookaway.weights` for what is not a judge's alone."""

from __future__ import annotations

from pathlib import Path

from lookaway.errors import UsageError
from lookaway.weights import HUB_NAME, READ_WITH_WORDS, found, how_to_get


def checkpoint_folder(source: str) -> Path:
    """A folder is taken as it is; a name of the Hugging Face hub is found where it was fetched before, or fetched."""
    if Path(source).is_dir():
        return _whole(Path(source))
    if not HUB_NAME.fullmatch(source):
        raise UsageError(f"no folder '{source}', and no name of a model on the hub, such as Qwen/Qwen3-VL-8B-Instruct")
    return found(source) or _fetched(source)


def _fetched(source: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return _whole(Path(snapshot_download(source, allow_patterns=list(READ_WITH_WORDS))))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{source}: no weights here and none to be had ({_first_line(error)}); {how_to(source)}"
        ) from error


def how_to(source: str) -> str:
    return f"download them with '{how_to_get(source)}', or name a folder: --judge transformers:FOLDER"


def _whole(folder: Path) -> Path:
    for part, what in (("config.json", "configuration"), ("*.safetensors", "weights")):
        if not any(folder.glob(part)):
            raise UsageError(
                f"{folder}: no {what} ({part}) there; give a folder that a download or save_pretrained made"
            )
    return folder


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
