"""Missing or damaged media cost their rows, with a reason; the reports are written, and --fresh heals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lookaway import truth
from lookaway.calibration.observable import unknown_cases, unobservable_cases
from lookaway.images import read_image
from lookaway.pipeline import plans
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.observe import observation_key
from lookaway.pipeline.tasks import suite_place
from lookaway.records import Clip, Observation, Reference, Score, Task
from lookaway.store import Run
from lookaway.video import encode
from tests.command import invoke


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    shutil.copytree(small_run, tmp_path / "run")
    return Run(tmp_path / "run")


CASE = "a/held-first-frame/0"


def first_frame(run: Run) -> str:
    return next(t.first_frame for t in run.latest("tasks", Task).values() if t.id == "a")


def true_clip(run: Run) -> str:
    return next(r.video for r in run.latest("references", Reference).values() if r.task == "a")


def clip(run: Run) -> str:
    return next(c.video or "" for c in run.latest("clips", Clip).values() if c.case.task == "a")


def arrays(run: Run) -> str:
    return next(o.arrays for o in run.latest("observations", Observation).values() if o.media == clip(run) and o.arrays)


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


MEDIA = [first_frame, true_clip, clip, arrays]
HARMS: dict[str, Callable[[Path], object]] = {"damaged": flipped, "no blob": Path.unlink}


@pytest.mark.parametrize("media", MEDIA)
@pytest.mark.parametrize("harm", HARMS)
def test_one_bad_blob_costs_its_row_and_fresh_heals(media: Callable[[Run], str], harm: str, run: Run) -> None:
    path = run.blobs.path(media(run))
    whole = path.read_bytes()
    HARMS[harm](path)
    code, said = invoke("report", str(run.root))
    assert code == 0, said
    if media in (true_clip, clip):
        assert harm in (run.root / "report.html").read_text()
    code, said = invoke("show", str(run.root), CASE)
    assert code == 0, said
    assert harm in said
    code, said = invoke("stage", "analyse", str(run.root))
    assert code == 0, said
    code, said = invoke("run", "--out", str(run.root), "--fresh")
    assert code == 0, said
    assert path.read_bytes() == whole
    assert harm not in invoke("show", str(run.root), CASE)[1]


@pytest.mark.parametrize("harm", HARMS)
def test_scores_without_their_evidence_are_failed_rows_with_the_reason(harm: str, run: Run) -> None:
    HARMS[harm](run.blobs.path(arrays(run)))
    code, said = invoke("stage", "score", str(run.root), "--fresh")
    assert code == 1
    assert harm in said
    scores = run.latest("scores", Score).values()
    failed = [s for s in scores if s.status == "failed"]
    assert [(s.task, s.metric, harm in s.reason) for s in failed] == [("a", "psnr_all", True)]
    HARMS[harm](run.blobs.path(true_clip(run)))
    truth.load.cache_clear()  # as in a process of its own
    assert invoke("stage", "score", str(run.root), "--fresh")[0] == 1
    scores = run.latest("scores", Score).values()
    assert {s.status for s in scores if s.task == "a"} == {"failed"}
    assert all(harm in s.reason for s in scores if s.task == "a")
    assert "failed" not in {s.status for s in scores if s.task == "b"}


@pytest.mark.parametrize("harm", HARMS)
def test_a_video_without_its_tasks_first_frame_costs_one_clip(harm: str, run: Run, tmp_path: Path) -> None:
    suite = suite_place(plans.load(run))
    videos = tmp_path / "videos"
    videos.mkdir()
    for name in "ab":
        shutil.copy(Path(suite) / f"{name}.mp4", videos / f"{name}.mp4")
    wide = [read_image(Path(suite) / "a.png")[:20]] * 5  # of another shape, so it is compared with the first frame
    encode(wide, videos / "a.mp4", 8)
    HARMS[harm](run.blobs.path(first_frame(run)))
    code, said = invoke("ingest", str(videos), "--suite", suite, "--model", "x", "--out", str(run.root))
    assert code == 1, said
    clips = {c.case.task: c for c in run.latest("clips", Clip).values() if c.case.system == "x"}
    assert (clips["a"].status, clips["b"].status) == ("failed", "ok")
    assert harm in clips["a"].reason


@pytest.mark.parametrize("harm", HARMS)
def test_a_filmstrip_shows_what_there_is_and_says_what_is_not(harm: str, run: Run, tmp_path: Path) -> None:
    strip = tmp_path / "strip.png"
    HARMS[harm](run.blobs.path(true_clip(run)))
    code, said = invoke("show", str(run.root), CASE, "--strip", str(strip))
    assert code == 0, said
    assert "no truth below" in said
    assert strip.exists()
    HARMS[harm](run.blobs.path(clip(run)))
    code, said = invoke("show", str(run.root), CASE, "--strip", str(strip))
    assert code == 1
    assert harm in said.splitlines()[-1]


@pytest.mark.parametrize("harm", HARMS)
def test_a_calibration_says_of_which_clips_it_cannot_know_whether_the_fault_shows(harm: str, run: Run) -> None:
    plan, lost = plans.load(run), clip(run)
    seen = next(o for o in run.latest("observations", Observation).values() if o.arrays == arrays(run))
    difference = seen.model_copy(update={"observer": "difference", "status": "ok"})
    looker = observer_instrument(plan, "difference")
    with run.writer("observations") as writer:
        writer.append(observation_key(lost, seen.task_instance, looker), "", difference)
    HARMS[harm](run.blobs.path(str(difference.arrays)))
    assert unobservable_cases(run, plan) == set()
    assert {str(case): harm in why for case, why in unknown_cases(run, plan).items()} == {CASE: True}


def test_show_says_it_in_json_too(run: Run) -> None:
    flipped(run.blobs.path(clip(run)))
    code, said = invoke("show", str(run.root), CASE, "--json")
    assert code == 0
    assert "damaged" in json.loads(said)["clip"][0]["video"]
