"""A model behind a service, served by a real HTTP server that keeps a conversation's script."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from lookaway.errors import GenerationError
from lookaway.generators import Movie
from lookaway.generators.http import http
from lookaway.records import Setting
from lookaway.video import encode, probe
from tests.generators.commissions import FRAMES, SIZE, commission

BODY = '{"prompt": "{prompt}", "image": "{first_frame_base64}", "frames": {frames}, "options": {"seed": {seed}}}'


class Service(ThreadingHTTPServer):
    """Answers polls with the given states in turn, and remembers what it was asked."""

    def __init__(self, video: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.video = video
        self.polls: list[dict[str, Any]] = [{"status": "succeeded"}]
        self.busy: list[int] = []  # codes to answer before anything else
        self.submitted: list[dict[str, Any]] = []
        self.signed: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.busy:
            self.send_error(self.server.busy.pop(0))
            return
        self.server.submitted.append(body)
        self.server.signed.append(self.headers["Authorization"])
        self._answer(json.dumps({"id": "job 7", "status": "queued"}).encode())

    def do_GET(self) -> None:
        if self.path == "/video.mp4":
            self.server.signed.append(self.headers["Authorization"])
            self._answer(self.server.video)
            return
        assert self.path == "/jobs/job%207"
        polls = self.server.polls
        state = polls.pop(0) if len(polls) > 1 else polls[0]
        self._answer(json.dumps({"id": "job 7", "output": [{"url": f"{self.server.url}/video.mp4"}], **state}).encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest's output is enough."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    clip = tmp_path / "clip.mp4"
    encode([np.full((SIZE[1], SIZE[0], 3), 50, np.uint8)] * FRAMES, clip, 8.0)
    with Service(clip.read_bytes()) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def settings(service: Service, **changes: Setting) -> dict[str, Setting]:
    return {
        "submit": f"{service.url}/jobs",
        "body": BODY,
        "poll": f"{service.url}/jobs/{{id}}",
        "video": "output.0.url",
        "prompt": "revised_prompt",
        "reason": "error.message",
        "poll_every_s": 0.01,
        **changes,
    }


def test_a_video_is_submitted_awaited_and_downloaded(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "very secret indeed")
    service.polls = [{"status": "running"}, {"status": "succeeded", "revised_prompt": "A full cup."}]
    movie = http(commission(tmp_path, "http", settings(service, sign_in="EXAMPLE_API_KEY", price_usd=0.25)))
    assert isinstance(movie, Movie)
    assert probe(movie.video).frames == FRAMES
    assert (movie.prompt, movie.cost_usd, movie.note) == ("A full cup.", 0.25, "job job 7")
    (asked,) = service.submitted
    assert (asked["prompt"], asked["frames"], asked["options"]) == ('A cup, "full".', FRAMES, {"seed": 3})
    assert Image.open(io.BytesIO(base64.b64decode(asked["image"]))).size == SIZE
    assert service.signed == ["Bearer very secret indeed", None], "whoever serves the file gets no secret"


@pytest.mark.parametrize("status", ["refused", "filtered", "failed"])
def test_a_service_that_makes_no_video_says_why(status: str, service: Service, tmp_path: Path) -> None:
    service.polls = [{"status": status, "error": {"message": "not this one"}}]
    with pytest.raises(GenerationError, match="not this one") as failure:
        http(commission(tmp_path, "http", settings(service)))
    assert failure.value.status == status


def test_a_job_without_end_times_out(service: Service, tmp_path: Path) -> None:
    service.polls = [{"status": "running"}]
    with pytest.raises(GenerationError, match=r"job 7 still 'running' after 0\.2 s") as failure:
        http(commission(tmp_path, "http", settings(service, timeout_s=0.2)))
    assert failure.value.status == "timed_out"


def test_a_busy_service_is_asked_again_but_never_paid_twice(service: Service, tmp_path: Path) -> None:
    service.busy = [429, 503]
    assert isinstance(http(commission(tmp_path, "http", settings(service))), Movie)
    assert len(service.submitted) == 1
    service.busy = [500]
    with pytest.raises(GenerationError, match="answered 500"):
        http(commission(tmp_path / "again", "http", settings(service)))


@pytest.mark.parametrize(("spent", "submitted"), [(0.5, 1), (0.6, 0)])
def test_nothing_is_asked_for_beyond_the_budget(spent: float, submitted: int, service: Service, tmp_path: Path) -> None:
    given = commission(tmp_path, "http", settings(service, price_usd=0.5, budget_usd=1.0), spent)
    if submitted:
        http(given)
    else:
        with pytest.raises(GenerationError, match=r"0\.60 USD are spent"):
            http(given)
    assert len(service.submitted) == submitted


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"sign_in": "NOT_SET_ANYWHERE"}, "set the environment variable NOT_SET_ANYWHERE"),
        ({"budget_usd": 1.0}, "needs settings.price_usd"),
        ({"body": '{"prompt": {prompt}}'}, "settings.body is no JSON"),
        ({"video": "output.3.url"}, "has no 'output.3.url'"),
        ({"submit": "http://127.0.0.1:9/"}, "cannot be reached"),
    ],
)
def test_a_wrong_card_gets_a_clear_error(
    changes: dict[str, Setting], says: str, service: Service, tmp_path: Path
) -> None:
    with pytest.raises(GenerationError, match=says):
        http(commission(tmp_path, "http", settings(service, **changes)))
