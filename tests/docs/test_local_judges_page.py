"""The page on local judges names every setting, and its offline commands judge a run."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from lookaway.judges.transformers import MODEL, TransformersOptions
from lookaway.records import Answer
from lookaway.store import open_run
from tests.docs.test_docs import ROOT, blocks, called
from tests.learned.conftest import tiny, torchvision_fits_torch

__all__ = ["tiny", "torchvision_fits_torch"]  # fixtures

PAGE = ROOT / "docs" / "local-judges.md"


def test_every_setting_and_the_default_model_are_told() -> None:
    text = PAGE.read_text()
    assert f"transformers:{MODEL}" in text
    told = set(re.findall(r"^\| `transformers\.(\w+)`", text, re.MULTILINE)) | set(re.findall(r", `\.(\w+)` \|", text))
    assert told == set(TransformersOptions.model_fields)


@pytest.mark.torch
@pytest.mark.usefixtures("torchvision_fits_torch")
def test_the_offline_commands_judge_a_run(
    tiny: Path, demo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for block in blocks(PAGE) if block.kind == "text" for line in block.text.splitlines()]
    commands = [line for line in lines if line.startswith("lookaway") and "transformers:FOLDER" in line]
    assert len(commands) == 2
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_run, "RUN")
    before: set[str] = set()
    for command, estimator in zip(commands, ("p_yes", "votes"), strict=True):
        monkeypatch.setattr(sys, "argv", shlex.split(command.replace("FOLDER", str(tiny))))
        said, code = called()
        assert code == 0, said
        answers = open_run("RUN").latest("answers", Answer)
        assert {answer.estimator for key, answer in answers.items() if key not in before} == {estimator}
        before |= answers.keys()
