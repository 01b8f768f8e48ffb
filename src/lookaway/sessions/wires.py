"""Ways to a server: one message out, one answer back, never sent twice."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Protocol

from lookaway.errors import GenerationError, MissingExtra
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
        request = urllib.request.Request(self.address, message.model_dump_json().encode(), self._headers)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            return self._explained(error)
        except TimeoutError as error:
            raise late(self.address, message, self._timeout_s) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise late(self.address, message, self._timeout_s) from error
            raise GenerationError(f"{self.address} cannot be reached: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise broken(self.address, message, error) from error

    def close(self) -> None:
        """Nothing: connections end with their answers."""

    def _explained(self, error: urllib.error.HTTPError) -> bytes:
        """The body where the server explains itself in our words."""
        body = error.read()
        try:
            if "error" in json.loads(body):
                return body
        except (ValueError, TypeError):
            pass
        said = first_words(body.decode(errors="replace"), SAID)
        raise GenerationError(f"{self.address} answered {error.code}: {said}") from error


class WebSocketWire:
    """One connection for a session and its forks."""

    def __init__(self, address: str, timeout_s: float, headers: Mapping[str, str]) -> None:
        try:
            from websockets.exceptions import InvalidHandshake, InvalidURI, WebSocketException
            from websockets.sync.client import connect
        except ModuleNotFoundError as error:
            raise MissingExtra(EXTRA, "a session over WebSocket") from error
        self.address, self._timeout_s = address, timeout_s
        self._trouble = (WebSocketException, OSError)
        self._stack = ExitStack()
        try:
            # a model may be busy for minutes and answer no pings meanwhile
            self._socket = self._stack.enter_context(
                connect(address, additional_headers=dict(headers), compression=None, max_size=None, ping_interval=None)
            )
        except (OSError, InvalidHandshake, InvalidURI) as error:
            raise GenerationError(f"{address} cannot be reached: {error}") from error

    def ask(self, message: Message) -> bytes:
        try:
            self._socket.send(message.model_dump_json())
            answer = self._socket.recv(timeout=self._timeout_s)
        except TimeoutError as error:
            raise late(self.address, message, self._timeout_s) from error
        except self._trouble as error:
            raise broken(self.address, message, error) from error
        return answer.encode() if isinstance(answer, str) else answer

    def close(self) -> None:
        self._stack.close()


def late(address: str, message: Message, timeout_s: float) -> GenerationError:
    return GenerationError(f"{address} did not answer '{message.do}' within {timeout_s:g} s", "timed_out")


def broken(address: str, message: Message, error: Exception) -> GenerationError:
    return GenerationError(f"{address} broke off while answering '{message.do}': {error or type(error).__name__}")
