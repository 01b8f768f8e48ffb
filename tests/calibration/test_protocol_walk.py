"""A protocol that is all asks, calibrated from end to end: its metrics and its judges against faults that are known."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from lookaway.api import Silent
from lookaway.calibration import judge_page
from lookaway.calibration import walk as walking
from lookaway.calibration.detection_page import markdown
from lookaway.calibration.judge_tables import judge_tables
from lookaway.calibration.report import graded, write_judged
from lookaway.calibration.systems import rungs
from lookaway.calibration.walk import Wish, calibrate
from lookaway.pipeline import make_board
from lookaway.pipeline.stage import Options
from lookaway.records import Answer, AskGrade, Detection, DetectionTable, JudgeTable, Plan, Setting
from lookaway.store import Run
from tests.judges.server import Manner, serving
from tests.walk import toy

HARMLESS = ("brighter", "compressed", "darker", "noisy")  # on two tasks: four clips in each half, as thresholds need
SYSTEMS = ("truth", *HARMLESS, "frozen@1", "vanished@1")
EVERY_FRAME: dict[str, Setting] = {"verifier.frames": "uniform:96"}  # few frames do not show the edges of a look-away
MEASURED = ("toy_support", "toy_place", "toy_progress")


class Calibrated(NamedTuple):
    run: Run
    plan: Plan
    table: DetectionTable
    judges: dict[str, JudgeTable]  # by name

    def rows(self, metric: str, fault: str) -> dict[str, Detection]:
        """By instrument."""
        rows = [row for row in self.table.rows if (row.metric, row.fault) == (metric, fault)]
        assert len({row.instrument for row in rows}) == len(rows)
        return {row.instrument: row for row in rows}

    def row(self, metric: str, fault: str) -> Detection:
        (row,) = self.rows(metric, fault).values()
        return row

    def grade(self, judge: str, ask: str) -> AskGrade:
        (found,) = [grade for grade in self.judges[judge].asks if grade.ask == ask]
        return found


@pytest.fixture(scope="module", autouse=True)
def toy_metrics() -> Iterator[None]:
    with toy.installed():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("protocol")


def yes_sayer(folder: Path) -> str:
    """A verifier to whom everything went on."""
    replies = {
        "stevo/progress_expect": {"expected_change": "it goes on"},
        "stevo/progress": {"before": "early", "after": "late", "progressed": True},
    }
    lines = [{"media": "*", "question": name, "text": json.dumps(said)} for name, said in replies.items()]
    (folder / "yes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return f"verifier=scripted:{folder / 'yes.jsonl'}"


def calibrated(folder: Path, *judges: str, **settings: Setting) -> Calibrated:
    run, few = Run(folder / "run"), [rung for rung in rungs() if rung.system in SYSTEMS]
    given = EVERY_FRAME | {name.replace("__", "."): value for name, value in settings.items()}
    quotas = {"fault": 2, "rung": 2, "harmless": 2}
    wish = Wish("diorama-mini", None, None, 2, quotas, judges, given, [str(toy.PROTOCOL)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "rungs", lambda: few)
        plan, reports = calibrate(run, wish, Options(), Silent(), lambda line: None)
    assert not any(report.failures for report in reports)
    table, _ = graded(run, plan)
    assert isinstance(table, DetectionTable)
    return Calibrated(run, plan, table, {judged.judge: judged for judged in judge_tables(run, plan)})


@pytest.fixture(scope="module")
def two_verifiers(folder: Path) -> Calibrated:
    return calibrated(folder, "gate=oracle", "scorer=oracle", "verifier=oracle", yes_sayer(folder))


def test_every_metric_of_the_protocol_has_numbers_in_the_table(two_verifiers: Calibrated) -> None:
    for metric in MEASURED:
        for fault in ("truth", *HARMLESS, "frozen", "vanished"):
            for row in two_verifiers.rows(metric, fault).values():
                assert None not in (row.hit_rate, row.auc, row.threshold), row.reason
                assert (row.n, row.n_harmless, row.false_alarm_rate) == (2, 8, 0.0)
    assert two_verifiers.row("toy_support", "vanished").hit_rate == 1.0
    assert two_verifiers.row("toy_support", "frozen").hit_rate == 0.0
    assert two_verifiers.row("toy_late_place", "frozen").reason.startswith("no protocol here asks 'judgeable' for it")
    board = make_board(two_verifiers.run, two_verifiers.plan)
    assert {cell.metric for cell in board.cells if cell.protocol == "toy"} == set(MEASURED)
    assert {step.step for step in board.ledger if step.protocol == "toy"} == {"judgeable", "right place"}


def test_what_two_judges_say_is_never_pooled(two_verifiers: Calibrated) -> None:
    knows, always_yes = (two_verifiers.rows("toy_progress", "frozen")[name] for name in instruments(two_verifiers))
    assert (knows.hit_rate, always_yes.hit_rate) == (1.0, 0.0)
    assert (knows.auc, always_yes.auc) == (1.0, 0.5)
    assert knows.instrument_key != always_yes.instrument_key
    page = markdown(two_verifiers.table)
    assert "| metric | instrument | truth |" in page
    assert {name for name in ("oracle@4", "scripted@2") if f"| toy_progress | {name}" in page} == {
        "oracle@4",
        "scripted@2",
    }


def instruments(made: Calibrated) -> tuple[str, str]:
    oracle, scripted = sorted(made.rows("toy_progress", "truth"))
    assert (oracle, scripted[:9]) == ("oracle@4", "scripted@")
    return oracle, scripted


def test_gates_are_closed_as_in_a_run_and_nothing_behind_them_is_asked(two_verifiers: Calibrated) -> None:
    gone, stopped = (two_verifiers.row("toy_place", fault) for fault in ("vanished", "frozen"))
    assert (gone.n_gated, stopped.n_gated) == (2, 0)
    answers = two_verifiers.run.latest("answers", Answer).values()
    asked = [answer for answer in answers if answer.question == "wrbench/returned_place_right"]
    assert len(asked) == len(two_verifiers.plan.cases) - 2


def test_a_judge_is_graded_in_each_thing_that_it_is_asked(two_verifiers: Calibrated) -> None:
    knows, yes = two_verifiers.judges.values()
    assert knows.judge == "gate=oracle and scorer=oracle and verifier=oracle"
    assert [(grade.ask, grade.role) for grade in knows.asks] == [
        ("judgeable", "gate"),
        ("place_right", "scorer"),
        ("place_wrong", "scorer"),
        ("progress", "verifier"),
    ]
    clips = len(two_verifiers.plan.cases)
    for grade in knows.asks:
        assert (grade.error, grade.right) == (0.0, grade.n), grade
        assert grade.high is not None
    assert two_verifiers.grade(knows.judge, "judgeable").n == 10 * clips, "each of ten frames"
    (progress,) = yes.asks
    assert 0 < progress.n_yes == progress.right < progress.n < clips, (
        "frozen clips are no, vanished ones have no answer"
    )
    assert progress.n + progress.unknown == clips
    assert progress.error == pytest.approx(1 - progress.n_yes / progress.n)


def test_the_tables_of_judges_without_questions_of_tasks_are_of_their_asks(two_verifiers: Calibrated) -> None:
    assert all(table.right is None and table.checks == () for table in two_verifiers.judges.values())
    written = write_judged(two_verifiers.run, list(two_verifiers.judges.values()))
    page = next(path for path in written if path.suffix == ".md").read_text()
    assert "| judgeable | gate | 140 |" in page
    assert judge_page.NOTHING not in page
    known = json.loads(next(path for path in written if path.suffix == ".json").read_text())
    assert [JudgeTable.model_validate(table) for table in known] == list(two_verifiers.judges.values())


def test_a_judge_that_errs_is_found_out_and_spoils_its_metric(folder: Path, two_verifiers: Calibrated) -> None:
    made = calibrated(folder, "gate=oracle", "scorer=oracle", scorer__error=1.0)
    judge = "scorer=oracle"
    assert [made.grade(judge, ask).error for ask in ("place_right", "place_wrong")] == [1.0, 1.0]
    assert made.grade("gate=oracle", "judgeable").error == 0.0
    assert made.row("toy_place", "truth").auc == 0.5, "all clips are as bad"
    assert made.row("toy_place", "truth").threshold == 1.0 > (two_verifiers.row("toy_place", "truth").threshold or 0)
    assert made.row("toy_progress", "truth").reason == (
        "needs a judge as verifier; give one with --judge verifier=JUDGE"
    )


def test_three_families_over_sockets_are_one_row_of_the_table_and_one_grade(
    folder: Path, two_verifiers: Calibrated
) -> None:
    """A gate judge that sees a return everywhere, a scorer that says yes to all, and families of which one says no."""
    pytest.importorskip("httpx")
    sees = Manner(says_true=True, unseen=(4, 5))
    with ExitStack() as stack:
        gate, scorer, a, b, doubter = (
            stack.enter_context(serving(manner)) for manner in (sees, sees, sees, sees, Manner(says_true=False))
        )
        families = ",".join(f"openai:{server.url}#family-{n}" for n, server in enumerate((a, b, doubter)))
        judges = [f"gate=openai:{gate.url}#watcher", f"scorer=openai:{scorer.url}#scorer", f"verifier={families}"]
        made = calibrated(folder, *judges, openai__attempt_s=20)
    assert all(server.log for server in (gate, scorer, a, b, doubter))
    rows = {metric: made.row(metric, "frozen") for metric in MEASURED}
    assert all(f"family-{n}" in rows["toy_progress"].instrument for n in range(3))
    for metric, row in rows.items():
        assert (row.n, row.hit_rate, row.auc) == (2, 0.0, 0.5), f"{metric}: {row.reason or 'they cannot tell'}"
        assert f"| {metric} |" in markdown(made.table)
    ensemble = next(name for name in made.judges if "family-0" in name)
    progress, known = (
        made.grade(ensemble, "progress"),
        two_verifiers.grade("gate=oracle and scorer=oracle and verifier=oracle", "progress"),
    )
    assert (progress.n, progress.n_yes) == (known.n, known.n_yes)
    assert progress.right == known.n - known.n_yes, "one that says no decides: only what stood still is judged right"
