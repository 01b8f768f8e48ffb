"""Checkpoints for the tests that need torch; made once, offline."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.learned.cpu_torchvision import import_torchvision

os.environ["HF_HUB_OFFLINE"] = "1"  # read when transformers is first imported


@pytest.fixture(scope="session", autouse=True)
def torchvision_fits_torch() -> None:
    if importlib.util.find_spec("torchvision") is not None:
        import_torchvision()


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Qwen3-VL in a folder."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.learned.tiny_vlm import build

    return build(tmp_path_factory.mktemp("tiny"))
