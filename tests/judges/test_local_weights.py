"""Weights on this machine: found or explained, and known by their content. Needs no torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.errors import MissingExtra, UsageError
from lookaway.extras import missing
from lookaway.judges import JUDGES
from lookaway.judges.transformers.local_weights import checkpoint_folder
from lookaway.weights import weights_sha256


def saved(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model-1.safetensors").write_bytes(b"one")
    (folder / "model-2.safetensors").write_bytes(b"two")
    return folder


def test_a_folder_is_taken_as_it_is_if_it_is_whole(tmp_path: Path) -> None:
    folder = saved(tmp_path / "mine")
    assert checkpoint_folder(str(folder)) == folder
    for part, what in (("model-*.safetensors", "weights"), ("config.json", "configuration")):
        for path in folder.glob(part):
            path.unlink()
        with pytest.raises(UsageError, match=f"no {what}"):
            checkpoint_folder(str(folder))


@pytest.mark.parametrize("source", ["nowhere", "a/b/c", "./folder", "~/weights", "https://somewhere/model"])
def test_what_is_neither_folder_nor_name_is_refused(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no folder"):
        checkpoint_folder(source)


def test_weights_are_known_by_their_content(tmp_path: Path) -> None:
    mine, copy = saved(tmp_path / "mine"), saved(tmp_path / "copy")
    assert weights_sha256(mine) == weights_sha256(copy)
    (copy / "notes.md").write_text("no part of the model")
    assert weights_sha256(mine) == weights_sha256(copy)
    (copy / "model-1.safetensors").write_bytes(b"two")
    (copy / "model-2.safetensors").write_bytes(b"one")
    assert weights_sha256(mine) != weights_sha256(copy)
    snapshot = saved(tmp_path / "models--a--b" / "snapshots" / "c0ffee")
    assert weights_sha256(snapshot) == weights_sha256(mine), "a copy of what the hub has is the same"


@pytest.mark.skipif(not missing("torch"), reason="the torch extra is installed")
def test_without_the_extra_its_install_line_is_told() -> None:
    opens = JUDGES.get("transformers").opens
    assert opens is not None
    with pytest.raises(MissingExtra, match=r"pip install 'lookaway\[torch\]'"):
        opens("", {})
