"""What the cache gives is what is rendered without it, by either renderer."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.cache import Cache
from lookaway.generators import Commission, Movie, TrueClips
from lookaway.generators.known_world import known_world
from lookaway.models import system
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, WorldSpec
from lookaway.store import Run
from lookaway.suites.known_world import build_known_world, draft, paced, shot
from lookaway.worlds.reference import REFERENCE

SIZE = (96, 54)
DRAFT = draft(
    "a-suite", "1", shot(paced(WorldSpec(layout="parlour", process="ball", seed=4), "yaw-left"), "yaw-left", "left")
)


def made(folder: Path, name: str) -> dict[str, bytes]:
    """All files of a task and of a model's clip of it."""
    run = Run(folder / "run")
    task, reference, _ = build_known_world(DRAFT, run.blobs, SIZE)
    assert reference is not None
    if why := REFERENCE.find(name).applies(task):
        pytest.skip(why)
    card = system(name)
    request = request_for(CaseId(task=task.id, system=name), task, card, run)
    (folder / "work").mkdir()
    true_clips = TrueClips({task.id: task.scene}, lambda id: run.blobs.path(reference.video))
    movie = known_world(Commission(request, run.blobs, task, card.card, folder / "work", lambda: true_clips))
    assert isinstance(movie, Movie)
    assert movie.shown is not None
    files = {path.name: path.read_bytes() for path in run.blobs.root.rglob("*.*") if path.is_file()}
    return files | {
        "clip": movie.video.read_bytes(),
        "shown": movie.shown.read_bytes(),
        "task": task.model_dump_json().encode(),
    }


@pytest.mark.parametrize("name", ["truth", "other-renderer"])
def test_the_cache_gives_what_is_rendered_without_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_CACHE", "off")
    without = made(tmp_path / "without", name)
    monkeypatch.setenv("LOOKAWAY_CACHE", str(tmp_path / "cache"))
    assert made(tmp_path / "filling", name) == without
    assert len(Cache(tmp_path / "cache").entries()) == 2
    with monkeypatch.context() as patch:
        patch.setattr("lookaway.worlds.World.render", None)
        assert made(tmp_path / "filled", name) == without
