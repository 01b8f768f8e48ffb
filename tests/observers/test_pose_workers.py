"""Pose observers that ask a program: every way in which it may answer, or not."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from lookaway import protocols
from lookaway.errors import MissingWeights, ObserveError
from lookaway.geometry.rotations import turn_deg
from lookaway.geometry.script import poses_at
from lookaway.observers import OBSERVERS, Look, pipe
from lookaway.observers.classical import PLAUSIBLE_DEG, classical
from lookaway.observers.pose_workers import Colmap, Vggt, seen_by
from lookaway.observers.worker_calls import SERVE
from lookaway.outcomes import Abstain
from lookaway.video import SharedFrames, encode
from tests.builders import task

FRAMES = 13
PATH = poses_at("orbit:left:40:2@0.75s", np.arange(FRAMES) / 16)

# Answers with the known poses of the frames it is shown, in a world that starts elsewhere; `how` spoils it.
WORKER = """
import json, os, sys, time
import numpy as np

how, path = sys.argv[1], np.array(json.loads(sys.argv[2]))
print("Loading weights 100%", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    shown = [int(file[:6]) for file in asked["files"]]
    assert all(os.path.exists(os.path.join(asked["folder"], file)) for file in asked["files"])
    answer = {"clip": asked["clip"], "poses": path[shown].tolist()}
    exec(how)
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SharedFrames:
    rng = np.random.default_rng(0)
    texture = cv2.resize(rng.integers(0, 255, (24, 48, 3), np.uint8), (240, 120), interpolation=cv2.INTER_CUBIC)
    video = tmp_path_factory.mktemp("workers") / "a.mp4"
    encode([texture[10:100, i : i + 160] for i in range(FRAMES)], video, 16.0)
    return SharedFrames.load(video)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "worker.py").write_text(WORKER)
    yield tmp_path / "worker.py"
    pipe.end_all()


def look(clip: SharedFrames, program: Path, how: str = "pass", **more: Any) -> Look:
    world = np.linalg.inv(PATH[5])  # any axes will do
    command = [sys.executable, str(program), how, json.dumps((world @ PATH).tolist())]
    facts = {name: more.pop(name) for name in list(more) if name.startswith("hfov")}
    return Look(clip, task(**facts), clip.rgb[0], None, {"command": shlex.join(command), **more})


def seen(given: Look) -> Vggt:
    found = seen_by(Vggt, given)
    assert not isinstance(found, Abstain), found.reason
    return found


def why_not(given: Look) -> str:
    with pytest.raises(ObserveError) as error:
        seen_by(Vggt, given)
    return str(error.value)


def test_known_poses_come_back_as_the_arrays_of_classical(clip: SharedFrames, program: Path) -> None:
    found = seen(look(clip, program))
    plain = classical(Look(clip, task(), clip.rgb[0], None))
    assert not isinstance(plain, Abstain)
    assert found.kinds.keys() - plain.kinds.keys() == {"translation"}
    assert plain.kinds.keys() - found.kinds.keys() == {"contradicting_hfov_deg"}  # which is about a declared lens
    assert (found.half_width_deg == 0).all()  # nobody knows
    for name, array in ((name, array) for name, array in plain.arrays().items() if name in found.kinds):
        assert (found.arrays()[name].shape, found.arrays()[name].dtype) == (array.shape, array.dtype), name
    assert turn_deg(found.rotation, PATH).max() < 1e-6
    assert np.allclose(found.translation, PATH[:, :3, 3])
    assert found.trusted.all()
    assert (found.confidence == 1).all()
    assert found.hfov_deg.tolist() == [60.0, 60.0, 60.0]


def test_a_long_clip_is_shown_in_part_and_read_in_between(clip: SharedFrames, program: Path) -> None:
    found = seen(look(clip, program, "assert len(shown) == 5, shown", frames=5))
    assert turn_deg(found.rotation, PATH).max() < 0.01  # an orbit at constant speed turns evenly
    assert found.rotation.shape == (FRAMES, 3, 3)
    assert found.trusted.all()


def test_frames_beside_one_that_was_not_placed_are_not_trusted(clip: SharedFrames, program: Path) -> None:
    found = seen(look(clip, program, "answer['poses'][2] = None", frames=5))  # shows frames 0, 3, 6, 9, 12
    assert found.trusted.tolist() == [True] * 4 + [False] * 5 + [True] * 4
    assert (found.confidence == found.trusted).all()
    assert turn_deg(found.rotation, PATH).max() < 0.1
    lost = seen_by(Vggt, look(clip, program, "answer['poses'][0] = None"))
    assert isinstance(lost, Abstain)
    assert "first frame" in lost.reason


