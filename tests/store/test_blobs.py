"""A damaged blob is noticed, never handed out, and healed by making it again."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lookaway.errors import DamagedBlob, MissingBlob
from lookaway.store import Blobs

Damage = Callable[[Path], object]


def flip(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:1] + bytes([data[1] ^ 255]) + data[2:])


DAMAGES: dict[str, Damage] = {
    "flipped byte": flip,
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "empty": lambda path: path.write_bytes(b""),
}


def a_folder(root: Path) -> Path:
    root.mkdir()
    for number in range(3):
        (root / f"{number}.png").write_bytes(b"frame %d" % number)
    return root


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("read_before", [False, True])
def test_a_damaged_blob_is_never_handed_out_and_heals_when_made_again(
    damage: Damage, read_before: bool, tmp_path: Path
) -> None:
    blobs, source = Blobs(tmp_path / "blobs"), tmp_path / "x.bin"
    source.write_bytes(b"abcdef")
    ways: list[Callable[[], str]] = [
        lambda: blobs.put_bytes(b"abcdef", ".png"),
        lambda: blobs.put_file(source),
    ]
    for put in ways:
        sha256 = put()
        path = blobs.path(sha256) if read_before else next(blobs.root.glob(f"*/{sha256}*"))
        damage(path)
        with pytest.raises(DamagedBlob, match=rf"{sha256}.*damaged.*--fresh"):
            blobs.path(sha256)
        assert put() == sha256
        assert blobs.path(sha256).read_bytes() == b"abcdef"
        assert len([p for p in blobs.root.rglob("*") if p.is_file()]) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: flip(folder / "1.png"),
        lambda folder: (folder / "1.png").unlink(),
        lambda folder: (folder / "3.png").write_bytes(b"one more"),
        lambda folder: (folder / "2.png").rename(folder / "4.png"),
    ],
    ids=["flipped byte", "a frame gone", "a frame too many", "a frame renamed"],
)
def test_a_folder_of_frames_is_checked_whole_and_heals(damage: Damage, tmp_path: Path) -> None:
    blobs, source = Blobs(tmp_path / "blobs"), a_folder(tmp_path / "frames")
    sha256 = blobs.put_file(source)
    damage(blobs.path(sha256))
    with pytest.raises(DamagedBlob, match="damaged"):
        blobs.path(sha256)
    assert blobs.put_file(source) == sha256
    kept = {p.name: p.read_bytes() for p in blobs.path(sha256).iterdir()}
    assert kept == {p.name: p.read_bytes() for p in source.iterdir()}
    assert [p.name for p in blobs.root.iterdir()] == [sha256[:2]]


def test_damage_that_keeps_size_and_time_is_noticed_by_the_next_process(tmp_path: Path) -> None:
    sha256 = Blobs(tmp_path).put_bytes(b"abcdef", ".png")
    path = next(tmp_path.glob(f"*/{sha256}*"))
    before = path.stat()
    flip(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    code = (
        f"from pathlib import Path; from lookaway.store import Blobs; Blobs(Path({str(tmp_path)!r})).path({sha256!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "DamagedBlob" in done.stderr


def test_a_blob_is_hashed_once_until_it_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put_bytes(b"abcdef", ".png")
    time.sleep(0.15)  # a file written just now is not taken on trust
    blobs.path(sha256)
    hashed: list[object] = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: hashed.append(given) or digest(*given))
    path = blobs.path(sha256)
    assert hashed == []
    path.write_bytes(b"abcdefg")
    with pytest.raises(DamagedBlob):
        blobs.path(sha256)
    assert len(hashed) == 1


def test_a_blob_made_again_under_another_suffix_takes_the_damaged_ones_place(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put_bytes(b"abcdef", ".png")
    flip(blobs.path(sha256))
    blobs.put_bytes(b"abcdef", ".jpg")
    assert blobs.path(sha256).suffix == ".jpg"
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == 1


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", "a\0b", "*" * 64, "f" * 300])
def test_what_is_no_sha256_names_no_blob(name: str, tmp_path: Path) -> None:
    Blobs(tmp_path).put_bytes(b"abc", ".png")
    with pytest.raises(MissingBlob):
        Blobs(tmp_path).path(name)


def test_a_blob_being_healed_is_the_old_one_until_it_is_the_whole_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = Blobs(tmp_path)
    sha256 = blobs.put_bytes(b"abcdef", ".png")
    path = blobs.path(sha256)
    flip(path)
    seen: list[bytes] = []
    replace = Path.replace

    def watched(source: Path, target: Path) -> Path:
        seen.append(path.read_bytes())
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", watched)
    inode = path.stat().st_ino
    blobs.put_bytes(b"abcdef", ".png")
    assert seen == [b"a" + bytes([ord("b") ^ 255]) + b"cdef"]
    assert path.stat().st_ino != inode  # never written into: whoever has it open reads on undisturbed
