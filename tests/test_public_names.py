"""The public names of the package: adding or losing one is a decision, made here and in docs/architecture.md."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lookaway

PUBLIC = {"Abstain", "NotApplicable", "evaluate", "metric", "observer", "open_run"}
PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"


def test_the_public_names_are_these_and_no_others() -> None:
    assert sorted(lookaway.__all__) == sorted(PUBLIC)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_is_found_says_what_it_is_and_belongs_to_the_package(name: str) -> None:
    found = getattr(lookaway, name)
    assert found.__name__ == name
    assert found.__module__.startswith("lookaway.")
    assert inspect.getdoc(found)


def test_a_star_import_brings_the_public_names_alone() -> None:
    program = "before = set(dir()); from lookaway import *; print(*sorted(set(dir()) - before - {'before'}))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == PUBLIC


def test_the_page_of_public_names_lists_each_once() -> None:
    assert sorted(re.findall(r"^\| `lookaway\.(\w+)` \|", PAGE.read_text(), re.MULTILINE)) == sorted(PUBLIC)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'lookaway' has no attribute 'evaluat'"):
        lookaway.evaluat  # noqa: B018
