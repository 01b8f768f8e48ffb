"""What was built once is there at once the next time, whole or not at all."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lookaway import cache
from lookaway.cache import Built, Cache, cached_arrays, cached_files, cached_task, made_with
from lookaway.records import Reference
from lookaway.store import Blobs
from tests.builders import task
from tests.command import call

PICTURE = b"picture" * 1000


def build(blobs: Blobs, text: bytes = PICTURE) -> Built:
    asked = task(first_frame=blobs.put_bytes(text, ".png"))
    video = blobs.put_bytes(text * 2, ".mp4")
    return Built(asked, Reference(task=asked.id, instance=asked.instance, video=video, phases=()))


def refuse() -> Built:
    raise AssertionError("built again")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A cache that no other test has touched."""
    monkeypatch.setenv("LOOKAWAY_CACHE", str(tmp_path / "cache"))
    return Cache(tmp_path / "cache")


def test_the_second_run_folder_gets_copies_and_builds_nothing(own: Cache, tmp_path: Path) -> None:
    first, second = Blobs(tmp_path / "a"), Blobs(tmp_path / "b")
    built = cached_task(["ball"], first, lambda: build(first))
    assert cached_task(["ball"], second, refuse) == built
    assert second.path(built.task.first_frame).read_bytes() == PICTURE
    assert second.path(built.reference.video).stat().st_nlink == 1
    own.clear()
    assert (own.entries(), own.size_bytes()) == ([], 0)
    assert second.path(built.reference.video).exists()


