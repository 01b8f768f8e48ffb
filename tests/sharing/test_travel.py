"""Runs and seals travel to object stores and back: whole or not at all, checked by content, resumed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lookaway.api import Silent
from lookaway.errors import SealError, StoreError, UsageError
from lookaway.records import Score
from lookaway.sharing import object_stores, travel
from lookaway.sharing.seals import write_seal
from lookaway.store import Run, open_run
from tests.command import invoke
from tests.generators.test_baselines import suite_of
from tests.sharing.s3 import s3_server

pytest.importorskip("fsspec")
pytest.importorskip("s3fs")
pytest.importorskip("moto")

STORES = ("file", "memory", "s3")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two grey tasks, one baseline, everything walked. Read only."""
    folder = tmp_path_factory.mktemp("travel")
    (folder / "p.toml").write_text('summary = "small"\nmetrics = ["psnr_all:sound"]\nheadline = ["psnr_all:sound"]\n')
    words = ["--models", "held-first-frame", "--out", str(folder / "run"), "--protocols", str(folder / "p.toml")]
    code, said = invoke("run", "--suite", str(suite_of(folder / "suite", "ab")), *words)
    assert code == 0, said
    return folder / "run"


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with s3_server(tmp_path_factory.mktemp("s3")) as home:
        yield home


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty folder in each kind of store."""
    kind = request.param
    if kind == "s3":
        request.getfixturevalue("s3")
        return f"s3://bucket/{tmp_path.name}"
    return (tmp_path / "store").as_uri() if kind == "file" else f"memory://{tmp_path.name}"


each_store = pytest.mark.parametrize("store", STORES, indirect=True)
a_file = pytest.mark.parametrize("store", ["file"], indirect=True)


def kept(root: Path) -> dict[str, bytes]:
    """Plan, logs and blobs; reports and what is this machine's own stay behind."""
    names = [p for p in root.rglob("*") if p.is_file()]
    found = {p.relative_to(root).as_posix(): p.read_bytes() for p in names}
    return {name: data for name, data in found.items() if name.startswith(("run.json", "logs/", "blobs/"))}


@each_store
def test_a_run_comes_back_as_it_went_and_can_be_read(store: str, finished: Path, tmp_path: Path) -> None:
    sent = travel.send(finished, store, Silent())
    assert sent.moved > 3
    got = travel.fetch(store, tmp_path / "back", Silent(), expected=sent.name)
    assert (got.name, got.files, got.size) == (sent.name, sent.files, sent.size)
    assert kept(tmp_path / "back") == kept(finished)
    assert [p.name for p in tmp_path.iterdir() if "incoming" in p.name] == []
    assert open_run(tmp_path / "back").latest("scores", Score) == open_run(finished).latest("scores", Score)
    assert not (tmp_path / "back" / "local.json").exists()
    assert travel.send(finished, store, Silent()).moved == 0, "what is there is not sent again"
    assert travel.fetch(store, tmp_path / "back", Silent()).moved == 0


@each_store
def test_a_seal_comes_back_and_a_changed_one_does_not(store: str, finished: Path, tmp_path: Path) -> None:
    seal = tmp_path / "mine.seal"
    bundle = write_seal(Run(finished), seal)
    assert travel.send_seal(seal, f"{store}/mine.seal").name == bundle
    assert travel.fetch_seal(f"{store}/mine.seal", tmp_path / "back.seal").name == bundle
    assert (tmp_path / "back.seal").read_bytes() == seal.read_bytes()
    data = bytearray(seal.read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "bad.seal").write_bytes(data)
    with pytest.raises(SealError):
        travel.send_seal(tmp_path / "bad.seal", f"{store}/bad.seal")
    object_stores.open_store(store).put(tmp_path / "bad.seal", "bad.seal")
    with pytest.raises(SealError, match=r"bad\.seal"):
        travel.fetch_seal(f"{store}/bad.seal", tmp_path / "worse.seal")
    assert not (tmp_path / "worse.seal").exists()


# ---------------------------------------------------------------- broken off


class Broken(StoreError):
    pass


