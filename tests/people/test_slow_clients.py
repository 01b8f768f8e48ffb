"""A browser that sends or reads slowly loses its connection, and nobody else waits for it."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from lookaway.people.punctual import PunctualProtocol
from lookaway.people.serving import Address, links, study_server
from tests.people.studies import Visitor, pair_study

PATIENCE_S = 1.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A real server in a thread, with little patience, and a link into it."""
    study = pair_study(tmp_path_factory.mktemp("slow") / "study")
    before = PunctualProtocol.request_s, PunctualProtocol.answer_s
    PunctualProtocol.request_s = PunctualProtocol.answer_s = PATIENCE_S
    listening = socket.create_server(("127.0.0.1", 0))
    made = study_server(study, Address())
    thread = threading.Thread(target=made.run, kwargs={"sockets": [listening]})
    thread.start()
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    try:
        yield address, links(study, address, 1, 1.0).raters[0]
    finally:
        made.should_exit = True
        thread.join(30)
        PunctualProtocol.request_s, PunctualProtocol.answer_s = before
        listening.close()


def connected(home: str) -> socket.socket:
    host, _, port = home.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=20)


def gone_after(wire: socket.socket) -> float:
    """Seconds until the server has hung up."""
    began = time.monotonic()
    try:
        while wire.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - began


SILENT = b""
HALF_A_HEAD = b"POST /answer HTTP/1.1\r\nHost: "
HALF_A_BODY = (
    b"POST /i/x/join HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"
)


@pytest.mark.parametrize("sent", [SILENT, HALF_A_HEAD, HALF_A_BODY], ids=["silent", "half a head", "half a body"])
def test_a_request_that_does_not_come_is_not_waited_for(sent: bytes, home: tuple[str, str]) -> None:
    with connected(home[0]) as wire:
        wire.sendall(sent.replace(b"{host}", home[0].removeprefix("http://").encode()))
        assert gone_after(wire) < 15


def test_a_byte_now_and_then_does_not_help(home: tuple[str, str]) -> None:
    with connected(home[0]) as wire:
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - began < 15:
                wire.sendall(b"X")
                time.sleep(0.05)
        assert time.monotonic() - began < 15


def test_a_second_request_of_a_connection_has_a_clock_of_its_own(home: tuple[str, str]) -> None:
    ask = b"GET /state HTTP/1.1\r\nHost: " + home[0].removeprefix("http://").encode() + b"\r\n\r\n"
    with connected(home[0]) as wire:
        wire.sendall(ask)
        assert wire.recv(4096).startswith(b"HTTP/1.1 401")
        wire.sendall(ask[:10])
        assert gone_after(wire) < 15


def test_others_are_served_meanwhile(home: tuple[str, str]) -> None:
    dawdling = [connected(home[0]) for _ in range(100)]
    try:
        for wire in dawdling:
            wire.sendall(HALF_A_HEAD)
        visitor = Visitor(home[0])
        assert visitor.join(home[1]).code == 200
        assert visitor.ask("/clip/0/0").code == 200
    finally:
        for wire in dawdling:
            wire.close()


def test_an_honest_server_waits_long_enough_for_a_slow_line() -> None:
    from lookaway.limits import ANSWER_BODY_BYTES, PAGE_REQUEST_S

    assert ANSWER_BODY_BYTES / PAGE_REQUEST_S < 1000  # bytes a second, which a bad telephone line has


def test_an_upgrade_to_a_websocket_is_no_way_around(home: tuple[str, str], tmp_path: Path) -> None:
    ask = b"GET /state HTTP/1.1\r\nHost: " + home[0].removeprefix("http://").encode()
    ask += b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n"
    with connected(home[0]) as wire:
        wire.sendall(ask)
        assert wire.recv(4096).startswith(b"HTTP/1.1 401")
