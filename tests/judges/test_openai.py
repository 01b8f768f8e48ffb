"""A chat-completions server over real HTTP: what is asked, what must come back, and every way in which it may not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import math
import traceback
from pathlib import Path
from typing import Any

import pytest

from lookaway.errors import CallFailed, UsageError
from lookaway.judges.calls.asking import Asker, Reached, Received
from lookaway.judges.calls.budget import Budget, Ceiling, Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.openai.chat import ChatRequest, frames_media, video_media
from lookaway.judges.openai.chat_reply import read_reply
from lookaway.judges.openai.client import KEY, Client, Server
from tests.judges.server import NO, YES, ChatServer, Manner, serving

pytest.importorskip("httpx")

MEDIA = frames_media([b"first", b"second"], [0.0, 1.25])
ASK = ChatRequest("Is the kettle there?", MEDIA, top_logprobs=4)
PATIENT = Limits(concurrency=4, attempts=3, attempt_s=20, backoff_s=0.001)


def sent(manner: Manner, request: ChatRequest = ASK, **facts: Any) -> tuple[Received, ChatServer]:
    """One attempt."""

    async def main(url: str) -> Received:
        async with Client(Server(url=url, model="tiny", **facts)) as client:
            return await client.send(request)

    with serving(manner) as server:
        return asyncio.run(main(server.url)), server


def reached(
    path: Path, manner: Manner, requests: list[ChatRequest], limits: Limits = PATIENT
) -> tuple[list[Reached], ChatServer]:
    """All the way: cache, budget, pool, client, sockets."""

    async def main(url: str) -> list[Reached]:
        with ReplyCache(path / "cache.sqlite") as cache:
            asker = Asker(Pool(limits), cache, Budget(cache.database, "run", Ceiling()))
            async with Client(Server(url=url, model="tiny", revision="r1", usd_in=1.0, usd_out=10.0)) as client:
                return [end async for end in asker.ask_all(client.inquiry(each, 100) for each in requests)]

    with serving(manner) as server:
        return asyncio.run(main(server.url)), server


# ---------------------------------------------------------------- what is asked


def test_frames_go_in_order_each_after_its_time() -> None:
    _, server = sent(Manner(), ChatRequest("Is it there?", MEDIA, system="You judge.", seed=7))
    (body,) = server.bodies
    system, user = body["messages"]
    assert system == {"role": "system", "content": "You judge."}
    assert [part["type"] for part in user["content"]] == ["text", "image_url", "text", "image_url", "text"]
    assert [part["text"] for part in user["content"][::2]] == ["Frame at 0.00 s:", "Frame at 1.25 s:", "Is it there?"]
    urls = [part["image_url"]["url"] for part in user["content"][1::2]]
    assert [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls] == [b"first", b"second"]
    assert (body["model"], body["seed"], body["max_tokens"], body["temperature"]) == ("tiny", 7, 16, 0.0)
    assert "logprobs" not in body
    assert MEDIA.sha256 == tuple(hashlib.sha256(image).hexdigest() for image in (b"first", b"second"))


def test_a_video_goes_as_one_part() -> None:
    _, server = sent(Manner(), ChatRequest("Is it there?", video_media(b"mp4")))
    parts = server.bodies[0]["messages"][0]["content"]
    assert parts[0] == {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,bXA0"}}


def test_a_schema_and_a_servers_own_fields_are_sent() -> None:
    schema = {"type": "object", "properties": {"there": {"type": "boolean"}}}
    _, server = sent(Manner(), ChatRequest("?", MEDIA, schema=schema), more={"top_k": 1})
    assert server.bodies[0]["response_format"]["json_schema"]["schema"] == schema
    assert server.bodies[0]["top_k"] == 1


def test_equal_requests_have_equal_keys_and_any_difference_tells() -> None:
    def key(url: str = "u", model: str = "m", **changed: Any) -> str:
        return ChatRequest(**({"prompt": "p", "media": MEDIA} | changed)).key(url, model, {})

    late = frames_media([b"first", b"second"], [0.0, 1.5])
    swapped = frames_media([b"second", b"first"], [0.0, 1.25])
    changes: list[dict[str, Any]] = [
        {"prompt": "q"}, {"media": late}, {"media": swapped}, {"sample": 1}, {"seed": 1}, {"system": "s"}, {"url": "v"},
        {"model": "n"}, {"top_logprobs": 5}, {"token_ids": (1,)}, {"schema": {}}, {"temperature": 1.0},
        {"max_tokens": 1},
    ]  # fmt: skip
    keys = [key(), *(key(**change) for change in changes)]
    assert len(set(keys)) == len(keys)
    assert key() == key(media=frames_media([b"first", b"second"], [0.0, 1.25]))


# ---------------------------------------------------------------- what comes back


def test_a_reply_has_text_scores_and_cost() -> None:
    received, _ = sent(Manner(), usd_in=1.0, usd_out=10.0)
    assert received.cost == Cost(1, 100, (90 * 1.0 + 10 * 10.0) / 1e6)
    reply = read_reply(received.raw, ASK)
    assert reply.text == "Yes"
    assert [score.token for score in reply.positions[0].others] == ["Yes", "No", "The", "It"]
    assert math.exp(reply.positions[0].chosen.logprob) == pytest.approx(0.7)


def test_asked_for_tokens_come_with_exact_scores() -> None:
    asked = ChatRequest("?", MEDIA, token_ids=(NO, YES, 999))
    received, server = sent(Manner(), asked)
    assert server.bodies[0]["logprob_token_ids"] == [NO, YES, 999]
    (position,) = read_reply(received.raw, asked).positions
    assert [score.token_id for score in position.others] == [NO, YES, 999]


def test_what_is_neither_yes_nor_no_is_passed_on_as_said() -> None:
    received, _ = sent(Manner(says="Yes and no"))
    assert read_reply(received.raw, ASK).text == "Yes and no"


def test_a_cost_nobody_told_is_unknown() -> None:
    assert sent(Manner(usage=False))[0].cost is None
    known = sent(Manner())[0].cost
    assert known is not None
    assert known.usd is None


def test_a_cost_below_nothing_is_as_good_as_not_told() -> None:
    raw = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": -5}}
    assert read_reply(json.dumps(raw), ChatRequest("?", MEDIA)).tokens_in is None


# ---------------------------------------------------------------- what may go wrong

WRONG = [
    ("busy", "rate_limited", "answered 429"),
    ("error", "server", "answered 500"),
    ("rejected", "rejected", "answered 400"),
    ("reset", "network", "the connection broke"),
    ("cut_body", "truncated", "the reply broke off"),
    ("cut_json", "truncated", "the reply does not read: all of it: Invalid JSON"),
    ("two_choices", "malformed", "2 choices in the reply, where 1 was asked for"),
    ("no_scores", "incomplete", "no token scores in the reply"),
    ("refusal", "refused", "I cannot help with that"),
    ("web_page", "rejected", "does the address end in /v1"),
    ("nowhere", "rejected", "answered 404; is the model named as the server names it"),
    ("told_error", "server", "the model is overloaded"),
]


@pytest.mark.parametrize(("fate", "problem", "message"), WRONG)
def test_every_fault_has_its_name(fate: str, problem: str, message: str) -> None:
    with pytest.raises(CallFailed, match=message) as failure:
        sent(Manner(script=[fate]))
    assert failure.value.problem == problem
    assert failure.value.retry_after_s == (0.02 if fate == "busy" else None)


def test_nobody_listening_is_unreachable() -> None:
    with serving(Manner()) as server:
        url = server.url

    async def main() -> None:
        async with Client(Server(url=url, model="tiny")) as client:
            await client.send(ASK)

    with pytest.raises(CallFailed, match=r"unreachable: no server at http://127\.0\.0\.1"):
        asyncio.run(main())


def test_a_server_without_exact_scores_or_alternatives_is_found_out() -> None:
    with pytest.raises(CallFailed, match=r"no scores of tokens \[999\].*logprob_token_ids"):
        sent(Manner(knows_token_ids=False), ChatRequest("?", MEDIA, token_ids=(999,)))
    bare = {"content": [{"token": "Yes", "logprob": -0.1, "top_logprobs": []}]}
    message = {"role": "assistant", "content": "Yes"}
    raw = json.dumps({"choices": [{"message": message, "finish_reason": "stop", "logprobs": bare}]})
    with pytest.raises(CallFailed, match="scores its own tokens only"):
        read_reply(raw, ASK)


@pytest.mark.parametrize("fate", ["busy", "error", "reset", "slow", "cut_body", "cut_json", "two_choices"])
def test_a_fault_that_passes_is_asked_again_and_the_answer_kept(fate: str, tmp_path: Path) -> None:
    limits = Limits(attempts=3, attempt_s=1.0 if fate == "slow" else 20.0, backoff_s=0.001)
    (end,), server = reached(tmp_path, Manner(script=[fate]), [ASK], limits)
    assert end.attempts == 2
    assert end.kept is not None
    assert sorted(server.fates()) == sorted([fate, "ok"])
    again, untouched = reached(tmp_path, Manner(), [ASK])
    assert again[0].kept == end.kept
    assert untouched.log == []


def test_one_reply_is_not_the_answer_to_two_questions(tmp_path: Path) -> None:
    requests = [ChatRequest(f"Question {n}?", MEDIA, top_logprobs=4) for n in range(3)]
    one_at_a_time = Limits(concurrency=1, attempts=3, backoff_s=0.001)
    ends, server = reached(tmp_path, Manner(script=["ok", "same_id", "ok", "same_id"]), requests, one_at_a_time)
    assert [end.attempts for end in ends] == [1, 2, 2]
    ids = [read_reply(end.kept.raw, requests[0]).id for end in ends if end.kept]
    assert len(set(ids)) == 3
    assert server.fates() == ["ok", "same_id", "ok", "same_id", "ok"]


def test_missing_scores_are_not_paid_for_twice(tmp_path: Path) -> None:
    (end,), server = reached(tmp_path, Manner(fault_rate=1.0, faults=("no_scores",)), [ASK])
    assert end.failure is not None
    assert end.failure.problem == "incomplete"
    assert len(server.log) == 1


# ---------------------------------------------------------------- secrets

PLANTED = "sk-planted-0123456789abcdef"


def test_the_key_reaches_the_server_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server repeats the key in every error and even in an answer; neither files, messages nor logs do."""
    monkeypatch.setenv(KEY, PLANTED)
    caplog.set_level(logging.DEBUG)
    fates = ["error", "rejected", "busy", "reset", "cut_json"]
    requests = [ChatRequest(f"Question {n}?", MEDIA, top_logprobs=4) for n in range(6)]
    once = Limits(concurrency=1, attempts=1)
    ends, server = reached(tmp_path, Manner(script=[*fates], key=PLANTED, says=f"Yes {PLANTED}"), requests, once)
    assert set(server.signed) == {f"Bearer {PLANTED}"}
    assert [end.failure is None for end in ends] == [False] * 5 + [True]
    shown = [caplog.text, *(repr(end) for end in ends)]
    for end in ends:
        if end.failure is not None:
            shown += traceback.format_exception(end.failure)
            errors: list[BaseException] = [end.failure]
            while (before := errors[-1].__cause__ or errors[-1].__context__) is not None:
                errors.append(before)
            shown += [repr(error) for error in errors]
            assert not any(hasattr(error, "request") for error in errors), "a request holds the key"
    assert f"${KEY}" in "".join(shown)
    assert PLANTED not in "".join(shown)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any(PLANTED.encode() in path.read_bytes() for path in files)


def test_a_refused_key_is_explained_and_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, PLANTED)
    requests = [ChatRequest(f"Question {n}?", MEDIA) for n in range(5)]
    ends, server = reached(tmp_path, Manner(key="another"), requests, Limits(concurrency=1))
    assert len(server.log) == 1
    assert "is LOOKAWAY_JUDGE_KEY set to a valid key?" in str(ends[0].failure)
    assert PLANTED not in "".join(str(end.failure) for end in ends)


@pytest.mark.parametrize("url", ["https://me:secret@host/v1", "https://host/v1?key=secret", "host/v1", "file:///v1"])
def test_an_address_with_a_secret_or_none_at_all_is_turned_down(url: str) -> None:
    with pytest.raises(UsageError) as error:
        Client(Server(url=url, model="tiny"))
    assert "secret" not in str(error.value)
