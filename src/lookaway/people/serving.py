"""Serve a study until it is stopped, on this machine alone unless told otherwise."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lookaway import extras
from lookaway.errors import MissingExtra, UsageError
from lookaway.limits import ANSWER_BODY_BYTES
from lookaway.people.folder import StudyFolder
from lookaway.sessions.visitors import server_names

if TYPE_CHECKING:
    import uvicorn

HOST = "127.0.0.1"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ADMIN_HOURS = 24.0


class Links(NamedTuple):
    """What to open: one link for whoever runs the study, one for each rater."""

    admin: str
    raters: list[str]


class Address(NamedTuple):
    host: str = HOST
    port: int = 0  # 0: any that is free
    names: Sequence[str] = ()  # by which the server is called besides
    secure: bool = False  # something in front of it speaks HTTPS


def serve(folder: StudyFolder, address: Address, invites: int, hours: float, say: Callable[[Links], None]) -> None:
    """Listen, tell the links, and serve."""
    if extras.missing("people"):
        raise MissingExtra("people", "serving a study", "; without a server: lookaway people file")
    listening = _listen(address)
    made = study_server(folder, address)
    say(links(folder, home_of(address, listening), invites, hours))
    made.run(sockets=[listening])


def study_server(folder: StudyFolder, address: Address) -> uvicorn.Server:
    """A server of a study, which nobody can hold up: bounded in time, bytes and connections."""
    import uvicorn

    from lookaway.people.punctual import PunctualProtocol
    from lookaway.people.server import study_app

    config = uvicorn.Config(
        study_app(folder, server_names(address.host, address.names), address.secure),
        http=PunctualProtocol,
        ws="none",
        log_level="warning",
        access_log=False,  # addresses hold invites
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=ANSWER_BODY_BYTES,
        limit_concurrency=2000,
        lifespan="off",
    )
    return uvicorn.Server(config)


def links(folder: StudyFolder, home: str, invites: int, hours: float) -> Links:
    """Fresh invites, as links."""
    from lookaway.people.desk import StudyDesk
    from lookaway.people.entry import Gatekeeper, secret_of

    book = StudyDesk(folder).book
    keeper = Gatekeeper(book, secret_of(folder.root))
    try:
        admin = keeper.invite("admin", ADMIN_HOURS, "command line")
        raters = [keeper.invite("rater", hours, "command line") for _ in range(invites)]
    finally:
        book.close()
    return Links(f"{home}/i/{admin}/", [f"{home}/i/{token}/" for token in raters])


def _listen(address: Address) -> socket.socket:
    try:
        made = socket.create_server((address.host, address.port), backlog=2048)
    except (OSError, OverflowError) as error:
        raise UsageError(f"{address.host}:{address.port}: cannot listen here: {error}; give another --port") from error
    return made


def home_of(address: Address, listening: socket.socket) -> str:
    """How browsers reach the server: by the first name that it was given, else by where it listens."""
    port = listening.getsockname()[1]
    name = address.names[0] if address.names else address.host
    return f"https://{name}" if address.secure else f"http://{name}:{port}"