def test_confidence_and_field_of_view_are_the_workers_where_it_has_them(clip: SharedFrames, program: Path) -> None:
    found = seen(look(clip, program, "answer |= {'confidence': [0.5] * 13, 'hfov_deg': [70] * 12 + [76]}"))
    assert (found.confidence == 0.5).all()
    assert found.hfov_deg.tolist() == [70.0, 70.0, 76.0]
    assumed = seen(look(clip, program, "assert asked['hfov_deg'] is None", hfov_declared=False))
    assert assumed.hfov_deg.tolist() == [60.0, *PLAUSIBLE_DEG]


def test_not_measurable_is_an_answer(clip: SharedFrames, program: Path) -> None:
    found = seen_by(Colmap, look(clip, program, "answer = {'clip': asked['clip'], 'abstain': 'no parallax'}"))
    assert found == Abstain("no parallax")


@pytest.mark.parametrize("level", [0, 128])
def test_darkness_and_blank_walls_are_not_put_to_a_worker(level: int, program: Path, tmp_path: Path) -> None:
    flat = np.full((90, 160, 3), level, np.uint8)
    encode([flat] * 3, tmp_path / "flat.mp4", 16.0)
    found = seen_by(Vggt, look(SharedFrames.load(tmp_path / "flat.mp4"), program, "sys.exit('asked')"))
    assert isinstance(found, Abstain)
    assert "blank or dark" in found.reason


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("answer['error'] = 'out of memory'", "out of memory"),
        ("answer['poses'] = answer['poses'][:-2]", "11 poses for 13 frames"),
        ("answer['poses'] = []", "0 poses for 13 frames"),
        ("answer['poses'][3][0][0] = float('nan')", "poses.3.0.0"),
        ("answer['poses'][3][0][0] = 'one'", "poses.3.0.0"),
        ("answer['poses'] = (2 * path[shown]).tolist()", "no rotation"),
        ("answer['poses'] = [np.diag([1, 1, -1, 1]).tolist()] * 13", "no rotation"),
        ("answer['poses'] = path[shown][:, :3, :3].tolist()", "rotations alone"),
        ("answer['poses'][3] = [[1.0, 0.0], [0.0, 1.0]]", "no regular array"),
        ("answer['poses'] = [[[1, 0], [0]]] * 13", "no regular array"),
        ("answer['confidence'] = [1.0] * 12", "12 confidences for 13 frames"),
        ("answer['confidence'] = [7.0] * 13", "outside of 0 to 1"),
        ("answer['hfov_deg'] = 0", "field of view"),
        ("answer['quaternions'] = []", "quaternions"),
    ],
)
def test_a_wrong_answer_is_refused_with_what_is_wrong(clip: SharedFrames, program: Path, how: str, says: str) -> None:
    reason = why_not(look(clip, program, how))
    assert reason.startswith("worker vggt: ")
    assert says in reason
    assert "docs/pose-observers.md" in reason or says == "out of memory"


