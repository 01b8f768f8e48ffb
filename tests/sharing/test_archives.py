"""What arrives as a sealed run is not trusted: it cannot leave its folder, grow without end or lie about its files."""

from __future__ import annotations

import hashlib
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
import rfc8785

from lookaway import limits
from lookaway.errors import SealError
from lookaway.records import Seal, SealedFile
from lookaway.sharing.archives import is_kept, read_seal, unpack, write_archive
from lookaway.sharing.canonical import canonical_json

PLAN = b'{"form":3}'


def seal_of(files: Mapping[str, bytes]) -> Seal:
    listed = [SealedFile(path=p, sha256=hashlib.sha256(d).hexdigest(), size=len(d)) for p, d in files.items()]
    return Seal(suite="s", suite_version="1", scores=1, files=tuple(listed))


def packed(path: Path, seal: Seal, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("seal.json", canonical_json(seal))
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def test_what_was_packed_comes_out_and_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "run" / "logs" / "scores").mkdir(parents=True)
    (tmp_path / "run" / "run.json").write_bytes(PLAN)
    (tmp_path / "run" / "logs" / "scores" / "0-a.jsonl").write_bytes(b"{}\n")
    seal = seal_of({"run.json": PLAN, "logs/scores/0-a.jsonl": b"{}\n"})
    for name in ("one", "two"):
        write_archive(tmp_path / name, seal, tmp_path / "run")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    again, bundle = unpack(tmp_path / "one", tmp_path / "out")
    assert again == seal
    assert bundle == hashlib.sha256(canonical_json(seal)).hexdigest()
    assert (tmp_path / "out" / "logs" / "scores" / "0-a.jsonl").read_bytes() == b"{}\n"


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "logs/../../evil",
        "logs/scores/../evil",
        "logs/scores/..",
        "blobs/ab/../evil",
        "local.json",
        "report.html",
        "blobs/ab/" + "ab" + "0" * 62 + ".mp4/../../x",
        "blobs/ab/" + "cd" + "0" * 62 + ".mp4",
        "logs\\scores\\a",
        "logs/scores/a\n",
    ],
)
def test_a_name_that_no_run_has_is_refused(name: str, tmp_path: Path) -> None:
    assert not is_kept(name)
    path = packed(tmp_path / "s", seal_of({name: b"x"}), {name: b"x"})
    with pytest.raises(SealError, match="no run has"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "evil").exists()


def test_blobs_and_folders_of_frames_are_kept() -> None:
    blob = "blobs/ab/ab" + "0" * 62
    assert is_kept(blob + ".mp4")
    assert is_kept(blob + "/frame 1.png")
    assert not is_kept(blob + "/.hidden")


def test_other_content_than_listed_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "s", seal_of({"run.json": PLAN}), {"run.json": b'{"form":4}'})
    with pytest.raises(SealError, match="changed after sealing"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("packs", [{}, {"run.json": PLAN, "logs/scores/x": b""}])
def test_a_missing_or_further_file_is_refused(packs: dict[str, bytes], tmp_path: Path) -> None:
    path = packed(tmp_path / "s", seal_of({"run.json": PLAN}), packs)
    with pytest.raises(SealError, match=r"not those that seal\.json lists"):
        unpack(path, tmp_path / "out")


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("seal.json", canonical_json(seal_of({"run.json": b"/etc/passwd"})))
        link = zipfile.ZipInfo("run.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, b"/etc/passwd")
    with pytest.raises(SealError, match="no plain file"):
        unpack(path, tmp_path / "out")


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    bomb = b"\0" * (limits.SEAL_PACKING * (1 << 20) + 1)
    path = tmp_path / "s"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("seal.json", canonical_json(seal_of({"run.json": bomb})))
        archive.writestr("run.json", bomb)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(SealError, match="more than it may have"):
        unpack(path, tmp_path / "out")


def test_more_bytes_than_allowed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "s", seal_of({"run.json": PLAN}), {"run.json": PLAN})
    for limit in ("SEAL_BYTES", "SEAL_FILE_BYTES"):
        with monkeypatch.context() as change:
            change.setattr(limits, limit, len(PLAN) - 1)
            with pytest.raises(SealError, match="more than"):
                unpack(path, tmp_path / limit)


def test_a_list_that_is_not_canonical_or_no_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("seal.json", seal_of({}).model_dump_json(indent=1))
    with pytest.raises(SealError, match="canonically"):
        read_seal(path)
    path.write_bytes(b"no archive")
    with pytest.raises(SealError, match="not a sealed run"):
        read_seal(path)
    with pytest.raises(SealError, match="no such file"):
        read_seal(tmp_path / "nowhere")


@pytest.mark.parametrize("value", [{"b": 1, "a": [True, None, "é\n\u2028"], "\ue000": 1, "😀": 2}, [], "x", 2**53 - 1])
def test_canonical_text_is_that_of_rfc_8785(value: object) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


def test_a_fraction_has_no_canonical_text() -> None:
    with pytest.raises(ValueError, match="fraction"):
        canonical_json({"a": [0.1]})
