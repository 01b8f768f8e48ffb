"""A model that is a program: it gets what it needs, and whatever it does becomes a clip or a reason."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from lookaway import models
from lookaway.errors import GenerationError
from lookaway.generators import Movie
from lookaway.generators.command import command, filled
from lookaway.records import Setting
from lookaway.video import decode, probe
from tests.generators.commissions import FRAMES, SIZE, commission

PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from PIL import Image
from lookaway.video import encode

first, poses, prompt, frames, out = sys.argv[1:]
turned = np.load(poses)["camera_to_world"]
print("asked:", prompt, len(turned), file=sys.stderr)
encode([np.asarray(Image.open(first).convert("RGB"))] * int(frames), Path(out), 8.0)
"""


def card(tmp_path: Path, program: str, places: str, **settings: Setting) -> dict[str, Setting]:
    (tmp_path / "model.py").write_text(program)
    return {"command": f"{sys.executable} {tmp_path / 'model.py'} {places}", **settings}


def test_a_program_makes_the_clip_that_was_asked_for(tmp_path: Path) -> None:
    settings = card(tmp_path, PROGRAM, "{first_frame} {control} {prompt} {frames} {out}")
    movie = command(commission(tmp_path, "command", settings))
    assert isinstance(movie, Movie)
    assert (probe(movie.video).width, probe(movie.video).height, probe(movie.video).frames) == (*SIZE, FRAMES)
    assert abs(float(next(iter(decode(movie.video))).rgb.mean()) - 90) < 3
    assert f'asked: A cup, "full". {FRAMES}' in movie.log


def test_the_example_turns_the_first_frame(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    settings = dict(models.load(str(root / "examples" / "own_model" / "own-model.toml")).settings)
    settings["command"] = str(settings["command"]).replace("python", sys.executable, 1)
    movie = command(commission(tmp_path, "command", {**settings, "cwd": str(root)}))
    assert isinstance(movie, Movie)
    frames = [frame.rgb for frame in decode(movie.video)]
    assert len(frames) == FRAMES
    assert frames[0].mean() == pytest.approx(90, abs=3)
    assert frames[-1].mean() < 80, "turned to the left, the picture leaves black behind"


def test_a_failing_program_says_why_and_its_log_is_kept(tmp_path: Path) -> None:
    settings = card(tmp_path, "raise SystemExit('out of memory')", "{out}")
    with pytest.raises(GenerationError, match="exit code 1; its last words: out of memory") as failure:
        command(commission(tmp_path, "command", settings))
    assert failure.value.status == "failed"
    assert failure.value.log.strip() == "out of memory"


def test_a_program_that_fails_once_is_tried_again(tmp_path: Path) -> None:
    flaky = f"""
import pathlib, sys
seen = pathlib.Path({str(tmp_path / "seen")!r})
if not seen.exists():
    seen.touch()
    sys.exit(3)
sys.argv[1:] = [sys.argv[1], sys.argv[2], "p", sys.argv[3], sys.argv[4]]
{PROGRAM}
"""
    settings = card(tmp_path, flaky, "{first_frame} {control} {frames} {out}", retries=1)
    movie = command(commission(tmp_path, "command", settings))
    assert isinstance(movie, Movie)
    assert movie.note == "succeeded at attempt 2"


def test_a_program_out_of_time_is_ended_with_its_children(tmp_path: Path) -> None:
    parent = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
time.sleep(60)
"""
    settings = card(tmp_path, parent, "{out}", timeout_s=2.0)
    with pytest.raises(GenerationError, match="no video within 2 s") as failure:
        command(commission(tmp_path, "command", settings))
    assert failure.value.status == "timed_out"
    child = int((tmp_path / "child").read_text())
    for _ in range(50):
        if not alive(child):
            return
        time.sleep(0.1)
    pytest.fail("the child goes on")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]


def test_a_program_that_writes_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match=r"ended well and wrote no video to \{out\}"):
        command(commission(tmp_path, "command", card(tmp_path, "", "{out}")))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "command: Field required"),
        ({"command": " "}, "has no settings.command"),
        ({"command": "nowhere-to-be-found {out}"}, "cannot start 'nowhere-to-be-found'"),
        ({"command": "run {poses}"}, r"nothing to put for \{poses\} here; there is \{control\}"),
        ({"command": "run 'half"}, "cannot be read"),
        ({"command": "run", "timeout": 3}, "timeout: "),
    ],
)
def test_a_wrong_card_gets_a_clear_error(settings: dict[str, Setting], says: str, tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match=says):
        command(commission(tmp_path, "command", settings))


def test_a_value_stays_one_word() -> None:
    assert filled("say '{prompt}' --x={prompt}", {"prompt": "a; rm -rf /"}) == ["say", "a; rm -rf /", "--x=a; rm -rf /"]
