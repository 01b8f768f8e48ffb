"""A chat-completions server over real sockets that is slow, busy, broken or wrong as often as it is told to be.

A question's key is its prompt. Run as a program it serves until killed, prints its port, and tells what it did at /log.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import json
import math
import random
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, TypeVar

FAULTS = ("busy", "error", "reset", "slow", "cut_json", "cut_body", "two_choices", "no_scores", "same_id")
LINGER_NOT = struct.pack("ii", 1, 0)  # a close becomes a reset
YES, NO = 101, 202  # token ids


@dataclass
class Manner:
    """How to answer."""

    script: list[str] = field(default_factory=list)  # fates of the first requests; "ok" answers
    fault_rate: float = 0.0
    faults: tuple[str, ...] = FAULTS
    median_s: float = 0.0
    sigma: float = 1.0  # of the latency's logarithm
    slow_s: float = 30.0
    retry_after: str = "0.02"
    key: str = ""
    says: str = "Yes"
    knows_token_ids: bool = True
    tokenizes: bool = False  # offers /tokenize, as vLLM does
    echoes: bool = False  # repeats the key that it was sent
    usage: bool = True
    says_true: bool = False  # in fields of a form; in rows about frames, except in those of `unseen`
    unseen: tuple[int, ...] = ()


@dataclass
class Served:
    """One request and what became of it."""

    key: str
    fate: str
    start_s: float
    end_s: float
    body: str = ""  # sha256 of the request
    id: str = ""  # of the reply


def latency_s(key: str, manner: Manner) -> float:
    """Lognormal, and the same for a key each time."""
    if not manner.median_s:
        return 0.0
    return math.exp(random.Random(key).gauss(math.log(manner.median_s), manner.sigma))


class ChatServer:
    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self.log: list[Served] = []
        self.bodies: list[dict[str, Any]] = []
        self.signed: list[str] = []
        self.port = 0
        self._asked: Counter[str] = Counter()
        self._ids = itertools.count()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def fates(self, key: str | None = None) -> list[str]:
        return [served.fate for served in self.log if key in (None, served.key)]

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=1 << 24, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or we are told to
        finally:
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if head[0].startswith("GET /log"):
            await _send(writer, 200, json.dumps([asdict(served) for served in self.log]))
            return True
        if head[0].startswith("POST /tokenize"):
            await self._tokenize(writer, json.loads(body)["prompt"])
            return True
        start_s = time.monotonic()
        asked = json.loads(body)
        key = asked["messages"][-1]["content"][-1]["text"]
        self.bodies = [*self.bodies[-20:], asked]
        self.signed = [*self.signed[-20:], headers.get("authorization", "")]
        fate = self._fate(key)
        await asyncio.sleep(latency_s(key, self.manner))
        if self.manner.key and headers.get("authorization") != f"Bearer {self.manner.key}":
            fate = "unsigned"
        served = Served(key, fate, start_s, 0.0, hashlib.sha256(body).hexdigest())
        try:
            return await self._answer(writer, asked, served, headers)
        finally:
            served.end_s = time.monotonic()
            self.log.append(served)

    async def _tokenize(self, writer: asyncio.StreamWriter, text: str) -> None:
        if not self.manner.tokenizes:
            return await _send(writer, 404, json.dumps({"error": "no such page"}))
        known = {"Yes": YES, "No": NO}
        tokens = [known[text]] if text in known else [ord(sign) for sign in text]
        await _send(writer, 200, json.dumps({"count": len(tokens), "tokens": tokens}))

    def _fate(self, key: str) -> str:
        if self.manner.script:
            return self.manner.script.pop(0)
        if "[rejected]" in key:
            return "rejected"
        self._asked[key] += 1
        rng = random.Random(f"{key} {self._asked[key]}")
        return rng.choice(self.manner.faults) if rng.random() < self.manner.fault_rate else "ok"

    async def _answer(
        self, writer: asyncio.StreamWriter, asked: dict[str, Any], served: Served, headers: dict[str, str]
    ) -> bool:
        fate = served.fate
        if fate == "reset":
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
            writer.transport.abort()
            return False
        completion = self._completion(asked, fate)
        if self.manner.echoes:
            completion["choices"][0]["message"]["content"] += f" ({headers.get('authorization')})"
        text = json.dumps(completion)
        served.id = completion["id"]
        if fate in ("slow", "cut_body"):
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text[: len(text) // 2]}".encode())
            await writer.drain()
            if fate == "slow":
                await _drip(writer, self.manner.slow_s)
            return False
        code = {"busy": 429, "error": 500, "rejected": 400, "unsigned": 401, "nowhere": 404}.get(fate, 200)
        if code != 200:
            said = f"{fate}; you sent {headers.get('authorization', 'no key')}"
            text = json.dumps({"error": {"message": said}})
        elif fate == "cut_json":
            text = text[: len(text) // 2]
        elif fate == "web_page":
            text = "<!doctype html><title>Welcome</title>"
        elif fate == "told_error":
            text = json.dumps({"error": {"message": "the model is overloaded"}})
        await _send(writer, code, text, self.manner.retry_after if fate == "busy" else "")
        return True

    def _completion(self, asked: dict[str, Any], fate: str) -> dict[str, Any]:
        schema = asked.get("response_format", {}).get("json_schema", {}).get("schema")
        says = self.manner.says if schema is None or fate == "no_form" else json.dumps(_filled(schema, self.manner))
        choice: dict[str, Any] = {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": says},
            "logprobs": None if fate == "no_scores" else self._logprobs(asked),
        }
        if fate == "refusal":
            choice["message"] = {"role": "assistant", "content": None, "refusal": "I cannot help with that"}
        answered = sum(served.fate == "ok" for served in self.log[-1000:])
        same = fate == "same_id" and answered
        return {
            "id": "chatcmpl-0" if same else f"chatcmpl-{next(self._ids)}",
            "object": "chat.completion",
            "model": asked["model"],
            "choices": [choice, {**choice, "index": 1}] if fate == "two_choices" else [choice],
            "usage": {"prompt_tokens": 90, "completion_tokens": 10} if self.manner.usage else None,
        }

    def _logprobs(self, asked: dict[str, Any]) -> dict[str, Any] | None:
        if not asked.get("logprobs"):
            return None
        likely = [("Yes", YES, 0.7), ("No", NO, 0.2), ("The", 303, 0.06), ("It", 404, 0.03)][: asked["top_logprobs"]]
        if self.manner.knows_token_ids and asked.get("logprob_token_ids"):
            chances = {number: chance for _, number, chance in likely}
            likely = [(f"token_id:{n}", n, chances.get(n, 1e-6)) for n in asked["logprob_token_ids"]]
        top = [{"token": token, "logprob": math.log(chance)} for token, _, chance in likely]
        return {"content": [{**top[0], "top_logprobs": top}]}


def _filled(schema: dict[str, Any], manner: Manner) -> Any:
    """The plainest value that keeps a schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: _filled(part, manner) for name, part in schema["properties"].items()}
    if schema["type"] == "array":
        ids = schema["items"]["properties"]["id"]["enum"]
        blind = replace(manner, says_true=False)
        rows = [_filled(schema["items"], blind if i in manner.unseen else manner) for i in range(len(ids))]
        return [{**row, "id": each} for row, each in zip(rows, ids, strict=True)]
    return {"boolean": manner.says_true, "integer": 0, "string": "seen"}[schema["type"]]


