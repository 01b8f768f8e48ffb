"""A real server judges a real run: every answer with its evidence and its price, nothing asked twice, no key told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from lookaway.judges.calls.budget import Ceiling
from lookaway.judges.openai.client import KEY
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, Outcome, StageReport, run_stage
from lookaway.records import Answer, Reply, Setting
from lookaway.store import Run, json_lines, open_run
from tests.judges.server import ChatServer, Manner, serving
from tests.walk.killing import bought_again, killed, served_by, server_process

pytest.importorskip("httpx")

ASKING = ["questions"]
CLIPS, QUESTIONS = 6, 3  # of eight clips two never turn away, and nobody is asked about them
PATIENT: dict[str, Setting] = {"openai.model": "tiny", "openai.attempt_s": 20}


class Told:
    """Progress that keeps what was said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)

    def start(self, stage: str, total: int, skipped: int) -> None: ...
    def advance(self, outcomes: object) -> None: ...
    def finish(self, report: StageReport) -> None: ...


def judge(
    run: Run, server: ChatServer, options: Options | None = None, **settings: Setting
) -> tuple[tuple[Outcome, ...], list[str]]:
    """What became of each clip, and what was said about it."""
    given = PATIENT | {f"openai.{name}": value for name, value in settings.items()}
    plan = plans.extend(run, "diorama-mini", chosen=ASKING, judges=[f"openai:{server.url}"], settings=given)
    told = Told()
    report = run_stage(STAGES["judge"], run, plan, options or Options(), told)
    return report.outcomes, told.lines


def answers(run: Run) -> list[Answer]:
    return [*run.latest("answers", Answer).values()]


def replies(run: Run) -> list[Reply]:
    return [*run.latest("replies", Reply).values()]


# ---------------------------------------------------------------- what comes of it


def test_questions_are_answered_by_token_scores_with_their_price(own_run: Run) -> None:
    with serving(Manner()) as server:
        outcomes, said = judge(own_run, server, usd_in=1.0, usd_out=10.0)
    assert len(outcomes) == CLIPS
    assert said[0].startswith(f"judge: at most {CLIPS * QUESTIONS} calls, ")
    found = answers(own_run)
    assert len(found) == len(server.log) == CLIPS * QUESTIONS
    for answer in found:
        assert (answer.status, answer.choice, answer.estimator) == ("ok", "yes", "p_yes")
        assert answer.p_yes == pytest.approx(0.7 / 0.9)
        assert answer.p_yes_low is not None
        assert answer.p_yes_low < answer.p_yes, "four of twenty tokens are listed: the rest is bounded"
        assert (answer.spent.calls, answer.spent.tokens) == (1, 100)
        assert answer.spent.usd == pytest.approx(190e-6)
    assert {reply.usage.cost_usd for reply in replies(own_run)} == {190e-6}
    sent = server.bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in sent] == ["text", "image_url"] * 12 + ["text"]


def test_a_server_with_a_tokenizer_tells_exact_scores(own_run: Run) -> None:
    with serving(Manner(tokenizes=True)) as server:
        judge(own_run, server)
        assert server.bodies[-1]["logprob_token_ids"] == [101, 202]
    assert {(a.p_yes_low, a.p_yes_high) for a in answers(own_run)} == {(a.p_yes, a.p_yes) for a in answers(own_run)}


def test_a_server_without_what_was_asked_for_gives_no_answers(own_run: Run) -> None:
    with serving(Manner(tokenizes=True, knows_token_ids=False)) as server:
        outcomes, _ = judge(own_run, server)
        assert {outcome.status for outcome in outcomes} == {"failed"}
        assert all("openai.scores=top" in answer.reason for answer in answers(own_run))
        judge(own_run, server, scores="top")
    assert {answer.status for answer in answers(own_run) if "scores=top" in answer.instrument} == {"ok"}


def test_a_second_run_asks_nobody_and_neither_does_another_voting_rule(own_run: Run) -> None:
    with serving(Manner(says="Yes")) as server:
        judge(own_run, server, scores="none", samples=3)
        asked = len(server.log)
        assert asked == 3 * CLIPS * QUESTIONS
        outcomes, _ = judge(own_run, server, scores="none", samples=3)
        assert outcomes == ()
        outcomes, _ = judge(own_run, server, scores="none", samples=3, votes="unanimous_true")
        assert len(outcomes) == CLIPS
        outcomes, _ = judge(own_run, server, scores="none", samples=4, votes="unanimous_true")
        assert len(server.log) == asked + CLIPS * QUESTIONS, "only the fourth sample is new"
    last = [answer for answer in answers(own_run) if "4 samples" in answer.ask]
    assert {(a.tally["yes"], a.spent.calls) for a in last} == {(4, 4)}


