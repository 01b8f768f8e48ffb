"""A mirror on this machine: a real HTTP server with ranges, which may break off, send on, or change its files."""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK = 1 << 14


class Mirror(ThreadingHTTPServer):
    """Serves `files` by their paths. `asked` has the path and range of each request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[tuple[str, str]] = []
        self.sent = 0  # bytes of files
        self.breaks_after: int | None = None  # bytes, once
        self.pause_s = 0.0  # after each chunk
        self.sends_on: dict[str, str] = {}
        self.ranges = self.tags = True
        self.status = 200
        self.on_chunk: Callable[[], None] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def put(self, name: str, **files: bytes) -> None:
        """Files of a set of weights; `__` stands for a dot in their names."""
        self.files |= {f"/{name}/resolve/main/{file.replace('__', '.')}": body for file, body in files.items()}


class _Handler(BaseHTTPRequestHandler):
    server: Mirror

    def do_GET(self) -> None:
        mirror, asked = self.server, self.headers.get("Range", "")
        mirror.asked.append((self.path, asked))
        if self.path in mirror.sends_on:
            self.send_response(302)
            self.send_header("Location", mirror.sends_on[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = mirror.files.get(self.path)
        if body is None or mirror.status != 200:
            self.send_error(404 if body is None else mirror.status)
            return
        self._send(body, asked)

    def _send(self, body: bytes, asked: str) -> None:
        mirror, tag = self.server, f'"{hashlib.sha256(body).hexdigest()[:20]}"'
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and mirror.ranges else 0
        if self.headers.get("If-Range", tag) != tag:
            start = 0
        if start > len(body) or (start and start == len(body)):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if mirror.tags:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self._chunks(body[start:])

    def _chunks(self, body: bytes) -> None:
        mirror = self.server
        for begin in range(0, len(body), CHUNK):
            if mirror.breaks_after is not None and begin >= mirror.breaks_after:
                mirror.breaks_after = None
                self.wfile.flush()
                self.connection.close()
                return
            self.wfile.write(body[begin : begin + CHUNK])
            mirror.sent += len(body[begin : begin + CHUNK])
            mirror.on_chunk()
            time.sleep(mirror.pause_s)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving() -> Iterator[Mirror]:
    with Mirror() as mirror:
        thread = threading.Thread(target=mirror.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield mirror
        mirror.shutdown()
        thread.join()
