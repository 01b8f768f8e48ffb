"""Interactive models, driven over real HTTP and real WebSocket: all of a session's frames, or a reason."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import models
from lookaway.errors import GenerationError, MissingExtra, UsageError
from lookaway.generators import Commission, Movie, maker_of
from lookaway.generators.session import StepLine, session
from lookaway.records import Setting
from lookaway.sessions import Opening, RemoteSession, opened, serving, wires
from lookaway.sessions.desk import Desk
from lookaway.sessions.messages import StepMessage, packed
from lookaway.sessions.serving import LOCAL
from lookaway.video import decode, probe
from tests.generators.commissions import FRAMES, SIZE, commission
from tests.generators.strangers import Counting, Model, refuse, too_slow

CHUNK = 3  # of 9 frames: the first is given, the last step makes one too many
ADDRESSES = {"http": LOCAL, "ws": "ws://127.0.0.1:0"}
FIRST = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
OPENING = Opening(FIRST, "A cup.", 8.0)


@pytest.fixture(params=sorted(ADDRESSES))
def address(request: pytest.FixtureRequest) -> str:
    return ADDRESSES[request.param]


def asking(tmp_path: Path, address: str, settings: dict[str, Setting] | None = None, **facts: Any) -> Commission:
    known: dict[str, Any] = {"chunk_frames": CHUNK, **facts}
    return commission(tmp_path, "session", {"address": address, "timeout_s": 20.0, **(settings or {})}, **known)


def made(given: Commission) -> Movie:
    movie = session(given)
    assert isinstance(movie, Movie)
    return movie


def lines(log: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.splitlines()]


def sha256(picture: np.ndarray) -> str:
    return hashlib.sha256(picture.tobytes()).hexdigest()


def test_a_session_is_opened_stepped_through_and_closed(address: str, tmp_path: Path) -> None:
    model = Model(prompt="A full cup.")
    with serving(model, address) as found:
        movie = made(asking(tmp_path, found, context_s=2.5))
    (opening,) = model.openings
    assert np.array_equal(opening.first_frame, FIRST)
    assert (opening.prompt, opening.seed, opening.fps, opening.context_s) == ('A cup, "full".', 3, 8.0, 2.5)
    assert [frames for _, _, frames in model.asked] == [CHUNK] * 3
    assert model.closed == 1
    assert movie.prompt == "A full cup."
    frames = [frame.rgb for frame in decode(movie.video)]
    assert len(frames) == FRAMES
    greys = [float(frame[8:].mean()) for frame in frames]
    assert greys == pytest.approx([90, *((n * 7 + 9) % 256 for n in range(1, FRAMES))], abs=3)


def test_every_step_leaves_a_line_with_action_frames_hashes_and_latency(tmp_path: Path) -> None:
    model = Model(before_step=lambda session: threading.Event().wait(0.05))
    with serving(model) as found:
        given = asking(tmp_path, found)
        movie = made(given)
    first, *rest = lines(movie.log)
    assert (first["seed"], first["chunk_frames"], first["first_frame_sha256"]) == (3, CHUNK, sha256(FIRST))
    assert movie.note == f"session {first['session']}, 3 steps"
    steps = [StepLine.model_validate(line) for line in rest]
    assert [(step.session, step.step, step.first, step.frames) for step in steps] == [
        (first["session"], number, 1 + CHUNK * number, CHUNK) for number in range(3)
    ]
    told = Counting(model, Opening(FIRST, "", 8.0, seed=3))
    assert [sha for step in steps for sha in step.frames_sha256] == [sha256(told.grey(n)) for n in range(1, 10)]
    assert [step.action for step in steps] == [action for action, _, _ in model.asked]
    path = given.trajectory()
    assert path is not None
    assert steps[1].action["camera_to_world"] == path.camera_to_world[4:7].tolist()
    assert all(step.seconds >= 0.05 for step in steps)


def test_what_a_text_model_is_told_comes_step_by_step_and_not_all_at_once(tmp_path: Path) -> None:
    model = Model()
    with serving(model) as found:
        made(asking(tmp_path, found, control="text", chunk_frames=4))
    assert model.openings[0].prompt == 'A cup, "full".'
    assert [text for _, text, _ in model.asked] == [
        "The camera stays still for 0.5 seconds.",
        "The camera turns 20 degrees to the left within 0.5 seconds.",
    ]


def test_a_long_video_goes_to_disk_while_it_comes(tmp_path: Path) -> None:
    with serving(Model(scale=4)) as found:
        given = asking(tmp_path, found, seconds=20.0, chunk_frames=8)
        held = given.request.frames * FIRST.nbytes * 4 * 4
        tracemalloc.start()
        try:
            movie = made(given)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert probe(movie.video).frames == 161
    assert peak < held / 4, f"{peak} bytes in memory, and all frames together are {held}"


class Liar:
    """A server whose answer to one step is changed on its way out."""

    def __init__(self, step: int, changes: dict[str, Any]) -> None:
        self.step, self.changes = step, changes

    def __call__(self, desk: Desk, body: str | bytes) -> tuple[int, str]:
        code, told = HONEST(desk, body)
        answer = json.loads(told)
        if answer.get("step") == self.step:
            answer |= {name: change(answer[name]) for name, change in self.changes.items()}
        return code, json.dumps(answer)


HONEST = Desk.answer


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"first": lambda first: first - CHUNK}, "first frame is 1 in the answer and 4 in the question"),
        ({"first": lambda first: first + CHUNK}, "first frame is 7 in the answer and 4 in the question"),
        ({"step": lambda step: step - 1}, "step is 0 in the answer and 1 in the question"),
        ({"session": lambda name: "another"}, "session is another in the answer"),
        ({"frames": lambda frames: frames[:-1]}, "count of frames is 2 in the answer and 3 in the question"),
        ({"frames": lambda frames: [*frames[:2], "no picture"]}, "frame 6 of the session's answer: no PNG in base64"),
        ({"frames": lambda frames: "PNG"}, "answered 'step' wrongly: frames"),
    ],
    ids=["repeated", "skipped", "repeated_step", "other_session", "cut_short", "no_picture", "no_list"],
)
def test_a_chunk_that_does_not_continue_the_session_gives_no_clip(
    changes: dict[str, Any], says: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    liar = Liar(1, changes)
    monkeypatch.setattr(Desk, "answer", lambda desk, body: liar(desk, body))
    with serving(Model(), address) as found:
        given = asking(tmp_path, found)
        with pytest.raises(GenerationError, match=says) as failure:
            session(given)
    assert [line.get("step") for line in lines(failure.value.log)] == [None, 0], "what came before is in the log"
    assert not list(given.workdir.glob("*.mp4"))


def test_frames_of_another_size_give_no_clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "grey", lambda self, number: np.zeros((48, 32, 3), np.uint8))
    with serving(Model()) as found, pytest.raises(GenerationError, match=r"frame 1 .* is 32x48, not 64x48"):
        session(asking(tmp_path, found))


def test_a_server_that_restarts_midway_gives_no_clip(address: str, tmp_path: Path) -> None:
    """The second server listens at the same address and knows nothing of the session."""
    with serving(Model(), address) as found:
        driven = opened(found, OPENING)
        driven.step({}, "", 2)
    with serving(Model(), found), pytest.raises(GenerationError, match=r"no session|broke off"):
        driven.step({}, "", 2)
    driven.hang_up()


def test_a_server_that_dies_midway_gives_a_reason(tmp_path: Path) -> None:
    class Dead(BaseException):
        """Not to be caught by any server."""

    def die(session: Counting) -> None:
        if session.shown > 4:
            raise Dead

    with quiet_threads(), serving(Model(before_step=die)) as found:
        given = asking(tmp_path, found)
        with pytest.raises(GenerationError, match="broke off while answering 'step'"):
            session(given)
    with pytest.raises(GenerationError, match="cannot be reached"):
        session(asking(tmp_path / "again", found))


@contextmanager
def quiet_threads() -> Iterator[None]:
    """Whoever kills a server's thread does not want to read about it."""
    before, threading.excepthook = threading.excepthook, lambda args: None
    try:
        yield
    finally:
        threading.excepthook = before