def test_two_runs_share_the_cache_that_they_name(own_run: Run, tmp_path: Path) -> None:
    with serving(Manner()) as server:
        judge(own_run, server, cache="../shared.sqlite")
        asked = len(server.log)
        other = tmp_path / "other"
        subprocess.run(["cp", "-r", own_run.root, other], check=True)
        for path in (other / "logs" / "answers").iterdir():
            path.unlink()
        judge(open_run(other), server, cache="../shared.sqlite")
        assert len(server.log) == asked
        assert len(answers(open_run(other))) == asked


# ---------------------------------------------------------------- failures and the budget


def test_what_the_judge_fails_to_answer_is_left_alone_until_asked_for(own_run: Run) -> None:
    with serving(Manner(faults=("no_scores",), fault_rate=1.0)) as server:
        outcomes, _ = judge(own_run, server)
        assert {outcome.status for outcome in outcomes} == {"failed"}
        asked = len(server.log)
        outcomes, said = judge(own_run, server)
        assert (outcomes, len(server.log)) == ((), asked)
        assert said == [f"judge: {asked} failed before and are left so; to do them again: --retry failed"]
        server.manner.fault_rate = 0.0
        judge(own_run, server, Options(retry_failed=True))
        assert len(server.log) == 2 * asked
    assert {answer.status for answer in answers(own_run)} == {"ok"}


def test_only_what_failed_is_asked_again(own_run: Run) -> None:
    with serving(Manner()) as server:
        judge(own_run, server, Options(only="parlour0*"))
        asked = len(server.log)
        outcomes, _ = judge(own_run, server, Options(retry_failed=True))
        assert (outcomes, len(server.log)) == ((), asked), "nothing failed, and nothing new is asked"


def test_the_budget_is_a_hard_stop_and_a_larger_one_goes_on(own_run: Run) -> None:
    with serving(Manner()) as server:
        _, said = judge(own_run, server, Options(ceilings={None: Ceiling(calls=10)}), concurrency=4)
        assert "more than the budget allows" in said[0]
        assert len(server.log) == 10
        by_status = Counter(answer.status for answer in answers(own_run))
        assert by_status == {"ok": 10, "failed": CLIPS * QUESTIONS - 10}
        assert all(a.reason.startswith("over budget") for a in answers(own_run) if a.status == "failed")
        judge(own_run, server, Options(ceilings={None: Ceiling(calls=100)}))
        assert len(server.log) == CLIPS * QUESTIONS
    assert {answer.status for answer in answers(own_run)} == {"ok"}


def test_a_budget_in_money_needs_prices(own_run: Run) -> None:
    with serving(Manner()) as server, pytest.raises(UsageError, match="needs the judge's prices"):
        judge(own_run, server, Options(ceilings={None: Ceiling(usd=1)}))
    assert not server.log


def test_a_dry_run_tells_the_price_and_leaves_nothing(own_run: Run) -> None:
    before = sorted(own_run.root.rglob("*"))
    with serving(Manner()) as server:
        given = PATIENT | {"openai.usd_in": 1.0, "openai.usd_out": 1.0}
        plan = plans.extend(
            own_run, "diorama-mini", chosen=["questions"], judges=[f"openai:{server.url}"], settings=given, keep=False
        )
        told = Told()
        run_stage(STAGES["judge"], own_run, plan, Options(dry_run=True), told)
    assert f"at most {CLIPS * QUESTIONS} calls" in told.lines[0]
    assert not server.log
    assert sorted(own_run.root.rglob("*")) == before


def test_a_server_that_is_down_fails_every_question_and_the_next_run_asks_them(own_run: Run) -> None:
    with serving(Manner()) as server:
        url = server.url
    given = PATIENT | {"openai.attempts": 1}
    plan = plans.extend(own_run, "diorama-mini", chosen=ASKING, judges=[f"openai:{url}"], settings=given)
    run_stage(STAGES["judge"], own_run, plan, Options(), Told())
    assert {(a.status, a.reason[:11]) for a in answers(own_run)} == {("failed", "unreachable")}
    with serving(Manner()) as server:
        judge(own_run, server)
    assert {answer.status for answer in answers(own_run)} == {"ok"}


