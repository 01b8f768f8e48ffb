"""`lookaway check`: pass, fail, too early to tell; nights add up, count once, and survive a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.metrics import find
from lookaway.pipeline.check_rules import needs_weights, worsening_rule
from lookaway.pipeline.checking import check_runs
from lookaway.store import Run
from tests.command import call
from tests.comparing.written_runs import Values, asked, system, tasks_in, write_run

TASKS = tasks_in(scenes=24, per_scene=1)
RULE = "return_identity worsens 0.1"


def values(level: float, salt: int, spread: float = 0.1) -> Values:
    def value(metric: str, name: str, seed: int) -> float:
        noise = np.random.default_rng([salt, seed, *name.encode()]).normal(0, spread)
        return {"left_view": 1.0, "world_clock": 1.0}.get(metric, float(np.clip(level + noise, -1, 1)))

    return value


def runs(folder: Path, level: float, seeds: int = 1, spread: float = 0.1) -> tuple[str, str]:
    """The new system at some level, and the old one at 0.7."""
    numbers = range(seeds)
    new = write_run(folder / "new", {"new": values(level, 1, spread)}, TASKS, numbers)
    return str(new), str(write_run(folder / "old", {"old": values(0.7, 2, spread)}, TASKS, numbers))


@pytest.mark.parametrize(
    ("level", "seeds", "word", "code"), [(0.7, 6, "pass", 0), (0.3, 1, "fail", 1), (0.6, 1, "too early", 3)]
)
def test_the_exit_code_tells_the_verdict(tmp_path: Path, level: float, seeds: int, word: str, code: int) -> None:
    new, old = runs(tmp_path, level, seeds)
    done = call("check", new, "--against", old, "--fail-if", RULE, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    assert json.loads(done.stdout)["verdict"] == word


def test_an_improvement_is_no_worsening(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.95, 2)
    assert check_runs(new, old, [RULE]).verdict == "pass"


def test_worse_is_away_from_the_best_value() -> None:
    clock = worsening_rule("world_clock worsens 0.1")
    assert (clock.metric.better, clock.margin, clock.span) == ("one", 0.1, 1.0)
    assert worsening_rule("clock_error worsens by 0.1 within 2").span == 2.0
    assert worsening_rule("return_identity worsens").margin == 0.0


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("world_clock", "must read METRIC worsens AMOUNT"),
        ("world_clock worsens 0,1", "the amount '0,1' must be a number"),
        ("world_clock worsens -1", "must be a number, 0 or more"),
        ("world_clock worsens nan", "must be a number"),
        ("wold_clock worsens 0.1", "did you mean world_clock"),
        ("clock_error worsens 0.1", "has no fixed range; say what counts as most"),
        ("return_identity worsens 2", "no worsening counts for more than 2"),
        ("return_place worsens 0.1", "was not scored in both runs"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_told(tmp_path: Path, rule: str, told: str) -> None:
    new, old = runs(tmp_path, 0.7)
    done = call("check", new, "--against", old, "--fail-if", rule)
    assert done.returncode == 2
    assert told in done.stderr


def test_nothing_to_check_is_a_usage_error_never_a_failure(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.7)
    assert call("check", new, "--against", old).returncode == 2
    assert call("check", new, "--against", str(tmp_path / "gone"), "--fail-if", RULE).returncode == 2
    assert call("check", new, "--against", new, "--fail-if", RULE).returncode == 2
    assert "0 and 1" in call("check", new, "--against", old, "--fail-if", RULE, "--level", "1.5").stderr


def test_the_level_is_shared_by_all_rules(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.7)
    alone, together = check_runs(new, old, [RULE]), check_runs(new, old, [RULE, "world_clock worsens 0.1"])
    assert (alone.rules[0].needed, together.rules[0].needed) == (20, 40)


def test_nights_add_up_in_the_folder_and_count_once(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    words = []
    for seeds in (1, 3, 8):
        new, old = runs(tmp_path, 0.33, seeds, spread=0.4)
        report = check_runs(new, old, [RULE], evidence=kept)
        again = check_runs(new, old, [RULE], evidence=kept)
        assert again.rules == report.rules, "the same night twice is one night"
        assert any("nothing new" in note for note in again.notes)
        words.append(report.verdict)
    assert report.rules[0].nights == 8
    assert words[0] == "too early"
    assert words[-1] == "fail"
    assert report.rules == check_runs(new, old, [RULE]).rules, "and comes to the same as all nights at once"


def test_earlier_nights_count_where_only_the_folder_has_them(tmp_path: Path) -> None:
    kept = tmp_path / "evidence"
    check_runs(*runs(tmp_path / "first", 0.62, 1), [RULE], evidence=kept)
    later = write_run(tmp_path / "later" / "new", {"new": values(0.62, 1)}, TASKS, (7,))
    base = write_run(tmp_path / "later" / "old", {"old": values(0.7, 2)}, TASKS, (7,))
    assert check_runs(later, base, [RULE], evidence=kept).rules[0].nights == 2
    other = write_run(tmp_path / "later" / "x", {"x": values(0.62, 1)}, TASKS, (7,))
    assert check_runs(other, base, [RULE], evidence=kept).rules[0].nights == 1, "another system is another question"


def test_a_night_in_parts_counts_up_to_the_first_scene_that_is_not_whole(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.3)
    path = next((tmp_path / "new" / "logs" / "scores").glob("*.jsonl"))
    lines = [line for line in path.read_text().splitlines(keepends=True) if '"task":"t05_0"' not in line]
    path.write_text("".join(lines))
    (rule,) = (report := check_runs(new, old, [RULE])).rules
    assert rule.scenes < 24
    assert any("1 scenes are not whole yet, such as s05" in note for note in report.notes)


def test_pairs_without_a_number_are_told(tmp_path: Path) -> None:
    new = write_run(tmp_path / "new", {"new": lambda m, t, s: "never turned" if t == "t00_0" else 0.5}, TASKS)
    old = write_run(tmp_path / "old", {"old": lambda m, t, s: 0.5}, TASKS)
    assert "return_identity: 1 pairs lack a number: 1× never turned" in check_runs(new, old, [RULE]).notes


KILLED = """
import os, sys
from lookaway.pipeline.checking import check_runs
from lookaway.store import logs
append, count = logs.Writer.append, 0
def dying(self, *given, **more):
    global count
    append(self, *given, **more)
    count += 1
    if count == int(sys.argv[4]):
        os.write(self._fd, b'{"key":"torn","inp')
        os.kill(os.getpid(), 9)
