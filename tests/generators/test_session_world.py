"""The known world, served and driven as a stranger's model: its sessions show what is true."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.errors import GenerationError, UsageError
from lookaway.generators import Commission, Movie, TrueClips
from lookaway.generators.forking import fork_pair
from lookaway.generators.session import session
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, ModelCard, System, Task
from lookaway.sessions import Opening, opened, serving
from lookaway.store import Run
from lookaway.suites import find
from lookaway.suites.known_world import Shot, build_known_world, filmed
from lookaway.suites.solving import Scripts
from lookaway.video import decode, probe
from lookaway.worlds import world_of
from lookaway.worlds.serving import KnownWorlds

pytest.importorskip("mujoco")
pytest.importorskip("embreex")

TASK = "parlour0_ball_left"
SIZE = (64, 36)
CHUNK = 8


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("world") / "run")


@pytest.fixture(scope="module")
def task(run: Run) -> Task:
    """The demo's first task at a small size."""
    draft = next(draft for draft in find("diorama-mini").drafts() if draft.id == TASK)
    return build_known_world(draft, run.blobs, SIZE)[0]


@pytest.fixture(scope="module")
def worlds() -> KnownWorlds:
    specs = {draft.id: Shot.of(draft).world for draft in find("diorama-mini").drafts()}
    still = specs[TASK].model_copy(update={"variant": "still"})
    return KnownWorlds({TASK: specs[TASK], "still": still, "cup": specs["kitchen0_cup_left"]}, SIZE)


@pytest.fixture(scope="module", params=["http", "ws"])
def address(request: pytest.FixtureRequest, worlds: KnownWorlds) -> Iterator[str]:
    with serving(worlds, f"{request.param}://127.0.0.1:0") as found:
        yield found


def asking(run: Run, task: Task, workdir: Path, address: str, **facts: Any) -> Commission:
    known: dict[str, Any] = {"chunk_frames": CHUNK, **facts}
    settings = {"address": address, "timeout_s": 60.0}
    card = ModelCard(name="m", summary="", control="script", generator="session", settings=settings, **known)
    request = request_for(CaseId(task=task.id, system="m"), task, System(name="m", card=card), run)
    workdir.mkdir(exist_ok=True)
    return Commission(request, run.blobs, task, card, workdir, lambda: TrueClips({}, lambda id: None))


def hashes(movie: Movie) -> list[str]:
    """Of every frame that came, frame 0 first."""
    first, *steps = [json.loads(line) for line in movie.log.splitlines()]
    return [first["first_frame_sha256"], *(sha for step in steps for sha in step["frames_sha256"])]


def test_a_session_in_a_strangers_world_shows_the_truth_bit_by_bit(
    run: Run, task: Task, address: str, tmp_path: Path
) -> None:
    movie = session(asking(run, task, tmp_path, address))
    assert isinstance(movie, Movie)
    assert task.world is not None
    take = filmed(world_of(task.world, SIZE), Scripts(task.camera, ""), task.frames, task.fps, SIZE)
    assert hashes(movie) == [hashlib.sha256(view.rgb.tobytes()).hexdigest() for view in take.views]
    assert probe(movie.video).frames == task.frames


def test_a_fork_looks_away_while_the_other_keeps_watching(run: Run, task: Task, address: str, tmp_path: Path) -> None:
    pair = fork_pair(asking(run, task, tmp_path, address, can_fork=True))
    away, watching = hashes(pair.away), hashes(pair.watching)
    assert len(away) == len(watching) == task.frames
    assert pair.parts_at == 17, "the camera holds for one second: two whole steps at 16 fps"
    back = 52  # it is home again after 3.25 seconds
    assert away[:17] == watching[:17]
    assert all(one != other for one, other in zip(away[17:back], watching[17:back], strict=True))
    assert away[back:] == watching[back:], "back again, it sees what the other has watched all along"
    assert watching[-1] != watching[0], "which is not what both began with"
    for movie in (pair.away, pair.watching):
        frames = [frame.rgb.astype(int) for frame in decode(movie.video)]
        assert len(frames) == task.frames
        turned = np.abs(frames[30] - frames[0]).mean() > 20
        assert turned == (movie is pair.away)


def test_a_camera_that_never_moves_and_a_model_that_cannot_fork_make_no_pair(
    run: Run, task: Task, tmp_path: Path
) -> None:
    still = task.model_copy(update={"camera": "hold@5s"})
    with pytest.raises(GenerationError, match="its camera never moves"):
        fork_pair(asking(run, still, tmp_path / "still", "http://127.0.0.1:9"))
    with pytest.raises(GenerationError, match="cannot be forked"):
        fork_pair(asking(run, task, tmp_path / "no", "http://127.0.0.1:9", can_fork=False))


def opening(worlds: KnownWorlds, name: str = TASK, **changes: Any) -> Opening:
    return Opening(**{"first_frame": worlds.first_frame(name), "prompt": "", "fps": 8.0, **changes})


def test_the_world_is_found_by_first_frame_and_prompt(worlds: KnownWorlds, task: Task, address: str) -> None:
    with pytest.raises(GenerationError, match=f"fit several worlds: {TASK}, still"):
        opened(address, opening(worlds))
    cup = opened(address, opening(worlds, "cup"))
    assert np.array_equal(cup.first, worlds.first_frame("cup"))
    ball = opened(address, opening(worlds, prompt=f"{task.prompt} Filmed at night."))
    assert np.abs(ball.step({"script": "hold@2s"}, "", 16)[-1].astype(int) - ball.first).max() > 30
    with pytest.raises(GenerationError, match="this first frame is that of none of the worlds here"):
        opened(address, opening(worlds, first_frame=np.zeros((36, 64, 3), np.uint8)))
    for driven in (cup, ball):
        driven.close()
        driven.hang_up()


