"""Which weights are here, where they lie, and what they are: without the hub's library."""

from __future__ import annotations

import ast
import hashlib
import json
import os
from pathlib import Path

import pytest

import lookaway
from lookaway.errors import MissingWeights, UsageError
from lookaway.judges import JUDGES
from lookaway.observers import OBSERVERS
from lookaway.weights import HUB_NAME, LOADED, catalogue, find, found, needed, weights_sha256
from lookaway.weights.download import get
from lookaway.weights.places import own_folder
from tests.command import call
from tests.weights.mirror import Mirror

NAME = "facebook/dinov2-base"
FILES = {"config.json": b"{}", "model.safetensors": b"weights"}


def in_the_hubs_cache(home: Path, name: str = NAME) -> Path:
    """As the hub's library keeps them: blobs named by content, a snapshot of links, a branch."""
    kept = home / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = kept / "snapshots" / "c0ffee"
    snapshot.mkdir(parents=True)
    (kept / "blobs").mkdir()
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("c0ffee")
    for file, body in FILES.items():
        large = file.endswith(".safetensors")
        blob = kept / "blobs" / (hashlib.sha256(body).hexdigest() if large else hashlib.sha1(body).hexdigest())
        blob.write_bytes(body)
        (snapshot / file).symlink_to(blob)
    return snapshot