logs.Writer.append = dying
check_runs(sys.argv[1], sys.argv[2], [sys.argv[5]], evidence=sys.argv[3])
"""


@pytest.mark.parametrize("after", [13])
def test_a_kill_in_the_middle_changes_nothing(tmp_path: Path, after: int) -> None:
    new, old = runs(tmp_path, 0.5)
    kept = str(tmp_path / "killed")
    done = subprocess.run([sys.executable, "-c", KILLED, new, old, kept, str(after), RULE], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(Run(Path(kept)).done("evidence")) == after
    whole = check_runs(new, old, [RULE], evidence=tmp_path / "whole")
    assert check_runs(new, old, [RULE], evidence=kept).rules == whole.rules
    assert len(Run(Path(kept)).done("evidence")) == 24


def test_a_check_killed_from_outside_at_any_moment_changes_nothing(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.5)
    program = "import sys; from lookaway.pipeline.checking import check_runs; print('go', flush=True)\n"
    program += "check_runs(*sys.argv[1:3], [sys.argv[4]], evidence=sys.argv[3])"
    kept = tmp_path / "killed"
    child = subprocess.Popen([sys.executable, "-c", program, new, old, str(kept), RULE], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.15)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert check_runs(new, old, [RULE], evidence=kept).rules == check_runs(new, old, [RULE]).rules


def test_serving_demands_the_same_seeds_and_the_same_inputs(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.3)
    report = check_runs(new, old, preset="serving")
    assert [rule.metric for rule in report.rules] == ["left_view", "return_identity", "world_clock"]
    assert report.verdict == "fail"
    more = write_run(tmp_path / "more", {"new": values(0.3, 1)}, TASKS, (0, 1))
    with pytest.raises(UsageError, match="run both with the same --seeds"):
        check_runs(more, old, preset="serving")
    with Run(Path(new)).writer("requests") as writer:
        request = asked(TASKS[3], system("new"), 0, prefix="f" * 64)
        writer.append("another", "", request)
    with pytest.raises(UsageError, match=r"t03_0, seed 0: both must get the same inputs; these differ: prefix"):
        check_runs(new, old, preset="serving")


def test_serving_refuses_what_looks_with_weights(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.7)
    assert needs_weights(find("return_identity")) == ""
    assert needs_weights(find("visual_integrity:paper"))
    with pytest.raises(UsageError, match="choose a metric without weights"):
        check_runs(new, old, ["visual_integrity:paper worsens 0.1"], preset="serving")


def test_ci_reads_the_verdict_from_files_and_annotations(tmp_path: Path) -> None:
    new, old = runs(tmp_path, 0.3)
    junit, quality = tmp_path / "check.xml", tmp_path / "quality.json"
    rules = ["--fail-if", RULE, "--fail-if", "left_view worsens 0.5"]
    files = ["--junit", str(junit), "--code-quality", str(quality), "--annotate", "github"]
    done = call("check", new, "--against", old, *rules, *files)
    suite = ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    assert "return_identity worse by 0.3" in suite.find("testcase/failure").get("message")
    (entry,) = json.loads(quality.read_text())
    assert entry["severity"] == "major"
    assert set(entry) == {"description", "check_name", "fingerprint", "severity", "location"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert lines[0].startswith(f"::error title=lookaway check%3A fail::{RULE}: return_identity worse by ")
    assert lines[1].startswith("::notice title=lookaway check%3A pass::")
    assert os.linesep not in lines[0]