def test_a_refused_step_leaves_the_session_where_it_was(worlds: KnownWorlds, address: str) -> None:
    driven, undisturbed = (opened(address, opening(worlds, "cup")) for _ in range(2))
    for action, frames, says in [
        ({"script": "fly:up:3@1s"}, 8, "unknown move 'fly'"),
        ({"buttons": [1]}, 8, "action: give"),
        ({"script": "hold@2s"}, 8, "lasts 16 frames at 8 fps, and 8 are asked for"),
        ({"script": "hold@1000s"}, 8, "lasts 8000 frames"),
    ]:
        with pytest.raises(GenerationError, match=says):
            driven.step(action, "", frames)
    step = ({"script": "yaw:left:30@1s"}, "", 8)
    assert np.array_equal(driven.step(*step), undisturbed.step(*step))
    for each in (driven, undisturbed):
        each.close()
        each.hang_up()


def test_sessions_at_the_same_time_do_not_disturb_each_other(worlds: KnownWorlds, address: str) -> None:
    def drive(way: str) -> list[np.ndarray]:
        driven = opened(address, opening(worlds, "cup"))
        shown = [picture for _ in range(3) for picture in driven.step({"script": f"yaw:{way}:10@0.5s"}, "", 4)]
        driven.close()
        driven.hang_up()
        return shown

    alone = {way: drive(way) for way in ("left", "right")}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(drive, ["left", "right"] * 4))
    for number, shown in enumerate(together):
        assert np.array_equal(shown, alone["left" if number % 2 == 0 else "right"])
    assert not np.array_equal(alone["left"], alone["right"])


def post(address: str, body: bytes) -> tuple[int, dict[str, Any]]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body)) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_bad_messages_get_a_status_and_a_reason(worlds: KnownWorlds) -> None:
    open_cup: dict[str, Any] = {"do": "open", "first_frame": "x", "prompt": "", "seed": 0}
    size = {"width": 64, "height": 36, "fps": 8.0}
    with serving(worlds, most=1) as address:
        for message, code, says in [
            (b"not JSON", 400, "Invalid JSON"),
            (b"[]", 400, "should be an object"),
            ({"do": "dance"}, 400, "does not match any of the expected tags"),
            (open_cup, 400, "open.width: Field required"),
            (open_cup | size, 400, "first_frame: no PNG in base64"),
            (open_cup | size | {"version": 2}, 400, "version 2 of the messages is not known"),
            ({"do": "fork", "session": "nobody"}, 404, "no session 'nobody' here"),
            ({"do": "step", "session": "a", "step": 0, "first": 0, "frames": 1, "action": {}}, 400, "step.first"),
        ]:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            told = post(address, body)
            assert told[0] == code, told
            assert says in told[1]["error"]
        driven = opened(address, opening(worlds, "cup"))
        driven.step({"script": "hold@1s"}, "", 8)
        again = {
            "do": "step",
            "session": driven.id,
            "step": 0,
            "first": 1,
            "frames": 8,
            "action": {"script": "hold@1s"},
        }
        code, told = post(address, json.dumps(again).encode())
        assert (code, told["error"].split(", not")[0]) == (409, f"session {driven.id} awaits step 1 from frame 9 on")
        assert post(address, json.dumps({"do": "fork", "session": driven.id}).encode())[0] == 503
        driven.close()
        assert post(address, json.dumps({"do": "fork", "session": driven.id}).encode())[0] == 404


def test_a_session_that_nobody_uses_is_forgotten(worlds: KnownWorlds) -> None:
    with serving(worlds, idle_s=0.3) as address:
        kept, left = (opened(address, opening(worlds, "cup")) for _ in range(2))
        for _ in range(4):
            time.sleep(0.15)
            kept.step({"script": "hold@0.125s"}, "", 1)
        with pytest.raises(GenerationError, match="was closed, forgotten or never opened"):
            left.step({"script": "hold@0.125s"}, "", 1)


@contextmanager
def killed_at_last(process: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()


@pytest.mark.parametrize("address", ["127.0.0.1:80", "ftp://a:1", "http://localhost", "http://a:99999999"])
def test_an_address_that_cannot_be_served_is_named(worlds: KnownWorlds, address: str) -> None:
    with pytest.raises(UsageError, match="cannot serve at"), serving(worlds, address):
        pass


def test_the_command_serves_until_it_is_stopped() -> None:
    program = "import sys; from lookaway.cli import main; sys.argv[0] = 'lookaway'; main()"
    words = ["model", "serve", "diorama-mini", "--only", TASK, "--address", "http://127.0.0.1:0"]
    server = subprocess.Popen([sys.executable, "-u", "-c", program, *words], stdout=subprocess.PIPE, text=True)
    with server, killed_at_last(server):
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said.startswith("serving 1 tasks at http://127.0.0.1:")
        found = said.split("; ")[0].split()[-1]
        with pytest.raises(GenerationError, match=f"none of the worlds here: {TASK}$"):
            opened(found, Opening(np.zeros((180, 320, 3), np.uint8), "", 16.0))
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0
