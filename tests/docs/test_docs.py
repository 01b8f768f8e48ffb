"""The docs are true: commands run, programs run, links resolve, words are used once, nothing named is missing."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from lookaway import cli
from lookaway.images import png_bytes
from lookaway.records import Clip
from lookaway.store import open_run
from lookaway.suites import Draft, Suite

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
TASK = "parlour0_ball_left"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")

# Plugin pages define something; this is what makes it do its work once.
TRIALS = {
    "add-a-metric.md": """
from tests.builders import task
seen = Fidelity(seconds=np.arange(2.0), true_seconds=np.arange(2.0), psnr=np.array([40.0, 30.0]), ssim=np.ones(2))
made = psnr_last(Case(task(), None, {"fidelity": seen.arrays()}, {}))
assert made == 30.0, made
""",
    "add-a-gate.md": """
from lookaway.gates import GATES
from tests.builders import task
facts = {"seconds": np.arange(2) / 8, "rotation": np.eye(3) * np.ones((2, 1, 1)), "confidence": np.ones(2)}
for back, trusted, says in ((0.5, True, None), (0.0, True, Gated), (0.5, False, Abstain)):
    shares = {"overlap": np.array([1.0, back]), "home_in_view": np.ones(2), "trusted": np.full(2, trusted)}
    shares |= {name: np.ones((2, 2)) for name in ("half_width_deg", "overlap_bounds", "home_bounds")}
    made = GATES.get("looked_back")(Case(task(), None, {"view": HomeView(**facts, **shares).arrays()}, {}))
    assert made is None if says is None else isinstance(made, says), made
""",
    "add-an-observer.md": """
from types import SimpleNamespace as N
frames = type("Frames", (N,), {"__len__": lambda self: len(self.rgb)})
rgb = np.zeros((3, 4, 4, 3), np.uint8)
rgb[2] = 30
made = brightness(N(frames=frames(rgb=rgb, seconds=np.arange(3.0))))
assert made.arrays()["grey"].tolist() == [0, 0, 30], made
""",
    "add-a-suite.md": """
from lookaway.geometry.visibility import has_opportunity
from lookaway.suites import find
(draft,) = find("grey-wall").drafts()
made, truth = draft.build(draft, Blobs(Path("blobs")))
assert made.id == "wall_left" and truth is None and has_opportunity(made)
""",
    "add-a-control.md": """
from lookaway.models import load
from tests.builders import task
asked = AskedCamera.of(task(), load("truth"))
angles = json.loads(yaw_list(asked).files["yaw.json"])
assert len(angles) == task().frames and min(angles) == -75
""",
    "add-a-generator.md": """
from types import SimpleNamespace as N
made = still(N(image=lambda: np.zeros((4, 4, 3), np.uint8), request=N(frames=5)))
assert len(made) == 5
""",
    "add-a-judge.md": """
from lookaway.judges import About
made = always_yes(Probe("?", [], About("there", "0" * 64)))
assert made.text == "Yes"
# next block
MyServer = lambda source, settings: (source, settings)
assert my_server("address", {"top": 5}) == ("address", {"top": 5})
""",
    "add-an-analysis.md": """
from lookaway.records import Protocol
from lookaway.reports.drawing.markdown import markdown_table
scores = pl.DataFrame({"protocol": ["p"] * 4, "system": [*"aabb"], "status": ["ok", "gated", "ok", "ok"]})
(made,) = measured_share(Findings(scores, {}, (), Protocol(name="p", summary="", metrics=(), headline=()), {}))
assert [row.cells[0].value for row in made.rows] == [50, 100], made
assert "| a | 50.0 n=1 of 2 |" in markdown_table(made), markdown_table(made)
""",
    "add-a-report.md": """
made = summary(Board.model_validate_json(Path("RUN/board.json").read_text()), Exhibits())
assert b"static-camera: turned away in 0.0 of" in made, made
""",
    "add-an-executor.md": """
from lookaway.executors import Site
made = list(one_by_one(sorted, [Group([2, 1]), Group([3])], Site()))
assert made == [[1, 2], [3]]
""",
}
IMPORTS = """
from pathlib import Path
import numpy as np
"""
NEXT_BLOCK = "# next block\n"
REGISTERED = """
from lookaway.plugins import registries
names = [p.name for r in registries() for p in r.all().values() if p.function.__module__ == "__main__"]
assert names, "the page registered nothing"
"""


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    kind, lines, start = "", [], 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```") and not kind:
            kind, lines, start = line[3:].strip() or "text", [], number
        elif line == "```":
            found.append(Block(kind, "\n".join(lines) + "\n", start))
            kind = ""
        elif kind:
            lines.append(line)
    assert not kind, f"{page.name}: the block at line {start} does not end"
    return found


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """Each command with the lines its output must have."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip():
            assert found, f"output before any command: {line}"
            found[-1][1].append(line.strip())
    return found


def runs_something(page: Path) -> bool:
    return any(block.kind in ("console", "python") for block in blocks(page))


