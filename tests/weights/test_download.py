"""Weights from a mirror: whole or not at all, resumed, checked, and never outside their folder."""

from __future__ import annotations

import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from lookaway.errors import LookawayError, UsageError
from lookaway.weights import download, find, found
from lookaway.weights.catalogue import Weights
from lookaway.weights.download import checked_base, get
from lookaway.weights.places import own_folder
from tests.command import call
from tests.weights.mirror import CHUNK, Mirror

NAME = "facebook/dinov2-base"
CONFIG = b'{"hidden_size": 48}'


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


def tiny(**changes: object) -> Weights:
    facts = {"name": NAME, "used_by": ("a",), "licence": "MIT", "commercial": True, "files": ("model.safetensors",)}
    return Weights.model_validate(facts | changes)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".busy"}


def test_files_arrive_whole_and_are_recorded(mirror: Mirror) -> None:
    body = noise(100_000)
    mirror.put(NAME, config__json=CONFIG, model__safetensors=body)
    folder = get(find(NAME), mirror.url)
    assert folder == own_folder(NAME) == found(NAME)
    assert (folder / "model.safetensors").read_bytes() == body
    assert left(folder) == {"config.json", "model.safetensors", "weights.lock"}
    files = json.loads((folder / "weights.lock").read_text())["files"]
    assert files["model.safetensors"]["sha256"] == hashlib.sha256(body).hexdigest()
    assert files["model.safetensors"]["bytes"] == len(body)


def test_what_is_here_is_checked_and_not_fetched_again(mirror: Mirror) -> None:
    mirror.put(NAME, config__json=CONFIG, model__safetensors=noise(5000))
    folder = get(find(NAME), mirror.url)
    mirror.asked.clear()
    get(find(NAME), mirror.url)
    assert mirror.asked == []
    (folder / "model.safetensors").write_bytes(b"damaged")
    get(find(NAME), mirror.url)
    assert [path.rpartition("/")[2] for path, _ in mirror.asked] == ["model.safetensors"]
    assert (folder / "model.safetensors").read_bytes() == noise(5000)


def test_files_that_an_index_names_come_too(mirror: Mirror) -> None:
    index = {
        "weight_map": {
            "a": "model-1-of-2.safetensors",
            "b": "model-2-of-2.safetensors",
            "c": "model-1-of-2.safetensors",
        }
    }
    mirror.put(NAME, model__safetensors__index__json=json.dumps(index).encode())
    mirror.files[f"/{NAME}/resolve/main/model-1-of-2.safetensors"] = noise(10, 1)
    mirror.files[f"/{NAME}/resolve/main/model-2-of-2.safetensors"] = noise(10, 2)
    folder = get(tiny(files=("model.safetensors.index.json",)), mirror.url)
    assert (folder / "model-2-of-2.safetensors").read_bytes() == noise(10, 2)
    assert len(mirror.asked) == 3


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..", ".hidden", "a\\b", "a//b", ""])
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, mirror: Mirror, own_places: Path) -> None:
    with pytest.raises(ValidationError, match="no plain name"):
        tiny(files=(name,))
    index = json.dumps({"weight_map": {"a": name}}).encode()
    mirror.put(NAME, model__safetensors__index__json=index)
    with pytest.raises(UsageError, match="not an index of weights"):
        get(tiny(files=("model.safetensors.index.json",)), mirror.url)
    assert len(mirror.asked) == 1
    assert {path.name for path in own_places.rglob("*evil*")} == set()


def test_a_link_in_the_folder_leads_nowhere(mirror: Mirror, tmp_path: Path) -> None:
    mirror.put(NAME, model__safetensors=noise(10))
    own_folder(NAME).mkdir(parents=True)
    (own_folder(NAME) / "model.safetensors").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LookawayError, match="leads out of this folder"):
        get(tiny(), mirror.url)
    assert not (tmp_path / "elsewhere").exists()


def test_a_broken_connection_is_taken_up_where_it_broke(mirror: Mirror) -> None:
    body = noise(10 * CHUNK)
    mirror.put(NAME, model__safetensors=body)
    mirror.breaks_after = 4 * CHUNK
    said: list[str] = []
    folder = get(tiny(), mirror.url, said.append)
    assert (folder / "model.safetensors").read_bytes() == body
    assert len(mirror.asked) == 2
    assert mirror.asked[1][1].startswith("bytes=")
    assert mirror.sent < len(body) + 5 * CHUNK
    assert any("going on at" in line for line in said)


def test_a_server_without_ranges_sends_all_of_it_again(mirror: Mirror) -> None:
    body = noise(6 * CHUNK)
    mirror.put(NAME, model__safetensors=body)
    mirror.ranges, mirror.breaks_after = False, 3 * CHUNK
    assert (get(tiny(), mirror.url) / "model.safetensors").read_bytes() == body


def test_nothing_is_put_behind_bytes_that_may_belong_to_another_file(mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=noise(8 * CHUNK, 1))
    folder = own_folder(NAME)
    folder.mkdir(parents=True)
    (folder / ".model.safetensors.part").write_bytes(noise(3 * CHUNK, 2))
    mirror.tags = False
    assert (get(tiny(), mirror.url) / "model.safetensors").read_bytes() == noise(8 * CHUNK, 1)
    assert mirror.asked[0][1] == "", "nobody knows which file the first bytes are of"


