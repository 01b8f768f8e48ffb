"""Serve a model's sessions to whoever asks, over HTTP or WebSocket."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lookaway.errors import MissingExtra, UsageError
from lookaway.sessions.desk import Desk
from lookaway.sessions.session import Opens
from lookaway.sessions.wires import EXTRA

if TYPE_CHECKING:
    from websockets.sync.server import ServerConnection

LOCAL = "http://127.0.0.1:0"
MOST_BYTES = 1 << 28  # of one message
TOO_LARGE = 413


@contextlib.contextmanager
def serving(opens: Opens, address: str = LOCAL, idle_s: float = 600.0, most: int = 64) -> Iterator[str]:
    """Serve in threads of their own until the block ends; yields the address, with the port found for port 0."""
    parts = urlsplit(address)
    begin = {"http": _http, "ws": _websocket}.get(parts.scheme)
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"cannot serve at '{address}': {error}") from error
    if begin is None or host is None or port is None:
        raise UsageError(f"cannot serve at '{address}'; give http://HOST:PORT or ws://HOST:PORT, port 0 for a free one")
    try:
        found, serve, stop = begin(Desk(opens, idle_s, most), host, port)
    except OSError as error:
        raise UsageError(f"cannot serve at '{address}': {error.strerror or error}") from error
    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"{parts.scheme}://{host}:{found}"
    finally:
        stop()
        thread.join()


Server = tuple[int, Callable[[], None], Callable[[], None]]  # its port, how to begin and how to end


def _http(desk: Desk, host: str, port: int) -> Server:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal() or int(length) > MOST_BYTES:
                self.send_error(TOO_LARGE, f"give a Content-Length of at most {MOST_BYTES}")
                return
            code, told = desk.answer(self.rfile.read(int(length)))
            body = told.encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            with contextlib.suppress(ConnectionError):  # whoever asked may be gone by now
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: whoever drives a session keeps the log."""

    server = ThreadingHTTPServer((host, port), Handler)

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return server.server_address[1], server.serve_forever, stop


def _websocket(desk: Desk, host: str, port: int) -> Server:
    try:
        from websockets.sync.server import serve
    except ModuleNotFoundError as error:
        raise MissingExtra(EXTRA, "serving over WebSocket") from error

    def talk(connection: ServerConnection) -> None:
        for body in connection:
            connection.send(desk.answer(body)[1])

    server = serve(talk, host, port, compression=None, max_size=MOST_BYTES, ping_interval=None)
    return server.socket.getsockname()[1], server.serve_forever, server.shutdown
