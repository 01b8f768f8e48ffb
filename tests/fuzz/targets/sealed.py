"""Sealed runs, and the logs of a run folder."""

from __future__ import annotations

import hashlib
import io
import json
import random
import shutil
import zipfile
from pathlib import Path

from lookaway.arrays import BAD_ZIP
from lookaway.records import Score, Seal
from lookaway.sharing.archives import unpack
from lookaway.sharing.canonical import canonical_json
from lookaway.store import Run
from tests.fuzz.driving import CORPUS, Attempt, FalseVerdict, Target
from tests.fuzz.mutation import packed_again, spoilt_bytes, spoilt_json, spoilt_zip

_outside = spoilt_zip(spoilt_json(["path", "sha256", "size", "files", "carried", "run.json", "logs/scores/a.jsonl"]))


def _forged(rng: random.Random, data: bytes) -> bytes:
    """Spoilt from outside, or by somebody who knows how: a file changed, and the list made to say so."""
    if rng.random() < 0.7:
        return _outside(rng, data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        seal = Seal.model_validate_json(files.pop("seal.json"))
    except BAD_ZIP:
        return _outside(rng, data)
    chosen = rng.choice(sorted(files)) if files else ""
    files |= {chosen: spoilt_bytes(rng, files[chosen])} if files else {}
    listed = tuple(
        one.model_copy(update={"sha256": hashlib.sha256(files[one.path]).hexdigest(), "size": len(files[one.path])})
        if one.path == chosen and rng.random() < 0.8
        else one
        for one in seal.files
    )
    seal = seal.model_copy(update={"files": listed})
    return packed_again(rng, [("seal.json", canonical_json(seal)), *files.items()])


def _seal(folder: Path) -> Attempt:
    known: dict[str, str] = {}  # bundle to what it holds
    for path in sorted((CORPUS / "seal" / "good").glob("*")):
        with zipfile.ZipFile(path) as archive:
            bundle = hashlib.sha256(archive.read("seal.json")).hexdigest()
            known[bundle] = _held({name: archive.read(name) for name in archive.namelist() if name != "seal.json"})
    source, out = folder / "a.seal", folder / "out"

    def attempt(data: bytes) -> bool:
        source.write_bytes(data)
        before = sorted(path.name for path in folder.iterdir() if path != out)
        out.mkdir()
        try:
            seal, bundle = unpack(source, out)
            held = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
        finally:
            shutil.rmtree(out)
        if sorted(path.name for path in folder.iterdir()) != before:
            raise FalseVerdict("something was written beside the folder")
        for file in seal.files:
            if file.carried and hashlib.sha256(held[file.path]).hexdigest() != file.sha256:
                raise FalseVerdict(f"{file.path} is not what the seal says")
        if known.get(bundle, _held(held)) != _held(held):
            raise FalseVerdict("a bundle of a known name holds something else")
        return True

    return attempt


def _held(files: dict[str, bytes]) -> str:
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()


def _log(folder: Path) -> Attempt:
    run = Run(folder)
    path = run.log_folder("scores") / "00000000000000000001-a.jsonl"
    path.parent.mkdir(parents=True)

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        found = run.latest("scores", Score)
        whole = data.split(b"\n")[:-1]  # what follows the last line break was torn off by a kill
        told = [json.loads(line) for line in whole]
        if set(found) != {line["key"] for line in told}:
            raise FalseVerdict("lines were left out, and nobody says so")
        table = run.table("scores", Score)
        if set(table["key"]) != set(found):
            raise FalseVerdict("the table has other rows than the log")
        return True

    return attempt


def _compacted(folder: Path) -> Attempt:
    run = Run(folder)
    good = next((CORPUS / "compacted_log" / "good").glob("*"))
    path = run.log_folder("scores") / good.name
    path.parent.mkdir(parents=True)
    content = good.read_bytes()

    def attempt(data: bytes) -> bool:
        path.unlink(missing_ok=True)  # a new file, as a copy or a disk makes it
        path.write_bytes(data)
        run.latest("scores", Score)
        if data != content:
            raise FalseVerdict("a damaged table is read as if it were whole")
        return True

    return attempt


TARGETS = (
    Target("seal", _seal, _forged, share=2),
    Target("log", _log, spoilt_json(["key", "inputs", "attempt", "value", "status", "metric", "reason"]), share=2),
    Target("compacted_log", _compacted, spoilt_bytes, share=1),
)
