"""A real model behind real HTTP: it agrees with the one in this process, and none of its faults is a verdict."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lookaway.errors import CallFailed
from lookaway.judges.calls.asking import Asker, Reached
from lookaway.judges.calls.budget import Budget, Ceiling
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.estimators import Verdict, structured, vote, votes
from lookaway.judges.openai.chat import ChatRequest
from lookaway.judges.openai.chat_reply import read_reply
from lookaway.judges.openai.client import Client, Server
from lookaway.judges.prompting.forms import Field, Form, Rows
from lookaway.records import Finish
from tests.learned.contract import CLIPS, QUESTIONS, Ask, Contract, asks, in_process, request, spelled
from tests.learned.model_server import Conduct, ModelServer, serving
from tests.learned.plain_model import PlainModel

__all__ = ["in_process", "spelled"]  # fixtures

pytestmark = pytest.mark.torch

FINISH: dict[str, Finish] = {"stop": "complete", "length": "cut"}


@pytest.fixture(scope="module")
def running(tiny: Path) -> Iterator[ModelServer]:
    with serving(PlainModel(tiny)) as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> ModelServer:
    running.conduct, running.asked = Conduct(), 0
    return running


@pytest.fixture
def url(server: ModelServer) -> str:
    return server.url


class TestUvicorn(Contract):
    """With the processor and the model code of transformers, each question from scratch."""


# ---------------------------------------------------------------- faults

ASK = request(QUESTIONS[0], CLIPS[1], top_logprobs=20)


def reached(
    server: ModelServer, path: Path, requests: list[ChatRequest], attempts: int, attempt_s: float = 20.0
) -> list[Reached]:
    """All the way: cache, budget, pool, client, uvicorn, model."""

    async def main() -> list[Reached]:
        with ReplyCache(path / "cache.sqlite") as cache:
            limits = Limits(concurrency=1, attempts=attempts, attempt_s=attempt_s, backoff_s=0.001)
            asker = Asker(Pool(limits), cache, Budget(cache.database, "run", Ceiling()))
            async with Client(Server(url=server.url, model="tiny")) as client:
                return [end async for end in asker.ask_all(client.inquiry(each, 500) for each in requests)]

    return asyncio.run(main())


FAULTS = [
    ("busy", "rate_limited"),
    ("error", "server"),
    ("reset", "network"),
    ("slow", "timed_out"),
    ("cut_json", "truncated"),
    ("cut_body", "truncated"),
    ("two_choices", "malformed"),
    ("no_scores", "incomplete"),
    ("refusal", "refused"),
]


@pytest.mark.parametrize(("fate", "problem"), FAULTS)
def test_a_fault_is_a_failure_by_its_name_and_never_a_verdict(
    fate: str, problem: str, server: ModelServer, tmp_path: Path
) -> None:
    server.conduct = Conduct(fates=[fate])
    (end,) = reached(server, tmp_path, [ASK], attempts=1, attempt_s=1.0 if fate == "slow" else 20.0)
    assert end.kept is None
    assert end.failure is not None
    assert end.failure.problem == problem
    assert end.failure.retry_after_s == (0.02 if fate == "busy" else None)


@pytest.mark.parametrize("fate", [fate for fate, problem in FAULTS if problem not in ("incomplete", "refused")])
def test_what_passes_is_asked_again_and_ends_in_the_models_own_answer(
    fate: str, server: ModelServer, tmp_path: Path
) -> None:
    (calm,) = reached(server, tmp_path / "calm", [ASK], attempts=1)
    server.conduct = Conduct(fates=[fate])
    (end,) = reached(server, tmp_path / "again", [ASK], attempts=2, attempt_s=1.0 if fate == "slow" else 20.0)
    assert end.attempts == 2
    assert end.kept is not None
    assert calm.kept is not None
    assert read_reply(end.kept.raw, ASK).positions == read_reply(calm.kept.raw, ASK).positions


def test_one_reply_is_not_the_answer_to_two_questions(server: ModelServer, tmp_path: Path) -> None:
    server.conduct = Conduct(fates=["ok", "same_id"])
    asked = [request(text, CLIPS[1], top_logprobs=20) for text in QUESTIONS[:2]]
    first, second = reached(server, tmp_path, asked, attempts=1)
    assert first.kept is not None
    assert second.failure is not None
    assert second.failure.problem == "malformed"
    assert "was given to another question" in str(second.failure)


@pytest.mark.parametrize(
    ("conduct", "asked"),
    [
        (Conduct(knows_logprobs=False), {"top_logprobs": 5}),
        (Conduct(knows_logprobs=False), {"token_ids": (265, 266)}),
        (Conduct(knows_token_ids=False), {"token_ids": (265, 266)}),
    ],
)
def test_a_server_that_says_ok_and_leaves_the_scores_out_is_found_out(
    conduct: Conduct, asked: dict[str, Any], server: ModelServer
) -> None:
    server.conduct = conduct
    with pytest.raises(CallFailed, match="incomplete"):
        asks(server.url)([request(QUESTIONS[0], CLIPS[1], **asked)])


# ---------------------------------------------------------------- words that are no verdict

ROWS = Form(
    kind="structured",
    rows=Rows(name="answers", of="ids", fields=(Field(name="yes", kind="boolean", says="?"),), ids=("1", "2", "3")),
)


def rows(*ids: str) -> str:
    return json.dumps({"answers": [{"id": number, "yes": True} for number in ids]})


def in_words(ask: Ask, form: Form | None = None) -> Verdict:
    (reply,) = ask([request(QUESTIONS[0], CLIPS[1], max_tokens=64)])
    finish = FINISH[reply.finish_reason]
    if form is not None:
        return structured([(reply.text, finish)], form)
    return votes([vote(reply.text, finish)])


@pytest.mark.parametrize("says", ["Yes and no", "No idea", "Yes, but only at first", "The kettle", "Oui"])
def test_words_that_are_neither_yes_nor_no_are_invalid(says: str, server: ModelServer) -> None:
    server.conduct = Conduct(says=says)
    made = in_words(asks(server.url))
    assert (made.status, made.choice) == ("invalid", None)


def test_a_judge_that_cannot_tell_abstains(server: ModelServer) -> None:
    server.conduct = Conduct(says="I cannot tell.")
    assert in_words(asks(server.url)).status == "abstained"


@pytest.mark.parametrize(
    ("says", "finish", "reason"),
    [
        (rows("1", "2"), "stop", "2 rows, not 3"),
        (rows("1", "2", "3", "4"), "stop", "4 rows, not 3"),
        (rows("1", "2", "2"), "stop", "the ids"),
        (rows("1", "2", "3")[:40], "length", ""),
        (rows("1", "2", "3")[:40], "stop", ""),
        (rows("1", "2", "3"), "length", ""),
    ],
)
def test_a_structured_reply_with_wrong_rows_or_a_missing_end_is_invalid(
    says: str, finish: str, reason: str, server: ModelServer
) -> None:
    server.conduct = Conduct(says=says, finish=finish)
    made = in_words(asks(server.url), ROWS)
    assert (made.status, made.choice) == ("invalid", None)
    assert reason in made.reason


def test_the_same_reply_whole_is_a_verdict(server: ModelServer) -> None:
    server.conduct = Conduct(says=rows("1", "2", "3"))
    assert in_words(asks(server.url), ROWS).status == "ok"