async def _send(writer: asyncio.StreamWriter, code: int, text: str, retry_after: str = "") -> None:
    more = f"Retry-After: {retry_after}\r\n" if retry_after else ""
    head = (
        f"HTTP/1.1 {code} Said\r\nContent-Type: application/json\r\nContent-Length: {len(text.encode())}\r\n{more}\r\n"
    )
    writer.write((head + text).encode())
    await writer.drain()


async def _drip(writer: asyncio.StreamWriter, seconds: float) -> None:
    """A byte now and then, so that no silence is long."""
    for _ in range(round(seconds / 0.05)):
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


class Startable(Protocol):
    async def start(self) -> asyncio.Server: ...


S = TypeVar("S", bound=Startable)


def serving(manner: Manner) -> contextlib.AbstractContextManager[ChatServer]:
    return in_thread(ChatServer(manner))


@contextlib.contextmanager
def in_thread(served: S) -> Iterator[S]:
    """The server in a thread of this process."""
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def main() -> None:
        async with await served.start():
            ready.set()
            await stop.wait()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(main())

    stop = asyncio.Event()
    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(30)
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def _serve_until_killed(manner: Manner) -> None:
    async with await (served := ChatServer(manner)).start() as server:
        sys.stdout.write(f"{served.port}\n")
        sys.stdout.flush()
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve_until_killed(Manner(**json.loads(sys.argv[1]))))
