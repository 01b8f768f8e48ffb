"""An HTTP server for a few who know it: whole requests in time, no more bytes and connections than it said, no web page
of another server.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Collection, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple

from lookaway.fetching import Deadline
from lookaway.limits import ANSWER_S, CONNECTIONS, REQUEST_S
from lookaway.sessions.visitors import unwelcome

CUT_OFF, UNKNOWN, FORBIDDEN, TOO_LARGE = 400, 401, 403, 413
LONGEST = 20  # digits of a length; Python reads no number of thousands


class Refusal(NamedTuple):
    """Why a request is not taken."""

    code: int
    why: str


class LimitedHandler(BaseHTTPRequestHandler):
    """One request of a connection; a subclass says who may ask, and answers."""

    names: ClassVar[Collection[str]]  # that the server goes by
    request_s: ClassVar[float] = REQUEST_S  # in which a request must have come, and of silence

    def setup(self) -> None:
        super().setup()
        self.connection.settimeout(self.request_s)

    def handle(self) -> None:
        """One request, which must have come in time, however lively the client is."""
        self.arriving = Deadline(self.request_s)
        with self.arriving:
            self.arriving.cuts(self.connection)
            super().handle()

    def unwelcome(self) -> Refusal | None:
        why = unwelcome(self.headers.get("Host"), self.headers.get("Origin"), self.names)
        return None if why is None else Refusal(FORBIDDEN, why)

    def received(self, most: int) -> bytes | Refusal:
        """The body of a request that may be asked, of at most so many bytes."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal() and len(length) < LONGEST) or int(length) > most:
            return Refusal(TOO_LARGE, f"give a Content-Length of at most {most}")
        if (refused := self.unwelcome()) is not None:
            return refused
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            return Refusal(CUT_OFF, "the message broke off, or took too long to come")
        self.arriving.end()
        return body

    def answer(self, code: int, kind: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """All of it, as long as whoever asked takes it."""
        self.arriving.end()
        self.connection.settimeout(ANSWER_S)
        self.send_response(code)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        with contextlib.suppress(OSError):  # whoever asked may be gone by now
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: whoever serves keeps the log."""


class LimitedServer(ThreadingHTTPServer):
    """A thread for each connection, and no more connections than there may be threads."""

    def __init__(self, address: tuple[str, int], handler: type[LimitedHandler], connections: int = CONNECTIONS) -> None:
        self.free = threading.BoundedSemaphore(connections)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.free.release()
