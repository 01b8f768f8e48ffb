"""A clip that would fill the memory or never end is unreadable, with the reason; the one after it is taken in.

Where the machine has no memory for any clip, none is called unreadable.
"""

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


def test_a_machine_that_cannot_look_blames_no_clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = clip(tmp_path / "good.mp4", 64, 48)
    with monkeypatch.context() as change:
        change.setattr(apart, "_START", "raise MemoryError")
        refused = taken(tmp_path, good)
    assert (refused.status, refused.video) == ("failed", None), "which the next run tries again"
    assert refused.reason == (
        "the process that looks through videos does not start: it ended with code 1; make room in memory, then run the "
        "same command again"
    )
    assert taken(tmp_path, good).status == "ok"


@pytest.mark.parametrize(("spare", "status"), [(20 * MB, "failed"), (5000 * MB, "ok")])
def test_a_limit_of_somebody_elses_blames_no_clip(
    spare: int, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = clip(tmp_path / "large.mp4", 4096, 4096)
    limited = f"most = _address_space() + {spare}; resource.setrlimit(resource.RLIMIT_AS, (most, most)); serve()"
    imports = "import resource; from lookaway.video.apart import _address_space, serve"
    monkeypatch.setattr(apart, "_START", f"import sys; sys.path[:] = sys.argv[1].split('\\n'); {imports}; {limited}")
    found = taken(tmp_path, large)
    assert found.status == status, found.reason
    if status == "failed":
        assert "large.mp4: a limit leaves less than 4096 MB to decode with" in found.reason


def test_a_small_broken_file_is_not_blamed_for_the_memory_of_whoever_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(clip(tmp_path / "whole.mp4", 64, 48).read_bytes()[:300])
    monkeypatch.setattr(LimitsOfTrial, "memory_bytes", 600 * MB)
    large = np.ones(400 * MB, np.uint8)
    refused = taken(tmp_path, broken)
    assert refused.status == "unreadable"
    assert "its decoding needs more" not in str(refused.reason), large.nbytes
