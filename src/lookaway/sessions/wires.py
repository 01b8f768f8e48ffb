"""Ways to a server: one message out, one answer back, never sent twice."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Protocol

from lookaway.errors import GenerationError, MissingExtra
from lookaway.fetching import Deadline, Unfetched, fetch
from lookaway.limits import ANSWER_BYTES
from lookaway.secrets import first_words
from lookaway.sessions.messages import Message

SAID = 300  # characters of an unreadable answer that a reason quotes
EXTRA = "sessions"


class Wire(Protocol):
    address: str

    def ask(self, message: Message) -> bytes: ...

    def close(self) -> None: ...


def wire_to(address: str, timeout_s: float, headers: Mapping[str, str]) -> Wire:
    """The way that an address names; each answer may take `timeout_s`."""
    match address.partition("://")[0]:
        case "http" | "https":
            return HttpWire(address, timeout_s, headers)
        case "ws" | "wss":
            return WebSocketWire(address, timeout_s, headers)
        case _:
            raise GenerationError(f"'{address}' is no address of a session; give http://… or ws://…")


class HttpWire:
    """Every message is a POST to the address."""

    def __init__(self, address: str, timeout_s: float, headers: Mapping[str, str]) -> None:
        self.address, self._timeout_s = address, timeout_s
        self._headers = {"Content-Type": "application/json", **headers}

    def ask(self, message: Message) -> bytes:
        asked, answer = message.model_dump_json().encode(), io.BytesIO()
        try:
            told = fetch(self.address, answer, asked, self._headers, seconds=self._timeout_s, most_bytes=ANSWER_BYTES)
        except Unfetched as error:
            if error.trouble == "late":
                raise late(self.address, message, self._timeout_s) from error
            if error.trouble == "unreachable":
                raise GenerationError(f"{self.address} cannot be reached: {error}") from error
            raise broken(self.address, message, error) from error
        return answer.getvalue() if told.status < 400 else self._explained(told.status, answer.getvalue())

    def close(self) -> None:
        """Nothing: connections end with their answers."""

    def _explained(self, status: int, body: bytes) -> bytes:
        """The body where the server explains itself in our words."""
        try:
            if "error" in json.loads(body):
                return body
        except (ValueError, TypeError, RecursionError):
            pass
        said = first_words(body.decode(errors="replace"), SAID)
        raise GenerationError(f"{self.address} answered {status}: {said}")


class WebSocketWire:
    """One connection for a session and its forks."""

    def __init__(self, address: str, timeout_s: float, headers: Mapping[str, str]) -> None:
        try:
            from websockets.exceptions import InvalidHandshake, InvalidURI, WebSocketException
            from websockets.sync.client import connect
            from websockets.uri import parse_uri
        except ModuleNotFoundError as error:
            raise MissingExtra(EXTRA, "a session over WebSocket") from error
        self.address, self._timeout_s = address, timeout_s
        self._trouble = (WebSocketException, OSError)
        self._stack = ExitStack()
        try:
            # a model may be busy for minutes and answer no pings meanwhile
            self._socket = self._stack.enter_context(
                connect(
                    address,
                    additional_headers=dict(headers),
                    compression=None,
                    max_size=ANSWER_BYTES,
                    ping_interval=None,
                )
            )
        except (OSError, InvalidHandshake, InvalidURI) as error:
            raise GenerationError(f"{address} cannot be reached: {error}") from error
        given, found = parse_uri(address), self._socket.protocol.uri
        if (found.secure, found.host, found.port) != (given.secure, given.host, given.port):
            self.close()
            raise GenerationError(f"{address} sends on to {found.host}:{found.port}, another server; give that address")

    def ask(self, message: Message) -> bytes:
        deadline = Deadline(self._timeout_s)
        try:
            with deadline:
                deadline.cuts(self._socket.socket)
                self._socket.send(message.model_dump_json())
                answer = self._socket.recv()
        except self._trouble as error:
            if deadline.passed:
                raise late(self.address, message, self._timeout_s) from error
            raise broken(self.address, message, error) from error
        return answer.encode() if isinstance(answer, str) else answer

    def close(self) -> None:
        self._stack.close()


def late(address: str, message: Message, timeout_s: float) -> GenerationError:
    return GenerationError(f"{address} did not answer '{message.do}' within {timeout_s:g} s", "timed_out")


def broken(address: str, message: Message, error: Exception) -> GenerationError:
    return GenerationError(f"{address} broke off while answering '{message.do}': {error or type(error).__name__}")
