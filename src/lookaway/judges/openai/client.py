"""A client of any server that speaks OpenAI's chat completions: vLLM, SGLang, hosted services.

The key comes from the environment variable `LOOKAWAY_JUDGE_KEY`, a name of our own, so that no key of another service
is ever sent to this one. Neither the key nor a server's echo of it gets into a reply, a message or a log.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, Field, ValidationError

from lookaway.errors import CallFailed, CallProblem, MissingExtra, UsageError
from lookaway.judges.calls.asking import Inquiry, Received
from lookaway.judges.calls.budget import Cost, Price, told_cost
from lookaway.judges.calls.pacing import retry_after_s
from lookaway.judges.openai.chat import ChatRequest
from lookaway.judges.openai.chat_reply import ChatReply, read_reply
from lookaway.records import Record
from lookaway.secrets import first_words, redacted, secret_of, without

if TYPE_CHECKING:
    import httpx

KEY = "LOOKAWAY_JUDGE_KEY"
CONNECT_S = 10.0
RIGHT_ADDRESS = "is the model named as the server names it, and does the address end in /v1?"
REMEMBERED_IDS = 100_000
STATUS: dict[int, CallProblem] = {
    401: "barred",
    402: "barred",
    408: "timed_out",
    425: "server",
    429: "rate_limited",
}


class Server(Record):
    """Where to ask, and what is known of it."""

    url: str = Field(description="up to and with /v1")
    model: str
    revision: str = Field("", description="names the weights; servers of one revision share replies")
    more: dict[str, Any] = Field({}, description="further fields of every request")
    unique_ids: bool = Field(True, description="two replies with one id are a fault, not this server's habit")
    usd_in: float | None = Field(None, ge=0, description="of a million tokens")
    usd_out: float | None = Field(None, ge=0)

    @property
    def price(self) -> Price | None:
        return None if self.usd_in is None or self.usd_out is None else Price(self.usd_in, self.usd_out)


class _Tokens(BaseModel):
    tokens: list[int]


class Client:
    """Open while questions are asked; makes one attempt at a time and leaves patience to the pool."""

    def __init__(self, server: Server) -> None:
        _checked(server.url)
        self.server = server
        self._key = secret_of(KEY) or ""
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._connect = _connector(server.url, self._key)
        self._idle: list[httpx.AsyncClient] = []

    def inquiry(self, request: ChatRequest, tokens_in: int) -> Inquiry:
        """The request as something to buy; `tokens_in` is the most that prompt and pixels can take."""
        server, price = self.server, self.server.price
        cost = Cost(1, tokens_in + request.max_tokens, price.of(tokens_in, request.max_tokens) if price else None)
        key = request.key(server.revision or server.url, server.model, server.more)
        return Inquiry(key, cost, lambda: self.send(request))

    async def send(self, request: ChatRequest) -> Received:
        """One attempt: a whole, checked reply with its cost, or a CallFailed that says what is wrong."""
        body = request.body(self.server.model, self.server.more)
        response = await self._post(f"{self.server.url.rstrip('/')}/chat/completions", body)
        if response.status_code != 200:
            raise self._failure(response)
        raw = self.keyless(_unescaped(response.text))
        if raw.lstrip().startswith("<"):
            raise self._failed("rejected", f"{self.server.url} answered with a web page; {RIGHT_ADDRESS}")
        reply = read_reply(raw, request)
        self._remember(reply.id)
        return Received(raw, self.cost(reply))

    async def tokenized(self, text: str) -> list[int] | None:
        """The text's token ids, without any that a template adds; None where the server has no tokenizer to ask."""
        asked = orjson.dumps({"model": self.server.model, "prompt": text, "add_special_tokens": False})
        response = await self._post(f"{self.server.url.rstrip('/').removesuffix('/v1')}/tokenize", asked)
        if response.status_code in (400, 403, 404, 405, 422, 501):
            return None
        if response.status_code != 200:
            raise self._failure(response)
        try:
            return _Tokens.model_validate_json(response.text).tokens
        except ValidationError:
            return None

    async def _post(self, url: str, body: bytes) -> httpx.Response:
        import httpx

        from lookaway.limited_http import TooLarge

        try:
            async with self._connection() as http:
                return await http.post(url, content=body)
        except TooLarge as error:
            failure = self._failed("too_large", str(error))
        except httpx.ConnectError as error:
            failure = self._failed("unreachable", f"no server at {self.server.url} ({error})")
        except httpx.TimeoutException as error:
            failure = self._failed("timed_out", f"{type(error).__name__} at {self.server.url}")
        except httpx.RemoteProtocolError as error:
            failure = self._failed("truncated", f"the reply broke off ({error})")
        except httpx.HTTPError as error:
            failure = self._failed("network", f"the connection broke ({type(error).__name__}: {error})")
        raise failure  # out here, so that it carries no trace of the request and its key

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator[httpx.AsyncClient]:
        """A connection of one's own: in a pool of a hundred httpx spends more CPU on finding one than on the call."""
        http = self._idle.pop() if self._idle else self._connect()
        try:
            yield http
        finally:
            self._idle.append(http)

    def _failure(self, response: httpx.Response) -> CallFailed:
        code, said = response.status_code, self.keyless(_unescaped(response.text))
        problem = STATUS.get(code, "server" if code >= 500 else "rejected")
        if "insufficient_quota" in said:
            problem = "barred"
        hints = {401: f"; is {KEY} set to a valid key?", 404: f"; {RIGHT_ADDRESS}"}
        hint = hints.get(code, "")
        if 300 <= code < 400:
            hint = f"; it has moved to {response.headers.get('Location', 'somewhere else')}, so give that address"
        wait_s = retry_after_s(response.headers.get("Retry-After"), datetime.now(UTC))
        return self._failed(problem, f"{self.server.url} answered {code}{hint}: {first_words(said, 300)}", wait_s)

    def _remember(self, reply_id: str) -> None:
        if not self.server.unique_ids or not reply_id:
            return
        if reply_id in self._ids:
            raise self._failed("malformed", f"reply id {reply_id[:80]} was given to another question before")
        self._ids[reply_id] = None
        if len(self._ids) > REMEMBERED_IDS:
            self._ids.popitem(last=False)

    def cost(self, reply: ChatReply) -> Cost | None:
        return told_cost(reply.tokens_in, reply.tokens_out, self.server.price)

    def _failed(self, problem: CallProblem, message: str, wait_s: float | None = None) -> CallFailed:
        return CallFailed(problem, redacted(self.keyless(message)), wait_s)

    def keyless(self, text: str) -> str:
        return without(text, KEY, self._key)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        while self._idle:
            await self._idle.pop().aclose()


def _unescaped(text: str) -> str:
    """JSON in its plainest spelling, in which an echoed key is the key; other text as it is."""
    try:
        return orjson.dumps(orjson.loads(text)).decode()
    except (ValueError, TypeError):  # the second where it is too deep to write again
        return text


def _connector(url: str, key: str) -> Callable[[], httpx.AsyncClient]:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtra("openai", "a judge behind an OpenAI-compatible server") from error
    from lookaway.limited_http import ACCEPTED, limited_transport

    headers = {"Content-Type": "application/json", **ACCEPTED} | ({"Authorization": f"Bearer {key}"} if key else {})
    trust = httpx.create_ssl_context()  # slow to make, so all share it
    patience = httpx.Timeout(None, connect=CONNECT_S)  # how long a reply may take is the pool's to say
    return lambda: httpx.AsyncClient(headers=headers, transport=limited_transport(url, trust), timeout=patience)


def _checked(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{redacted(url)}: not a server's address; give one such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query:
        raise UsageError(f"a judge's address holds no key or password; set {KEY} instead")
