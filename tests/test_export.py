"""An exported suite is all a person needs, reads back as it was, and gives nothing away that it should not."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lookaway import suites, truth
from lookaway.api import Silent
from lookaway.cli.suite import SECRET_VARIABLE, read_secret
from lookaway.errors import LookawayError, StoreError, SuiteError, UnknownName, UsageError
from lookaway.export import Export, export_suite
from lookaway.export.readme import canary
from lookaway.geometry.asked import asked_poses
from lookaway.geometry.phase_frames import keyframes
from lookaway.geometry.trajectory import Trajectory, pinhole
from lookaway.images import png_bytes, read_image
from lookaway.metrics import WORLD
from lookaway.metrics import find as find_metric
from lookaway.models import system
from lookaway.pipeline import plans, walk
from lookaway.pipeline.stage import Options
from lookaway.records import ModelCard, Score
from lookaway.store import Blobs, Run
from lookaway.suites.secret import secret_suite, seed_of
from lookaway.video import encode, probe
from tests.builders import task

TASKS = "*_[bc][au][lp]*_left"  # the ball in the parlour and the cup in the kitchen
SECRET = b"correct horse battery staple"
SMALL = ModelCard(
    name="small", summary="small", control="poses", generator="folder", width=96, height=72, frames=21, fps=4
)


def export(name: str, out: Path, **wishes: object) -> Export:
    return export_suite(name, out, Silent(), **wishes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks of the known world with everything. Read only."""
    out = tmp_path_factory.mktemp("export") / "out"
    assert export("diorama-mini", out, tasks=TASKS, memobench=True).tasks == 2
    return out


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """One small task from a secret world, and the private folder beside it. Read only."""
    out = tmp_path_factory.mktemp("apart") / "out"
    made = export("diorama-mini", out, tasks="parlour0*_ball_*", card=SMALL, with_truth=False, secret=SECRET)
    assert made.private == out.with_name("out-private")
    return out, made.private


def lamp(folder: Path, **changes: object) -> Path:
    """A suite in a folder: a picture, a true clip, a prefix, no known world."""
    folder.mkdir()
    (folder / "suite.toml").write_text('name = "lamp"\nversion = 3\nsummary = "a lamp"\n')
    (folder / "first.png").write_bytes(png_bytes(np.full((90, 160, 3), 90, np.uint8)))
    for name in ("true.mp4", "prefix.mp4"):
        encode([np.full((90, 160, 3), 90 + i, np.uint8) for i in range(9)], folder / name, 8)
    row = task(first_frame="first.png", prefix="prefix.mp4", prefix_s=0.5).model_dump(mode="json")
    row = {k: v for k, v in row.items() if k not in ("suite", "version")} | {"reference": "true.mp4"} | changes
    (folder / "tasks.jsonl").write_text(json.dumps(row))
    return folder


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_an_export_reads_back_as_the_same_tasks_and_truth(exported: Path, tmp_path: Path) -> None:
    here, there = Blobs(tmp_path / "here"), Blobs(tmp_path / "there")
    known = {draft.id: draft for draft in suites.find("diorama-mini").drafts()}
    drafts = suites.find(str(exported)).drafts()
    assert len(drafts) == 2
    for draft in drafts:
        own, reference, *_ = known[draft.id].built(here)
        back, read, *_ = draft.built(there)
        assert back == own
        assert read == reference
        assert back.world is not None
        assert any(phase.phase == "returned" for phase in read.phases)
        was, now = truth.load(reference, here.root).world, truth.load(read, there.root).world
        assert np.array_equal(was.masks, now.masks)
        assert np.array_equal(was.state, now.state)


