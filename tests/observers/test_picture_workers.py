"""Observers that ask a program for a number per picture, and the programs, with stand-ins for what they look with."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.errors import MissingPackage, MissingWeights, ObserveError
from lookaway.images import png_bytes
from lookaway.metrics import METRICS, Case
from lookaway.observers import OBSERVERS, Look, pipe
from lookaway.observers.picture_workers import ClipIqa, ImageRewards, clip_iqa, image_rewards
from lookaway.observers.worker_calls import SERVE
from lookaway.outcomes import Abstain
from lookaway.pipeline import observe
from lookaway.pipeline.stage import Failure
from lookaway.video import SharedFrames, encode
from tests.builders import task

FRAMES = 41
GREYS = np.linspace(20, 220, FRAMES).round().astype(np.uint8)

# Scores a picture by its mean grey, from 0 to 1; `how` spoils the answer.
WORKER = """
import json, os, sys
from pathlib import Path
import numpy as np
from PIL import Image

how = sys.argv[1]
print("Loading weights 100%", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    pictures = [np.asarray(Image.open(Path(asked["folder"]) / file)) for file in asked["files"]]
    answer = {"clip": asked["clip"], "scores": [float(picture.mean()) / 255 for picture in pictures]}
    exec(how)
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SharedFrames:
    video = tmp_path_factory.mktemp("pictures") / "a.mp4"
    encode([np.full((90, 160, 3), grey, np.uint8) for grey in GREYS], video, 16.0)
    return SharedFrames.load(video)


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "worker.py").write_text(WORKER)
    yield tmp_path / "worker.py"
    pipe.end_all()


def look(clip: SharedFrames, program: Path, how: str = "pass", **more: Any) -> Look:
    command = shlex.join([sys.executable, str(program), how])
    return Look(clip, task(prompt="a grey wall"), clip.rgb[0], None, {"command": command, **more})


def test_every_fourth_frame_is_scored_over_the_pipe(clip: SharedFrames, program: Path) -> None:
    found = clip_iqa(look(clip, program))
    assert isinstance(found, ClipIqa)
    assert found.frames.tolist() == list(range(0, FRAMES, 4))
    assert np.allclose(found.score, GREYS[::4] / 255, atol=0.02)  # as coded in a video
    assert np.allclose(found.seconds, clip.seconds[::4])


def test_five_frames_go_with_the_prompt(clip: SharedFrames, program: Path) -> None:
    found = image_rewards(look(clip, program, "assert asked['prompt'] == 'a grey wall', asked"))
    assert isinstance(found, ImageRewards)
    assert found.frames.tolist() == [0, 10, 20, 30, 40]


def test_rewards_become_shares(clip: SharedFrames, program: Path) -> None:
    found = image_rewards(look(clip, program, "answer['scores'] = [-2, -1, 0, 1, 3]"))
    assert isinstance(found, ImageRewards)
    case = Case(task(), None, {"image_rewards": found.arrays()}, {})
    raw = np.array([-2.0, -1.0, 0.0, 1.0, 3.0])
    paper, released = (METRICS.get(f"image_reward:{variant}").function(case) for variant in ("paper", "released"))
    assert paper == pytest.approx(np.mean(1 / (1 + np.exp(-raw))))
    assert released == pytest.approx(1 / (1 + np.exp(-0.2)))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("answer = {'clip': asked['clip']}", "11 pictures were shown"),
        ("answer['scores'].pop()", "`scores` is of shape (10,)"),
        ("answer['scores'][3] = 'good'", "no numbers"),
        ("answer['scores'][3] = None", "not finite"),
        ("answer['scores'][3] = float('inf')", "not finite"),
        ("answer = {'clip': asked['clip'], 'error': 'out of memory'}", "out of memory"),
    ],
)
def test_a_wrong_answer_is_refused_with_what_is_wrong(clip: SharedFrames, program: Path, how: str, says: str) -> None:
    with pytest.raises(ObserveError) as error:
        clip_iqa(look(clip, program, how))
    assert str(error.value).startswith("worker clip_iqa: ")
    assert says in str(error.value)


def test_a_worker_may_abstain(clip: SharedFrames, program: Path) -> None:
    found = clip_iqa(look(clip, program, "answer = {'clip': asked['clip'], 'abstain': 'all grey'}"))
    assert found == Abstain("all grey")


def test_weights_that_a_worker_lacks_are_told_with_the_line_that_gets_them(clip: SharedFrames, program: Path) -> None:
    lost = "answer = {'clip': asked['clip'], 'missing_weights': 'THUDM/ImageReward'}"
    with pytest.raises(MissingWeights, match="get them: lookaway weights get THUDM/ImageReward"):
        image_rewards(look(clip, program, lost))
    lost = "answer = {'clip': asked['clip'], 'missing_weights': ['of clipiqa+', 'a line']}"
    with pytest.raises(MissingWeights, match=r"weights of clipiqa\+ are not here; get them: a line"):
        clip_iqa(look(clip, program, lost))


def test_a_worker_that_lacks_something_is_shown_no_more_frames_while_it_runs(clip: SharedFrames, program: Path) -> None:
    lost = "answer = {'clip': asked['clip'], 'missing_package': 'it', 'error': 'no it'}"
    noted = "Path(sys.argv[0]).with_name('asked.txt').open('a').write('asked '); " + lost
    given = look(clip, program, noted)

    def asked() -> int:
        with pytest.raises(MissingPackage):
            clip_iqa(given)
        return program.with_name("asked.txt").read_text().count("asked")

    assert (asked(), asked()) == (1, 1)
    given = replace(given, settings={**given.settings, "model": "another/one"})
    assert asked() == 2, "which it may have"
    pipe.end_all()
    assert asked() == 3, "one that is started anew may have got it"