def breaks_after(monkeypatch: pytest.MonkeyPatch, method: str, calls: int) -> None:
    whole = getattr(object_stores.ObjectStore, method)
    left = iter(range(calls))

    def some(*given: Any) -> Any:
        if next(left, None) is None:
            raise Broken("the line went dead")
        return whole(*given)

    monkeypatch.setattr(object_stores.ObjectStore, method, some)


@each_store
def test_half_a_run_is_none_on_either_side_and_both_go_on(
    store: str, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travel, "AT_ONCE", 1)
    with monkeypatch.context() as broken:
        breaks_after(broken, "put", 3)
        with pytest.raises(Broken):
            travel.send(finished, store, Silent())
    with pytest.raises(SealError, match="no whole run there"):
        travel.fetch(store, tmp_path / "back", Silent())
    sent = travel.send(finished, store, Silent())
    every = len({file.sha256 for file in travel.run_files(finished)})
    assert sent.moved == every - 3
    with monkeypatch.context() as broken:
        breaks_after(broken, "copy", 2)
        with pytest.raises(Broken):
            travel.fetch(store, tmp_path / "back", Silent())
    assert not (tmp_path / "back").exists()
    assert travel.fetch(store, tmp_path / "back", Silent()).moved == every - 2
    assert kept(tmp_path / "back") == kept(finished)


