"""Small traps of the command line: what a person types by mistake is refused early, and what is gone stops nobody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lookaway.api import evaluate
from lookaway.cli import EXIT_FAILURES, EXIT_USAGE, app, load_verbs
from lookaway.errors import LookawayError, UsageError
from lookaway.generators import GENERATORS, Made
from lookaway.generators.python import _callables
from lookaway.images import read_image
from lookaway.judges import JUDGES
from lookaway.metrics import METRICS
from lookaway.observers import OBSERVERS
from lookaway.pipeline import plans
from lookaway.records import Request, Score
from lookaway.store import Run
from lookaway.video import encode
from tests.walk.test_cli import call
from tests.walk.test_ingest import light_suite


def invoke(*words: str) -> tuple[int, str]:
    """The command line within this process: exit code, and all that it says."""
    load_verbs()
    done = CliRunner().invoke(app, words)
    if isinstance(done.exception, LookawayError):
        return EXIT_USAGE if isinstance(done.exception, UsageError) else EXIT_FAILURES, str(done.exception)
    return done.exit_code, done.output


class Place:
    """A suite of two tasks that cost nothing, and models that are one line of shell."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suite, self.tasks = light_suite(folder / "suite", 2)
        self.video = folder / "video.mp4"
        encode([read_image(self.suite / "first.png")] * 20, self.video, 16)

    def card(self, name: str, command: str | None = None, more: str = "", control: str = "poses") -> str:
        path = self.folder / f"{name}.toml"
        settings = json.dumps(command if command is not None else f"cp {self.video} {{out}}")
        path.write_text(
            f'summary = "s"\ncontrol = "{control}"\ngenerator = "command"\n{more}[settings]\ncommand = {settings}\n'
        )
        return str(path)

    def run(self, *words: str) -> tuple[int, str]:
        return invoke("run", "--out", str(self.out.root), "--suite", str(self.suite), *words)

    @property
    def out(self) -> Run:
        return Run(self.folder / "runs" / "toy")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def lines(run: Run, log: str) -> int:
    folder = run.log_folder(log)
    return sum(len(path.read_text().splitlines()) for path in folder.glob("*.jsonl")) if folder.is_dir() else 0


@pytest.mark.parametrize("only", ["scene?_lamp", "scene1*", "*/zeta/*", "zeta", "scene0_lamp/zeta/0"])
def test_a_pattern_of_tasks_or_of_cases_selects_both(only: str, place: Place) -> None:
    code, said = place.run("--models", place.card("zeta"), "--protocols", "metric:turned_away", "--only", only)
    assert code == 0, said
    wanted = 2 if only in ("scene?_lamp", "*/zeta/*", "zeta") else 1
    assert [lines(place.out, log) for log in ("tasks", "clips", "scores")] == [wanted] * 3


@pytest.mark.parametrize("only", ["t?", "tusk", "scene0_lamp/b/0", "*/a/7"])
def test_a_pattern_of_nothing_is_refused_before_anything_is_built(only: str, place: Place) -> None:
    code, said = place.run("--models", place.card("a"), "--only", only)
    assert code == 2
    assert f"--only '{only}' matches none of the 4 items, such as scene1_lamp/a/0" in said
    assert not place.out.root.exists()


@pytest.mark.parametrize(
    ("card", "complaint"),
    [
        ({"more": "speed = 3\n"}, "speed: Extra inputs are not permitted"),
        ({"control": "pose"}, "no control named 'pose'; did you mean poses?"),
        ({"command": ""}, "the card has no settings.command"),
        ({"command": "sample.py {poses}"}, "nothing to put for {poses}"),
        ({"command": "sample.py 'half"}, "settings.command cannot be read"),
        ({"more": '[control_settings]\nconvention = "opencl"\n'}, "control_settings: convention: Input should be"),
        ({"control": "steps"}, "control_settings: degrees_per_step: Field required"),
    ],
)
def test_a_mistake_in_a_card_is_found_before_anything_is_built(
    card: dict[str, str], complaint: str, place: Place
) -> None:
    code, said = place.run("--models", f"{place.card('good')},{place.card('bad', **card)}")
    assert code == 2, said
    assert complaint in said
    assert not place.out.root.exists()


def test_a_card_without_a_command_is_found_before_anything_is_built(place: Place) -> None:
    path = Path(place.card("bad"))
    path.write_text(path.read_text().partition("[settings]")[0])
    code, said = place.run("--models", str(path))
    assert code == 2
    assert "bad: how it is run on this machine is not told: its card has no settings.command" in said
    assert not place.out.root.exists()


def test_the_way_to_go_on_names_the_folder_as_it_was_given(place: Place) -> None:
    card = place.card("a")
    out = "my runs/toy"
    words = ["run", "--suite", str(place.suite), "--models", card, "--out", out, "--limit", "1"]
    done = call(*words, "--protocols", "metric:turned_away", cwd=place.folder)
    assert "go on with: lookaway run --out 'my runs/toy'" in " ".join(done.stdout.split()), done.stdout


# ---------------------------------------------------------------- what was there when the plan was made


def aggregated(place: Place) -> dict[str, Any]:
    code, said = invoke("stage", "analyse", str(place.out.root), "--json")
    assert code == 0, said
    return json.loads(said)


