"""Replies that are too much to take: packed, endless or deep. Each is a named failure, and no key goes astray."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib

import pytest

from lookaway.errors import CallFailed, LookawayError
from lookaway.judges import JUDGES, About, Probe
from lookaway.judges.calls.asking import Received
from lookaway.judges.frames import Encoding
from lookaway.judges.openai.chat import ChatRequest, frames_media
from lookaway.judges.openai.client import KEY, Client, Server
from tests.generators.hostile import Answers, Asked, hostile
from tests.judges.made import frames

pytest.importorskip("httpx")
pytest.importorskip("google.genai")

ASK = ChatRequest("Is the kettle there?", frames_media([b"first"], [0.0]))
REPLY = {
    "id": "1",
    "model": "tiny",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes"}}],
}
LARGE = (64 << 20) * b" "


def openai(answers: Answers) -> Received:
    async def main(url: str) -> Received:
        async with Client(Server(url=url, model="tiny")) as client:
            return await client.send(ASK)

    with hostile(answers) as server:
        return asyncio.run(main(f"{server.url}/v1"))


def gemini(answers: Answers) -> Received:
    async def main(url: str) -> Received:
        backend = JUDGES.get("gemini").function("tiny", {"url": url})
        async with backend:
            return await backend.send(Probe("Is it there?", frames(1, Encoding("jpeg")), About("q", "ab" * 32)))

    with hostile(answers) as server:
        return asyncio.run(main(server.url))


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv(KEY, "planted-judge-key-0123456789")
    monkeypatch.setenv("GEMINI_API_KEY", "planted-gemini-key-0123456789")
    monkeypatch.setenv("LOOKAWAY_STATE", str(tmp_path_factory.mktemp("state")))


def endless(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        asked.wfile.write(LARGE[: 1 << 20])


BOMBS: dict[str, Answers] = {
    "gzip": lambda asked: asked.tell(gzip.compress(LARGE), Content_Encoding="gzip"),
    "deflate": lambda asked: asked.tell(zlib.compress(LARGE), Content_Encoding="deflate"),
    "gzip error": lambda asked: asked.tell(gzip.compress(LARGE), 500, Content_Encoding="gzip"),
    "plain": lambda asked: asked.tell(LARGE),
    "endless": endless,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
@pytest.mark.parametrize("judge", [openai, gemini])
def test_a_reply_too_large_is_a_named_failure_that_is_not_asked_for_again(judge, bomb: Answers) -> None:
    with pytest.raises(CallFailed, match="more than the 16 MB that are taken") as failure:
        judge(bomb)
    assert failure.value.problem == "too_large"
    assert not failure.value.again
    assert failure.value.may_have_cost


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "no such"])
def test_a_reply_packed_as_nobody_asked_is_not_unpacked(encoding: str) -> None:
    packed = gzip.compress(gzip.compress(LARGE))
    with pytest.raises(CallFailed, match="which was not asked for"):
        openai(lambda asked: asked.tell(packed, Content_Encoding=encoding))


@pytest.mark.parametrize("encoding", ["", "identity", "gzip", "deflate"])
def test_an_honest_reply_is_read_packed_or_not(encoding: str) -> None:
    body = json.dumps(REPLY).encode()
    packed = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)(body)
    headers = {"Content_Encoding": encoding} if encoding else {}
    received = openai(lambda asked: asked.tell(packed, **headers))
    assert json.loads(received.raw) == REPLY


def test_a_packed_reply_that_stops_in_the_middle_may_be_asked_for_again() -> None:
    cut = gzip.compress(json.dumps(REPLY).encode())[:-12]
    with pytest.raises(CallFailed) as failure:
        openai(lambda asked: asked.tell(cut, Content_Encoding="gzip"))
    assert failure.value.again


@pytest.mark.parametrize("depth", [200, 300, 1000, 100_000])
@pytest.mark.parametrize("judge", [openai, gemini])
def test_a_reply_however_deep_is_a_failure_and_no_crash(judge, depth: int) -> None:
    deep = b'{"choices": ' + b"[" * depth + b"]" * depth + b"}"
    with pytest.raises(LookawayError):
        judge(lambda asked: asked.tell(deep))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("judge", [openai, gemini])
def test_a_judges_key_is_not_sent_on(judge, status: int) -> None:
    with hostile(lambda asked: asked.tell(json.dumps(REPLY).encode())) as other:
        with pytest.raises(CallFailed):
            judge(lambda asked: asked.send_on(f"{other.url}/v1", status))
        assert not other.seen