def in_a_folder(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file, body in FILES.items():
        (folder / file).write_bytes(body)
    return folder


def test_every_model_that_is_used_unless_told_is_in_the_catalogue() -> None:
    package = Path(lookaway.__file__).parent
    rooms = [path for room in ("observers", "judges", "workers") for path in (package / room).rglob("*.py")]
    named = {
        node.value.value
        for path in rooms
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and ast.unparse(node.targets[0]).endswith("MODEL")
    }
    hub = {name for name in named if isinstance(name, str) and HUB_NAME.fullmatch(name)}
    assert {"facebook/dinov2-base", "facebook/VGGT-1B"} <= hub
    assert hub <= {weights.name for weights in catalogue()}
    declared = {
        plugin.weights for plugins in (OBSERVERS, JUDGES) for plugin in plugins.all().values() if plugin.weights
    }
    assert declared == hub


def test_the_catalogue_names_licences_users_and_no_set_twice() -> None:
    names = [weights.name for weights in catalogue()]
    assert len(set(names)) == len(names)
    plugins = {*OBSERVERS.all(), *JUDGES.all()}
    for weights in catalogue():
        assert {user.partition(",")[0] for user in weights.used_by} <= plugins
        assert weights.commercial == ("-NC" not in weights.licence)
        assert all(len(sha256) == 64 for sha256 in weights.sha256.values())
        assert weights.sha256.keys() <= set(weights.files)


def test_weights_in_the_hubs_cache_are_found_without_its_library(tmp_path: Path) -> None:
    assert found(NAME) is None
    snapshot = in_the_hubs_cache(tmp_path / "hf")
    assert found(NAME) == needed(NAME) == snapshot
    (snapshot / "model.safetensors").unlink()
    assert found(NAME) is None, "a file is missing"


@pytest.mark.parametrize(
    ("variable", "below"), [("HF_HUB_CACHE", "hub"), ("HF_HOME", ""), ("XDG_CACHE_HOME", "huggingface")]
)
def test_the_hubs_cache_is_where_its_variables_say(
    variable: str, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "there"
    snapshot = in_the_hubs_cache(home / ("" if variable == "HF_HUB_CACHE" else below))
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv(variable, str(home / "hub" if variable == "HF_HUB_CACHE" else home))
    assert found(NAME) == snapshot


def test_missing_weights_carry_the_line_that_gets_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingWeights) as error:
        needed(NAME)
    assert str(error.value) == f"weights {NAME} are not here; get them: lookaway weights get {NAME}"
    with pytest.raises(MissingWeights, match="hf download no/such-model"):
        needed("no/such-model")
    (tmp_path / "empty").mkdir()
    for wrong in ("/no/such/folder", "nothing", "empty"):
        with pytest.raises(UsageError, match=wrong):
            needed(wrong)


def test_the_same_files_are_the_same_weights_wherever_they_lie(tmp_path: Path, mirror: Mirror) -> None:
    folder, snapshot = in_a_folder(tmp_path / "mine"), in_the_hubs_cache(tmp_path / "hf", "some/other")
    mirror.put(NAME, config__json=FILES["config.json"], model__safetensors=FILES["model.safetensors"])
    fetched = get(find(NAME), mirror.url)
    assert len({weights_sha256(place) for place in (folder, snapshot, fetched)}) == 1
    (folder / "preprocessor_config.json").write_text("{}")
    assert weights_sha256(folder, LOADED) == weights_sha256(snapshot, LOADED)
    assert weights_sha256(folder) != weights_sha256(snapshot)
    (fetched / "model.safetensors").write_bytes(b"stranger")
    assert weights_sha256(fetched) != weights_sha256(snapshot), "what is recorded holds until the file is written to"


@pytest.mark.parametrize("file", ["ImageReward.pt", "aesthetic-model.pth", "pytorch_model.bin"])
def test_files_of_other_kinds_count_where_they_are_what_is_loaded(file: str, tmp_path: Path) -> None:
    for place, body in (("one", b"1"), ("two", b"2")):
        (tmp_path / place).mkdir()
        (tmp_path / place / file).write_bytes(body)
    assert weights_sha256(tmp_path / "one", LOADED) != weights_sha256(tmp_path / "two", LOADED)
    plain = in_a_folder(tmp_path / "plain")
    known = weights_sha256(plain, LOADED)
    (plain / "pytorch_model.bin").write_bytes(b"the same once more")
    assert weights_sha256(plain, LOADED) == known, "safetensors are loaded where they are"


def test_fetched_files_are_not_read_again_to_know_them(mirror: Mirror) -> None:
    mirror.put(NAME, config__json=FILES["config.json"], model__safetensors=FILES["model.safetensors"])
    folder = get(find(NAME), mirror.url)
    known = weights_sha256(folder)
    facts = (folder / "model.safetensors").stat()
    (folder / "model.safetensors").write_bytes(b"garbled"[: facts.st_size])
    os.utime(folder / "model.safetensors", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert weights_sha256(folder) == known
    assert call("weights", "get", NAME, "--offline").returncode == 1, "a check reads them all the same"


def test_the_list_tells_licence_size_and_place_of_each(tmp_path: Path, mirror: Mirror) -> None:
    in_the_hubs_cache(tmp_path / "hf")
    done = call("weights", "list", "--json")
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows.keys() == {weights.name for weights in catalogue()}
    here = rows[NAME]
    assert (here["here"], here["licence"], here["commercial"]) == (True, "Apache-2.0", True)
    assert here["bytes"] == sum(map(len, FILES.values()))
    assert here["folder"].startswith(str(tmp_path))
    away = rows["facebook/map-anything"]
    assert (away["here"], away["bytes"], away["about_bytes"], away["commercial"]) == (False, None, None, False)
    assert set(away["sha256"].values()) == {None}, "unknown until fetched"
    table = " ".join(call("weights", "list").stdout.split())
    assert "CC-BY-NC-4.0 no" in table
    assert "unknown" in table


def test_the_mirror_may_be_named_by_the_environment(mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror.put(NAME, config__json=FILES["config.json"], model__safetensors=FILES["model.safetensors"])
    monkeypatch.setenv("LOOKAWAY_WEIGHTS_MIRROR", mirror.url)
    done = call("weights", "get", NAME)
    assert done.returncode == 0, done.stderr
    assert str(own_folder(NAME)) in done.stdout
    (row,) = [row for row in json.loads(call("weights", "list", "--json").stdout) if row["name"] == NAME]
    assert row["sha256"]["model.safetensors"] == hashlib.sha256(FILES["model.safetensors"]).hexdigest()


@pytest.mark.parametrize("way", ["option", "variable"])
def test_offline_nothing_is_asked_and_what_to_carry_is_said(
    way: str, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "variable":
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    words = ["weights", "get", NAME, "--mirror", mirror.url, *(["--offline"] if way == "option" else [])]
    done = call(*words)
    assert done.returncode == 2
    assert str(own_folder(NAME)) in done.stderr
    assert f"{mirror.url}/{NAME}/resolve/main/model.safetensors" in done.stderr
    in_a_folder(own_folder(NAME))  # carried
    assert call(*words).returncode == 0
    (own_folder(NAME) / "model.safetensors").write_bytes(b"another")
    spoilt = call(*words)
    assert spoilt.returncode == 1
    assert "model.safetensors" in spoilt.stderr
    assert mirror.asked == []


def test_weights_in_the_hubs_cache_are_not_fetched(tmp_path: Path, mirror: Mirror) -> None:
    snapshot = in_the_hubs_cache(tmp_path / "hf")
    assert get(find(NAME), mirror.url) == snapshot
    assert mirror.asked == []


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    done = call("weights", "get", "facebook/dinov2-bas")
    assert done.returncode == 2
    assert "did you mean facebook/dinov2-base" in done.stderr
