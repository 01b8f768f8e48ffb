"""Serve a model's sessions to whoever asks, over HTTP or WebSocket."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from lookaway.errors import MissingExtra, UsageError
from lookaway.fetching import Deadline
from lookaway.limits import ANSWER_S, CONNECTIONS, MESSAGE_BYTES, REQUEST_S
from lookaway.sessions.desk import Desk
from lookaway.sessions.limited_server import FORBIDDEN, UNKNOWN, LimitedHandler, LimitedServer, Refusal
from lookaway.sessions.messages import Unable
from lookaway.sessions.session import Opens
from lookaway.sessions.visitors import is_loopback, server_names, unknown_bearer, unwelcome
from lookaway.sessions.wires import EXTRA

if TYPE_CHECKING:
    from websockets.http11 import Request, Response
    from websockets.sync.server import ServerConnection

LOCAL = "http://127.0.0.1:0"
TRY_LATER = 1013


@contextlib.contextmanager
def serving(
    opens: Opens,
    address: str = LOCAL,
    idle_s: float = 600.0,
    most: int = 64,
    hosts: Collection[str] = (),
    token: str = "",
) -> Iterator[str]:
    """Serve in threads of their own until the block ends; yields the address, with the port found for port 0.

    Clients must name the server by its address or by one of `hosts`, and sign in with `token`, without which nothing is
    served beyond this machine; at most `most` sessions are open at once.
    """
    parts = urlsplit(address)
    begin = {"http": _http, "ws": _websocket}.get(parts.scheme)
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(f"cannot serve at '{address}': {error}") from error
    if begin is None or host is None or port is None:
        raise UsageError(f"cannot serve at '{address}'; give http://HOST:PORT or ws://HOST:PORT, port 0 for a free one")
    if not token and not is_loopback(host):
        raise UsageError(
            f"'{address}' is heard beyond this machine, and whoever finds it could use the model; put a long word into "
            "an environment variable and name that with --sign-in"
        )
    may = Visitors(server_names(host, hosts), token)
    try:
        found, serve, stop = begin(Desk(opens, idle_s, most), host, port, may, idle_s)
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


class Visitors(NamedTuple):
    """Who may ask: those who call the server by one of its names and know its token."""

    names: Collection[str]
    token: str


def _http(desk: Desk, host: str, port: int, may: Visitors, idle_s: float) -> Server:
    class Handler(LimitedHandler):
        names, request_s = may.names, REQUEST_S

        def unwelcome(self) -> Refusal | None:
            why = unknown_bearer(self.headers.get("Authorization"), may.token)
            return super().unwelcome() or (None if why is None else Refusal(UNKNOWN, why))

        def do_POST(self) -> None:
            body = self.received(MESSAGE_BYTES)
            code, told = desk.answer(body) if isinstance(body, bytes) else (body.code, _unable(body.why))
            self.answer(code, "application/json", told.encode())

    server = LimitedServer((host, port), Handler, CONNECTIONS)

    def stop() -> None:
        server.shutdown()
        server.server_close()

    return server.server_address[1], server.serve_forever, stop


def _unable(why: str) -> str:
    return Unable(error=why).model_dump_json()


def _websocket(desk: Desk, host: str, port: int, may: Visitors, idle_s: float) -> Server:
    try:
        from websockets.sync.server import serve
    except ModuleNotFoundError as error:
        raise MissingExtra(EXTRA, "serving over WebSocket") from error
    free = threading.BoundedSemaphore(CONNECTIONS)

    def check(connection: ServerConnection, request: Request) -> Response | None:
        if why := unwelcome(request.headers.get("Host"), request.headers.get("Origin"), may.names):
            return connection.respond(FORBIDDEN, why)
        why = unknown_bearer(request.headers.get("Authorization"), may.token)
        return None if why is None else connection.respond(UNKNOWN, why)

    def talk(connection: ServerConnection) -> None:
        if not free.acquire(blocking=False):
            connection.close(TRY_LATER, "too many connections")
            return
        try:
            with contextlib.suppress(TimeoutError):  # nobody has said a whole word for so long
                while True:
                    told = desk.answer(connection.recv(timeout=idle_s))[1]
                    with Deadline(ANSWER_S) as deadline:
                        deadline.cuts(connection.socket)
                        connection.send(told)
        finally:
            free.release()

    server = serve(
        talk, host, port, compression=None, max_size=MESSAGE_BYTES, ping_interval=None, process_request=check
    )
    return server.socket.getsockname()[1], server.serve_forever, server.shutdown
