"""A finished run that costs next to nothing: two tasks of grey pictures, one baseline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import invoke
from tests.generators.test_baselines import suite_of


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks with true clips, one baseline, everything walked. Read only."""
    folder = tmp_path_factory.mktemp("small")
    protocol = folder / "small.toml"
    protocol.write_text(
        'summary = "small"\nmetrics = ["psnr_all:sound", "turned_away"]\nheadline = ["psnr_all:sound"]\n'
    )
    suite = suite_of(folder / "suite", "ab")
    code, said = invoke(
        *("run", "--suite", str(suite), "--models", "held-first-frame", "--out", str(folder / "run")),
        *("--protocols", str(protocol)),
    )
    assert code == 0, said
    return folder / "run"