def test_a_bad_address_or_setting_is_refused_before_it_is_written_down(own_run: Run) -> None:
    for source, settings, match in (
        ("openai:http://me:hidden-word@host/v1", PATIENT, "holds no key or password"),
        ("openai:http://host/v1", {}, "model: Field required"),
        ("openai:http://host/v1", PATIENT | {"openai.colour": "red"}, "colour: .*; settings are: model"),
        ("openai:http://host/v1", PATIENT | {"openai.wording": "z"}, "wording of prompt question"),
    ):
        with pytest.raises(UsageError, match=match):
            plans.extend(own_run, "diorama-mini", chosen=ASKING, judges=[source], settings=settings)
    assert "host" not in (own_run.root / "run.json").read_text()


# ---------------------------------------------------------------- what is sent


def test_a_whole_video_is_sent_in_a_mode_that_says_so(own_run: Run) -> None:
    with serving(Manner()) as server:
        with pytest.raises(UsageError, match="no frame rule 'native'"):
            judge(own_run, server, frames="native")
        judge(own_run, server, frames="native:2 a second, as the server's log says")
        parts = server.bodies[-1]["messages"][-1]["content"]
    assert [part["type"] for part in parts] == ["video_url", "text"]
    assert parts[-1]["text"].startswith("You see one video.")
    assert {(r.frame_rule, r.frames_sha256, r.frame_seconds) for r in replies(own_run)} == {
        ("native:2 a second, as the server's log says", (reply.media,), ()) for reply in replies(own_run)
    }


# ---------------------------------------------------------------- the command line


def lookaway(*words: str | Path, **environment: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", "from lookaway.cli import main; main()"]
    return subprocess.Popen(
        [*program, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def test_a_key_that_the_server_echoes_is_written_nowhere(own_run: Run) -> None:
    key = "planted/key-0123456789+abc=="
    told, server_started = "", time.time()
    with serving(Manner(echoes=True, script=["rejected", "busy", "unsigned"])) as server:
        model = ("--set", "openai.model=tiny", "--set", "openai.concurrency=1")
        for words in (
            ("stage", "judge", own_run.root, "--judge", f"openai:{server.url}", *model),
            ("stage", "judge", own_run.root, "--retry", "failed"),
            ("run", "--out", own_run.root, "--judge-only"),
            ("run", "--out", own_run.root, "--only", "parlour0_ball*"),
        ):
            with lookaway(*words, **{KEY: key}) as process:
                told += "".join(process.communicate(timeout=120))
        assert f"Bearer {key}" in server.signed
    assert {answer.status for answer in answers(own_run)} == {"ok"}
    assert (own_run.root / "report.html").stat().st_mtime > server_started
    assert any(f"${KEY}" in reply.text for reply in replies(own_run)), "the server did echo it"
    assert f"${KEY}" in told
    assert key not in told
    holding = [str(path) for path in files(own_run.root) if key.encode() in path.read_bytes()]
    assert not holding


KILLS = 3


def test_kill_9_loses_no_answer_and_none_is_paid_twice(own_run: Run) -> None:
    """Restarted until it ends by itself, over a server that fails one request in five."""
    manner = {"fault_rate": 0.2, "median_s": 0.4, "sigma": 0.5, "slow_s": 30.0, "retry_after": "0.05"}
    with server_process(manner) as url:
        words = ["stage", "judge", own_run.root, "--judge", f"openai:{url}"]
        words += ["--set", "openai.model=tiny", "--set", "openai.concurrency=2", "--set", "openai.attempt_s=2"]
        kept = [killed(lookaway(*words), own_run, 4 * (number + 1)) for number in range(KILLS)]
        with lookaway(*words) as process:
            process.communicate(timeout=240)
        log = served_by(url)
    asked = CLIPS * QUESTIONS
    lines = [line for path in (own_run.log_folder("answers")).glob("*.jsonl") for line in json_lines(path)]
    assert len({line["key"] for line in lines}) == asked
    ended = Counter(line["key"] for line in lines if line["status"] == "ok")
    assert max(ended.values()) == 1, "one answer each"
    assert process.returncode in (0, 1)
    assert {answer.status for answer in answers(own_run)} <= {"ok", "failed"}
    assert all(answer.reason for answer in answers(own_run) if answer.status == "failed")
    assert len(kept[-1].ids) >= 4 * KILLS
    assert not bought_again(log, kept)
