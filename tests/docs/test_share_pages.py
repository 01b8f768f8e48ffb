"""Pages that scripts write say what the code says now."""

from __future__ import annotations

import io
import runpy
from pathlib import Path

import pytest
import yaml
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]


def test_what_was_never_run_is_told_as_the_code_marks_it() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "never-run"))
    assert script["PAGE"].read_text() == script["page"](), "run scripts/never-run"
    told = script["page"]()
    for name in ("`patch_features`", "`gemini`", "`gen3c`", "`facebook/sam3`", "`memobench`"):
        assert name in told
    assert "`scripted`" not in told


def test_every_release_says_what_its_reader_never_met() -> None:
    from lookaway.suites.releases import READERS, UNVERIFIED

    assert UNVERIFIED.keys() == READERS.keys()


def test_the_licences_of_weights_are_those_of_the_catalogue() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "licences"))
    text = script["PAGE"].read_text()
    assert text == script["page"](text), "run scripts/licences"
    assert "libx264" in text


@pytest.mark.parametrize("file", ["CITATION.cff", "examples/submission.yml"])
def test_files_that_others_read_are_yaml(file: str) -> None:
    assert isinstance(yaml.safe_load((ROOT / file).read_text()), dict)


def test_the_citation_has_the_version_of_the_package() -> None:
    from importlib import metadata

    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == metadata.version("lookaway")
    assert cited["license"] == "Apache-2.0"


@pytest.mark.browser
def test_pictures_of_pages_are_taken_by_a_script(chromium: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><body style='margin:0;background:#f00'>")
    taken = Image.open(io.BytesIO(runpy.run_path(str(ROOT / "scripts" / "screenshots"))["picture"](page))).convert(
        "RGB"
    )
    assert taken.size == (1300, 1560)
    assert taken.getpixel((650, 780)) == (255, 0, 0)
