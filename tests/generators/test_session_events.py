"""Events told midway to a session of the known world: they happen then, and what they did is there after the return."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lookaway.generators import Movie
from lookaway.generators.forking import fork_pair
from lookaway.generators.session import session
from lookaway.records import Setting, Task
from lookaway.sessions import Opening, opened, serving
from lookaway.store import Run
from lookaway.suites.diorama_triggers import START_S, shots
from lookaway.suites.known_world import build_known_world, draft, filmed
from lookaway.suites.solving import Scripts
from lookaway.worlds import world_of
from lookaway.worlds.serving import KnownWorlds
from tests.generators.test_session_world import asking, hashes

pytest.importorskip("mujoco")
pytest.importorskip("embreex")

SIZE = (64, 36)
MADE = {(made.world.process, made.look): made for made in shots()}
SPRINKLER = MADE["sprinkler", "yaw-left"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("events") / "run")


@pytest.fixture(scope="module")
def task(run: Run) -> Task:
    return build_known_world(draft("a-suite", "1", SPRINKLER), run.blobs, SIZE).task


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(KnownWorlds({"sprinkler": SPRINKLER.world}, SIZE)) as found:
        yield found


@cache
def true_hashes(task: Task) -> list[str]:
    assert task.world is not None
    take = filmed(world_of(task.world, SIZE), Scripts(task.camera, task.cover), task.frames, task.fps, SIZE)
    return [hashlib.sha256(view.rgb.tobytes()).hexdigest() for view in take.views]


@pytest.mark.parametrize(
    "settings",
    [{}, {"trigger": "step"}, {"trigger": "action", "trigger_action": "open"}],
    ids=["prompt", "step", "action"],
)
def test_a_start_is_told_in_the_prompt_in_words_of_a_step_or_as_an_action(
    run: Run, task: Task, address: str, tmp_path: Path, settings: dict[str, Setting]
) -> None:
    movie = session(asking(run, task, tmp_path, address, control_settings=settings))
    assert isinstance(movie, Movie)
    assert hashes(movie) == true_hashes(task)


def test_what_nobody_sets_off_waits(run: Run, task: Task, address: str, tmp_path: Path) -> None:
    told = asking(run, task, tmp_path, address, control_settings={"trigger": "step"})
    assert "After 2 seconds" not in told.request.prompt
    silent = asking(run, task.model_copy(update={"action_control": "none", "prompt": "A fountain."}), tmp_path, address)
    movie = session(silent)
    assert isinstance(movie, Movie)
    shown, due = hashes(movie), true_hashes(task)
    begins = round(START_S * task.fps)
    back = 16 * 4  # home again after four seconds at the latest
    assert shown[:begins] == due[:begins]
    assert all(one == shown[-1] for one in shown[back:]), "home again, it still stands as it stood"
    assert shown[-1] == shown[0] != due[-1]


def test_both_branches_of_a_fork_are_told_of_the_event(run: Run, task: Task, address: str, tmp_path: Path) -> None:
    pair = fork_pair(asking(run, task, tmp_path, address, can_fork=True, control_settings={"trigger": "step"}))
    away, watching = hashes(pair.away), hashes(pair.watching)
    assert away == true_hashes(task)
    assert away[-8:] == watching[-8:], "back again, it sees what the other has watched all along"
    assert watching[-1] != watching[0]


def test_a_cover_script_covers_the_world_that_is_stepped(run: Run, tmp_path: Path) -> None:
    made = MADE["balloon", "curtain"]
    covered = build_known_world(draft("a-suite", "1", made), run.blobs, SIZE).task
    with serving(KnownWorlds({"balloon": made.world}, SIZE)) as address:
        movie = session(asking(run, covered, tmp_path, address, control_settings={"cover": "script"}))
    assert isinstance(movie, Movie)
    assert hashes(movie) == true_hashes(covered)


def test_a_process_is_set_off_once(address: str) -> None:
    worlds = KnownWorlds({"sprinkler": SPRINKLER.world}, SIZE)
    once, twice = (opened(address, Opening(worlds.first_frame("sprinkler"), "A fountain.", 8.0)) for _ in range(2))
    for driven, again in ((once, {}), (twice, {"trigger": "open"})):
        driven.step({"script": "hold@0.5s", "trigger": "open"}, "", 4)
        driven.step({"script": "hold@0.5s", **again}, "", 4)
    assert (once.step({"script": "hold@0.5s"}, "", 4)[-1] == twice.step({"script": "hold@0.5s"}, "", 4)[-1]).all()
    for driven in (once, twice):
        driven.close()
        driven.hang_up()