def test_an_answer_out_of_time_and_a_refusal_keep_their_status(address: str, tmp_path: Path) -> None:
    model = Model(before_step=too_slow)
    with serving(model, address) as found:
        with pytest.raises(GenerationError, match=r"did not answer 'step' within 0\.2 s") as failure:
            session(asking(tmp_path / "slow", found, {"timeout_s": 0.2}))
        assert failure.value.status == "timed_out"
        model.before_step = refuse
        with pytest.raises(GenerationError, match=r"'step' cannot be done, says .*: not such a world") as failure:
            session(asking(tmp_path / "no", found, {"retries": 5}))
        assert failure.value.status == "refused"
    assert len(model.openings) == 2, "a refusal is not asked for again"


def test_after_a_failure_the_session_begins_anew_from_the_first_frame(tmp_path: Path) -> None:
    model = Model()

    def fail_once(session: Counting) -> None:
        if len(model.openings) == 1 and session.shown > 4:
            raise GenerationError("out of memory")

    with serving(model) as found:
        undisturbed = made(asking(tmp_path / "undisturbed", found))
        model.openings.clear()
        model.before_step = fail_once
        movie = made(asking(tmp_path / "disturbed", found, {"retries": 1}))
    assert movie.note.endswith("3 steps; succeeded at attempt 2")
    assert len({line["session"] for line in lines(movie.log)}) == 2
    assert movie.video.read_bytes() == undisturbed.video.read_bytes()


