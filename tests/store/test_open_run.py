"""A run folder is opened by one function, from a path or a URL; what the command line is given goes through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import lookaway
from lookaway import cli
from lookaway.errors import StoreError, UsageError
from lookaway.store import make_run, open_run
from tests.command import invoke

ODD_NAMES = ["run", "my run", "a#1", "a?b", "100%", "ünï", "%20", "a:b"]
ELSEWHERE = ["s3://key:hush@bucket/run", "https://example.org/run", "GS://bucket/run"]
CLI = Path(lookaway.__file__).parent / "cli"


@pytest.mark.parametrize("name", ODD_NAMES)
def test_path_text_and_url_open_the_same_folder(name: str, tmp_path: Path) -> None:
    root = tmp_path / name
    (root / "logs").mkdir(parents=True)
    assert [open_run(place).root for place in (root, str(root), root.as_uri())] == [root] * 3
    assert make_run(root.as_uri().replace("file://", "FILE://localhost")).root == root


@pytest.mark.parametrize("opened", [open_run, make_run])
@pytest.mark.parametrize("place", ELSEWHERE)
def test_a_store_elsewhere_is_refused_in_one_line_that_says_what_to_do(place: str, opened) -> None:
    with pytest.raises(UsageError) as refused:
        opened(place)
    said = str(refused.value)
    assert said.startswith(place.split("//")[0])
    assert "give its path" in said
    assert "\n" not in said
    assert "hush" not in said


@pytest.mark.parametrize("place", ["file://elsewhere/run", "file://run", "file://", "file:///a%00b"])
def test_a_url_that_names_no_local_folder_is_refused(place: str) -> None:
    with pytest.raises(UsageError, match="three slashes"):
        open_run(place)


def test_a_folder_to_write_into_is_made_by_the_first_record_and_not_before(tmp_path: Path) -> None:
    assert not make_run(tmp_path / "run").root.exists()
    with pytest.raises(StoreError, match="not a run folder"):
        open_run((tmp_path / "run").as_uri())


def test_evaluate_takes_a_url_and_refuses_other_stores() -> None:
    with pytest.raises(UsageError, match="s3://"):
        lookaway.evaluate("truth", out="s3://bucket/run")


def verbs(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb by the words one types."""
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from verbs(inner, (*words, name))


cli.load_verbs()
TAKE_A_RUN = {
    words: verb.params
    for words, verb in verbs(typer.main.get_command(cli.app))
    if any(parameter.metavar == "RUN" for parameter in verb.params)
}


def test_verbs_that_take_a_run_are_known_by_its_name_in_the_help() -> None:
    assert {("run",), ("report",), ("show",), ("demo",), ("stage", "score"), ("admin", "forget")} <= set(TAKE_A_RUN)


@pytest.mark.parametrize("words", TAKE_A_RUN, ids=" ".join)
def test_every_verb_refuses_a_store_elsewhere(words: tuple[str, ...]) -> None:
    given = []
    for parameter in TAKE_A_RUN[words]:
        if parameter.metavar == "RUN" or parameter.required:
            flag = [parameter.opts[0]] if parameter.param_type_name == "option" else []
            given += [*flag, "s3://bucket/run" if parameter.metavar == "RUN" else "1"]
    code, said = invoke(*words, *given)
    assert code == 2
    assert "s3://…: run folders" in said


def test_the_command_line_takes_a_url(tmp_path: Path) -> None:
    place = (tmp_path / "my run").as_uri()
    code, said = invoke("report", place)
    assert (code, "not a run folder" in said) == (1, True)
    assert str(tmp_path / "my run") in said


@pytest.mark.parametrize("path", sorted(CLI.rglob("*.py")), ids=lambda p: p.name)
def test_no_verb_makes_a_run_by_itself(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    names = {f.id if isinstance(f, ast.Name) else f.attr for f in calls if isinstance(f, ast.Name | ast.Attribute)}
    assert "Run" not in names
