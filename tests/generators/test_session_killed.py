"""A run killed in the middle of a session: no clip is spliced, and resuming makes the clip of an undisturbed run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from lookaway.api import Silent
from lookaway.images import png_bytes
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.stage import Options, StageReport, run_stage
from lookaway.records import Clip
from lookaway.sessions import serving
from lookaway.store import Run, open_run
from tests.builders import task
from tests.generators.strangers import Model, gate

LOOKAWAY = "import sys; from lookaway.cli import main; sys.argv[0] = 'lookaway'; main()"
CARD = """
summary = "counts"
control = "script"
generator = "session"
chunk_frames = 4
[settings]
address = "{address}"
"""


def planned(folder: Path, name: str, address: str, seeds: int = 1) -> Run:
    """A run folder with everything ready for its clips."""
    suite = folder / "cups"
    suite.mkdir(parents=True, exist_ok=True)
    (suite / "suite.toml").write_text('name = "cups"\nversion = 1\nsummary = "one cup"\n')
    (suite / "cup.png").write_bytes(png_bytes(np.full((48, 64, 3), 90, np.uint8)))
    known = task(first_frame="cup.png", camera="hold@1s, yaw:left:20@1s", width=64, height=48, fps=8.0, seconds=2.0)
    row = known.model_dump(mode="json", exclude={"suite", "version"})
    (suite / "tasks.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "counting.toml").write_text(CARD.format(address=address))
    run = Run(folder / name)
    plan = plans.extend(run, str(suite), [system(str(folder / "counting.toml"))], seeds=range(seeds))
    for stage in ("tasks", "controls"):
        run_stage(STAGES[stage], run, plan, Options(), Silent())
    return run


def generate(run: Run) -> StageReport:
    return run_stage(STAGES["generate"], run, plans.load(run), Options(), Silent())


def clips(run: Run) -> list[Clip]:
    return list(open_run(run.root).latest("clips", Clip).values())


def test_a_killed_session_leaves_nothing_and_begins_anew(tmp_path: Path) -> None:
    model = Model()
    with serving(model) as address:
        whole, killed = planned(tmp_path, "whole", address), planned(tmp_path, "killed", address)
        generate(whole)
        (undisturbed,) = clips(whole)

        model.asked.clear()
        with gate(model, at_step=2) as reached:
            command = [sys.executable, "-c", LOOKAWAY, "generate", str(killed.root)]
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            assert reached.wait(60), "the third of four steps was never asked for"
            child.send_signal(signal.SIGKILL)
            assert child.wait(60) == -signal.SIGKILL
        assert clips(killed) == []
        assert not list(killed.root.glob("blobs/**/*.mp4"))

        generate(killed)
    (resumed,) = clips(killed)
    assert resumed.status == "ok"
    assert resumed.video == undisturbed.video, "the same bytes, so the same frames"
    assert resumed.frames == 17
    assert len(model.openings) == 3, "the killed session was not continued but begun anew"
    log = killed.blobs.path(str(resumed.provenance.log)).read_text().splitlines()
    assert len(log) == 1 + 4
    assert len({json.loads(line)["session"] for line in log}) == 1


def test_each_seed_opens_a_session_of_its_own(tmp_path: Path) -> None:
    model = Model(prompt="A cup, retold.")
    with serving(model) as address:
        run = planned(tmp_path, "seeds", address, seeds=3)
        generate(run)
    assert sorted(opening.seed for opening in model.openings) == [0, 1, 2]
    made = clips(run)
    assert len({clip.video for clip in made}) == 3
    assert {clip.provenance.prompt for clip in made} == {"A cup, retold."}
    assert all(clip.provenance.note.startswith("session ") for clip in made)


def test_a_dead_server_gives_a_reason_and_the_next_run_tries_again(tmp_path: Path) -> None:
    with serving(Model()) as address:
        run = planned(tmp_path, "run", address)
    report = generate(run)
    (clip,) = clips(run)
    assert clip.status == "failed"
    assert "cannot be reached" in clip.reason
    assert clip.video is None
    assert len(report.failures) == 1
    with serving(Model(), address):
        generate(run)
    assert [clip.status for clip in clips(run)] == ["ok"]