def test_a_strangers_server_needs_nothing_of_ours(tmp_path: Path) -> None:
    folder = Path(__file__).parents[2] / "examples" / "own_session"
    card = models.load(str(folder / "own-session.toml"))
    assert len((folder / "server.py").read_text().splitlines()) < 65
    command = [sys.executable, folder / "server.py", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    with server:
        try:
            assert server.stdout is not None
            found = server.stdout.readline().split()[-1]
            movie = made(asking(tmp_path, found, control=card.control, chunk_frames=4))
        finally:
            server.kill()
    frames = [frame.rgb for frame in decode(movie.video)]
    assert len(frames) == FRAMES
    assert frames[4].mean() == pytest.approx(90, abs=3)
    assert frames[-1].mean() < 80, "turned to the left, the picture leaves black behind"


@pytest.mark.parametrize(
    ("settings", "facts", "says"),
    [
        ({"address": "gopher://here"}, {}, "'gopher://here' is no address of a session"),
        ({"address": "http://127.0.0.1:9/"}, {}, "http://127.0.0.1:9/ cannot be reached"),
        ({"address": "ws://127.0.0.1:9/"}, {}, "ws://127.0.0.1:9/ cannot be reached"),
        ({"sign_in": "NOT_SET_ANYWHERE"}, {}, "set the environment variable NOT_SET_ANYWHERE"),
        ({}, {"chunk_frames": None}, "card 'm': a session needs chunk_frames"),
        ({"timeout": 3}, {}, "card 'm', settings: timeout: "),
    ],
)
def test_a_wrong_card_gets_a_clear_error(
    settings: dict[str, Setting], facts: dict[str, Any], says: str, tmp_path: Path
) -> None:
    with pytest.raises(GenerationError, match=says):
        session(asking(tmp_path, "http://127.0.0.1:9/", settings, **facts))


def test_a_card_without_an_address_is_refused_before_anything_is_made() -> None:
    with pytest.raises(UsageError, match=r"(?s)genie-3.*no settings\.address.*bring its videos"):
        maker_of(models.load("genie-3"))


def test_the_sign_in_reaches_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXAMPLE_API_KEY", "very secret indeed")
    sent: list[dict[str, str]] = []
    plain = wires.HttpWire.__init__

    def noting(self: wires.HttpWire, address: str, timeout_s: float, headers: dict[str, str]) -> None:
        sent.append(headers)
        plain(self, address, timeout_s, headers)

    monkeypatch.setattr(wires.HttpWire, "__init__", noting)
    with serving(Model()) as found:
        movie = made(asking(tmp_path, found, {"sign_in": "EXAMPLE_API_KEY"}))
    assert sent == [{"Authorization": "Bearer very secret indeed"}]
    assert "very secret" not in movie.log


def test_without_the_extra_a_websocket_is_refused_and_http_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("websockets", "websockets.exceptions", "websockets.sync.client", "websockets.sync.server"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'lookaway\[sessions\]'"):
        session(asking(tmp_path / "ws", "ws://127.0.0.1:9"))
    with serving(Model()) as found:
        made(asking(tmp_path / "http", found))


def test_a_server_may_tell_how_much_of_the_past_its_model_keeps() -> None:
    """The most of all steps counts; who tells nothing has no number."""

    class Wire:
        address = "here"

        def __init__(self, told: list[int | None]) -> None:
            self.told = told

        def ask(self, message: StepMessage) -> bytes:
            frames = [packed(np.zeros((2, 2, 3), np.uint8))] * message.frames
            facts = {"session": "s", "step": message.step, "first": message.first, "frames": frames}
            kept = self.told[message.step]
            return json.dumps(facts | ({} if kept is None else {"memory_bytes": kept})).encode()

        def close(self) -> None:
            """Nothing to end."""

    for told, most in (([5, 9, 7], 9), ([None, None, None], None)):
        driven = RemoteSession(Wire(told), "s", np.zeros((2, 2, 3), np.uint8), None)  # type: ignore[arg-type]
        for _ in told:
            driven.step({}, "", frames=1)
        assert driven.memory_bytes == most
