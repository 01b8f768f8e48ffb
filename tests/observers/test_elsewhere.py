"""An observer in a process of its own sees what it sees here; a worker that dies or hangs costs its clip."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from lookaway import truth
from lookaway.api import Silent
from lookaway.errors import MissingWeights, ObserveError
from lookaway.images import read_image
from lookaway.observers import OBSERVERS, Arrays, Look, Observer, pipe
from lookaway.observers.elsewhere import seen_with
from lookaway.outcomes import Abstain
from lookaway.pipeline import STAGES, check_extras, plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.instruments import observer_here
from lookaway.pipeline.stage import Options, run_stage
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import Observation, Setting
from lookaway.store import Run, open_run
from lookaway.video import SharedFrames, encode
from tests.builders import task
from tests.observers import odd_observers

LIGHT = ["view", "subject", "fidelity", "difference"]
ODD = {
    name: Observer(name, 1, getattr(odd_observers, name), odd_observers.OddSight, None, None, "odd")
    for name in ("sight", "abstains", "raises", "dies", "hangs", "no_weights", "no_arrays")
}


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    pipe.end_all()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SharedFrames:
    rng = np.random.default_rng(0)
    video = tmp_path_factory.mktemp("elsewhere") / "a.mp4"
    encode([rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(6)], video, 16.0)
    return SharedFrames.load(video)


def look(clip: SharedFrames, **settings: Setting) -> Look:
    return Look(clip, task(), clip.rgb[0], None, {"worker": sys.executable, **settings})


def seen(name: str, given: Look) -> Arrays:
    found = seen_with(ODD[name], given)
    assert not isinstance(found, Abstain), found.reason
    return found.arrays()


def why_not(name: str, given: Look) -> str:
    with pytest.raises(ObserveError) as error:
        seen_with(ODD[name], given)
    return str(error.value)


def demo_look(demo_run: Path, case: str, settings: dict[str, Setting]) -> Look:
    run = open_run(demo_run)
    plan = plans.load(run)
    (made,) = [each for each in current_clips(run, plan) if str(each.case) == case]
    built = built_tasks(run, plan)[made.case.task]
    known = truth.load(built_references(run)[built.instance], run.blobs.root)
    first = read_image(run.blobs.path(built.first_frame))
    return Look(SharedFrames.load(run.blobs.path(str(made.video))), built, first, known, settings)


@pytest.mark.parametrize("name", LIGHT)
def test_arrays_are_equal_bit_by_bit_with_and_without_a_worker(name: str, demo_run: Path) -> None:
    observer, case = OBSERVERS.get(name), "parlour0_ball_left/vanished/0"
    here = seen_with(observer, demo_look(demo_run, case, {}))
    there = seen_with(observer, demo_look(demo_run, case, {"worker": sys.executable}))
    assert not isinstance(here, Abstain)
    assert not isinstance(there, Abstain)
    for key, array in here.arrays().items():
        same = there.arrays()[key]
        assert (array.dtype, array.shape) == (same.dtype, same.shape), key
        assert array.tobytes() == same.tobytes(), key


def test_the_function_gets_its_settings_and_none_of_the_workers(clip: SharedFrames) -> None:
    given = look(clip, worker_timeout_s=60, size=3, label="a b")
    assert seen("sight", given)["settings"].tolist() == ["label=a b", "size=3"]


def test_an_abstention_comes_back_as_one(clip: SharedFrames) -> None:
    assert seen_with(ODD["abstains"], look(clip)) == Abstain("6 frames are too few")


def test_missing_weights_come_back_as_missing_weights(clip: SharedFrames) -> None:
    with pytest.raises(MissingWeights, match="weights a/b are not here; get them: hf download a/b"):
        seen_with(ODD["no_weights"], look(clip))


def test_an_error_is_quoted_and_the_next_clip_goes_through_the_same_process(clip: SharedFrames) -> None:
    first = seen("sight", look(clip))["process"]
    assert first[0] != os.getpid()
    reason = why_not("raises", look(clip))
    assert reason.startswith("worker of raises: ZeroDivisionError")
    assert "odd_observers.py" in reason
    assert "must return" in why_not("no_arrays", look(clip))
    assert seen("sight", look(clip))["process"] == first


def test_a_worker_that_dies_leaves_its_last_words_and_the_next_clip_starts_another(clip: SharedFrames) -> None:
    first = seen("sight", look(clip))["process"]
    reason = why_not("dies", look(clip))
    assert "ended with exit code 3" in reason
    assert "no such GPU" in reason
    assert seen("sight", look(clip))["process"] != first


def test_a_worker_that_hangs_is_ended_when_its_time_is_up(clip: SharedFrames) -> None:
    held = seen("sight", look(clip))["process"][0]
    started = time.monotonic()
    assert "no answer within 2 s" in why_not("hangs", look(clip, worker_timeout_s=2))
    assert time.monotonic() - started < 20
    with pytest.raises(ProcessLookupError):
        os.kill(int(held), 0)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"worker": ""}, "worker"),
        ({"worker": "/no/such/python"}, "cannot start '/no/such/python'"),
        ({"worker_timeout_s": 0}, "worker_timeout_s"),
    ],
)
def test_a_setting_that_cannot_work_is_said(settings: dict[str, Setting], says: str, clip: SharedFrames) -> None:
    assert says in why_not("sight", look(clip, **settings))


def test_an_environment_without_lookaways_dependencies_is_told_what_to_install(
    clip: SharedFrames, tmp_path: Path
) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')  # no package at all
    bare.chmod(0o755)
    assert "No module named 'numpy'" in why_not("sight", look(clip, worker=str(bare)))


def test_another_version_of_the_observer_there_is_refused(
    clip: SharedFrames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "tests" / "observers"
    shutil.copytree(Path(__file__).parent, copy)
    (tmp_path / "tests" / "__init__.py").touch()
    file = copy / "odd_observers.py"
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}")
    assert "another version there than here" in why_not("sight", look(clip))


def test_where_an_observer_lives_is_no_part_of_the_instrument(tmp_path: Path) -> None:
    plain = observer_here("patch_features", {"frames": "released"})
    moved: dict[str, Setting] = {"worker": sys.executable, "worker_timeout_s": 5, "device": "cuda", "batch": 2}
    assert observer_here("patch_features", {"frames": "released", **moved}) == plain
    assert observer_here("patch_features", {"frames": "released", "dtype": "float16"}) != plain


def test_a_run_with_a_worker_has_the_rows_of_one_without(own_run: Run) -> None:
    few = Options(only="parlour0_ball_left/vanished/0", fresh=True)
    before = {key: o for key, o in own_run.latest("observations", Observation).items() if o.observer == "view"}
    plan = plans.amend(own_run, settings={"view.worker": sys.executable})
    report = run_stage(STAGES["observe"], own_run, plan, few, Silent())
    assert report.failures == []
    after = own_run.latest("observations", Observation)
    assert {key: after[key] for key in before} == before
    assert pipe._running == {}, "the stage is over, and so is the worker"


def test_a_missing_extra_does_not_stop_an_observer_that_lives_elsewhere(
    own_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookaway.extras.missing", lambda extra: ["torch"] if extra == "torch" else [])
    settings: dict[str, Setting] = {"patch_features.worker": sys.executable}
    plan = plans.amend(own_run, chosen=["integrity"], settings=settings)
    check_extras(plan)
    with pytest.raises(Exception, match=r"pip install 'lookaway\[torch\]'"):
        check_extras(plan.model_copy(update={"settings": {}}))
