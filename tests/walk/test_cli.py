"""The command line as a person uses it: exit codes, JSON, near misses."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lookaway.records import Task
from lookaway.store import Blobs, Run
from lookaway.suites import SUITES, Draft, Suite
from tests.command import call
from tests.test_suites import row, suite_folder


@pytest.mark.parametrize("verb", ["suite list", "metrics", "model list"])
def test_listings_speak_json_and_fit_the_page(verb: str) -> None:
    listed = json.loads(call(*verb.split(), "--json").stdout)
    assert listed
    plain = call(*verb.split()).stdout
    assert all(len(line) <= 100 for line in plain.splitlines())
    assert next(iter(listed[0].values())) in plain


def test_metrics_that_never_ran_on_true_weights_are_listed_as_unverified() -> None:
    listed = {(row["metric"], row["variant"]): row for row in json.loads(call("metrics", "--json").stdout)}
    assert listed["object_identity", "released"]["unverified"] == ["returned_patches_released"]
    assert listed["visual_quality", "paper"]["unverified"] == ["aesthetics", "clip_iqa"]
    assert listed["psnr_all", "paper"]["unverified"] == []
    assert "aesthetics (unverified)" in listed["visual_quality", "paper"]["needs"]


def test_a_card_is_shown_whole_with_the_source_of_each_fact_or_unknown() -> None:
    plain = call("model", "show", "veo-3").stdout
    assert re.search(r"^limits +8 seconds +\[(\d)\]", plain, re.MULTILINE)
    assert re.search(r"^\[\d\] StEvo-Bench's released settings$", plain, re.MULTILINE)
    assert re.search(r"^fps +unknown *$", plain, re.MULTILINE)
    card = json.loads(call("model", "show", "veo-3", "--json").stdout)
    assert (card["name"], card["fps"], card["weights"]) == ("veo-3", None, "closed")


def test_reference_models_are_listed_apart() -> None:
    evaluated, reference = call("model", "list").stdout, call("model", "list", "--reference").stdout
    assert "gen3c" in evaluated
    assert "frozen" not in evaluated
    assert "gen3c" not in reference
    assert "frozen" in reference


def test_a_card_of_ones_own_shows_which_facts_have_no_source(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('summary = "mine"\ncontrol = "poses"\ngenerator = "g"\n')
    assert re.search(r"^control +poses +no source", call("model", "show", str(own)).stdout, re.MULTILINE)


def test_a_model_that_nothing_can_run_yet_is_refused_with_a_way_out(tmp_path: Path) -> None:
    done = call("run", "--suite", "diorama-mini", "--models", "genie-3", "--out", "x", cwd=tmp_path)
    assert done.returncode == 2
    assert "genie-3: how it is run on this machine is not told: its card has no settings.address" in done.stderr
    assert "bring its videos" in done.stderr
    assert not (tmp_path / "x").exists()


def test_a_copied_card_runs_once_its_command_is_written(tmp_path: Path) -> None:
    """The steps that the error tells, followed."""
    own = tmp_path / "wan-fun-2.2-5b.toml"
    own.write_text(call("model", "show", "Wan-Fun 2.2-5B", "--toml").stdout)
    asked = ("run", "--suite", "diorama-mini", "--models", own.name, "--out", "x", "--dry-run")
    assert call(*asked, cwd=tmp_path).returncode == 2, "its settings are comments until somebody writes them"
    own.write_text(own.read_text().replace("# [settings]", "[settings]").replace("# command", "command"))
    done = call(*asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_what_models_are_made_of_is_listed() -> None:
    said = call("model", "list", "--mechanism").stdout
    assert re.search(r"^hydra +Wan2\.1-T2V-1\.3B +reappearance memory", said, re.MULTILINE)
    shown = call("model", "show", "spatia").stdout
    assert "geometry-cache: a point cloud" in shown
    assert re.search(r"^carrier +external geometry +\[\d+\]", shown, re.MULTILINE)


def test_tasks_are_listed_as_they_are_built(demo_run: Path) -> None:
    listed = {told["task"]: told for told in json.loads(call("suite", "tasks", "diorama-mini", "--json").stdout)}
    assert len(listed) == len({told["scene"] for told in listed.values()}) == 8
    built = Run(demo_run).latest("tasks", Task).values()
    assert len(built) == 2
    for task in built:
        told = listed[task.id]
        assert (told["category"], told["event"]) == (task.category, task.event)
        assert (told["look"],) == task.observation_controls
        assert [told["side"]] == [subject.side for subject in task.subjects]


def test_still_worlds_and_static_twins_are_listed_as_such() -> None:
    listed = {row["task"]: row for row in json.loads(call("suite", "tasks", "diorama", "--json").stdout)}
    assert {row["event"] for name, row in listed.items() if "_still-" in name} == {"none"}
    assert {row["look"] for name, row in listed.items() if name.endswith("_static")} == {"none"}
    assert {row["event"] for row in listed.values()} == {"none", "spatial", "state_only", "full"}
    assert "none" not in {row["look"] for name, row in listed.items() if not name.endswith("_static")}


def test_tasks_of_a_folder_are_listed_by_what_their_rows_say(tmp_path: Path) -> None:
    lamp = row(moves=False, changes_in_place=True, observation_controls=["occlusion", "look_away"])
    folder = suite_folder(tmp_path, lamp)
    (listed,) = json.loads(call("suite", "tasks", str(folder), "--json").stdout)
    assert (listed["category"], listed["event"]) == (lamp["category"], "state_only")
    assert (listed["look"], listed["side"]) == ("occlusion, look_away", lamp["subjects"][0]["side"])


def test_what_a_suite_of_code_does_not_say_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(draft: Draft, blobs: Blobs) -> tuple[Task, None]:
        raise AssertionError("listing builds nothing")

    draft = Draft("wall", "grey", "1", "hall", "hold@1s", 1.0, 8.0, (), build)
    monkeypatch.setitem(SUITES._plugins, "grey", Suite("grey", 1, lambda: [draft], "a wall"))
    (listed,) = json.loads(call("suite", "tasks", "grey", "--json").stdout)
    assert [listed[name] for name in ("category", "event", "look", "side")] == [None] * 4
    assert re.search(r"^wall +– +– +– +– +1\.0", call("suite", "tasks", "grey").stdout, re.MULTILINE)


def test_doctor_tells_what_is_missing_and_what_it_would_enable() -> None:
    rows = {row["name"]: row for row in json.loads(call("doctor", "--json").stdout)}
    assert rows["worlds"]["ok"]
    assert all(len(line) <= 140 for line in call("doctor").stdout.splitlines())
    for name in ("torch", "openai", "gemini", "ray", "people"):
        if not rows[name]["ok"]:
            assert f"pip install 'lookaway[{name}]'" in rows[name]["says"]


def test_a_plan_gives_denominators_time_and_cost() -> None:
    plan = json.loads(
        call("plan", "--suite", "diorama-mini", "--models", "truth,frozen", "--seeds", "2", "--json").stdout
    )
    assert (plan["tasks"], plan["scenes"], plan["cases"]) == (8, 8, 32)
    assert plan["scores"] == 32 * len(plan["metrics"])
    assert plan["seconds"] > 0
    assert plan["cost_usd"] == 0
    said = call("plan", "--suite", "diorama-mini", "--models", "truth", "--protocols", "integrity").stdout
    assert "without patch_features, patch_features_released, whose rate is unknown" in said
    said = call("plan", "--suite", "diorama-mini", "--models", "truth", "--protocols", "questions").stdout
    assert "not measured: question_accuracy:sound: needs a judge" in said


def test_a_plan_tells_the_hours_of_a_pool() -> None:
    asked = ("plan", "--suite", "diorama-mini", "--models", "truth,frozen", "--protocols", "integrity", "--json")
    million = ("--clips", "1000000", "--rate", "patch_features=0.36", "--rate", "judge=0.36")
    small, large, no_gpu = (
        json.loads(call(*asked, *million, "--pool", pool).stdout)["pool"]
        for pool in ("cpu=32,gpu=8", "cpu=64,gpu=8", "cpu=64")
    )
    assert small["hours_of"]["cpu"] == pytest.approx(2 * large["hours_of"]["cpu"])
    assert large["hours_of"]["gpu"] == pytest.approx(0.72 * 1e6 / 8 / 3600)
    assert large["hours"] == max(large["hours_of"].values())
    assert no_gpu["seconds_per_clip"]["cpu"] == pytest.approx(large["seconds_per_clip"]["cpu"] + 0.72)
    assert large["unknown"] == ["patch_features_released"], "the other was told"
    for wrong, said in ((("--pool", "tpu=1"), "cpu=NUMBER"), (("--rate", "patch_feature=1"), "mean patch_features")):
        refused = call(*asked, *wrong)
        assert refused.returncode == 2
        assert said in refused.stderr


def test_an_executor_that_is_none_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    asked = ("run", "--suite", "diorama-mini", "--models", "truth", "--out", str(tmp_path / "run"), "--executor")
    for wrong, said in (("rya:10.0.0.1:6379", "did you mean ray?"), ("local:10.0.0.1", "takes no address")):
        refused = call(*asked, wrong)
        assert refused.returncode == 2
        assert said in refused.stderr
    assert not (tmp_path / "run").exists()


def test_a_plan_says_why_tasks_cannot_pose_the_return_test(tmp_path: Path) -> None:
    cameras = {"still": "hold@4s", "small": "preset:yaw-lr:10@4s", "away": "yaw:left:75@1s, hold@3s"}
    rows = [row(), *(row(id=name, camera=camera) for name, camera in cameras.items())]
    said = call("plan", "--suite", str(suite_folder(tmp_path, *rows)), "--models", "truth").stdout
    assert "could pose the return test: 1 of 4 tasks" in said
    assert "  2 cannot: the subject never leaves view\n" in said
    assert "  1 cannot: the subject leaves view and does not come back\n" in said


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["suite", "tasks", "diorama-mni"], "did you mean diorama-mini"),
        (["plan", "--suite", "diorama-mini", "--models", "forzen"], "did you mean frozen?"),
        (["plan", "--suite", "diorama-mini", "--models", "truth", "--protocols", "dioram"], "did you mean diorama?"),
        (["run", "--out", "nowhere"], "no run here yet"),
        (["stage", "score", "nowhere"], "no run here"),
        (["report", "nowhere"], "not a run folder"),
        (["show", "nowhere", "a/b/0"], "not a run folder"),
        (["demo", "--shard", "3/2"], "--shard '3/2' must be I/N"),
        (["rnu"], "run"),
        (["ingest", "nowhere", "--suite", "diorama-mini", "--model", "x", "--out", "o"], "no such folder"),
    ],
)
def test_a_wrong_request_exits_with_two_and_says_what_next(arguments: list[str], hint: str, tmp_path: Path) -> None:
    done = call(*arguments, cwd=tmp_path)
    assert hint in done.stderr
    assert done.returncode in ((2,) if "not a run folder" not in hint else (1,))
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_show_walks_from_a_case_back_to_the_pixels(demo_run: Path, tmp_path: Path) -> None:
    strip = tmp_path / "strip.png"
    case = "parlour0_ball_left/frozen/0"
    done = call("show", str(demo_run), case, "--metric", "object_return", "--strip", str(strip))
    assert done.returncode == 0, done.stderr
    for step in ("task", "truth", "request", "clip", "seen", "scores", "object_return", "sha256"):
        assert step in done.stdout
    assert strip.stat().st_size > 10_000
    steps = json.loads(call("show", str(demo_run), case, "--json").stdout)
    assert Path(steps["clip"][0]["video"]).exists()
    wrong = call("show", str(demo_run), "parlour0_ball_left/frosen/0")
    assert wrong.returncode == 2
    assert "did you mean parlour0_ball_left/frozen/0" in wrong.stderr


def test_each_stage_is_a_command_of_its_own(own_run: Run) -> None:
    folder = str(own_run.root)
    for verb in ("controls", "generate", "observe", "score"):
        done = call("stage", verb, folder, "--dry-run", "--json")
        assert done.returncode == 0, done.stderr
        (stage,) = json.loads(done.stdout)["stages"]
        assert stage["outcomes"] == []
    board = json.loads(call("stage", "analyse", folder, "--json").stdout)
    assert board["systems"] == ["truth", "frozen", "vanished", "static-camera"]
    (own_run.root / "report.html").unlink()
    written = call("report", folder).stdout.split()
    assert str(own_run.root / "report.html") in written
    before = json.loads(call("stage", "analyse", folder, "--json").stdout)
    assert call("admin", "compact", folder).returncode == 0
    assert not list(own_run.log_folder("scores").glob("*.jsonl"))
    assert json.loads(call("stage", "analyse", folder, "--json").stdout) == before


def test_failures_decide_the_exit_code(own_run: Run, tmp_path: Path) -> None:
    card = tmp_path / "odd.toml"
    card.write_text(
        'summary = "asks for a model nobody knows"\ncontrol = "poses"\ngenerator = "known_world"\n'
        '[settings]\nreference = "melting"\n'
    )
    arguments = ["run", "--out", str(own_run.root), "--models", str(card), "--only", "parlour0_ball*/odd/*"]
    done = call(*arguments)
    assert done.returncode == 1
    assert "no reference model named 'melting'" in done.stderr
    assert call(*arguments, "--max-failures", "50").returncode == 0


def test_a_mistake_in_a_protocol_stops_before_anything_is_made(own_run: Run, tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('summary = "mine"\nmetrics = ["object_retrun"]\nheadline = []\n')
    before = (own_run.root / "run.json").read_text()
    done = call("run", "--out", str(own_run.root), "--protocols", str(own))
    assert done.returncode == 2
    assert "did you mean object_return" in done.stderr
    assert (own_run.root / "run.json").read_text() == before


def test_a_protocol_of_ones_own_lives_in_the_run_and_can_be_forgotten(own_run: Run, tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('summary = "mine"\nmetrics = ["object_return"]\nheadline = ["object_return"]\n')
    only = ["--only", "parlour0_ball*/truth/*"]
    assert call("stage", "score", str(own_run.root), "--protocols", str(own), *only).returncode == 0
    own.unlink()
    board = json.loads(call("stage", "analyse", str(own_run.root), "--json").stdout)
    assert [p["name"] for p in board["protocols"]] == ["diorama", "mine"]
    assert call("admin", "forget", str(own_run.root), "--protocol", "mine").returncode == 0
    assert call("admin", "forget", str(own_run.root), "--model", "frozen").returncode == 0
    board = json.loads(call("stage", "analyse", str(own_run.root), "--json").stdout)
    assert [p["name"] for p in board["protocols"]] == ["diorama"]
    assert "frozen" not in board["systems"]
    assert call("admin", "forget", str(own_run.root), "--model", "frozn").returncode == 2


def test_clips_that_nobody_made_yet_are_told(own_run: Run) -> None:
    board = json.loads(call("stage", "analyse", str(own_run.root), "--json").stdout)
    assert "24 of 32 planned clips" in board["not_measured"]


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed here")
def test_a_missing_extra_is_told_before_anything_is_made(tmp_path: Path) -> None:
    done = call(
        "run", "--suite", "diorama-mini", "--models", "truth", "--protocols", "integrity", "--out", "x", cwd=tmp_path
    )
    assert done.returncode == 2
    assert "pip install 'lookaway[torch]'" in done.stderr
    assert not (tmp_path / "x").exists()


def test_output_is_plain_when_nobody_watches(own_run: Run) -> None:
    done = call("stage", "score", str(own_run.root), "--fresh")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "score: 8 to do, 0 done before"
    assert "\x1b" not in done.stderr


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread anyway")
def test_a_command_keeps_no_threads_of_blas_that_wait_for_work() -> None:
    program = (
        "import sys; from lookaway.cli import main; sys.argv = ['lookaway', '--version']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "import numpy, scipy.special; from pathlib import Path; here = Path('/proc/self')\n"
        "print([one.read_text() for one in here.glob('task/*/comm')].count((here / 'comm').read_text()))"
    )
    bare = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=bare).stdout
    assert said.split()[-1] == "1", "threads of polars have names of their own"


@pytest.mark.parametrize(("megabytes", "code"), [(2047, 1), (2048, 0)])
def test_a_limit_under_which_libraries_hang_is_refused_at_once(megabytes: int, code: int) -> None:
    program = shlex.quote(str(Path(sys.executable).with_name("lookaway")))
    command = f"ulimit -v {megabytes * 1024}; exec {program} --version"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert ended.returncode == code, ended.stderr
    assert ended.stderr == code * (
        "error: a limit leaves this process 2047 MB of address space, and its libraries need 2048; "
        "raise it (ulimit -v), then run the same command again\n"
    )