def test_weights_that_are_here_go_to_the_worker_as_a_folder(
    clip: SharedFrames, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "kept"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    assert seen(look(clip, program, "assert asked['model'] is None")).trusted.all()
    folder = tmp_path / "kept" / "facebook--VGGT-1B"
    folder.mkdir(parents=True)
    for file in ("config.json", "model.safetensors"):
        (folder / file).write_text("{}")
    assert seen(look(clip, program, f"assert asked['model'] == '{folder.resolve()}'")).trusted.all()


def test_a_worker_that_has_no_weights_is_told_how_to_get_them(clip: SharedFrames, program: Path) -> None:
    with pytest.raises(MissingWeights, match="get them: lookaway weights get facebook/VGGT-1B"):
        seen_by(Vggt, look(clip, program, "answer = {'clip': asked['clip'], 'missing_weights': 'facebook/VGGT-1B'}"))
    lost = look(clip, program, "answer = {'clip': asked['clip'], 'missing_weights': '/some/folder'}")
    assert "cannot load the weights in /some/folder" in why_not(lost)


def test_whatever_else_is_printed_is_no_answer(clip: SharedFrames, program: Path) -> None:
    noise = r"print('100%\n{\"loss\": 1}\n[1, 2]\n{\"clip\": 0, \"error\": \"old\"}\n{\"clip', flush=True)"
    assert seen(look(clip, program, noise)).trusted.all()


def test_a_worker_that_dies_leaves_its_last_words_and_the_next_clip_starts_another(
    clip: SharedFrames, program: Path
) -> None:
    died = program.with_name("died")
    given = look(clip, program, f"os.path.exists('{died}') or (open('{died}', 'w'), sys.exit('no such GPU'))")
    reason = why_not(given)
    assert "ended with exit code 1" in reason
    assert "no such GPU" in reason
    assert seen(given).trusted.all()


def test_a_worker_that_hangs_is_ended_when_its_time_is_up(clip: SharedFrames, program: Path) -> None:
    pid = program.with_name("pid")
    hangs = look(clip, program, f"print(os.getpid(), file=open('{pid}', 'w')); time.sleep(60)", timeout_s=3)
    started = time.monotonic()
    assert "no answer within 3 s" in why_not(hangs)
    assert time.monotonic() - started < 20
    assert not alive(int(pid.read_text()))


def test_two_clips_go_through_one_process(clip: SharedFrames, program: Path) -> None:
    given = look(clip, program, "answer['confidence'] = [os.getpid() / 2**32] * 13")
    first, second = seen(given), seen(given)
    assert first.confidence[0] == second.confidence[0]
    pipe.end_all()
    assert seen(given).confidence[0] != first.confidence[0]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def gone(pid: int, within_s: float = 20.0) -> bool:
    until = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pid)


BUSY = """
import os, time
def look(request):
    print(os.getpid(), file=open(request["folder"] + "/pid.part", "w"))
    os.rename(request["folder"] + "/pid.part", request["folder"] + "/pid")
    time.sleep(120)
"""
PARENT = """
import sys
from lookaway.observers.pipe import Worker
Worker((sys.executable, sys.argv[1], "busy")).ask({"clip": 1, "folder": sys.argv[2]}, 120)
"""


def test_a_killed_parent_takes_its_busy_worker_with_it(tmp_path: Path) -> None:
    serve = tmp_path / "serve.py"
    serve.write_bytes(SERVE.read_bytes())
    (tmp_path / "busy.py").write_text(BUSY)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(serve), str(tmp_path)])
    while not (tmp_path / "pid").exists():
        assert parent.poll() is None
        time.sleep(0.05)
    worker = int((tmp_path / "pid").read_text())
    assert alive(worker)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert gone(worker)


@pytest.mark.parametrize("name", ["vggt", "mapanything", "colmap"])
def test_a_worker_without_its_package_says_where_to_install_it(name: str, clip: SharedFrames) -> None:
    given = Look(clip, task(), clip.rgb[0], None, {"command": "{python} -S {worker}"})  # -S: no package at all
    with pytest.raises(ObserveError, match=rf"No module named .*--set .{name}\.command") as error:
        OBSERVERS.get(name).function(given)
    assert str(error.value).startswith(f"worker {name}: ")
    pipe.end_all()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"command": ""}, "command is empty"),
        ({"command": "no-such-program {worker}"}, "cannot start 'no-such-program'"),
        ({"command": "'"}, "cannot be read"),
        ({"frames": 1}, "frames"),
        ({"comand": "x"}, "comand"),
    ],
)
def test_a_setting_that_cannot_work_is_said(settings: dict[str, Any], says: str, clip: SharedFrames) -> None:
    with pytest.raises(ObserveError, match=says):
        seen_by(Vggt, Look(clip, task(), clip.rgb[0], None, settings))


def block(kind: str) -> str:
    page = Path(__file__).parents[2] / "docs" / "pose-observers.md"
    return page.read_text().split(f"```{kind}\n", 1)[1].split("```", 1)[0]


def test_the_worker_and_the_protocol_of_the_docs_work(clip: SharedFrames, program: Path) -> None:
    program.write_text(block("py"))
    assert turn_deg(seen(look(clip, program)).rotation).max() == 0
    program.with_name("pair.toml").write_text(block("toml"))
    assert set(protocols.load(str(program.with_name("pair.toml"))).observers) <= set(OBSERVERS.all())
    requests = re.findall(r'"(\w+)": ', block("json"))
    given = look(clip, program, f"assert set(asked) == set({requests}), asked")
    program.write_text(WORKER)
    pipe.end_all()
    assert seen(given).trusted.all()