@a_file
def test_a_file_goes_on_at_its_last_byte(
    store: str, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    travel.send(finished, store, Silent())
    largest = max(travel.run_files(finished), key=lambda file: file.size)
    parts = tmp_path / ".back.incoming" / "parts"
    parts.mkdir(parents=True)
    (parts / largest.sha256).write_bytes((finished / largest.path).read_bytes()[: largest.size // 2])
    starts = {}
    whole = object_stores.ObjectStore.copy

    def watched(self: object_stores.ObjectStore, name: str, into: Any, start: int, most: int) -> None:
        starts[name.rpartition("/")[2]] = start
        whole(self, name, into, start, most)

    monkeypatch.setattr(object_stores.ObjectStore, "copy", watched)
    travel.fetch(store, tmp_path / "back", Silent())
    assert starts[largest.sha256] == largest.size // 2
    assert kept(tmp_path / "back") == kept(finished)


def test_kill_9_at_any_moment_of_a_journey_loses_nothing(finished: Path, tmp_path: Path) -> None:
    url = (tmp_path / "store").as_uri()
    for words in (["send", str(finished), url], ["fetch", url, "--out", str(tmp_path / "back")]):
        for share in (0.0, 0.3, 0.6, 1.0):
            with subprocess.Popen(
                [sys.executable, "-c", "from lookaway.cli import main; main()", "share", *words]
            ) as process:
                patience = time.monotonic() + 60
                wanted = share * len(kept(finished))
                while len([*tmp_path.rglob("*")]) < wanted and process.poll() is None and time.monotonic() < patience:
                    time.sleep(0.001)
                process.kill()
            assert not (tmp_path / "back").exists() or kept(tmp_path / "back") == kept(finished)
        code, said = invoke("share", *words)
        assert code == 0, said
    assert kept(tmp_path / "back") == kept(finished)


# ---------------------------------------------------------------- what is not trusted


def listing(store: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Write a store's listing again, changed."""
    path = Path(store.removeprefix("file://")) / travel.LISTING
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))


def escape(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda facts: facts["files"][0].update(path=name)


@a_file
@pytest.mark.parametrize(
    "change",
    [
        *map(
            escape, ["../outside", "/etc/passwd", "logs/../../x", "local.json", "logs/a/..", "blobs/zz/x", "run.json/x"]
        ),
        lambda facts: facts["files"].append(facts["files"][0]),
        lambda facts: facts["files"][0].update(size=1 << 60),
        lambda facts: facts.update(files="none"),
    ],
)
def test_a_listing_that_no_run_has_is_refused_before_anything_is_written(
    change: Callable[[dict[str, Any]], None], store: str, finished: Path, tmp_path: Path
) -> None:
    travel.send(finished, store, Silent())
    listing(store, change)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SealError, match=r"listing\.json"):
        travel.fetch(store, tmp_path / "back", Silent())
    assert sorted(tmp_path.rglob("*")) == before


@a_file
@pytest.mark.parametrize("harm", [lambda data: data[:-1], lambda data: data + b"x", lambda data: b"x" * len(data)])
def test_a_file_that_is_not_what_the_listing_says_is_never_part_of_a_run(
    harm: Callable[[bytes], bytes], store: str, finished: Path, tmp_path: Path
) -> None:
    travel.send(finished, store, Silent())
    victim = next(path for path in (tmp_path / "store" / "files").rglob("*") if path.is_file())
    whole = victim.read_bytes()
    victim.write_bytes(harm(whole))
    for _ in range(2):
        with pytest.raises(SealError):
            travel.fetch(store, tmp_path / "back", Silent())
        assert not (tmp_path / "back").exists()
    travel.send(finished, store, Silent(), fresh=True)
    assert victim.read_bytes() == whole
    travel.fetch(store, tmp_path / "back", Silent())
    assert kept(tmp_path / "back") == kept(finished)


@a_file
def test_a_link_in_the_way_is_not_followed(store: str, finished: Path, tmp_path: Path) -> None:
    travel.send(finished, store, Silent())
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / ".back.incoming" / "run").mkdir(parents=True)
    (tmp_path / ".back.incoming" / "run" / "logs").symlink_to(outside)
    with pytest.raises(StoreError, match="leads out of this folder"):
        travel.fetch(store, tmp_path / "back", Silent())
    assert list(outside.iterdir()) == []


@a_file
def test_a_run_that_is_not_the_expected_one_or_has_no_room_is_refused(
    store: str, finished: Path, tmp_path: Path
) -> None:
    travel.send(finished, store, Silent())
    with pytest.raises(SealError, match="not 00"):
        travel.fetch(store, tmp_path / "back", Silent(), expected="00")
    (tmp_path / "back").mkdir()
    with pytest.raises(UsageError, match="choose another --out"):
        travel.fetch(store, tmp_path / "back", Silent())


@a_file
def test_a_run_that_is_being_written_is_not_sent(store: str, finished: Path, tmp_path: Path) -> None:
    shutil.copytree(finished, tmp_path / "mine")
    run = Run(tmp_path / "mine")
    with run.writer("scores") as writer:
        (key, score), *_ = run.latest("scores", Score).items()
        writer.append(key, "", score, 1)
        with pytest.raises(StoreError, match="is being written"):
            travel.send(run.root, store, Silent())
    travel.send(run.root, store, Silent())


# ---------------------------------------------------------------- words


def test_the_commands_say_the_same_name(finished: Path, tmp_path: Path) -> None:
    url = (tmp_path / "my store").as_uri()
    code, said = invoke("share", "send", str(finished), url)
    assert code == 0, said
    name = re.search("name ([0-9a-f]{64})", said)[1]  # type: ignore[index]
    code, said = invoke("share", "fetch", url, "--out", str(tmp_path / "back"), "--name", name)
    assert code == 0, said
    assert name in said
    assert invoke("report", str(tmp_path / "back"))[0] == 0


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("s3://key:hush@bucket/run", "sign in by the environment"),
        ("runs/a", "no address of an object store"),
        ("ftp://host/run", "no address of an object store"),
        ("simplecache::s3://bucket/run", "no address of an object store"),
        ("s3://", "no address of an object store"),
    ],
)
def test_a_wrong_address_is_told_in_one_line(url: str, hint: str, finished: Path) -> None:
    code, said = invoke("share", "send", str(finished), url)
    assert (code, hint in said, "hush" in said) == (2, True, False), said


def test_a_store_that_cannot_be_reached_or_signed_in_to_is_told_without_secrets(
    s3: str, finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = invoke("share", "fetch", "s3://no-such-bucket/run", "--out", str(tmp_path / "back"))
    assert code == 1
    assert "no-such-bucket" in said
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in said
    assert "Traceback" not in said