@pytest.fixture
def workspace(demo_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader stands: a finished run, a folder of videos, the files that pages tell to write."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_run, "RUN")
    run = open_run("RUN")
    clips = {str(clip.case): clip.video for clip in run.latest("clips", Clip).values()}
    Path("FOLDER").mkdir()
    shutil.copyfile(run.blobs.path(str(clips[f"{TASK}/frozen/0"])), f"FOLDER/{TASK}.mp4")
    Path("map.csv").write_text(f"video,task,seed\n{TASK}.mp4,{TASK},0\n")
    judge_page = ROOT / "docs" / "add-a-judge.md"
    Path("answers.jsonl").write_text(next(b.text for b in blocks(judge_page) if b.kind == "text"))
    suite_page = blocks(ROOT / "docs" / "add-a-suite.md")
    Path("lamp").mkdir()
    Path("lamp/suite.toml").write_text(next(b.text for b in suite_page if b.kind == "toml"))
    Path("lamp/tasks.jsonl").write_text(next(b.text for b in suite_page if b.kind == "json"))
    Path("lamp/lamp.png").write_bytes(png_bytes(np.zeros((90, 160, 3), np.uint8)))
    return tmp_path


@pytest.fixture
def one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """The known world's suite cut down to one task, so that building it takes seconds."""
    drafts = Suite.drafts

    def few(suite: Suite) -> list[Draft]:
        return [draft for draft in drafts(suite) if draft.id == TASK or suite.name != "diorama-mini"]

    monkeypatch.setattr(Suite, "drafts", few)


@pytest.mark.parametrize("page", [page for page in PAGES if runs_something(page)], ids=lambda page: page.name)
def test_what_a_page_shows_works(page: Path, workspace: Path, one_task: None, monkeypatch: pytest.MonkeyPatch) -> None:
    trials = iter(TRIALS.get(page.name, "").split(NEXT_BLOCK))
    for block in blocks(page):
        if block.kind == "console":
            for command, expected in commands(block):
                run_command(command, expected, f"{page.name}:{block.line}", monkeypatch)
        elif block.kind == "python":
            registers = "\n@" in block.text and page.name in TRIALS
            trial = IMPORTS + next(trials) + REGISTERED if registers else ""
            run_program(block.text, trial, f"{page.name}:{block.line}")


def run_command(command: str, expected: list[str], where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"{where}: {command}"
    elif words[:2] == ["pip", "install"]:
        assert_installable(words[2:], where)
    elif words[0] == "lookaway":
        monkeypatch.setattr(sys, "argv", words)
        said, code = called()
        assert code == 0, f"{where}: {command} exits with {code}:\n{said}"
        for line in expected:
            assert occurs(line, said), f"{where}: {command} does not print '{line}' but:\n{said}"
    else:
        pytest.fail(f"{where}: no reader can be sure of '{command}'")


def called() -> tuple[str, int]:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        try:
            cli.main()
        except SystemExit as end:
            return text.getvalue(), int(end.code or 0)
    return text.getvalue(), 0


def occurs(expected: str, said: str) -> bool:
    pattern = re.compile(".*".join(re.escape(part.strip()) for part in expected.split("…")))
    return any(pattern.search(line) for line in said.splitlines())


def assert_installable(requirements: list[str], where: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in requirements:
        match = re.fullmatch(r"([\w-]+)(?:\[([\w,]+)\])?", requirement)
        assert match is not None, f"{where}: {requirement}"
        assert match[1] == project["name"], f"{where}: {requirement}"
        for extra in (match[2] or "").split(","):
            assert not extra or extra in project["optional-dependencies"], f"{where}: no extra {extra}"


def run_program(program: str, trial: str, where: str) -> None:
    """A program that registers plugins runs by itself; others run here, where the known world is already built."""
    Path("program.py").write_text(program + trial)
    if "\n@" in program:
        python(["program.py"], where)
    else:
        run_here(Path("program.py"))


def run_here(program: Path) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        runpy.run_path(str(program), run_name="__main__")
    return text.getvalue()


def python(arguments: list[str], where: str, *path: Path) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [ROOT, ROOT / "src", *path]))}
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, f"{where}:\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_training_loop_says_that_a_still_model_avoided_the_question() -> None:
    said = run_here(ROOT / "examples" / "training_loop.py")
    *steps, compared = said.splitlines()
    assert steps == [f"step {step}: object_return avoided, value None" for step in (2, 4)]
    assert compared.startswith("still@step 4 and still@step 2 cannot be told apart")