def test_other_content_or_another_processor_library_or_source_is_built_anew(
    own: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = Blobs(tmp_path / "a")
    cached_task(["ball"], blobs, lambda: build(blobs))
    cached_task(["cup"], blobs, lambda: build(blobs))
    changes = {
        "processor": lambda: "another",
        "_source_sha256": lambda: "another",
        "metadata.version": lambda name: "0.0",
    }
    for name, changed in changes.items():
        made_with.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(f"lookaway.cache.{name}", changed)
            cached_task(["ball"], blobs, lambda: build(blobs))
    made_with.cache_clear()
    assert len(own.entries()) == 2 + len(changes)
    assert cached_task(["ball"], blobs, refuse)


@pytest.mark.parametrize("suffix", [".png", ".mp4", ".json"])
@pytest.mark.parametrize("damage", ["flipped", "cut", "gone"])
def test_a_damaged_entry_is_built_again_and_healed(suffix: str, damage: str, own: Cache, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "a")
    built = cached_task(["ball"], blobs, lambda: build(blobs))
    (hurt,) = own.entries()[0].glob(f"*{suffix}")
    data = bytearray(hurt.read_bytes())
    data[len(data) // 2] ^= 0x01
    hurt.unlink()
    if damage != "gone":
        hurt.write_bytes(data if damage == "flipped" else data[: len(data) // 2])
    other = Blobs(tmp_path / "b")
    assert cached_task(["ball"], other, lambda: build(other)) == built
    assert cached_task(["ball"], Blobs(tmp_path / "c"), refuse) == built


def test_what_is_unused_for_longest_leaves_first(own: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = Blobs(tmp_path / "a")
    for age, name in ((300, "oldest"), (200, "used again"), (100, "newer")):
        known = set(own.entries())
        cached_task([name], blobs, lambda: build(blobs))
        (entry,) = set(own.entries()) - known
        os.utime(entry, (time.time() - age,) * 2)
    cached_task(["used again"], blobs, refuse)
    monkeypatch.setattr(cache, "MOST_BYTES", int(own.size_bytes() * 1.05))
    cached_task(["newest"], blobs, lambda: build(blobs))
    for name in ("used again", "newer", "newest"):
        cached_task([name], blobs, refuse)
    with pytest.raises(AssertionError, match="built again"):
        cached_task(["oldest"], blobs, refuse)


def test_without_a_cache_everything_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = Blobs(tmp_path / "a")
    monkeypatch.setenv("LOOKAWAY_CACHE", "off")
    cached_task(["ball"], blobs, lambda: build(blobs))
    with pytest.raises(AssertionError, match="built again"):
        cached_task(["ball"], blobs, refuse)
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("LOOKAWAY_CACHE", str(tmp_path / "a file" / "cache"))
    assert cached_task(["ball"], blobs, lambda: build(blobs))


FILLING = """
import sys
from pathlib import Path
from lookaway.cache import cached_task
from lookaway.store import Blobs
from tests.store.test_cache import build
blobs = Blobs(Path(sys.argv[1]))
print("begun", flush=True)
while True:
    for number in range(20):
        cached_task([number], blobs, lambda: build(blobs, b"%d" % number * 50_000))
        from lookaway.cache import open_cache
        open_cache().entries() and number == 19 and open_cache().clear()
"""


def test_processes_that_share_it_may_be_killed_at_any_time(own: Cache, tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(3):
        fillers = [
            subprocess.Popen([sys.executable, "-c", FILLING, str(tmp_path / name)], stdout=subprocess.PIPE)
            for name in ("a", "b")
        ]
        for filler in fillers:
            assert filler.stdout is not None
            filler.stdout.readline()
        time.sleep(rng.uniform(0.02, 0.2))
        for filler in fillers:
            filler.send_signal(signal.SIGKILL)
            filler.wait()
            assert filler.stdout is not None
            filler.stdout.close()
        for entry in own.entries():
            assert own.get(entry.name, lambda files: files) is not None, "an entry that has its name is whole"
    own.clear()
    assert list(own.root.iterdir()) == []


def made_files(folder: Path) -> tuple[Path, Path]:
    folder.mkdir()
    return folder / "clip.mp4", folder / "facts.npz"


def refuse_files() -> None:
    raise AssertionError("made again")


def test_a_clip_is_made_once_with_its_facts(own: Cache, tmp_path: Path) -> None:
    first, again = made_files(tmp_path / "a"), made_files(tmp_path / "b")
    cached_files(["frozen"], first, lambda: [f.write_bytes(f.name.encode()) for f in first] and None)
    cached_files(["frozen"], again, refuse_files)
    assert [file.read_text() for file in again] == ["clip.mp4", "facts.npz"]
    with pytest.raises(AssertionError, match="made again"):
        cached_files(["vanished"], again, refuse_files)


def test_a_kept_clip_without_its_facts_is_made_again(own: Cache, tmp_path: Path) -> None:
    clip, facts = made_files(tmp_path / "a")
    cached_files(["frozen"], [clip], lambda: clip.write_bytes(PICTURE) and None)
    with pytest.raises(AssertionError, match="made again"):
        cached_files(["frozen"], [clip, facts], refuse_files)
    cached_files(["frozen"], [clip, facts], lambda: [f.write_bytes(PICTURE) for f in (clip, facts)] and None)
    (lost,) = (path for entry in own.entries() for path in entry.glob("*.npz"))
    lost.unlink()
    with pytest.raises(AssertionError, match="made again"):
        cached_files(["frozen"], [clip, facts], refuse_files)


def refuse_arrays() -> dict[str, np.ndarray]:
    raise AssertionError("made again")


def test_arrays_are_made_once_and_again_when_damaged(own: Cache) -> None:
    made = {"views of a stand": np.arange(12, dtype=np.uint8).reshape(3, 4), "seconds": np.array([0.5])}
    cached_arrays(["ball"], lambda: made)
    kept = cached_arrays(["ball"], refuse_arrays)
    assert {name: (array.dtype, array.tolist()) for name, array in kept.items()} == {
        name: (array.dtype, array.tolist()) for name, array in made.items()
    }
    with pytest.raises(AssertionError, match="made again"):
        cached_arrays(["cup"], refuse_arrays)
    (file,) = (path for entry in own.entries() for path in entry.iterdir())
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(AssertionError, match="made again"):
        cached_arrays(["ball"], refuse_arrays)


def test_the_command_line_tells_its_size_and_clears_it(own: Cache, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "a")
    cached_task(["ball"], blobs, lambda: build(blobs))
    told = json.loads(call("admin", "cache", "--json").stdout)
    assert (told["entries"], told["bytes"]) == (1, own.size_bytes())
    assert str(own.root) in call("doctor").stdout
    assert call("admin", "cache", "--clear").stdout.startswith("removed 1 entries\n0 entries, 0 MB in ")
    assert own.entries() == []
