"""A clip that would fill the memory or never end is unreadable, with the reason; the one after it is taken in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lookaway.generators import GENERATORS
from lookaway.images import png_bytes
from lookaway.limits import MB
from lookaway.pipeline.generate import recorded
from lookaway.records import CaseId, Clip
from lookaway.store import Run
from lookaway.video import apart, encode
from lookaway.video.apart import LimitsOfTrial
from tests.builders import task


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    apart.stop()
    yield
    apart.stop()


def taken(folder: Path, video: Path) -> Clip:
    (folder / "work").mkdir(exist_ok=True)
    case = CaseId(task="a_task", system="mine", seed=0)
    run, plugin = Run(folder / "run"), GENERATORS.get("folder")
    first = run.blobs.put_bytes(png_bytes(np.zeros((180, 320, 3), np.uint8)), ".png")
    return recorded(run, case, None, task(first_frame=first), video, plugin, None, folder / "work")


def clip(path: Path, width: int, height: int) -> Path:
    encode([np.zeros((height, width, 3), np.uint8)] * 5, path, 16.0)
    return path


@pytest.mark.parametrize(
    ("limit", "value", "why"), [("memory_bytes", 30 * MB, "memory|damaged|MB"), ("wall_s", 0.0, "takes more than 0 s")]
)
def test_a_bomb_costs_its_clip_alone(
    limit: str, value: float, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = clip(tmp_path / "bomb.mp4", 4096, 4096)
    assert bomb.stat().st_size < MB
    with monkeypatch.context() as change:
        change.setattr(LimitsOfTrial, limit, value)
        refused = taken(tmp_path, bomb)
    apart.stop()
    assert (refused.status, refused.video) == ("unreadable", None)
    assert refused.reason
    assert any(word in refused.reason for word in why.split("|"))
    assert taken(tmp_path, clip(tmp_path / "good.mp4", 64, 48)).status == "ok"