def test_a_file_that_changed_on_the_way_starts_anew(mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=noise(8 * CHUNK, 1))
    mirror.breaks_after = 4 * CHUNK

    def change() -> None:
        mirror.files[f"/{NAME}/resolve/main/model.safetensors"] = noise(8 * CHUNK, 2)

    mirror.on_chunk = change
    assert (get(tiny(), mirror.url) / "model.safetensors").read_bytes() == noise(8 * CHUNK, 2)


KILLED = "import sys; from lookaway.cli import main; sys.argv[0] = 'lookaway'; main()"


def test_killed_half_way_the_same_command_goes_on(mirror: Mirror) -> None:
    body = noise(60 * CHUNK)
    mirror.put(NAME, config__json=CONFIG, model__safetensors=body)
    mirror.pause_s = 0.05
    words = [sys.executable, "-c", KILLED, "weights", "get", NAME, "--mirror", mirror.url]
    started = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = own_folder(NAME) / ".model.safetensors.part"
    while not (part.exists() and part.stat().st_size > 10 * CHUNK):
        assert started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGKILL)
    started.wait()
    assert found(NAME) is None, "half of it is not here"
    kept, mirror.pause_s, mirror.sent = part.stat().st_size, 0.0, 0
    done = call("weights", "get", NAME, "--mirror", mirror.url)
    assert done.returncode == 0, done.stderr
    assert f"going on at {kept} bytes" in done.stderr
    assert mirror.asked[-1] == (f"/{NAME}/resolve/main/model.safetensors", f"bytes={kept}-")
    assert mirror.sent <= len(body) - kept + 3 * CHUNK, "and what the killed one was still being sent"
    assert (own_folder(NAME) / "model.safetensors").read_bytes() == body
    assert left(own_folder(NAME)) == {"config.json", "model.safetensors", "weights.lock"}


def test_a_wrong_hash_is_refused_and_nothing_is_left(mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=noise(CHUNK))
    right = hashlib.sha256(b"another").hexdigest()
    with pytest.raises(LookawayError, match=f"where the catalogue says {right}"):
        get(tiny(sha256={"model.safetensors": right}), mirror.url)
    assert left(own_folder(NAME)) == set()


def test_a_file_that_is_not_what_first_came_is_refused(mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=noise(CHUNK, 1))
    folder = get(tiny(), mirror.url)
    (folder / "model.safetensors").unlink()
    mirror.put(NAME, model__safetensors=noise(CHUNK, 2))
    with pytest.raises(LookawayError, match="recorded when it first came"):
        get(tiny(), mirror.url)
    assert left(folder) == {"weights.lock"}


def test_large_files_may_lie_on_another_server_by_https_or_as_the_mirror_is_reached(mirror: Mirror) -> None:
    path = f"/{NAME}/resolve/main/model.safetensors"
    mirror.files["/store/17"] = noise(100)
    mirror.sends_on[path] = f"{mirror.url}/store/17"
    assert (get(tiny(), mirror.url) / "model.safetensors").read_bytes() == noise(100)
    may_go = download._may_go("https://huggingface.co/a")
    assert may_go("https://cdn.example/17")
    assert not may_go("http://cdn.example/17"), "never from https to http"


@pytest.mark.parametrize("there", ["file:///etc/passwd", "ftp://somewhere/17", "//"])
def test_it_is_not_sent_on_to_anything_but_the_web(there: str, mirror: Mirror) -> None:
    mirror.sends_on[f"/{NAME}/resolve/main/model.safetensors"] = there
    with pytest.raises(LookawayError):
        get(tiny(), mirror.url)
    assert left(own_folder(NAME)) == set()


@pytest.mark.parametrize(("status", "says"), [(404, "no such file"), (403, "hf download"), (500, "answers 500")])
def test_a_server_that_refuses_is_quoted_with_what_to_do(status: int, says: str, mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=b"")
    mirror.status = status
    with pytest.raises(LookawayError, match=says) as error:
        get(tiny(), mirror.url)
    assert "model.safetensors" in str(error.value)


def test_a_mirror_that_is_not_there_is_said(mirror: Mirror) -> None:
    with pytest.raises(LookawayError, match="refused"):
        get(tiny(), "http://127.0.0.1:9")


def test_a_full_disk_is_noticed_before_anything_is_asked(mirror: Mirror) -> None:
    with pytest.raises(UsageError, match=r"LOOKAWAY_WEIGHTS"):
        get(tiny(about_bytes=1 << 60), mirror.url)
    assert mirror.asked == []


def test_a_file_beyond_the_limit_is_not_taken(mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "WEIGHTS_FILE_BYTES", 1000)
    mirror.put(NAME, model__safetensors=noise(1001))
    with pytest.raises(LookawayError, match="more than the 1000"):
        get(tiny(), mirror.url)
    assert not (own_folder(NAME) / "model.safetensors").exists()


@pytest.mark.parametrize(
    "address", ["ftp://x/y", "x", "https://me:word@x", "https://x?token=12345678", "file:///x", ""]
)
def test_a_mirror_has_a_plain_web_address(address: str) -> None:
    with pytest.raises(UsageError):
        checked_base(address)


def test_two_do_not_fetch_into_one_folder(mirror: Mirror) -> None:
    mirror.put(NAME, model__safetensors=noise(CHUNK))
    with download._alone(_made(own_folder(NAME)), NAME), pytest.raises(UsageError, match="another process"):
        get(tiny(), mirror.url)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
