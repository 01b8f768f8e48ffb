"""Text of strangers becomes file names that are safe and each one text's own; nothing is written outside its folder."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from lookaway.api import Silent
from lookaway.cli import app, load_verbs
from lookaway.errors import LookawayError, StoreError
from lookaway.export import export_suite
from lookaway.generators.command import places
from lookaway.images import png_bytes
from lookaway.names import LONGEST, file_name, inside
from lookaway.store import Blobs
from lookaway.video import encode
from tests.builders import task
from tests.generators.commissions import commission

HOSTILE = [
    "../../x",
    "/etc/x",
    "a/b",
    "a\\b",
    "..",
    ".",
    "",
    " ",
    ".hidden",
    "x" * 300,
    "con",
    "Lpt1.txt",
    "ends.",
    "nul\0byte",
    "two\nlines",
    "küche",
    "日本",
    "~",
    "a~b",
    "-rf",
    "$(reboot)",
    "<b>",
]
CARD = """
summary = "a card that reaches out"
control = "poses"
generator = "command"
width = 64
height = 48
frames = 5
fps = 4.0
settings = { command = "true {out}" }
control_settings = { format = "npy", poses_array = "../../escaped" }
"""


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_becomes_a_safe_name(text: str) -> None:
    name = file_name(text)
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.@+=~-]*", name)
    assert len(name) <= LONGEST
    assert not name.endswith(".")
    assert name.partition(".")[0].lower() not in {"con", "lpt1"}


def test_a_plain_name_stays_as_it_is() -> None:
    assert [file_name(name) for name in ("lamp_left-60", "short-memory@1.5", "A0")] == [
        "lamp_left-60",
        "short-memory@1.5",
        "A0",
    ]


def test_two_texts_never_share_a_name() -> None:
    texts = [*HOSTILE, "a b", "a-b", "a:b", "x" * 301, "kuche", "CON", *map(file_name, HOSTILE)]
    assert len({file_name(text) for text in set(texts)}) == len(set(texts))


def test_a_name_or_a_link_never_leads_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link").symlink_to(tmp_path)
    assert inside(tmp_path / "own", "a/b.txt") == tmp_path / "own/a/b.txt"
    for name in ("../x", "/etc/x", "..", ".", "", "link/x", "a/../../x", "nul\0"):
        with pytest.raises(StoreError, match="leads out of this folder"):
            inside(tmp_path / "own", name)


def suite_of(folder: Path, rows: list[dict[str, str]], name: str = "foreign") -> Path:
    """A suite in a folder whose subject hides and returns, so that every layout has files for it."""
    folder.mkdir(parents=True)
    (folder / "suite.toml").write_text(f'name = {json.dumps(name)}\nversion = 1\nsummary = "from elsewhere"\n')
    (folder / "first.png").write_bytes(png_bytes(np.full((18, 32, 3), 90, np.uint8)))
    encode([np.full((18, 32, 3), 90 + i, np.uint8) for i in range(5)], folder / "true.mp4", 2)
    phases = [{"phase": "hidden", "start_s": 0.5, "end_s": 1}, {"phase": "returned", "start_s": 1, "end_s": 2}]
    base = task(first_frame="first.png", width=32, height=18, fps=2.0, seconds=2.0, camera="hold@2s")
    plain = base.model_dump(mode="json", exclude={"suite", "version"})
    truth = {"reference": {"video": "true.mp4", "phases": phases}}
    (folder / "tasks.jsonl").write_text("\n".join(json.dumps(plain | truth | row) for row in rows))
    return folder


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("memobench", [False, True])
@pytest.mark.parametrize("with_truth", [False, True])
def test_nothing_is_exported_outside_the_folder_whatever_ids_and_scenes_say(
    memobench: bool, with_truth: bool, tmp_path: Path
) -> None:
    refused = []
    for number, text in enumerate(HOSTILE):
        home = tmp_path / str(number) / "deep" / "down"
        for kind, rows in {"id": [{"id": text}], "scene": [{"scene": text}]}.items():
            suite, out = suite_of(home / f"{kind}-suite", rows), home / f"{kind}-out"
            before = everything(tmp_path / str(number))
            try:
                made = export_suite(str(suite), out, Silent(), memobench=memobench, with_truth=with_truth)
                assert made.tasks == 1, f"{kind} {text!r}: {made.failures}"
            except LookawayError as error:
                refused.append((kind, text, str(error)))
            new = everything(tmp_path / str(number)) - before
            allowed = tuple(f"deep/down/{kind}-out{more}" for more in ("", "-private"))
            outside = {
                name for name in new if not (name in allowed or name.startswith(tuple(f"{a}/" for a in allowed)))
            }
            assert not outside, f"{kind} {text!r} wrote {outside}"
    unlisted = {text for kind, text, _ in refused if kind == "scene"} - {"", " ", "nul\0byte", "two\nlines"}
    assert not unlisted, "a scene is refused only where no line of text can show it"


def test_scenes_that_look_alike_in_an_export_keep_their_own_folders(tmp_path: Path) -> None:
    rows = [{"id": f"t{number}", "scene": scene} for number, scene in enumerate(["a/b", "a b", "a-b"])]
    made = export_suite(str(suite_of(tmp_path / "suite", rows)), tmp_path / "out", Silent(), memobench=True)
    scenes = list((tmp_path / "out/memobench/data/Synthetic_processed").glob("*/"))
    assert (made.tasks, len([scene for scene in scenes if scene.is_dir()])) == (3, 3)


def test_an_export_does_not_follow_a_link_out_of_its_folder(tmp_path: Path) -> None:
    suite, out, elsewhere = suite_of(tmp_path / "suite", [{}]), tmp_path / "out", tmp_path / "elsewhere"
    export_suite(str(suite), out, Silent())
    elsewhere.mkdir()
    for file in (out / "prompts").iterdir():
        file.unlink()
    (out / "prompts").rmdir()
    (out / "prompts").symlink_to(elsewhere)
    with pytest.raises(StoreError, match="leads out of this folder"):
        export_suite(str(suite), out, Silent())
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("name", ["", "two\nlines", "../x", "nul\0", 7])
def test_a_suite_has_a_name_that_can_be_told_from_a_path(name: object, tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "suite", [{}])
    (suite / "suite.toml").write_text(f'name = {json.dumps(name)}\nversion = 1\nsummary = "s"\n')
    with pytest.raises(LookawayError, match="name"):
        export_suite(str(suite), tmp_path / "out", Silent())
    assert not (tmp_path / "out").exists()


def test_a_card_never_writes_outside_of_the_folder_it_is_compiled_to(tmp_path: Path) -> None:
    (tmp_path / "card.toml").write_text(CARD)
    out = tmp_path / "deep" / "down"
    args = ["model", "compile", "--model", str(tmp_path / "card.toml"), "--camera", "hold@1s", "--out", str(out)]
    load_verbs()
    result = CliRunner().invoke(app, args)
    assert isinstance(result.exception, StoreError)
    assert not list(tmp_path.rglob("escaped*"))


def test_a_control_file_never_lands_outside_of_the_generators_folder(tmp_path: Path) -> None:
    asked = commission(tmp_path, "command", {"command": "true {out}"})
    blob = Blobs(tmp_path / "run/blobs").put_bytes(b"poses", ".npy")
    control = asked.request.control.model_copy(update={"files": {"../../escaped.npy": blob}})
    request = asked.request.model_copy(update={"control": control})
    with pytest.raises(StoreError, match="leads out of this folder"):
        places(replace(asked, request=request), asked.workdir / "out.mp4")
    assert not list(tmp_path.rglob("escaped*"))


@pytest.mark.parametrize("sha256", ["../../secret", "/etc/passwd", "", "*", "ab"])
def test_a_record_reads_no_file_but_a_blob(sha256: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    blobs = Blobs(tmp_path / "run" / "blobs")
    blobs.put_bytes(b"mine", ".txt")
    assert not blobs.has(sha256)
    with pytest.raises(LookawayError, match="no blob"):
        blobs.path(sha256)
