"""One set of promises for every command: a new verb is put into `cli/tree.py` and has to keep them."""

from __future__ import annotations

import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from lookaway.cli import app, load_verbs
from lookaway.cli.tree import GROUPS, MOVED, VERBS, summary
from tests.command import call

load_verbs()
TREE: Any = typer.main.get_command(app)
WIDTH = 80

READS_A_RUN = {"show", "report", "share preferences", "suite make", "admin compact", "admin forget"}
READS_A_RUN |= {"bank write", "bank filter", "people make"}
READS_A_RUN |= {"share seal", "share tables", "share results", "share costs", "share send"}
MAKES_A_RUN = {"look", "run", "ingest", "calibrate", "demo", "share fetch"}


def shown(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every verb that help shows, by the words one types."""
    for name in group.list_commands(None):
        verb = group.commands[name]
        if hasattr(verb, "commands"):
            yield from shown(verb, f"{name} ")
        else:
            yield f"{prefix}{name}", verb


COMMANDS = dict(shown(TREE))


@pytest.fixture
def own_small_run(small_run: Path, tmp_path: Path) -> Path:
    """A copy of the small run and of its suite, to be changed."""
    shutil.copytree(small_run.parent, tmp_path / "small")
    return tmp_path / "small" / "run"


every_command = pytest.mark.parametrize("words", COMMANDS)


def function(command: Any) -> Callable[..., object]:
    return inspect.unwrap(command.callback)


def test_all_that_is_in_the_tree_is_shown_or_the_old_name_of_two_verbs() -> None:
    assert {*TREE.commands} == {*VERBS, *GROUPS, "tasks", "models"}
    assert {name for name, command in TREE.commands.items() if command.hidden} == {"tasks", "models"}
    assert not [words for words in COMMANDS if COMMANDS[words].hidden]


def test_groups_come_in_the_order_of_the_walk() -> None:
    said = call("--help").stdout.splitlines()
    first_words = [line.split()[0] for line in said if line.startswith("  ") and line.split()]
    assert [word for word in first_words if word in (*VERBS, *GROUPS)] == [*VERBS, *GROUPS]
    assert [words.split()[1] for words in COMMANDS if words.startswith("stage ")] == [
        *("tasks", "controls", "generate", "observe", "judge", "score", "analyse")
    ]


@every_command
def test_a_command_says_in_one_line_what_one_gets(words: str) -> None:
    line = summary(COMMANDS[words])
    assert line.endswith(".")
    assert line[0].isupper()
    assert len(line) <= WIDTH
    assert COMMANDS[words].help.strip().startswith(line)
    after = COMMANDS[words].help.strip()[len(line) :]
    assert not after or after.startswith("\n\n"), "the summary is a paragraph of its own"


@pytest.mark.parametrize("group", [(), *((name,) for name in GROUPS)], ids=lambda group: " ".join(group) or "lookaway")
def test_no_summary_is_cut_at_80_columns(group: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    said = call(*group, "--help").stdout
    branch = TREE.commands[group[0]] if group else TREE
    lines = [line.strip() for line in said.splitlines()]
    assert all(len(line) <= WIDTH for line in said.splitlines())
    assert "..." not in said.partition("\n")[2]
    for name in branch.list_commands(None):
        assert [line for line in lines if line.startswith(f"{name} ") and line.endswith(summary(branch.commands[name]))]


@every_command
def test_what_reads_a_run_takes_it_first_and_what_makes_one_takes_out(words: str) -> None:
    parameters = COMMANDS[words].params
    runs = [p for p in parameters if p.metavar == "RUN"]
    if words in MAKES_A_RUN:
        assert [p.opts for p in runs] == [["--out"]]
    elif words in READS_A_RUN or words.startswith("stage "):
        assert runs == parameters[:1]
        assert runs[0].param_type_name == "argument"
    else:
        assert runs == []


def test_every_kind_of_command_about_runs_was_seen() -> None:
    assert {*COMMANDS} >= READS_A_RUN | MAKES_A_RUN
    assert len([words for words in COMMANDS if words.startswith("stage ")]) == 7


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_is_the_same_command(old: str) -> None:
    assert old not in COMMANDS
    assert old not in TREE.list_commands(None)
    command: Any = TREE
    for word in MOVED[old].split():
        command = command.commands[word]
    found = TREE.get_command(None, old)
    assert found is command
    if not hasattr(found, "commands"):
        assert function(found).__module__ == f"lookaway.cli.{MOVED[old].split()[0]}"


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_still_works_and_says_the_new_one(old: str) -> None:
    done, now = call(old, "--help"), call(*MOVED[old].split(), "--help")
    assert (done.returncode, done.stdout) == (0, now.stdout)
    assert done.stderr == f"lookaway {old} is now: lookaway {MOVED[old]}\n"
    assert now.stderr == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("suites", "suite list"),
        ("tasks diorama-mini", "suite tasks diorama-mini"),
        ("models --reference", "model list --reference"),
        ("models", "model list"),
        ("models veo-3", "model show veo-3"),
        ("worlds list", "world list"),
        ("aggregate RUN", "stage analyse RUN"),
        ("show CASE RUN", "show RUN CASE"),
        ("score RUN", "stage score RUN"),
        ("tasks SUITE --out RUN --fresh", "stage tasks RUN --suite SUITE --fresh"),
    ],
)
def test_what_was_typed_before_gives_the_same_json_and_one_more_line(old: str, new: str, own_small_run: Path) -> None:
    places = {"RUN": str(own_small_run), "CASE": "a/held-first-frame/0", "SUITE": str(own_small_run.parent / "suite")}

    def said(words: str) -> tuple[Any, list[str]]:
        done = call(*(places.get(word, word) for word in words.split()), "--json")
        assert done.returncode == 0, done.stderr
        return without_times(json.loads(done.stdout)), done.stderr.splitlines()

    (before, lines), (after, _) = said(old), said(new)
    assert before == after
    (told,) = [line for line in lines if " is now: " in line]
    assert told.startswith(f"lookaway {old.split()[0]}")
    assert f" is now: lookaway {new.split()[0]}" in told


def without_times(said: Any) -> Any:
    if isinstance(said, dict) and "stages" in said:
        return said | {"stages": [stage | {"seconds": None} for stage in said["stages"]]}
    return said


def test_doctor_with_a_judge_says_where_judges_are_tested() -> None:
    old, new = call("doctor", "--judge", "nosuch:x", "--json"), call("judges", "test", "nosuch:x", "--json")
    assert old.stderr == "lookaway doctor --judge JUDGE is now: lookaway judges test JUDGE\n" + new.stderr
    assert (old.returncode, old.stdout) == (new.returncode, new.stdout)
    assert "--judge" not in call("doctor", "--help").stdout


def test_the_headline_of_a_run_is_in_its_json(own_small_run: Path) -> None:
    said = json.loads(call("run", "--out", str(own_small_run), "--json").stdout)
    board = json.loads((own_small_run / "board.json").read_text())
    (cell,) = [c for c in board["cells"] if (c["metric"], c["slice"]) == ("psnr_all", "all")]
    assert said["headline"] == [
        {
            "protocol": "small",
            "system": "held-first-frame",
            "metric": "psnr_all",
            "variant": "sound",
            **{name: cell[name] for name in ("instrument", "ask", "value", "low", "high")},
            "n": 2,
            "of": 2,
        }
    ]
    assert said["headline"][0]["value"] > 0
    assert said["stages"]
    assert said["written"]


def test_a_headline_that_names_a_variant_shows_that_one(own_small_run: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    both = [f"prompt_camera_alignment:{variant}" for variant in ("sound", "released")]
    own.write_text(f'summary = "own"\nmetrics = {json.dumps(both)}\nheadline = ["{both[1]}"]\n')
    said = json.loads(call("run", "--out", str(own_small_run), "--protocols", str(own), "--json").stdout)
    rows = [row for row in said["headline"] if row["protocol"] == "own"]
    assert [(row["metric"], row["variant"]) for row in rows] == [("prompt_camera_alignment", "released")]
    assert (rows[0]["of"], rows[0]["value"] is None) == (2, rows[0]["n"] == 0)
