"""A mirror, and folders of weights that are nobody's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.weights.mirror import Mirror, serving


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with serving() as started:
        yield started


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where weights are kept: empty, and none of the user's."""
    for variable in ("HF_HUB_CACHE", "HF_HUB_OFFLINE", "LOOKAWAY_WEIGHTS_MIRROR", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "kept"))
    return tmp_path / "kept"