def test_metrics_that_need_the_known_world_work_on_the_folder(exported: Path, tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = plans.extend(run, str(exported), [system("truth")])
    walk(run, plan, Options(only="parlour0*"), Silent())
    scores = run.latest("scores", Score).values()
    assert {score.metric for score in scores if find_metric(f"{score.metric}:{score.variant}").needs_truth == WORLD}
    without = {score.metric for score in scores if score.status in ("not_applicable", "failed")}
    assert without <= {"revisit", "static_hold"}  # this camera passes too few views twice, and is not asked to hold
    assert next(score.value for score in scores if score.metric == "subject_hidden") == 1


def test_a_folder_has_what_a_model_needs(exported: Path) -> None:
    with (exported / "prompts.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2
    for row in rows:
        words = (exported / f"prompts/{row['task']}.txt").read_text().strip()
        assert words == row["prompt"]
        assert "The camera stays still" in words
        assert read_image(exported / row["first_frame"]).shape == (180, 320, 3)
        facts = json.loads((exported / row["camera"]).read_text())
        path = Trajectory.load(exported / f"cameras/{row['task']}.npz")
        assert len(path) == int(row["frames"]) == facts["frames"] == probe(exported / f"truth/{row['task']}.mp4").frames
        assert np.allclose(facts["camera_to_world"], path.camera_to_world)
        assert np.allclose(path.camera_to_world[0], np.eye(4))
        assert np.allclose(facts["intrinsics"], pinhole(320, 180, 60))
    assert "lookaway ingest" in (exported / "README.md").read_text()


def test_the_memobench_layout_has_the_columns_and_places_of_the_released_data(exported: Path) -> None:
    data = exported / "memobench" / "data"
    with (data / "sam3_metadata" / "synthetic_metadata.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["scene", "video_id", "subject", "exr_path", "prompt"]
    for row in rows:
        first = exported / "memobench" / row["exr_path"]
        clip = data / "Synthetic_processed" / row["scene"] / f"{row['scene']}_{int(row['video_id']):03d}"
        marks = json.loads((clip / "keyframes.json").read_text())
        poses = np.load(clip / row["video_id"] / "poses.npy")
        assert first.parent.parent == clip
        assert len(list(first.parent.glob("*.jpg"))) == marks["frames"] == len(poses)
        arrays = np.load(exported / f"truth/{marks['task']}.npz")
        gone = np.flatnonzero(arrays["visible"] < 0.02)
        assert (marks["d_start"], marks["r_start"]) == (gone[0], gone[-1] + 1)
        intrinsics = np.load(clip / row["video_id"] / "intrinsics.npy")
        assert np.allclose(intrinsics[0], [277.128, 277.128, 160, 90], atol=1e-3)


def test_the_memobench_columns_are_those_of_the_real_file(exported: Path, peer_data: Path) -> None:
    ours = (exported / "memobench/data/sam3_metadata/synthetic_metadata.csv").read_text()
    theirs = (peer_data / "memobench" / "synthetic_metadata.csv").read_text("utf-8-sig")
    assert ours.splitlines()[0] == theirs.splitlines()[0]


def test_what_is_exported_to_memobenchs_layout_is_read_back_from_it(exported: Path, tmp_path: Path) -> None:
    ours, theirs = Blobs(tmp_path / "ours"), Blobs(tmp_path / "theirs")
    draft, *_ = suites.find(str(exported)).drafts()
    task, reference, *_ = draft.built(ours)
    read = {row.scene: row for row in suites.find(f"memobench:{exported / 'memobench'}").drafts()}[draft.scene]
    back, found, *_ = read.built(theirs)
    true, again = truth.load(reference, ours.root), truth.load(found, theirs.root)
    assert again.parts == ("clip", "poses", "depth")
    assert np.allclose(again.poses, true.poses, atol=1e-9)
    assert np.allclose(again.arrays["intrinsics"], true.world.intrinsics)
    assert np.array_equal(again.depth(), true.depth())
    assert np.allclose(again.seconds, true.seconds, atol=1e-6)
    assert keyframes(again.phases, again.seconds) == keyframes(true.phases, true.seconds)
    assert np.abs(again.frames().rgb.astype(int) - true.frames().rgb).mean() < 2  # levels, by the jpg files
    assert np.allclose(asked_poses(back, true.seconds), asked_poses(task, true.seconds), atol=1e-4)
    assert (back.width, back.height, back.fps, back.frames) == (task.width, task.height, task.fps, task.frames)
    assert back.hfov_deg == pytest.approx(task.hfov_deg)
    assert back.subjects[0].name == task.subjects[0].name


def test_what_is_finished_is_not_made_again_and_what_is_missing_is(exported: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(exported, out)
    first, second = sorted((out / "first_frames").iterdir())
    first.unlink()
    before = second.stat().st_mtime_ns
    seen: list[str] = []

    class Watching(Silent):
        def advance(self, outcomes) -> None:
            seen.extend(outcome.name for outcome in outcomes)

    export_suite("diorama-mini", out, Watching(), tasks=TASKS, memobench=True)
    assert seen == [first.stem]
    assert first.exists()
    assert second.stat().st_mtime_ns == before


def test_the_folder_given_away_holds_nothing_of_the_truth(apart: tuple[Path, Path]) -> None:
    public, private = apart
    (row,) = [json.loads(line) for line in (private / "tasks.jsonl").read_text().splitlines()]
    name = row["id"]
    assert files_in(public) == {
        "CANARY.txt",
        "README.md",
        "suite.toml",
        "tasks.jsonl",
        "prompts.csv",
        f"first_frames/{name}.png",
        f"prompts/{name}.txt",
        f"cameras/{name}.json",
        f"cameras/{name}.npz",
    }
    hidden = [row["expected_end"], str(row["world"]["seed"]), '"phases"', '"world"', SECRET.decode()]
    hidden += [question["text"] for question in row["questions"]]
    for file in ("README.md", "suite.toml", "tasks.jsonl", "prompts.csv", f"prompts/{name}.txt"):
        text = (public / file).read_text()
        assert [secret for secret in hidden if secret in text] == []
    assert not any(SECRET in path.read_bytes() for path in private.rglob("*") if path.is_file())
    (draft,) = suites.find(str(public)).drafts()
    given, reference, bank = draft.built(Blobs(public.parent / "blobs"))
    assert (given.id, reference, given.expected_end, bank) == (name, None, "", None)
    for file in files_in(public) - {"README.md", "suite.toml", "tasks.jsonl"}:
        assert (public / file).read_bytes() == (private / file).read_bytes()


def test_a_canary_names_the_suite_and_its_tasks_alone(apart: tuple[Path, Path]) -> None:
    public, private = apart
    told = (public / "CANARY.txt").read_text().strip()
    assert re.fullmatch(r"lookaway-canary-[0-9a-f-]{36}", told)
    assert told in (public / "README.md").read_text()
    assert told in (private / "README.md").read_text()
    suite = suites.find(str(private))
    assert canary(suite, ["a"]) == canary(suite, ["a"]) != canary(suite, ["a", "b"])


def test_a_card_decides_size_length_and_rate_of_a_known_world(apart: tuple[Path, Path], tmp_path: Path) -> None:
    _, private = apart
    (draft,) = suites.find(str(private)).drafts()
    blobs = Blobs(tmp_path / "blobs")
    made, reference, *_ = draft.built(blobs)
    info = probe(blobs.path(reference.video))
    assert (info.width, info.height, info.frames, info.fps) == (96, 72, 21, 4)
    assert (made.width, made.height, made.frames, made.fps, made.seconds) == (96, 72, 21, 4, 5)
    assert read_image(blobs.path(made.first_frame)).shape == (72, 96, 3)
    world = truth.load(reference, blobs.root).world
    assert world.masks.shape == (21, 72, 96)
    assert np.allclose(world.intrinsics[0], pinhole(96, 72, made.hfov_deg))
    assert [phase.phase for phase in made.phases] == ["visible", "hidden", "returned"]


def test_a_public_folder_that_was_lost_is_written_again(apart: tuple[Path, Path], tmp_path: Path) -> None:
    public, private = apart
    shutil.copytree(private, tmp_path / "out-private")
    wishes = {"card": SMALL, "with_truth": False, "secret": SECRET}
    export("diorama-mini", tmp_path / "out", tasks="parlour0*_ball_*", **wishes)
    assert files_in(tmp_path / "out") == files_in(public)


def test_a_secret_decides_every_world_and_twins_share_theirs() -> None:
    plain = suites.find("diorama").drafts()
    made = secret_suite(suites.find("diorama"), SECRET).drafts()
    again = secret_suite(suites.find("diorama"), SECRET).drafts()
    other = secret_suite(suites.find("diorama"), SECRET + b"!").drafts()
    assert made == again
    by_id = {draft.id: dict(draft.facts) for draft in made}
    for was, now, differs in zip(plain, made, other, strict=True):
        before, after = dict(was.facts), dict(now.facts)
        assert after["seed"] == seed_of(was.scene, SECRET) < 2**63
        assert after["seed"] not in (before["seed"], dict(differs.facts)["seed"])
        assert now.id != was.id
        assert now.scene.startswith(f"{was.scene}-")
        same = {key for key in before if before[key] == after[key]}
        assert set(before) - same <= {"seed", "twin_of"}
        if after["twin_of"] is not None:
            assert by_id[after["twin_of"]]["seed"] == after["seed"]
    assert len({dict(draft.facts)["seed"] for draft in made}) == len({draft.scene for draft in plain})


def test_a_short_secret_and_a_suite_without_worlds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can be found by trying"):
        secret_suite(suites.find("diorama-mini"), b"hunter2")
    with pytest.raises(SuiteError, match="only known worlds can be secret"):
        secret_suite(suites.find(str(lamp(tmp_path / "lamp"))), SECRET).drafts()


def test_a_folder_suite_goes_through_unchanged(tmp_path: Path) -> None:
    source = lamp(tmp_path / "lamp", phases=[{"phase": "visible", "start_s": 0, "end_s": 4}])
    assert export(str(source), tmp_path / "out").tasks == 1
    (before,), (after,) = suites.find(str(source)).drafts(), suites.find(str(tmp_path / "out")).drafts()
    blobs = Blobs(tmp_path / "blobs")
    assert after.build(after, blobs) == before.build(before, blobs)
    assert (tmp_path / "out/prefixes/a_task.mp4").exists()


def test_media_of_other_kinds_keep_their_kind(tmp_path: Path) -> None:
    source = lamp(tmp_path / "lamp", first_frame="first.jpg", reference="frames")
    Image.new("RGB", (160, 90)).save(source / "first.jpg")
    (source / "frames").mkdir()
    (source / "frames" / "fps.txt").write_text("8")
    for number in range(3):
        (source / "frames" / f"{number}.png").write_bytes(png_bytes(np.full((90, 160, 3), number, np.uint8)))
    assert export(str(source), tmp_path / "out").failures == []
    (before,), (after,) = suites.find(str(source)).drafts(), suites.find(str(tmp_path / "out")).drafts()
    blobs = Blobs(tmp_path / "blobs")
    assert after.build(after, blobs) == before.build(before, blobs)
    assert (tmp_path / "out/first_frames/a_task.jpg").exists()


def test_a_layout_can_be_added_later(tmp_path: Path) -> None:
    phases = [("visible", 0, 0.25), ("hidden", 0.25, 0.75), ("returned", 0.75, 1)]
    named = [dict(zip(("phase", "start_s", "end_s"), phase, strict=True)) for phase in phases]
    source = lamp(tmp_path / "lamp", phases=named)
    export(str(source), tmp_path / "out")
    marks = tmp_path / "out/memobench/data/Synthetic_processed/a_scene/a_scene_001/keyframes.json"
    assert not marks.exists()
    for memobench in (True, False):
        export(str(source), tmp_path / "out", memobench=memobench)
        assert json.loads(marks.read_text()) == {"d_start": 2, "r_start": 6, "frames": 9, "task": "a_task"}


def test_other_suites_get_stretched_frames_and_the_camera_of_the_stretched_picture(tmp_path: Path) -> None:
    source = lamp(tmp_path / "lamp")
    made = export(str(source), tmp_path / "out", card=SMALL)
    assert "stretched" in made.notes[0]
    assert read_image(tmp_path / "out/first_frames/a_task.png").shape == (72, 96, 3)
    path = Trajectory.load(tmp_path / "out/cameras/a_task.npz")
    assert len(path) == 21
    assert path.seconds[-1] == 5
    own = pinhole(320, 180, 60)
    assert np.allclose(path.intrinsics[0], np.diag([96 / 320, 72 / 180, 1]) @ own)
    assert (tmp_path / "out/truth/a_task.mp4").read_bytes() == (source / "true.mp4").read_bytes()


def test_a_clip_that_ends_before_the_camera_is_back_is_noted(tmp_path: Path) -> None:
    short = SMALL.model_copy(update={"frames": 9})
    made = export(str(lamp(tmp_path / "lamp")), tmp_path / "out", card=short)
    assert "the model's clip ends before the camera's way does in 1 task: a_task" in made.notes


def test_a_task_that_fails_costs_the_others_nothing(tmp_path: Path) -> None:
    source = lamp(tmp_path / "lamp")
    row = json.loads((source / "tasks.jsonl").read_text())
    (source / "broken.png").write_bytes(b"no picture")
    broken = json.dumps(row | {"id": "broken", "first_frame": "broken.png"})
    (source / "tasks.jsonl").write_text(f"{broken}\n{json.dumps(row)}\n")
    made = export(str(source), tmp_path / "out")
    assert made.tasks == 1
    assert [outcome.name for outcome in made.failures] == ["broken"]
    assert "not a readable image" in made.failures[0].reason
    assert [draft.id for draft in suites.find(str(tmp_path / "out")).drafts()] == ["a_task"]


def test_two_exports_never_share_a_folder(tmp_path: Path) -> None:
    source, out = lamp(tmp_path / "lamp"), tmp_path / "out"
    export(str(source), out)
    before = {file: (out / file).read_bytes() for file in files_in(out)}
    with pytest.raises(UsageError, match=r"out: holds another export: name 'lamp', not 'lamp-for-small'"):
        export(str(source), out, card=SMALL)
    with pytest.raises(UsageError, match="truth 'True', not 'False'; choose another --out"):
        export(str(source), out, with_truth=False)
    assert {file: (out / file).read_bytes() for file in files_in(out)} == before
    assert not (tmp_path / "out-private").exists()


def foreign(folder: Path) -> Path:
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine")
    return folder


@pytest.mark.parametrize(
    ("name", "wishes", "kind", "complaint"),
    [
        ("diorama-mni", {}, UnknownName, "did you mean diorama-mini"),
        ("diorama-mini", {"tasks": "nothing*"}, UsageError, r"--tasks 'nothing\*' matches none of the 8 tasks"),
        ("diorama-mini", {"out": "lamp"}, UsageError, "a suite that no export wrote; choose another --out"),
        ("diorama-mini", {"out": "foreign"}, UsageError, "not an empty folder, and not an export"),
        ("diorama-mini", {"out": "lamp/first.png"}, UsageError, "not an empty folder, and not an export"),
        ("diorama-mini", {"out": "lamp/first.png/out"}, StoreError, "cannot write here: Not a directory"),
    ],
)
def test_a_wrong_wish_is_refused_before_anything_is_made(
    name: str, wishes: dict, kind: type[LookawayError], complaint: str, tmp_path: Path
) -> None:
    lamp(tmp_path / "lamp")
    foreign(tmp_path / "foreign")
    before = files_in(tmp_path)
    with pytest.raises(kind, match=complaint):
        export(name, tmp_path / str(wishes.pop("out", "out")), **wishes)
    assert files_in(tmp_path) == before


def test_a_secret_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET_VARIABLE, raising=False)
    assert read_secret(None) is None
    monkeypatch.setenv(SECRET_VARIABLE, "from the environment")
    assert read_secret(None) == b"from the environment"
    (tmp_path / "secret").write_bytes(SECRET + b"\n")
    assert read_secret(str(tmp_path / "secret")) == SECRET
    (tmp_path / "empty").write_text(" \n")
    with pytest.raises(UsageError, match="is empty; write one with"):
        read_secret(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="cannot read it: No such file"):
        read_secret(str(tmp_path / "none"))
