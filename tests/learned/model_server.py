"""The tiny model behind uvicorn, in the chat-completions protocol, well behaved or at fault as a script says.

The fates are those of tests/judges/server.py, which needs no model; here the replies are a real model's.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from tests.judges.server import LINGER_NOT
from tests.learned.plain_model import PlainModel

Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]


@dataclass
class Conduct:
    """How the server behaves; without a script it answers every request."""

    fates: list[str] = field(default_factory=list)  # of the first requests; "ok" answers
    says: str = ""  # instead of the model's words
    finish: str = "stop"  # then; where the model speaks, what is true
    knows_logprobs: bool = True
    knows_token_ids: bool = True


class ModelServer:
    def __init__(self, model: PlainModel) -> None:
        self.model = model
        self.conduct = Conduct()
        self.asked = 0
        self.port = 0
        self._ids = 0
        self._lock = threading.Lock()  # the model answers one request at a time

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __call__(self, scope: Event, receive: Receive, send: Send) -> None:
        assert scope["type"] == "http"
        body = json.loads(await _body(receive))
        if scope["path"] == "/tokenize":
            tokens = self.model.tokenizer.encode(body["prompt"], add_special_tokens=False)
            return await _say(send, 200, json.dumps({"tokens": tokens}).encode())
        fate = self.conduct.fates.pop(0) if self.conduct.fates else "ok"
        self.asked += 1
        if fate == "reset":
            return _reset(receive)
        code = {"busy": 429, "error": 500}.get(fate, 200)
        if code != 200:
            return await _say(send, code, json.dumps({"error": {"message": fate}}).encode(), fate == "busy")
        text = await asyncio.to_thread(self._completed, body, fate)
        if fate == "slow":
            await _drip(send, text)
        elif fate == "cut_body":
            await _say(send, 200, text[: len(text) // 2], length=len(text))
        else:
            await _say(send, 200, text[: len(text) // 2] if fate == "cut_json" else text)

    def _completed(self, body: dict[str, Any], fate: str) -> bytes:
        with self._lock:
            return json.dumps(self._completion(body, fate)).encode()

    def _completion(self, body: dict[str, Any], fate: str) -> dict[str, Any]:
        inputs = self.model.of_messages(body["messages"])
        words, tokens = self.conduct.says, 1
        finish = self.conduct.finish
        if not words:
            made = self.model.tokens(inputs, body["max_tokens"])
            tokens, ended = len(made), made[-1] == self.model.tokenizer.eos_token_id
            words, finish = self.model.tokenizer.decode(made, skip_special_tokens=True), "stop" if ended else "length"
        told = self._logprobs(inputs, body) if fate != "no_scores" and self.conduct.knows_logprobs else None
        choice = {"index": 0, "finish_reason": finish, "message": _message(words, fate), "logprobs": told}
        self._ids += fate != "same_id"
        return {
            "id": f"chatcmpl-{self._ids}",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [choice, {**choice, "index": 1}] if fate == "two_choices" else [choice],
            "usage": {"prompt_tokens": inputs["input_ids"].shape[1], "completion_tokens": tokens},
        }

    def _logprobs(self, inputs: dict[str, Any], body: dict[str, Any]) -> dict[str, Any] | None:
        """Of the first position, which is all that a yes-or-no question needs."""
        if not body.get("logprobs"):
            return None
        scores = self.model.logprobs(inputs)
        tokens = body.get("logprob_token_ids") if self.conduct.knows_token_ids else None
        names = [f"token_id:{token}" for token in tokens or []]
        if tokens is None:
            tokens = scores.topk(body["top_logprobs"]).indices.tolist()
            names = [self.model.tokenizer.decode([token]) for token in tokens]
        top = [{"token": n, "logprob": float(scores[t])} for n, t in zip(names, tokens, strict=True)]
        return {"content": [{**max(top, key=lambda one: one["logprob"]), "top_logprobs": top}]}


def _message(words: str, fate: str) -> dict[str, Any]:
    refusal = {"content": None, "refusal": "I cannot help with that"} if fate == "refusal" else {}
    return {"role": "assistant", "content": words, **refusal}


async def _body(receive: Receive) -> bytes:
    read, more = b"", True
    while more:
        event = await receive()
        read, more = read + event.get("body", b""), event.get("more_body", False)
    return read


async def _say(send: Send, code: int, body: bytes, busy: bool = False, length: int | None = None) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(length or len(body)).encode())]
    headers += [(b"retry-after", b"0.02")] if busy else []
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": length is not None})


async def _drip(send: Send, text: bytes) -> None:
    """Half of the reply, then a byte at a time that means nothing, so that no silence is long."""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(2 * len(text)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text[: len(text) // 2], "more_body": True})
    for _ in range(len(text)):
        await asyncio.sleep(0.05)
        await send({"type": "http.response.body", "body": b" ", "more_body": True})


def _reset(receive: Receive) -> None:
    """ASGI knows no resets, so the connection is taken from uvicorn's own hands."""
    transport = receive.__self__.transport  # type: ignore[attr-defined]
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
    transport.abort()


@contextlib.contextmanager
def serving(model: PlainModel, kind: type[ModelServer] = ModelServer) -> Iterator[ModelServer]:
    """The server in a thread of this process, on a port of its own."""
    import uvicorn

    app = kind(model)
    config = uvicorn.Config(app, port=0, lifespan="off", log_config=None, ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + 30
        while not server.started:
            assert time.monotonic() < until, "uvicorn did not start"
            time.sleep(0.01)
        app.port = server.servers[0].sockets[0].getsockname()[1]
        yield app
    finally:
        server.should_exit = True
        thread.join()