def test_the_example_package_passes_its_own_test_and_its_entry_points_register(tmp_path: Path) -> None:
    package = ROOT / "examples" / "brightness_metric"
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(package / "tests")]
    assert "5 passed" in python(tests, "brightness_metric", package / "src")
    groups = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]
    modules = [module for entries in groups.values() for module in entries.values()]
    program = f"import {', '.join(modules)}; from lookaway.plugins import registries\n"
    program += "print({r.group: [p.name for p in r.all().values()] for r in registries()})"
    registered = ast.literal_eval(python(["-c", program], "brightness_metric", package / "src"))
    for group, entries in groups.items():
        assert set(entries) <= set(registered[group])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_resolves(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
    missing = [t for t in targets if "://" not in t and not (page.parent / t.partition("#")[0]).exists()]
    assert not missing


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        page = page / "README.md" if page.is_dir() else page
        if page in PAGES and page not in seen:
            seen.add(page)
            links = re.findall(r"\]\(([^)\s]+)\)", page.read_text())
            ahead += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert not set(PAGES) - seen


def test_every_attack_is_held_by_a_test_that_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "benchmarks" / "attacks.md").read_text()))
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(named) > 60
    assert named - set(re.findall(r"def (test_\w+)", tests)) == set()


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = re.findall(r"^- \*\*(.+?)\*\*:", (ROOT / "docs" / "glossary.md").read_text(), re.MULTILINE)
    assert len(words) > 40
    assert sorted({word for word in words if words.count(word) > 1}) == []


@functools.cache
def click_commands() -> dict[str, set[str]]:
    """Every verb and its options, as the command line knows them."""
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        sys_argv, sys.argv = sys.argv, ["lookaway", "--help"]
        try:
            cli.main()
        finally:
            sys.argv = sys_argv
    return dict(options_of(typer.main.get_command(cli.app)))


def options_of(group: Any, prefix: str = "") -> Iterator[tuple[str, set[str]]]:
    """Verbs of a group, and those of the groups in it under both their names; old names are hidden."""
    for name, verb in group.commands.items():
        if hasattr(verb, "commands"):
            yield from options_of(verb, f"{prefix}{name} ")
        elif not verb.hidden:
            yield f"{prefix}{name}", {o for p in verb.params for o in [*p.opts, *p.secondary_opts]}


def prose() -> str:
    return "\n".join(page.read_text() for page in PAGES)


def test_every_verb_is_documented() -> None:
    said = prose()
    assert [verb for verb in click_commands() if not re.search(rf"(\$ |`)lookaway {verb}\b", said)] == []


def named_commands(text: str) -> set[str]:
    """What a text calls a command: in code, after a prompt or a colon, in a line of its own, as a list of words."""
    text = text.replace('["lookaway", "', "`lookaway ").replace('", "', " ")
    return set(re.findall(r"(?:`|\$ |[:;>] |>|&& |^ *)lookaway ([a-z][a-z-]*(?: [a-z][a-z-]*)?)", text, re.MULTILINE))


def unknown_commands(text: str) -> set[str]:
    """Those that are neither a verb, nor a group, nor a verb of a group."""
    known = {*click_commands()}
    groups = {verb.split()[0] for verb in known if " " in verb}
    return {w for w in named_commands(text) if not {w, w.split()[0]} & known and w not in groups}


def test_commands_are_found_in_a_text_and_wrong_ones_noticed() -> None:
    text = "run: lookaway stage observe\n`lookaway suites` <code>lookaway show RUN</code>\n$ lookaway world draw x\n"
    text += 'join(["lookaway", "forget", "x"]) and then lookaway does more; `lookaway camera` helps, lookaway run x\n'
    assert named_commands(text) == {"stage observe", "suites", "show", "world draw", "forget x", "camera"}
    assert unknown_commands(text) == {"suites", "world draw", "forget x"}


NAMING = [
    *(page for page in PAGES if page.name != "CHANGELOG.md"),  # which tells of former names
    *sorted((ROOT / "benchmarks").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
    *sorted((ROOT / "scripts").iterdir()),
    *sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".jinja", ".toml")),
]


def test_every_command_that_a_page_or_a_message_names_exists() -> None:
    wrong = {str(path.relative_to(ROOT)): unknown_commands(path.read_text()) for path in NAMING}
    assert {path: words for path, words in wrong.items() if words} == {}
    assert sum(len(named_commands(path.read_text())) for path in NAMING) > 80


def test_no_page_mentions_an_option_that_does_not_exist() -> None:
    known = {option for options in click_commands().values() for option in options} | {"--help"}
    known |= set(re.findall(OPTION, (ROOT / "tests" / "learned" / "test_vllm.py").read_text()))  # given to a real vLLM
    known |= set(re.findall(OPTION, (ROOT / "examples" / "cluster" / "slurm.sh").read_text()))  # given to Ray and Slurm
    mentioned = set(re.findall(OPTION, prose()))
    assert mentioned
    assert mentioned - known == set()


def test_the_readme_says_what_each_extra_does() -> None:
    readme = (ROOT / "README.md").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert [extra for extra in extras if not re.search(rf"^\|.*`{extra}`", readme, re.MULTILINE)] == []


def test_pages_name_no_place_on_one_machine() -> None:
    assert re.findall(r"(?:/tmp|/root|/home|/work)/\S*", prose()) == []


def test_the_picture_of_the_report_is_small_enough_for_a_readme() -> None:
    assert (ROOT / "docs" / "images" / "report.png").stat().st_size < 400_000
