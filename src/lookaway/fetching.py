"""One HTTP request to a server that is not trusted: same origin, all of it within a time, no more than a size.

Headers, and a key among them, go to the origin that the caller names and nowhere else. Nothing is unpacked: a server
that compresses though it was asked not to is read as it is.
"""

from __future__ import annotations

import contextlib
import http.client
import math
import os
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit

CHUNK = 1 << 16
REDIRECTS = 5
PORTS = {"http": 80, "https": 443}

T = TypeVar("T")

Trouble = Literal["unreachable", "broken", "late", "too_large", "not_allowed"]


class Unfetched(Exception):
    """Why there is no answer; `trouble` says of which kind, and the text does not repeat the address."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        self.trouble = trouble
        super().__init__(message)


class Fetched(NamedTuple):
    status: int
    headers: Message


def origin(url: str) -> tuple[str, str, int]:
    """Scheme, host and port; http and https have one, nothing else does."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Unfetched("not_allowed", f"'{url[:200]}' is no address ({error})") from error
    if parts.scheme not in PORTS or not host:
        raise Unfetched("not_allowed", f"'{url[:200]}' is no http or https address, and nothing else is opened")
    return parts.scheme, host, PORTS[parts.scheme] if port is None else port


def fetch(
    url: str,
    into: BinaryIO,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    seconds: float,
    most_bytes: int,
) -> Fetched:
    """The answer, whatever its status, its body written `into` a file; a POST where there is a `body`."""
    home = origin(url)

    def taken(answer: http.client.HTTPResponse) -> Fetched:
        copy_body(answer, into, most_bytes)
        return Fetched(answer.status, answer.headers)

    return ask(url, taken, lambda there: origin(there) == home, body, headers, seconds=seconds)


def ask(
    url: str,
    take: Callable[[http.client.HTTPResponse], T],
    may_go: Callable[[str], bool],
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    seconds: float,
    silence_s: float = math.inf,
) -> T:
    """What `take` makes of the answer while it comes in; it may send on to where `may_go` allows."""
    origin(url)
    with Deadline(seconds) as deadline:
        try:
            for _ in range(REDIRECTS + 1):
                request = urllib.request.Request(url, body, dict(headers or {}))
                with _opened(request, deadline, silence_s) as answer:
                    there = answer.headers.get("Location")
                    if answer.status not in (301, 302, 303, 307, 308) or there is None:
                        taken = take(answer)
                        if deadline.passed:
                            raise TimeoutError
                        return taken
                url = urljoin(url, there)
                if not may_go(url):
                    raise Unfetched("not_allowed", f"it sends on to {url[:200]}, another server; give that address")
                body = body if answer.status in (307, 308) else None
            raise Unfetched("not_allowed", f"it sends on more than {REDIRECTS} times")
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _told(error, deadline, silence_s) from error


def _told(error: Exception, deadline: Deadline, silence_s: float) -> Unfetched:
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError) and not deadline.passed and silence_s < deadline.seconds:
        return Unfetched("late", f"not a word for {silence_s:g} s")
    if deadline.passed or isinstance(reason, TimeoutError):
        return Unfetched("late", f"not done within {deadline.seconds:g} s")
    if isinstance(error, URLError):
        return Unfetched("unreachable", str(reason))
    return Unfetched("broken", f"it broke off: {error or type(error).__name__}")


def copy_body(answer: http.client.HTTPResponse, into: BinaryIO, most_bytes: int) -> None:
    """The whole body, written `into` a file as it comes in; an error where it is larger or breaks off."""
    declared, received = answer.length, 0
    if declared is not None and declared > most_bytes:
        raise Unfetched("too_large", f"it sends {declared} bytes, more than the {most_bytes} that are taken")
    while chunk := answer.read1(CHUNK):
        received += len(chunk)
        if received > most_bytes:
            raise Unfetched("too_large", f"it sends more than the {most_bytes} bytes that are taken")
        into.write(chunk)
    if declared is not None and received < declared:
        raise http.client.IncompleteRead(b"", declared - received)


def _opened(request: urllib.request.Request, deadline: Deadline, silence_s: float) -> Any:
    """The answer of any status. Only proxies of the environment, http and https are known: no files, no redirects."""

    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            deadline.cuts(self.sock)

    class Secure(http.client.HTTPSConnection, Plain):
        """Connects as `Plain` does before it shakes hands."""

    class OverHttp(urllib.request.HTTPHandler):
        def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class OverHttps(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(Secure, req)

    opener = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler(), OverHttp(), OverHttps()):
        opener.add_handler(handler)
    return opener.open(request, timeout=max(min(deadline.left, silence_s), 0.001))


class Deadline:
    """Cuts the connections it is told of when the time is over, however lively their other ends are."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.passed = seconds, False
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._held: list[socket.socket] = []

    @property
    def left(self) -> float:
        return self._ends - time.monotonic()

    def cuts(self, connection: socket.socket) -> None:
        """Told before a handshake takes the socket over, so a second handle of the connection is kept."""
        with self._lock:
            self._held.append(socket.socket(fileno=os.dup(connection.fileno())))
            late = self.passed
        if late:
            self._cut()

    def _cut(self) -> None:
        with self._lock:
            self.passed = True
            for held in self._held:
                with contextlib.suppress(OSError):
                    held.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """In time: nothing is cut any more."""
        self._timer.cancel()
        with self._lock:
            for held in self._held:
                held.close()
            self._held.clear()
