"""A server of sessions among strangers: slow clients, web pages, floods and bombs cost an answer, never the server."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lookaway.errors import GenerationError, UsageError
from lookaway.geometry.script import duration
from lookaway.images import png_bytes
from lookaway.sessions import Opening, opened, serving
from lookaway.worlds.serving import DrivenWorld
from tests.generators.strangers import Model, gate
from tests.test_images import flat_png

FIRST = np.full((48, 64, 3), 90, np.uint8)
OPENING = Opening(FIRST, "A cup.", 8.0)
OPEN = {
    "do": "open",
    "first_frame": base64.b64encode(png_bytes(FIRST)).decode(),
    "prompt": "",
    "seed": 0,
    "width": 64,
    "height": 48,
    "fps": 8.0,
}
MODULE = sys.modules["lookaway.sessions.serving"]  # the package's `serving` is its function
WS = "ws://127.0.0.1:0"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def address(model: Model) -> Iterator[str]:
    with serving(model) as found:
        yield found


def port(address: str) -> int:
    return int(address.rpartition(":")[2])


def posted(address: str, message: dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", port(address), timeout=20)
    try:
        body = json.dumps(message).encode()
        given = {"Host": f"127.0.0.1:{port(address)}", **headers}
        connection.putrequest("POST", "/", skip_host=True)
        for name, value in {**given, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[", "10.0.0.7"])
def test_a_name_that_is_not_the_servers_own_is_refused(host: str, address: str, model: Model) -> None:
    code, told = posted(address, OPEN, Host=host)
    assert (code, model.openings) == (403, [])
    assert "this server is not called" in told["error"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_a_web_page_of_another_server_is_refused(origin: str, address: str, model: Model) -> None:
    code, told = posted(address, OPEN, Origin=origin)
    assert (code, model.openings) == (403, [])
    assert "no web page" in told["error"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]:80", "LOCALHOST:5"])
def test_a_server_on_this_machine_goes_by_every_name_of_this_machine(host: str, address: str) -> None:
    assert posted(address, OPEN, Host=host)[0] == 200
    assert posted(address, OPEN, Host=host, Origin=f"http://{host}")[0] == 200


def test_a_server_goes_by_the_names_that_it_is_given(model: Model) -> None:
    with serving(model, hosts=("gpu.lab",)) as address:
        assert posted(address, OPEN, Host="gpu.lab:8000")[0] == 200
    with serving(model, "http://0.0.0.0:0", token="word") as address:
        signed = {"Authorization": "Bearer word"}
        assert posted(address, OPEN, Host="10.0.0.7:8000", **signed)[0] == 200
        assert posted(address, OPEN, Host=socket.gethostname(), **signed)[0] == 200
        assert posted(address, OPEN, Host="evil.example", **signed)[0] == 403


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}], ids=str)
def test_a_websocket_is_as_choosy(headers: dict[str, str], model: Model) -> None:
    with serving(model, WS) as address:
        with socket.create_connection(("127.0.0.1", port(address)), timeout=10) as raw:
            given = {"Host": f"127.0.0.1:{port(address)}", "Upgrade": "websocket", "Connection": "Upgrade"}
            given |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13", **headers}
            lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
            raw.sendall(f"GET / HTTP/1.1\r\n{lines}\r\n".encode())
            assert b" 403 " in raw.recv(1000)
        opened(address, OPENING).hang_up()


def closed_within(raw: socket.socket, seconds: float) -> bool:
    """Whether the server ends the connection in that time, with or without an answer."""
    raw.settimeout(seconds)
    try:
        while raw.recv(4096):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize(
    "sent", [b"", b"P", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"], ids=repr
)
def test_a_client_that_sends_a_little_and_waits_is_cut_off(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "REQUEST_S", 0.3, raising=False)
    with serving(Model()) as address, socket.create_connection(("127.0.0.1", port(address))) as raw:
        raw.sendall(sent)
        assert closed_within(raw, 5)


def test_a_client_that_drips_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "REQUEST_S", 0.5, raising=False)
    with serving(Model()) as address, socket.create_connection(("127.0.0.1", port(address))) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\n")
        assert drips_until_cut(raw, 5)


def drips_until_cut(raw: socket.socket, seconds: float) -> bool:
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            raw.sendall(b"X: y\r\n")
            time.sleep(0.05)
    except ConnectionError:
        return True
    return False


def test_a_silent_websocket_is_cut_off() -> None:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    with serving(Model(), WS, idle_s=0.3) as address, connect(address) as raw, pytest.raises(ConnectionClosed):
        raw.recv(timeout=5)


def test_there_are_no_more_threads_than_connections_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "CONNECTIONS", 4, raising=False)
    with serving(Model()) as address:
        before = threading.active_count()
        held = [socket.create_connection(("127.0.0.1", port(address))) for _ in range(20)]
        try:
            time.sleep(0.5)
            assert threading.active_count() - before <= 2 * 4, "a thread and a clock for each"
            assert sum(closed_within(each, 0.01) for each in held) == 16
        finally:
            for each in held:
                each.close()


def test_a_session_beyond_the_limit_is_not_even_begun(model: Model) -> None:
    with serving(model, most=2) as address:
        sessions = [opened(address, OPENING) for _ in range(2)]
        with pytest.raises(GenerationError, match="2 sessions are open, and there is room for no more"):
            opened(address, OPENING)
        with pytest.raises(GenerationError, match="room for no more"):
            sessions[0].fork()
        assert len(model.openings) == 2
        sessions[0].close()
        opened(address, OPENING)


@pytest.mark.parametrize(("frames", "says"), [(1001, "at most 1000 frames"), (900, "more than the 1 MB that a step")])
def test_a_step_makes_only_so_many_frames(
    frames: int, says: str, address: str, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookaway.sessions.messages.STEP_BYTES", 1 << 20, raising=False)
    session = posted(address, OPEN)[1]["session"]
    step = {"do": "step", "session": session, "step": 0, "first": 1, "frames": frames, "action": {}}
    code, told = posted(address, step)
    assert (code, model.asked) == (400, [])
    assert says in told["error"]
    with pytest.raises(GenerationError, match=f"{says}.*lower chunk_frames"):
        opened(address, OPENING).step({}, "", frames)


@pytest.mark.parametrize("declared", [(64, 48), (4000, 5000)], ids=["lying", "too_large"])
def test_a_huge_first_frame_in_a_small_message_is_not_decoded(
    declared: tuple[int, int], address: str, model: Model
) -> None:
    bomb = base64.b64encode(flat_png(4000, 5000)).decode()
    code, told = posted(address, OPEN | {"first_frame": bomb, "width": declared[0], "height": declared[1]})
    assert (code, model.openings) == (400, [])
    assert "4000x5000 is too large; scale it to at most 17 megapixels" in told["error"]


@pytest.mark.parametrize("length", ["-1", "abc", "²", "999999999999"])
def test_a_message_without_a_fitting_length_is_refused(length: str, address: str) -> None:
    with socket.create_connection(("127.0.0.1", port(address)), timeout=10) as raw:
        raw.sendall(f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode("latin-1"))
        assert b" 413 " in raw.recv(1000)


@pytest.mark.parametrize("where", ["http://127.0.0.1:0", WS])
def test_a_long_step_of_one_session_holds_up_no_other(where: str, model: Model) -> None:
    with serving(model, where) as address, ThreadPoolExecutor(1) as pool:
        slow, quick = (opened(address, OPENING) for _ in range(2))
        with gate(model, 0) as reached:
            step = pool.submit(slow.step, {}, "", 2)
            assert reached.wait(10)
            began = time.monotonic()
            assert len(quick.step({}, "", 2)) == 2
            third = opened(address, OPENING)
            assert time.monotonic() - began < 5
            assert not step.done()
        assert len(step.result(10)) == 2
        for each in (slow, quick, third):
            each.hang_up()


class SlowWorld:
    """A session of the known world whose frames take their time."""

    fps = 8.0
    first = SimpleNamespace(rgb=FIRST)
    trigger = "set off"

    def fork(self) -> SlowWorld:
        return self

    def views(self, script: str) -> Iterator[Any]:
        for _ in range(round(duration(script, self.fps) * self.fps)):
            time.sleep(0.02)
            yield self.first

    def step(self, script: str) -> list[Any]:
        return list(self.views(script))

    def close(self) -> None:
        """Nothing to let go of."""


def test_a_long_step_in_one_known_world_holds_up_no_other() -> None:
    def opens(opening: Opening) -> DrivenWorld:
        return DrivenWorld(SlowWorld())  # type: ignore[arg-type]

    with serving(opens) as address, ThreadPoolExecutor(1) as pool:
        slow, quick = (opened(address, OPENING) for _ in range(2))
        long = pool.submit(slow.step, {"script": "hold@25s"}, "", 200)
        time.sleep(0.3)
        quick.step({"script": "hold@0.25s"}, "", 2)
        assert not long.done()
        assert len(long.result(60)) == 200


@pytest.mark.parametrize("local", ["http://127.0.0.1:0", WS])
def test_who_does_not_know_the_token_gets_nothing(local: str, model: Model) -> None:
    with serving(model, local, token="a long word") as address:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "a long"}):
            with pytest.raises(GenerationError, match=r"asks for its token|401"):
                opened(address, OPENING, headers=headers)
        opened(address, OPENING, headers={"Authorization": "Bearer a long word"}).hang_up()
    assert len(model.openings) == 1


@pytest.mark.parametrize("address", ["http://0.0.0.0:0", "ws://0.0.0.0:0", "http://[::]:0"])
def test_nothing_is_served_beyond_this_machine_without_a_token(address: str, model: Model) -> None:
    with pytest.raises(UsageError, match="beyond this machine"), serving(model, address):
        pass
