"""Suites in folders, their arrays of truth, model cards, and task files of StEvo."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from lookaway import models
from lookaway.images import png_bytes
from lookaway.records import ModelCard
from lookaway.secrets import names_a_secret
from lookaway.store import Blobs
from lookaway.suites.folder import read_folder
from lookaway.suites.releases.stevo.files import read_task
from tests.fuzz.driving import Attempt, FalseVerdict, Target
from tests.fuzz.mutation import spoilt_bytes, spoilt_json, spoilt_text, spoilt_zip
from tests.test_suites import row

HEAD = 'name = "mine"\nversion = 1\nsummary = "a folder suite"\n'
TASK_WORDS = (
    *("id", "scene", "camera", "cover", "first_frame", "reference", "questions", "subjects", "box", "phases", "poses"),
    *("first.png", "suite.toml", "hold@1s", "curtain:close@1s", "yaw:left:60@2s", "visibility", "twin_of", "seconds"),
)
TOML_WORDS = (
    *("name", "version", "summary", "= 1\n", '= "x"\n', "[settings]\n", "[[a]]\n", "control", "generator", "poses"),
    *("width = 1\n", "fps = 1\n", '"""', "1979-05-27", "[a.b]\n", "api_key", "token", "true", "[sources]\n", "= ["),
)
YAML_WORDS = (
    *(
        "id: ",
        "level: 1\n",
        "prompts:\n",
        "  video_WM: x\n",
        "camera_control:\n",
        "- ",
        "&a ",
        "*a",
        "!!python/object:x ",
    ),
    *(
        "!!binary ",
        "? ",
        "|\n",
        ">\n",
        "---\n",
        "%YAML 1.1\n",
        "<<: ",
        "2001-01-01",
        "0o7",
        "~",
        "changes:\n",
        "!!set ",
    ),
)


def _folder(folder: Path) -> Path:
    (folder / "suite.toml").write_text(HEAD)
    (folder / "first.png").write_bytes(png_bytes(np.full((18, 32, 3), 90, np.uint8)))
    return folder


def _rows(folder: Path) -> Attempt:
    _folder(folder)

    def attempt(data: bytes) -> bool:
        (folder / "tasks.jsonl").write_bytes(data)
        drafts = read_folder(folder).drafts()
        lines = [line for line in data.decode("utf-8-sig").split("\n") if line.strip()]
        if [draft.id for draft in drafts] != [json.loads(line)["id"] for line in lines]:
            raise FalseVerdict("other tasks than the file's")
        for draft in drafts:
            for name, _, _ in dict(draft.facts)["media"]:
                if name != "first.png" and not (folder / name).exists():
                    raise FalseVerdict(f"{name} is taken for a file of the suite")
        return bool(drafts)

    return attempt


def _head(folder: Path) -> Attempt:
    _folder(folder)
    (folder / "tasks.jsonl").write_text(json.dumps(row()))

    def attempt(data: bytes) -> bool:
        (folder / "suite.toml").write_bytes(data)
        suite = read_folder(folder)
        if not suite.name.strip() or "/" in suite.name:
            raise FalseVerdict(f"a suite called {suite.name!r}")
        return len(suite.drafts()) == 1

    return attempt


def _truth(folder: Path) -> Attempt:
    _folder(folder)
    blobs = Blobs(folder / "blobs")
    told = row(reference={"arrays": "true.npz", "state_names": ["x"]}, width=32, height=18)
    (folder / "tasks.jsonl").write_text(json.dumps(told))

    def attempt(data: bytes) -> bool:
        (folder / "true.npz").write_bytes(data)
        (draft,) = read_folder(folder).drafts()
        built = draft.built(blobs)
        if built.reference is None or built.reference.arrays is None:
            raise FalseVerdict("a truth without the arrays that were told")
        blobs.path(built.reference.arrays).unlink()
        return True

    return attempt


def _card(folder: Path) -> Attempt:
    path = folder / "mine.toml"

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        card = models.load(str(path))
        if card.name != "mine" or ModelCard.model_validate(card.model_dump()) != card:
            raise FalseVerdict("a card that does not read as itself")
        if any(map(names_a_secret, (*card.settings, *card.control_settings))):
            raise FalseVerdict("a card that holds a secret")
        return True

    return attempt


def _stevo(folder: Path) -> Attempt:
    path = folder / "wax.yaml"

    def attempt(data: bytes) -> bool:
        path.write_bytes(data)
        task, notes = read_task(path)
        if task.id != "wax" and task.id.encode() not in data:
            raise FalseVerdict(f"an id that is not in the file: {task.id}")
        return not notes

    return attempt


TARGETS = (
    Target("suite_rows", _rows, spoilt_json(TASK_WORDS), share=3),
    Target("suite_head", _head, spoilt_text(TOML_WORDS), share=2),
    Target("truth_arrays", _truth, spoilt_zip(spoilt_bytes), share=0.5),
    Target("model_card", _card, spoilt_text(TOML_WORDS), share=4),
    Target("stevo_yaml", _stevo, spoilt_text(YAML_WORDS), share=0.6),
)
