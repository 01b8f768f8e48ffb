"""Services and session servers that want a key, a file, memory or time: they get a reason."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lookaway.errors import GenerationError
from lookaway.generators import Movie
from lookaway.generators.http import http
from lookaway.records import Setting
from lookaway.sessions import Opening, opened
from lookaway.video import encode, probe
from tests.generators.commissions import FRAMES, SIZE, commission
from tests.generators.hostile import Answers, Asked, Hostile, hostile

SECRET = "very secret indeed"
OPENING = Opening(np.full((SIZE[1], SIZE[0], 3), 90, np.uint8), "A cup.", 8.0)
SOON_S = 5.0  # far below any limit that a test does not set


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", SECRET)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    encode([np.full((SIZE[1], SIZE[0], 3), 50, np.uint8)] * FRAMES, path, 8.0)
    return path


@pytest.fixture
def other(clip: Path) -> Iterator[Hostile]:
    """Another server, which has a video for everybody."""
    with hostile(lambda asked: asked.tell(clip.read_bytes())) as server:
        yield server


def card(service: Hostile) -> dict[str, Setting]:
    return {
        "submit": f"{service.url}/jobs",
        "body": '{"prompt": "{prompt}"}',
        "poll": f"{service.url}/jobs/{{id}}",
        "video": "url",
        "sign_in": "EXAMPLE_API_KEY",
        "poll_every_s": 0.01,
    }


def made(service: Hostile, tmp_path: Path) -> Movie:
    movie = http(commission(tmp_path, "http", card(service)))
    assert isinstance(movie, Movie)
    return movie


def job(url: str, before: Answers | None = None) -> Answers:
    """A service whose one job is done at once; `before` may answer instead."""

    def answers(asked: Asked) -> None:
        told = {"id": "7", "status": "succeeded", "url": url} if asked.command == "GET" else {"id": "7", "status": "q"}
        asked.tell(json.dumps(told).encode())

    return before or answers


@pytest.mark.parametrize("step", ["submit", "poll", "video"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_leads_to_another_server(step: str, status: int, other: Hostile, tmp_path: Path) -> None:
    def answers(asked: Asked) -> None:
        at = "submit" if asked.command == "POST" else "poll" if asked.path.startswith("/jobs") else "video"
        if at == step:
            asked.send_on(f"{other.url}/{at}", status)
        else:
            job(f"http://{asked.headers['Host']}/video.mp4")(asked)

    with hostile(answers) as service, pytest.raises(GenerationError, match=f"another server|answered {status}"):
        made(service, tmp_path)
    assert not other.seen


@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_within_the_server_is_followed_with_the_key(status: int, other: Hostile, tmp_path: Path) -> None:
    def answers(asked: Asked) -> None:
        if asked.command == "GET" and asked.path == "/jobs/7":
            asked.send_on("/v2/jobs/7", status)
        else:
            job(f"{other.url}/video.mp4")(asked)

    with hostile(answers) as service:
        made(service, tmp_path)
    assert ("GET", "/v2/jobs/7", f"Bearer {SECRET}") in service.seen


def test_a_server_without_end_of_redirects_is_given_up(tmp_path: Path) -> None:
    with hostile(lambda asked: asked.send_on(asked.path + "x")) as service, pytest.raises(GenerationError):
        made(service, tmp_path)
    assert len(service.seen) < 20


def test_a_video_on_another_server_is_fetched_without_the_key(other: Hostile, tmp_path: Path) -> None:
    with hostile(job(f"{other.url}/video.mp4")) as service:
        assert probe(made(service, tmp_path).video).frames == FRAMES
    assert other.seen == [("GET", "/video.mp4", None)]
    assert service.seen[0][2] == f"Bearer {SECRET}"


@pytest.mark.parametrize("scheme", ["file://{}", "FILE://{}", "file:{}", "ftp://127.0.0.1{}", "data:,{}", "{}"])
def test_a_service_cannot_name_a_file_of_ours_as_its_video(scheme: str, clip: Path, tmp_path: Path) -> None:
    with (
        hostile(job(scheme.format(clip))) as service,
        pytest.raises(GenerationError, match="is no http or https address"),
    ):
        made(service, tmp_path)


@pytest.mark.parametrize("told", [{"id": "0"}, {"id": 0}, {"id": 0, "status": ""}], ids=str)
def test_a_job_is_awaited_whatever_it_is_called_and_however_little_is_said(
    told: dict[str, object], other: Hostile, tmp_path: Path
) -> None:
    def answers(asked: Asked) -> None:
        if asked.command == "POST":
            asked.tell(json.dumps(told).encode())
        else:
            asked.tell(json.dumps({"status": "succeeded", "url": f"{other.url}/v.mp4"}).encode())

    with hostile(answers) as service:
        assert made(service, tmp_path).note == "job 0"
    assert service.seen[1][1] == "/jobs/0"


@pytest.mark.parametrize("id", [None, "", True, ["7"], {}], ids=repr)
def test_an_answer_that_names_no_job_is_no_job(id: object, tmp_path: Path) -> None:
    with (
        hostile(lambda asked: asked.tell(json.dumps({"id": id, "status": "queued"}).encode())) as service,
        pytest.raises(GenerationError, match="names no job at 'id'"),
    ):
        made(service, tmp_path)


def test_a_jobs_name_never_becomes_a_server(tmp_path: Path) -> None:
    with hostile(job("", lambda asked: asked.tell(b'{"id": "127.0.0.1"}'))) as service:
        settings = card(service) | {"poll": f"http://{{id}}:{service.server_address[1]}/jobs"}
        with pytest.raises(GenerationError, match=r"may not stand in the server's name"):
            http(commission(tmp_path, "http", settings))
    assert len(service.seen) == 1


def slow_head(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n")
    asked.drip(b"X: y\r\n")


def slow_body(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    asked.drip()


def endless(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        asked.wfile.write(bytes(1 << 16))


def far_too_long(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n")
    asked.drip()


def cut_short(asked: Asked) -> None:
    asked.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{}")


BAD_BODIES: dict[str, tuple[Answers, str]] = {
    "slow_head": (slow_head, r"not done within 0\.5 s|did not answer 'open' within 0\.5 s"),
    "slow_body": (slow_body, r"not done within 0\.5 s|did not answer 'open' within 0\.5 s"),
    "endless": (endless, r"more than the 500000 bytes"),
    "far_too_long": (far_too_long, r"it sends 9999999999999 bytes, more than"),
    "cut_short": (cut_short, r"broke off"),
}


def quickly(attempt: Callable[[], object], says: str) -> None:
    """The attempt ends in this error, and soon."""
    ended: list[BaseException | None] = []

    def run() -> None:
        try:
            attempt()
            ended.append(None)
        except GenerationError as error:
            ended.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON_S)
    assert ended, "still waiting"
    with pytest.raises(GenerationError, match=says):
        raise ended[0] or AssertionError("no error")


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "JSON_S": 0.5,
        "DOWNLOAD_S": 0.5,
        "JSON_BYTES": 500_000,
        "DOWNLOAD_BYTES": 500_000,
        "TRIES": 1,
    }.items():
        monkeypatch.setattr(f"lookaway.generators.http.{name}", value, raising=False)
    monkeypatch.setattr("lookaway.sessions.wires.ANSWER_BYTES", 500_000, raising=False)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("kind", BAD_BODIES)
@pytest.mark.parametrize("step", ["submit", "video"])
def test_a_download_is_bounded_in_time_and_size(kind: str, step: str, tmp_path: Path) -> None:
    bad, says = BAD_BODIES[kind]

    def answers(asked: Asked) -> None:
        if (step == "submit") == (asked.command == "POST") and (step == "submit" or asked.path == "/v.mp4"):
            bad(asked)
        else:
            job(f"http://{asked.headers['Host']}/v.mp4")(asked)

    with hostile(answers) as service:
        quickly(lambda: made(service, tmp_path), says)


def test_an_answer_that_was_compressed_unasked_is_not_unpacked(tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    with (
        hostile(lambda asked: asked.tell(bomb, Content_Encoding="gzip")) as service,
        pytest.raises(GenerationError, match="did not answer in JSON"),
    ):
        made(service, tmp_path)


def test_a_busy_service_cannot_ask_for_a_wait_without_end(
    other: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("lookaway.generators.http.time.sleep", waits.append)
    busy = [{"Retry_After": "999999999"}, {"Retry_After": "²"}]

    def answers(asked: Asked) -> None:
        if busy:
            asked.wfile.write(b"HTTP/1.1 429 Busy\r\nRetry-After: " + busy.pop(0)["Retry_After"].encode() + b"\r\n\r\n")
        else:
            job(f"{other.url}/v.mp4")(asked)

    with hostile(answers) as service:
        made(service, tmp_path)
    assert max(waits) <= 600


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_session_is_not_sent_on_to_another_server(status: int, other: Hostile) -> None:
    with (
        hostile(lambda asked: asked.send_on(other.url, status)) as server,
        pytest.raises(GenerationError, match=f"another server|answered {status}"),
    ):
        opened(server.url, OPENING, headers={"Authorization": f"Bearer {SECRET}"})
    assert not other.seen


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("kind", BAD_BODIES)
def test_a_sessions_answer_is_bounded_in_time_and_size(kind: str) -> None:
    bad, says = BAD_BODIES[kind]
    with hostile(bad) as server:
        quickly(lambda: opened(server.url, OPENING, timeout_s=0.5), says)


@pytest.mark.parametrize("status", [200, 400])
def test_a_sessions_answer_however_deep_is_no_crash(status: int) -> None:
    deep = b"[" * 100_000
    with hostile(lambda asked: asked.tell(deep, status)) as server, pytest.raises(GenerationError):
        opened(server.url, OPENING, timeout_s=20.0)


def test_a_websocket_session_is_not_sent_on_to_another_server() -> None:
    from websockets.http11 import Request, Response
    from websockets.sync.server import ServerConnection, serve

    got: list[str | None] = []
    messages: list[object] = []

    def there(connection: ServerConnection) -> None:
        assert connection.request is not None
        got.append(connection.request.headers.get("Authorization"))
        messages.extend(connection)

    def send_on(connection: ServerConnection, request: Request) -> Response:
        response = connection.respond(302, "")
        response.headers["Location"] = f"ws://127.0.0.1:{elsewhere.socket.getsockname()[1]}"
        return response

    with (
        serve(there, "127.0.0.1", 0) as elsewhere,
        serve(there, "127.0.0.1", 0, process_request=send_on) as server,
    ):
        for each in (elsewhere, server):
            threading.Thread(target=each.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        with pytest.raises(GenerationError, match=r"another server|302"):
            opened(address, OPENING, timeout_s=0.5, headers={"Authorization": f"Bearer {SECRET}"})
    assert not messages
    assert got in ([], [None])


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("kind", ["too_large", "slow", "deaf"])
def test_a_websocket_answer_is_bounded_in_time_and_size(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from websockets.sync.server import ServerConnection, serve

    ended = threading.Event()

    def talk(connection: ServerConnection) -> None:
        if kind == "deaf":
            connection.socket.settimeout(0)
            ended.wait(20)
            return
        connection.recv()
        if kind == "too_large":
            connection.send("x" * 600_000)
        else:
            connection.send(part for part in iter(lambda: time.sleep(0.05) or "x", ""))

    with serve(talk, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        says = "broke off while answering 'open'" if kind == "too_large" else r"did not answer 'open' within 0\.5 s"
        quickly(lambda: opened(address, OPENING, timeout_s=0.5), says)
        ended.set()
