"""A toy protocol over real sockets: a gate judge, a scorer and an ensemble, each asked what the metrics need of it."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.errors import UsageError
from lookaway.judges.calls.budget import Ceiling
from lookaway.pipeline import STAGES, make_board, make_exhibits, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Plan, Reply, Score, Setting
from lookaway.store import Run, json_lines
from tests.judges.server import ChatServer, Manner, serving
from tests.walk import toy
from tests.walk.counting import count_pictures
from tests.walk.killing import bought_again, killed, served_by, server_process

pytest.importorskip("httpx")

SEES = Manner(says_true=True, unseen=(4, 5))  # out of ten frames two show nothing: it leaves and returns
NEVER_BACK = Manner(says_true=True, unseen=(4, 5, 6, 7, 8, 9))
PATIENT: dict[str, Setting] = {"openai.attempt_s": 20}
CLIPS = 8
GATE, PROBES, EXPECTED, VERDICTS = 1, 2, 3, 3 * 3  # calls a clip: expectations and verdicts by three members


@pytest.fixture(autouse=True)
def toy_metrics() -> Iterator[None]:
    with toy.installed():
        yield


@pytest.fixture
def servers() -> Iterator[Callable[[Manner], ChatServer]]:
    with ExitStack() as stack:
        yield lambda manner: stack.enter_context(serving(manner))


def bench(gate: ChatServer, scorer: ChatServer, *verifiers: ChatServer) -> list[str]:
    families = ",".join(f"openai:{server.url}#family-{number}" for number, server in enumerate(verifiers))
    judges = [f"gate=openai:{gate.url}#watcher", f"scorer=openai:{scorer.url}#scorer"]
    return [*judges, *([f"verifier={families}"] if families else [])]


def judge(run: Run, judges: list[str], options: Options | None = None, **settings: Setting) -> Plan:
    given = PATIENT | {name.replace("__", "."): value for name, value in settings.items()}
    plan = plans.extend(run, "diorama-mini", chosen=[str(toy.PROTOCOL)], judges=judges, settings=given)
    run_stage(STAGES["judge"], run, plan, options or Options(), Silent())
    return plan


def answers(run: Run) -> list[Answer]:
    return [*run.latest("answers", Answer).values()]


def scores(run: Run, metric: str) -> list[Score]:
    return [score for score in run.latest("scores", Score).values() if score.metric == metric]


# ---------------------------------------------------------------- who is asked what


def test_every_role_is_asked_its_own_and_all_of_it_reaches_board_and_ledger(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    gate, scorer, *family = (servers(SEES) for _ in range(5))
    plan = judge(own_run, bench(gate, scorer, *family))
    assert [len(server.log) for server in (gate, scorer)] == [CLIPS * GATE, CLIPS * PROBES]
    assert {len(server.log) for server in family} == {(CLIPS * VERDICTS) // 3 + EXPECTED // 3 * 2}, "two first frames"
    run_stage(STAGES["score"], own_run, plan, Options(), Silent())
    board = make_board(own_run, plan)
    assert board.cell("truth", "toy_place").value == pytest.approx(0.5), "probes of both polarities get the same p_yes"
    assert board.cell("truth", "toy_progress").value == 1.0
    (cell,) = [c for c in board.cells if (c.system, c.metric, c.slice) == ("truth", "toy_progress", "all")]
    assert [f"family-{number}" in cell.instrument for number in range(3)] == [True] * 3
    reached = {step.step: step.reached for step in board.ledger if (step.system, step.protocol) == ("truth", "toy")}
    assert reached == {"judgeable": 2, "right place": 2}
    assert len(board.deviations) == 5
    assert all("has sat no exam" in why for why in board.deviations.values())
    shown = make_exhibits(own_run, plan, apart=True)
    said = next(clip for clip in shown.tasks[0].clips if clip.system == "truth").sayings
    assert len(said) == GATE + PROBES + 2, "what each seat answered; an ensemble's expectation and verdict are one each"
    assert all(saying.answer and saying.text and saying.spans for saying in said)


def test_what_lies_behind_a_gate_is_asked_only_where_it_is_open(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    gate, scorer = servers(NEVER_BACK), servers(SEES)
    plan = judge(own_run, bench(gate, scorer))
    assert (len(gate.log), len(scorer.log)) == (CLIPS, 0)
    run_stage(STAGES["score"], own_run, plan, Options(), Silent())
    assert {(s.status, s.gate) for s in scores(own_run, "toy_place")} == {("gated", "not_judgeable")}
    steps = [
        s for s in make_board(own_run, plan).ledger if (s.system, s.protocol, s.step) == ("truth", "toy", "right place")
    ]
    assert [(step.reached, step.lost) for step in steps] == [(0, {})]


def test_probes_see_only_the_frames_that_the_gate_judge_found_back(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    gate, scorer = servers(SEES), servers(SEES)
    judge(own_run, bench(gate, scorer), Options(only="parlour0_ball*/truth/0"))
    (rows,) = [answer.fields["frames"] for answer in answers(own_run) if answer.question == "wrbench/judgeable"]
    returned_s = rows[6]["seconds"]
    probes = [r for r in own_run.latest("replies", Reply).values() if "returned_place" in r.question]
    assert len(probes) == 2
    for reply in probes:
        assert len(reply.frame_seconds) == 4
        assert min(reply.frame_seconds) >= rows[5]["seconds"]
        assert abs(min(reply.frame_seconds) - returned_s) < 0.6, "from the return on"
    asked = gate.bodies[-1]["messages"][-1]["content"]
    assert sum(part["type"] == "image_url" for part in asked) == 1 + 10, "the first frame goes ahead"
    assert "is not counted" in asked[-1]["text"]


def test_a_verdict_is_told_what_was_expected_before(own_run: Run, servers: Callable[[Manner], ChatServer]) -> None:
    gate, scorer, verifier = (servers(SEES) for _ in range(3))
    judge(own_run, bench(gate, scorer, verifier), Options(only="parlour0_ball*/truth/0"))
    first, *others = verifier.bodies
    assert sum(part["type"] == "image_url" for part in first["messages"][-1]["content"]) == 1
    assert len(others) == 3
    assert all("expected" in body["messages"][-1]["content"][-1]["text"] for body in others)
    (verdict,) = [answer for answer in answers(own_run) if answer.question == "stevo/progress"]
    assert (verdict.choice, verdict.tally, verdict.estimator) == ("yes", {"yes": 3}, "structured")


def test_one_family_that_disagrees_decides_as_the_rule_says(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    gate, scorer, *family = (servers(SEES) for _ in range(4))
    doubter = servers(Manner(says_true=False))
    only = Options(only="parlour0_ball*/truth/0")
    judge(own_run, bench(gate, scorer, *family, doubter), only)
    (split,) = [answer for answer in answers(own_run) if answer.question == "stevo/progress"]
    assert (split.choice, split.tally) == ("no", {"yes": 6, "no": 3})
    judge(own_run, bench(gate, scorer, *family, doubter), only, verifier__votes="majority")
    by_rule = {
        answer.ask.split(", ")[3]: answer.choice for answer in answers(own_run) if "stevo/progress@" in answer.ask
    }
    assert by_rule == {"unanimous_true": "no", "majority": "yes"}
    assert len(doubter.log) == 1 + 3, "the second rule counts what is kept"


def test_a_window_that_another_ask_of_the_metric_finds_is_waited_for(
    own_run: Run, servers: Callable[[Manner], ChatServer], tmp_path: Path
) -> None:
    asks = toy.PROTOCOL.read_text().partition("[asks.judgeable]")[2].partition("[asks.place_wrong]")[0]
    listed = 'summary = "s"\nmetrics = ["toy_late_place"]\nheadline = ["toy_late_place"]\n'
    (tmp_path / "late.toml").write_text(f"{listed}[asks.judgeable]{asks}")
    gate, scorer = servers(SEES), servers(SEES)
    plan = plans.extend(
        own_run, "diorama-mini", chosen=[str(tmp_path / "late.toml")], judges=bench(gate, scorer), settings=PATIENT
    )
    for stage in ("judge", "score"):
        run_stage(STAGES[stage], own_run, plan, Options(), Silent())
    assert (len(gate.log), len(scorer.log)) == (CLIPS, CLIPS)
    assert {score.status for score in scores(own_run, "toy_late_place")} == {"ok"}


def test_one_judge_serves_all_roles_and_the_board_declares_it(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    server = servers(SEES)
    plan = judge(own_run, [f"openai:{server.url}#one"])
    assert {(a.instrument, a.status) for a in answers(own_run)} == {("openai@2(model=one)", "ok")}
    run_stage(STAGES["score"], own_run, plan, Options(), Silent())
    assert list(make_board(own_run, plan).deviations) == ["toy: gate", "judge openai@2(model=one)"]


def test_an_ensemble_of_one_model_twice_is_refused(own_run: Run, servers: Callable[[Manner], ChatServer]) -> None:
    server = servers(SEES)
    with pytest.raises(UsageError, match="would vote twice"):
        judge(own_run, [f"verifier=openai:{server.url}#a,openai:{server.url}#a"])
    with pytest.raises(UsageError, match="no judge has this role"):
        judge(own_run, [f"openai:{server.url}#a"], gate__model="b")


def test_a_role_has_a_budget_of_its_own(own_run: Run, servers: Callable[[Manner], ChatServer]) -> None:
    gate, scorer = servers(SEES), servers(SEES)
    judge(own_run, bench(gate, scorer), Options(ceilings={"scorer": Ceiling(calls=4)}))
    assert (len(gate.log), len(scorer.log)) == (CLIPS, 4)
    kept = Counter(a.media for a in answers(own_run) if a.status == "ok" and "returned_place" in a.question)
    assert set(kept.values()) == {2}, "a budget is spent clip by clip"


def test_a_reply_that_keeps_no_form_is_asked_for_once_more_and_then_invalid(
    own_run: Run, servers: Callable[[Manner], ChatServer]
) -> None:
    gate = servers(replace(SEES, script=["no_form", "ok", "no_form", "no_form"], says="well, yes"))
    only = Options(only="parlour0_ball*/truth/0")
    judge(own_run, bench(gate, servers(SEES)), only)
    (answer,) = [answer for answer in answers(own_run) if answer.question == "wrbench/judgeable"]
    assert (answer.status, answer.spent.calls, len(answer.replies)) == ("ok", 2, 2)
    assert "An earlier reply could not be used" in gate.bodies[-1]["messages"][-1]["content"][-1]["text"]
    plan = judge(own_run, bench(gate, servers(SEES)), only, gate__wording="b")
    assert len(gate.log) == 4
    judge(own_run, bench(gate, servers(SEES)), Options(only=only.only, fresh=True), gate__wording="b")
    assert len(gate.log) == 4, "read again from what was kept"
    run_stage(STAGES["score"], own_run, plan, only, Silent())
    (support,) = [score for score in scores(own_run, "toy_support") if "judgeable@1:b" in score.ask]
    assert support.status == "abstained"


def test_decoding_and_encoding_are_shared_by_all_asks(
    own_run: Run, servers: Callable[[Manner], ChatServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = count_pictures(monkeypatch)
    server = servers(SEES)
    judge(own_run, [f"openai:{server.url}#one"], Options(only="parlour0_ball*/truth/0"))
    pictures = {(r.media, i) for r in own_run.latest("replies", Reply).values() for i in r.frame_indices}
    assert counts["decoded"] == 1, "for the gate, for what needs no gate, and for what lay behind it"
    assert counts["encoded"] == counts["text"] == len(pictures)


# ---------------------------------------------------------------- killed and resumed

KILLS = 2


def test_kill_9_loses_no_answer_and_none_is_paid_twice(own_run: Run) -> None:
    manner = {"says_true": True, "unseen": [4, 5], "fault_rate": 0.1, "median_s": 0.3, "retry_after": "0.05"}
    plans.extend(own_run, "diorama-mini", chosen=[str(toy.PROTOCOL)])
    with server_process(manner) as url:
        words = ["stage", "judge", str(own_run.root), "--set", "openai.attempt_s=2"]
        words += ["--judge", f"gate=openai:{url}#watcher", "--judge", f"scorer=openai:{url}#scorer"]
        words += ["--judge", f"verifier=openai:{url}#a,openai:{url}#b,openai:{url}#c"]
        kept = [killed(lookaway(*words), own_run, 20 * (number + 1)) for number in range(KILLS)]
        with lookaway(*words) as process:
            process.communicate(timeout=240)
        log = served_by(url)
    lines = [line for path in own_run.log_folder("answers").glob("*.jsonl") for line in json_lines(path)]
    ended = Counter(line["key"] for line in lines if line["status"] == "ok")
    assert len(ended) == CLIPS * (1 + 2 + 1) + 2, "gate, two probes, one verdict a clip; one expectation a task"
    assert max(ended.values()) == 1
    assert len(kept[-1].ids) >= 20 * KILLS
    assert not bought_again(log, kept)


def lookaway(*words: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-m", "tests.walk.toy"]
    return subprocess.Popen([*program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# ---------------------------------------------------------------- nothing to ask


class Heard(Silent):
    """Progress that keeps what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


def test_nothing_to_do_says_why(own_run: Run, servers: Callable[[Manner], ChatServer]) -> None:
    plan = plans.amend(own_run, judges=[f"openai:{servers(SEES).url}#one"], settings=PATIENT)
    assert heard(own_run, plan)[0].startswith("judge: 0 to do: no metric of this plan asks anything")
    plan = plans.amend(own_run, chosen=["questions"])
    still = tuple(system for system in plan.systems if system.name == "static-camera")
    of_still = plan.model_copy(update={"systems": still})
    assert heard(own_run, of_still) == ["judge: 0 to do: the gates before every question are closed"]
    of_none = plan.model_copy(update={"systems": ()})
    assert heard(own_run, of_none) == ["judge: 0 to do: there is no clip to ask about"]


def heard(run: Run, plan: Plan) -> list[str]:
    progress = Heard()
    run_stage(STAGES["judge"], run, plan, Options(), progress)
    return progress.lines