@pytest.mark.parametrize("name", ["clip_iqa", "image_rewards"])
def test_without_its_package_it_abstains_and_looks_another_time(name: str, clip: SharedFrames) -> None:
    bare = Look(clip, task(), clip.rgb[0], None, {"command": "{python} -S {worker}"})  # -S: no package at all
    with pytest.raises(MissingPackage, match=rf"worker {name}: No module named .*--set .{name}\.command") as error:
        OBSERVERS.get(name).function(bare)
    pipe.end_all()

    class Looker:
        plugin, label, key = name, name, "key"

    entry = observe._entry("0" * 64, task(), Looker(), Failure(str(error.value), error.value), None)  # type: ignore[arg-type]
    assert entry.undone
    assert entry.record.status == "abstained"


TORCH = """
import contextlib, types
import numpy as np

class Tensor(np.ndarray):
    def to(self, device): return self

def from_numpy(array): return array.view(Tensor)

cuda = types.SimpleNamespace(is_available=lambda: False)
inference_mode = contextlib.nullcontext
def load(path, place, weights_only):
    assert weights_only
    return str(path)
"""
PYIQA = """
import numpy as np
made = []
def create_metric(name, device):
    made.append(name)
    assert made == [name], "made once"
    print("Loading", name)
    def score(picture):
        assert picture.shape == (1, 3, 90, 160) and picture.dtype == np.float32
        return picture.mean()
    return score
"""
IMAGE_REWARD = {
    "ImageReward/__init__.py": """
from .ImageReward import ImageReward
def load(name, device):
    model = ImageReward(device, "its own")
    model.source = name
    return model.eval()
""",
    "ImageReward/ImageReward.py": """
from pathlib import Path
class ImageReward:
    def __init__(self, device, med_config): self.config = med_config
    def to(self, device): return self
    def eval(self):
        print("Loading", self.source, "with", Path(self.config).name)
        return self
    def load_state_dict(self, state, strict): self.source = Path(state).name
    def score(self, prompt, paths):
        assert all(Path(path).exists() for path in paths)
        rewards = [len(prompt) / 10 + i for i in range(len(paths))]
        return rewards if len(paths) > 1 else rewards[0]
""",
}


def answers(
    name: str, package: dict[str, str], folder: Path, requests: list[dict[str, Any]]
) -> tuple[list[dict[str, Any]], str]:
    """What a worker answers in an environment that has that package, and what it prints."""
    for file, text in {"torch.py": TORCH, **package}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    done = subprocess.run(
        [sys.executable, str(SERVE), name],
        input="\n".join(map(json.dumps, requests)),
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def request(folder: Path, clip: int, count: int = 2, **more: Any) -> dict[str, Any]:
    files = [f"{i}.png" for i in range(count)]
    for i, file in enumerate(files):
        (folder / file).write_bytes(png_bytes(np.full((90, 160, 3), 51 * (i + 1), np.uint8)))
    return {"clip": clip, "folder": str(folder), "files": files, "prompt": "a wall", "model": None, **more}


def test_the_worker_of_clip_iqa_makes_its_metric_once_and_scores_each_picture(tmp_path: Path) -> None:
    asked = [request(tmp_path, 1), request(tmp_path, 2, count=3)]
    (first, second), printed = answers("clip_iqa", {"pyiqa.py": PYIQA}, tmp_path, asked)
    assert first["scores"] == pytest.approx([0.2, 0.4])
    assert second["scores"] == pytest.approx([0.2, 0.4, 0.6])
    assert printed.count("Loading clipiqa+") == 1


def test_the_worker_of_clip_iqa_that_cannot_download_says_how(tmp_path: Path) -> None:
    lost = PYIQA.replace("    made.append(name)", "    raise OSError('no connection')")
    (told,), _ = answers("clip_iqa", {"pyiqa.py": lost}, tmp_path, [request(tmp_path, 1)])
    named, line = told["missing_weights"]
    assert named == "of clipiqa+"
    assert "pyiqa.create_metric('clipiqa+')" in line


def test_the_worker_of_image_reward_loads_what_was_fetched_or_what_its_package_finds(tmp_path: Path) -> None:
    asked = [request(tmp_path, 1), request(tmp_path, 2, count=1), request(tmp_path, 3, model=str(tmp_path))]
    (first, one, fetched), printed = answers("image_rewards", IMAGE_REWARD, tmp_path, asked)
    assert first["scores"] == fetched["scores"] == pytest.approx([0.6, 1.6])
    assert one["scores"] == pytest.approx([0.6])
    assert printed.count("Loading ImageReward-v1.0 with its own") == 1
    assert "Loading ImageReward.pt with med_config.json" in printed


def test_settings_that_cannot_work_are_said(clip: SharedFrames) -> None:
    for settings, says in (({"stride": 0}, "stride"), ({"frames": 3}, "frames")):
        with pytest.raises(ObserveError, match=rf"--set clip_iqa\.….*{says}"):
            clip_iqa(replace(look(clip, Path("none")), settings=settings))
