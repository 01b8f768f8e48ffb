"""The list of features is complete, its page is up to date, and every test that it names exists."""

from __future__ import annotations

import ast
import runpy
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "scripts" / "features"))
FEATURES: list[dict[str, Any]] = tomllib.loads(SCRIPT["DATA"].read_text())["feature"]


@cache
def names_in(file: str) -> frozenset[str]:
    """`test_x` and `TestY::test_x` of one file, which is read and never run; none where it is no file of tests."""
    path = ROOT / file
    if not (file.startswith("tests/") and path.name.startswith("test_") and path.is_file()):
        return frozenset()
    return frozenset(named_tests(ast.parse(path.read_text()).body))


def named_tests(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from (f"{node.name}::{name}" for name in named_tests(node.body))


def gone(tests: Iterable[str]) -> list[str]:
    """Those of the listed tests that do not exist."""
    parted = {test: test.partition("::") for test in tests}
    return [test for test, (file, _, name) in parted.items() if name not in names_in(file)]


def test_every_number_occurs_once_and_in_order() -> None:
    assert [feature["number"] for feature in FEATURES] == list(range(1, 149))


def test_every_title_is_short_and_its_own() -> None:
    titles = [feature["title"] for feature in FEATURES]
    assert [title for title in titles if not 3 <= len(title.split()) <= 9 or "|" in title] == []
    assert [title for title in titles if titles.count(title) > 1] == []


def test_a_feature_says_which_papers_have_it_and_nothing_unknown() -> None:
    for feature in FEATURES:
        assert feature.keys() - {"missing"} == {"number", "title", "papers", "tests"}, feature["number"]
        assert feature["papers"].keys() <= SCRIPT["PAPERS"].keys(), feature["number"]
        assert set(feature["papers"].values()) <= {"full", "partly"}, feature["number"]
        assert len(set(feature["tests"])) == len(feature["tests"]), feature["number"]
        assert feature["tests"] or "missing" not in feature, f"{feature['number']}: all of it is missing"


def test_every_listed_test_exists() -> None:
    assert {feature["number"]: lost for feature in FEATURES if (lost := gone(feature["tests"]))} == {}


def test_a_test_that_is_gone_is_reported() -> None:
    here = "tests/docs/test_features.py"
    there = [
        f"{here}::test_every_listed_test_exists",
        "tests/worlds/test_world_layouts.py::TestEveryRoom::test_the_stage_is_free",
    ]
    made_up = [
        f"{here}::test_nobody_wrote_this",
        f"{here}::gone",
        f"{here}::TestNobody::test_every_listed_test_exists",
        here,
        "tests/docs/test_nothing.py::test_every_listed_test_exists",
        "scripts/features::main",
    ]
    assert gone([*there, *made_up]) == made_up


def test_the_page_is_what_the_script_writes() -> None:
    assert SCRIPT["PAGE"].read_text() == SCRIPT["page"](FEATURES), "run scripts/features"


def test_the_page_says_none_yet_and_what_is_missing() -> None:
    bare = {"number": 1, "title": "A thing", "papers": {}, "tests": []}
    part = bare | {
        "papers": {"stevo": "partly"},
        "tests": ["tests/a/test_b.py::TestC::test_it_is_so"],
        "missing": "half",
    }
    page = SCRIPT["page"]([bare, part, bare | {"tests": ["tests/test_d.py::test_it"]}])
    assert "3 features: 1 held, 1 in part, 1 none yet." in page
    assert "| 1 | A thing | none of them | none yet |" in page
    assert "| StEvo-Bench\\* | [it is so](../tests/a/test_b.py); *not yet: half* |" in page