def test_a_removed_metric_stops_neither_run_nor_report_and_its_numbers_stay(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = place.folder / "mine.toml"
    own.write_text('summary = "s"\nmetrics = ["turned_away", "static_hold"]\nheadline = ["turned_away"]\n')
    assert place.run("--models", place.card("a"), "--protocols", str(own))[0] == 0
    before = aggregated(place)
    monkeypatch.delitem(METRICS._plugins, "turned_away:sound")
    after = aggregated(place)
    way_out = f"lookaway admin forget {place.out.root} --protocol mine"
    assert after["not_measured"]["turned_away:sound"].endswith(way_out)
    assert {cell["metric"] for cell in after["cells"]} == {"turned_away", "static_hold"}
    assert [c["value"] for c in after["cells"]] == [c["value"] for c in before["cells"]]
    code, said = invoke("report", str(place.out.root))
    assert code == 0, said
    page = (place.out.root / "report.html").read_text()
    assert "lookaway admin forget toy --protocol mine" in page
    assert str(place.out.root) not in page
    code, said = place.run("--models", place.card("b"))
    assert code == 0, said
    assert "going on without turned_away:sound: not installed here; its recorded numbers stay" in said
    assert {s.system for s in scores(place.out, "turned_away")} == {"a"}
    assert {s.system for s in scores(place.out, "static_hold")} == {"a", "b"}
    assert invoke("admin", "forget", str(place.out.root), "--protocol", "mine")[0] == 0
    assert "turned_away:sound" not in aggregated(place)["not_measured"]


def scores(run: Run, metric: str) -> list[Score]:
    return [score for score in run.latest("scores", Score).values() if score.metric == metric]


def test_a_vanished_observer_judge_or_generator_stops_nobody_who_can_go_on(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = place.folder / "answers.jsonl"
    answers.write_text("")
    words = ["--protocols", "metric:turned_away,metric:question_accuracy", "--judge", f"scripted:{answers}"]
    assert place.run("--models", place.card("a"), *words)[0] == 0
    monkeypatch.delitem(JUDGES._plugins, "scripted")
    monkeypatch.delitem(OBSERVERS._plugins, "view")
    monkeypatch.delitem(GENERATORS._plugins, "command")
    forget = f"lookaway admin forget {place.out.root}"
    code, said = place.run()
    assert code == 0, said
    for what, way_out in {
        "judge scripted": f"{forget} --judge all",
        "turned_away:sound: its observer 'view'": f"{forget} --protocol metric:turned_away",
        "new clips of a: the generator 'command'": f"{forget} --model a",
    }.items():
        (line,) = [line for line in said.splitlines() if line.startswith(f"going on without {what}")]
        assert line.endswith(way_out)
    code, said = invoke("report", str(place.out.root))
    assert code == 0, said
    code, said = invoke("stage", "judge", str(place.out.root))
    assert code == 2
    assert f"{forget} --judge all" in said


def test_an_extra_that_is_gone_names_the_way_to_go_on_without_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--protocols", "metric:turned_away"]
    assert place.run("--models", place.card("a"), *words)[0] == 0
    view = OBSERVERS.get("view")
    monkeypatch.setitem(OBSERVERS._plugins, "view", replace(view, extra="ray"))
    monkeypatch.setattr("lookaway.extras.missing", lambda extra: [extra])
    code, said = place.run()
    assert code == 2
    way_out = f"or leave it out: lookaway admin forget {place.out.root} --protocol metric:turned_away"
    assert f"'view' needs the 'ray' extra: pip install 'lookaway[ray]'; {way_out}" in said


# ---------------------------------------------------------------- what exit code 1 speaks of


def test_a_failure_counts_for_the_command_that_tried(place: Place) -> None:
    cheap = ["--protocols", "metric:turned_away"]
    assert place.run("--models", place.card("a", "false"), *cheap)[0] == 1
    assert place.run()[0] == 1  # tried again, in vain
    assert invoke("stage", "score", str(place.out.root))[0] == 0  # did what it could
    assert {s.status for s in scores(place.out, "turned_away")} == {"failed"}
    assert place.run("--models", place.card("b"), "--only", "*/b/*")[0] == 0
    assert place.run("--models", place.card("a"))[0] == 0  # made good
    assert place.run("--models", place.card("a", "false"))[0] == 1
    (broken,) = [s.label for s in plans.load(place.out).systems if s.label.startswith("a~")]
    assert invoke("admin", "forget", str(place.out.root), "--model", broken)[0] == 0
    assert place.run()[0] == 0


def test_the_old_failure_of_a_model_that_cannot_be_tried_here_is_no_failure_of_this_run(place: Place) -> None:
    def broken(request: Request) -> Made:
        raise ValueError("out of memory")

    with pytest.warns(UserWarning, match="out of memory"):
        evaluate(broken, suite=str(place.suite), protocols=["metric:turned_away"], out=place.out.root)
    _callables.clear()
    assert place.run("--models", place.card("a"))[0] == 0
    assert {s.status for s in scores(place.out, "turned_away") if s.system == "broken"} == {"failed"}
