"""A server that does whatever a test writes down, and remembers what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answers = Callable[["Asked"], None]


class Hostile(ThreadingHTTPServer):
    def __init__(self, answers: Answers) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.answers = answers
        self.seen: list[tuple[str, str, str | None]] = []  # method, path, key
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what these tests want."""


class Asked(BaseHTTPRequestHandler):
    server: Hostile

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def do_GET(self) -> None:
        self.server.seen.append((self.command, self.path, self.headers["Authorization"]))
        self.server.answers(self)

    def tell(self, body: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def send_on(self, url: str, status: int = 302) -> None:
        self.tell(b"", status, Location=url)

    def drip(self, body: bytes = b" ") -> None:
        """A byte now and then, for ever."""
        while not self.server.ended.wait(0.05):
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest's output is enough."""


@contextmanager
def hostile(answers: Answers) -> Iterator[Hostile]:
    with Hostile(answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()
