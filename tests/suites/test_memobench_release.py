"""MemoBench's official release as a suite; the files here are written by hand, in the layout of the release."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lookaway import suites, truth
from lookaway.errors import SuiteError, UsageError
from lookaway.geometry.asked import asked_poses
from lookaway.geometry.phase_frames import Keyframes, keyframes
from lookaway.geometry.rotations import turn_deg
from lookaway.images import png_bytes, read_image
from lookaway.records import Task
from lookaway.store import Blobs
from lookaway.suites.releases import read_release
from lookaway.suites.releases.memobench.camera import checked_poses, csv_poses, fitted_lens, lens_matrices
from lookaway.suites.releases.memobench.wording import trajectory_of
from lookaway.suites.releases.reading import Release
from lookaway.truth import Truth
from tests.command import call
from tests.suites import memobench_files as files
from tests.suites.exr_files import exr_bytes
from tests.suites.memobench_files import FRAMES, LENS, METADATA, REAL, RENDERED, SIZE, table


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release. Read only."""
    return files.released(tmp_path_factory.mktemp("memobench"))


@pytest.fixture
def own(official: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(official, tmp_path / "release"))


def built(suite: str, clip: str, folder: Path) -> tuple[Task, Truth]:
    draft = next(draft for draft in suites.find(suite).drafts() if draft.id == clip)
    task, reference, _ = draft.built(Blobs(folder))
    assert reference is not None
    return task, truth.load(reference, folder)


def said(release: Release) -> str:
    return "\n".join(release.report)


@pytest.mark.parametrize("where", ["in place", "imported"])
def test_a_rendered_clip_has_its_frames_poses_lens_depth_and_phases(official: Path, tmp_path: Path, where: str) -> None:
    suite = f"memobench:{official}"
    if where == "imported":
        done = call("suite", "import", "memobench", str(official), "--out", str(tmp_path / "suite"))
        assert done.returncode == 0, done.stderr
        suite = str(tmp_path / "suite")
    task, known = built(suite, "Zen_010", tmp_path / "blobs")
    assert known.parts == ("clip", "poses", "depth")
    assert (task.scene, task.split, task.subjects[0].name, task.fps) == ("Zen", "synthetic", "fox", 60)
    assert (task.width, task.height, task.frames) == (*SIZE, FRAMES)
    with Image.open(official / RENDERED / "Zen/Zen_010/RGB10/NewLevelSequence10.0005.jpg") as picture:
        assert np.array_equal(known.frames().rgb[5], np.asarray(picture))
    assert known.frames().seconds == pytest.approx(np.arange(FRAMES) / 60)
    assert known.poses == pytest.approx(files.yaw_poses(files.U_TURN_DEG))
    assert known.arrays["intrinsics"][7] == pytest.approx(np.array([[55.4, 0, 32], [0, 55.4, 18], [0, 0, 1]]))
    assert known.depth()[4] == pytest.approx(files.depth(4))
    assert keyframes(known.phases, known.seconds) == Keyframes(gone=6, back=20, frames=FRAMES)
    assert keyframes(task.phases, known.seconds) == Keyframes(gone=6, back=20, frames=FRAMES)
    assert task.hfov_deg == pytest.approx(60, abs=0.1)


def test_a_real_clip_is_its_mp4_and_its_estimated_poses_are_smoothed(official: Path, tmp_path: Path) -> None:
    task, known = built(f"memobench:{official}", "real_002", tmp_path / "blobs")
    assert (task.split, task.fps, len(known.frames())) == ("real", 25, FRAMES)
    assert (task.moves, task.changes_in_place) == (False, True)
    assert keyframes(known.phases, known.seconds) == Keyframes(gone=9, back=18, frames=FRAMES)
    assert known.poses is not None
    raw = known.arrays["camera_to_world_raw"]
    assert raw == pytest.approx(files.yaw_poses(files.PAN_DEG))
    assert 0 < turn_deg(known.poses, raw).max() < 0.5
    assert "poses of 2 real clips are estimates, smoothed here: r at least 1.0000" in said(
        read_release("memobench", official)
    )


def test_the_asked_camera_is_told_against_the_first_view(official: Path, tmp_path: Path) -> None:
    task, _ = built(f"memobench:{official}", "Barn_001", tmp_path / "blobs")
    poses = asked_poses(task, np.arange(FRAMES) / 60)
    assert turn_deg(poses) == pytest.approx(files.U_TURN_DEG, abs=1e-3)
    assert poses[-1, :3, 3] == pytest.approx([1, 0, 0], abs=1e-5)


def test_clips_of_one_process_are_one_scene_and_trajectories_are_told_by_the_words(official: Path) -> None:
    rows = {row["id"]: row for row in read_release("memobench", official).rows}
    assert list(rows) == ["Barn_001", "Zen_010", "real_001", "real_002"]
    assert rows["real_001"]["scene"] == rows["real_002"]["scene"] == "process_001"
    kinds = {clip: row["tags"][0] for clip, row in rows.items()}
    assert set(kinds.values()) == {"trajectory:u_turn", "trajectory:pan_lr", "trajectory:pan_rl"}
    assert kinds["real_001"] == "trajectory:pan_lr"  # looks left first
    assert rows["real_001"]["expected_end"] == "the water is blue."
    assert rows["real_001"]["category"] == "diffusion & absorption"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("The camera smoothly tilts upward, and tilts back down.", "tilt_ud"),
        ("A kitchen with hanging pans, left of which a cup tilts left.", ""),
        ("The camera tilts left.", ""),
        ("First person view. Observer turns the head to the right, then to the left.", "head_turn"),
        ("First person view. Observer looks up and the subject exits the FOV.", "vertical"),
        ("First person view running forward. Observer turns around.", "forward"),
    ],
)
def test_a_trajectory_is_what_the_camera_or_the_observer_does(prompt: str, kind: str) -> None:
    assert trajectory_of(prompt) == kind


def test_an_import_keeps_banks_failure_cases_and_the_report(official: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    told = call("suite", "import", "memobench", str(official), "--out", str(out), "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["tasks"] == 4
    bank = official / "data/vqa_questions/Z_en-10-questions.csv"
    assert (out / "vqa_questions/Z_en-10-questions.csv").read_bytes() == bank.read_bytes()
    assert (out / "vqa_questions/failure-cases.csv").exists()
    report = (out / "import.txt").read_text()
    assert "synthetic: 2 of 2 clips are posed, 2 with keyframes, 2 with poses, 2 with a lens, 2 with depth" in report
    assert "real: 2 of 2 clips are posed, 2 with keyframes, 2 with poses, 2 with a lens, 0 with depth" in report
    assert "unverified: the rate of 2 synthetic clips is not told; 60 a second is taken" in report
    assert len(suites.find(str(out)).drafts()) == 4
    again = call("suite", "import", "memobench", str(official), "--out", str(out))
    assert again.returncode == 2
    assert "holds a suite already" in again.stderr


def test_keyframes_are_read_from_a_workbook_and_skip_drops(own: Path) -> None:
    pytest.importorskip("openpyxl")
    (own / RENDERED / "Synthetic_ExitReenter.csv").unlink()
    rows = files.keyframe_rows("synthetic", ("Barn_001", 8, 16.0, "", None), ("Zen_010", 6, 20, "", "Yes"))
    files.workbook(own / RENDERED / "Synthetic_ExitReenter.xlsx", rows)
    release = read_release("memobench", own)
    assert [row["id"] for row in release.rows] == ["Barn_001", "real_001", "real_002"]
    assert release.rows[0]["phases"][1] == {"phase": "hidden", "start_s": 8 / 60, "end_s": 16 / 60}
    assert "skipped, as the keyframe sheet asks: Zen_010" in release.report


def test_without_the_reader_of_workbooks_it_says_what_to_install(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookaway.extras._installed", lambda module: module != "openpyxl")
    sheet = own / RENDERED / "Synthetic_ExitReenter.csv"
    (own / RENDERED / "Synthetic_ExitReenter.xlsx").write_bytes(b"PK")
    release = read_release("memobench", own)  # the csv beside it serves
    assert release.rows[0]["phases"]
    sheet.unlink()
    release = read_release("memobench", own)
    assert "pip install 'lookaway[sheets]'" in said(release)
    assert len(release.rows) == 4
    assert not release.rows[0]["phases"]


def test_the_engines_table_gives_the_same_camera() -> None:
    """Worked by hand: a left-handed turn about z by 90 degrees sends x to -y; then y and z of the camera turn over."""
    poses = csv_poses(np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 0.0, np.pi / 2]]))
    assert poses[0] == pytest.approx(np.array([[0, -1, 0, 1], [-1, 0, 0, 2], [0, 0, -1, 3], [0, 0, 0, 1.0]]), abs=1e-12)
    both = csv_poses(np.zeros((1, 3)), np.array([[np.pi / 2, 0.0, np.pi / 2]]))[0, :3, :3]
    about_x, about_z = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]), np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]])
    assert both == pytest.approx(about_z @ about_x @ np.diag([1, -1, -1]), abs=1e-12)


def test_poses_are_taken_from_the_table_where_no_array_is(own: Path, tmp_path: Path) -> None:
    clip = own / RENDERED / "Barn/Barn_001"
    shutil.rmtree(clip / "1")
    head = ("loc_x", "loc_y", "loc_z", "rot_x", "rot_y", "rot_z", "fx", "fy", "cx", "cy")
    turns = np.linspace(0, 1.5, FRAMES)
    table(clip / "camera_full1.csv", [head, *((0, 0, 5, 0.2, 0, turn, *LENS) for turn in turns)])
    task, known = built(f"memobench:{own}", "Barn_001", tmp_path / "blobs")
    assert known.poses is not None
    assert turn_deg(known.poses[0], known.poses[-1]) == pytest.approx(np.rad2deg(1.5))
    assert task.hfov_declared


@pytest.mark.parametrize("shape", ["(4,)", "(N, 4)", "(3, 3)", "(N, 3, 3)"])
def test_a_lens_is_read_in_every_shape(shape: str) -> None:
    matrix = np.array([[55.4, 0, 32], [0, 55.4, 18], [0, 0, 1]])
    given = {
        "(4,)": np.array(LENS),
        "(N, 4)": np.tile(LENS, (5, 1)),
        "(3, 3)": matrix,
        "(N, 3, 3)": np.tile(matrix, (5, 1, 1)),
    }[shape]
    assert lens_matrices(given, 5) == pytest.approx(np.tile(matrix, (5, 1, 1)))


@pytest.mark.parametrize(
    ("lens", "why"),
    [
        (np.zeros((5, 3)), "not \\(4,\\)"),
        (np.tile(LENS, (3, 1)), "are 3 for 5 frames"),
        (np.array([0.0, 55, 32, 18]), "focal length is not above 0"),
        (np.array([np.nan, 55, 32, 18]), "not those of a lens"),
    ],
)
def test_what_is_no_lens_is_refused(lens: np.ndarray, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        lens_matrices(lens, 5)


def test_a_lens_told_for_smaller_pictures_is_scaled_and_one_of_another_shape_refused() -> None:
    small = lens_matrices(np.array([400.0, 400, 259, 147]), 2)
    fitted, why = fitted_lens(small, (1920, 1080))
    assert fitted[0, 0, 0] == pytest.approx(400 * 1920 / 518)
    assert "518x294" in why
    assert fitted_lens(small, (518, 294)) == (small, "")
    with pytest.raises(ValueError, match="centre"):
        fitted_lens(small, (1000, 1000))


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda poses: poses[:, :3], "not \\(N, 4, 4\\)"),
        (lambda poses: poses[:-1], f"{FRAMES - 1} poses for {FRAMES} frames"),
        (lambda poses: np.where(np.arange(FRAMES)[:, None, None] == 3, np.nan, poses), "frame 3 holds NaN"),
        (lambda poses: poses * np.array([2, 2, 2, 1])[:, None], "frame 0 holds no rotation"),
        (lambda poses: poses @ np.diag([1, 1, -1, 1]), "frame 0 holds no rotation"),
    ],
)
def test_poses_that_cannot_be_are_told_and_cost_only_themselves(spoil, why: str, own: Path, tmp_path: Path) -> None:
    wrong = spoil(files.yaw_poses(files.U_TURN_DEG))
    with pytest.raises(UsageError, match=why):
        checked_poses(wrong, FRAMES)
    np.save(own / RENDERED / "Barn/Barn_001/1/poses.npy", wrong)
    release = read_release("memobench", own)
    assert len(release.rows) == 4
    assert re.search(f"contradictory: Barn_001: .*{why}", said(release))
    task, known = built(f"memobench:{own}", "Barn_001", tmp_path / "blobs")
    assert not task.poses
    assert known.parts == ("clip", "depth")
    assert task.phases


@pytest.mark.parametrize("content", [b"", b"no numpy", b"\x93NUMPY\x01\x00"])
def test_a_broken_array_costs_one_line(own: Path, content: bytes) -> None:
    (own / REAL / "001/raw/001_mapanything.npz").write_bytes(content)
    release = read_release("memobench", own)
    assert len(release.rows) == 4
    assert "001_mapanything.npz: not the arrays of a camera" in said(release)


def test_an_array_of_objects_is_not_unpickled(own: Path) -> None:
    np.save(own / RENDERED / "Barn/Barn_001/1/poses.npy", np.array([{"a": 1}]), allow_pickle=True)
    assert "poses.npy: not the arrays of a camera" in said(read_release("memobench", own))


def test_each_bad_row_costs_itself(own: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    files.frames(tmp_path / "secret/RGB1", "{:04d}.jpg", 0)
    head = ("scene", "video_id", "subject", "exr_path", "prompt")
    rows = [
        *files.SYNTHETIC_ROWS,
        ("../../../secret", "1", "cow", "", files.U_TURN),
        ("Barn", "../1", "cow", "", files.U_TURN),
        ("Barn", "1", "pig", "", files.U_TURN),
        ("Barn", "4", "", "", files.U_TURN),
        ("Barn", "5", "hen", "../../secret/RGB1/0000.jpg", files.U_TURN),
    ]
    table(own / METADATA / "synthetic_metadata.csv", [head, *rows])
    release = read_release("memobench", own)
    assert [row["id"] for row in release.rows] == ["Barn_001", "Zen_010", "real_001", "real_002"]
    assert release.rows[0]["subjects"][0]["name"] == "cow"
    told = said(release)
    assert "synthetic_metadata.csv:4: '../../../secret' '1' names no clip" in told
    assert "synthetic_metadata.csv:5: 'Barn' '../1' names no clip" in told
    assert "Barn_001 is there twice; the first row counts" in told
    assert "Barn_004 has no subject" in told
    assert "no frame of 1 clips, which are not posed: Barn_005" in told


def test_keyframes_that_cannot_be_are_told_and_the_clip_is_kept(own: Path) -> None:
    rows = [
        ("Barn_001", 16, 8, "", ""),
        ("Zen_010", 6, 99, "", ""),
        ("Zen_010", 1, 2, "", ""),
        ("Miami_003", 1, 2, "", ""),
    ]
    table(own / RENDERED / "Synthetic_ExitReenter.csv", files.keyframe_rows("synthetic", *rows))
    table(own / REAL / "Real_ExitReenter.csv", files.keyframe_rows("real", (1, "soon", 15), (2, "", 18)))
    release = read_release("memobench", own)
    assert [bool(row["phases"]) for row in release.rows] == [False] * 4
    told = said(release)
    assert "Synthetic_ExitReenter.csv:2: Barn_001 is back at frame 8, not after 16" in told
    assert f"contradictory: Zen_010 is gone at frame 6 and back at 99 of {FRAMES} frames" in told
    assert "Synthetic_ExitReenter.csv:4: Zen_010 is there twice" in told
    assert "marks Miami_003, of which no metadata tell" in told
    assert "real_001: gone 'soon' is no frame" in told
    assert "missing: real_002 has no keyframes" in told


def test_a_table_without_its_columns_costs_its_split(own: Path) -> None:
    table(own / METADATA / "real_metadata.csv", [("video_id", "prompt"), ("1", "x")])
    table(own / RENDERED / "Synthetic_ExitReenter.csv", [("video_folder", "exits"), ("Barn_001", 8)])
    release = read_release("memobench", own)
    assert [row["id"] for row in release.rows] == ["Barn_001", "Zen_010"]
    assert "real_metadata.csv has no column subject" in said(release)
    assert "has no column back or re-enter or reenter" in said(release)
    (own / METADATA / "synthetic_metadata.csv").unlink()
    with pytest.raises(SuiteError, match="no clip of MemoBench is listed here"):
        read_release("memobench", own)


def test_without_keyframes_and_box_nobody_says_that_the_subject_stays_in_view(own: Path) -> None:
    (own / REAL / "Real_ExitReenter.csv").unlink()
    drafts = {draft.id: draft for draft in suites.find(f"memobench:{own}").drafts()}
    assert drafts["real_001"].hides
    assert drafts["Zen_010"].hides


def test_a_clip_with_a_first_frame_alone_is_posed_without_truth(own: Path, tmp_path: Path) -> None:
    for spoilt in (own / REAL / "001/001.mp4", own / REAL / "002/002.mp4"):
        spoilt.unlink()
    shutil.rmtree(own / REAL / "002")
    files.frames(own / REAL / "002/FRAMES", "frame_{:04d}.jpg", 1, count=1)
    (own / REAL / "002/FRAMES").rename(own / REAL / "002/START")
    rows = [files.REAL_ROWS[0], ("2", "a cup", f"{REAL}/002/START/frame_0001.jpg", files.REAL_ROWS[1][3])]
    table(own / METADATA / "real_metadata.csv", [("video_id", "subject", "full_image_path", "prompt"), *rows])
    release = read_release("memobench", own)
    assert "missing: real_002 has no true clip, only its first frame" in release.report
    assert "unverified: the rate of 2 real clips is not told; 30 a second is taken" in release.report
    drafts = {draft.id: draft for draft in suites.find(f"memobench:{own}").drafts()}
    assert not drafts["real_002"].truth
    task, reference, _ = drafts["real_002"].built(Blobs(tmp_path / "blobs"))
    assert reference is None
    assert not task.camera_asked
    _, known = built(f"memobench:{own}", "real_001", tmp_path / "blobs")
    assert len(known.frames()) == FRAMES


def test_the_first_frame_of_a_video_is_taken_where_no_picture_is(own: Path, tmp_path: Path) -> None:
    shutil.rmtree(own / REAL / "001/FRAMES")
    task, known = built(f"memobench:{own}", "real_001", tmp_path / "blobs")
    first = read_image(Blobs(tmp_path / "blobs").path(task.first_frame))
    assert np.array_equal(first, known.frames().rgb[0])


def test_a_frame_of_another_size_costs_the_truth_of_its_clip(own: Path, tmp_path: Path) -> None:
    Image.new("RGB", (8, 8)).save(own / RENDERED / "Barn/Barn_001/RGB1/NewLevelSequence1.0009.jpg")
    done = call("suite", "import", "memobench", str(own), "--out", str(tmp_path / "suite"))
    assert "is 8x8 but NewLevelSequence1.0000.jpg is 64x36" in done.stdout
    drafts = {draft.id: draft for draft in suites.find(str(tmp_path / "suite")).drafts()}
    assert {clip: draft.truth for clip, draft in drafts.items()}["Barn_001"] is False
    assert drafts["Zen_010"].truth


def test_depth_whose_unit_is_not_told_is_not_taken(own: Path, tmp_path: Path) -> None:
    (own / REAL / "001/depth").mkdir()
    (own / REAL / "001/depth/0001.png").write_bytes(png_bytes(files.picture(0)))
    np.save(own / RENDERED / "Barn/Barn_001/Depth1/depth.0007.npy", np.zeros((3, 4, 5)))
    release = read_release("memobench", own)
    told = "depth as .png, whose unit is not told; write how many metres one unit is to metres.txt beside it"
    assert f"missing: depth of 1 clips ({told})" in said(release)
    done = call("suite", "import", "memobench", str(own), "--out", str(tmp_path / "suite"))
    assert "Depth1/depth.0007.npy: (3, 4, 5), not one depth a pixel" in done.stdout
    _, known = built(str(tmp_path / "suite"), "Barn_001", tmp_path / "blobs")
    assert known.parts == ("clip", "poses")


def pictured(own: Path, kind: str, metres: str | None, place: str = "Depth1") -> Path:
    """The depth of a rendered clip as pictures in place of arrays, whose unit is 5 mm."""
    clip = own / RENDERED / "Barn/Barn_001"
    for path in sorted((clip / "Depth1").iterdir()):
        units = np.load(path) / 0.005
        path.unlink()
        if kind == "png":
            Image.fromarray(np.rint(units).astype(np.uint16)).save(path.with_suffix(".png"))
        else:
            path.with_suffix(".exr").write_bytes(exr_bytes(dict.fromkeys(kind.upper(), units)))
    if metres is not None:
        (clip / place / "metres.txt").write_text(metres)
    return clip / "Depth1"


@pytest.mark.parametrize("kind", ["png", "y", "rgb", "rgba"])
@pytest.mark.parametrize("place", ["Depth1", "../.."])
def test_depth_as_pictures_is_read_in_the_unit_that_is_declared(
    own: Path, tmp_path: Path, kind: str, place: str
) -> None:
    pictured(own, kind, "0.005\n", place)
    _, known = built(f"memobench:{own}", "Barn_001", tmp_path / "blobs")
    assert known.parts == ("clip", "poses", "depth")
    assert known.depth()[4] == pytest.approx(files.depth(4), rel=1e-6)


@pytest.mark.parametrize("metres", ["", "a tenth", "0", "-1", "nan", "inf"])
def test_a_unit_that_is_no_length_is_named(own: Path, metres: str) -> None:
    pictured(own, "png", metres)
    assert "Depth1/metres.txt is not a number of metres above 0" in said(read_release("memobench", own))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (png_bytes(files.picture(0)), "not an EXR"),
        (exr_bytes({"Z": files.depth(0)}), "its channels must be Y alone, or R, G and B alike"),
        (exr_bytes({"R": files.depth(0), "G": files.depth(1), "B": files.depth(0)}), "a picture and no depth"),
        (b"", "not an EXR"),
        (exr_bytes({"Y": files.depth(0)})[:200], "its channels must be"),
    ],
)
def test_an_exr_that_holds_no_depth_is_named_and_costs_its_clips_depth(
    own: Path, tmp_path: Path, content: bytes, why: str
) -> None:
    folder = pictured(own, "y", "0.005")
    (folder / "depth.0003.exr").write_bytes(content)
    done = call("suite", "import", "memobench", str(own), "--out", str(tmp_path / "suite"))
    assert "Depth1/depth.0003.exr: not depth (" in done.stdout
    assert why in done.stdout
    _, known = built(str(tmp_path / "suite"), "Barn_001", tmp_path / "blobs")
    assert known.parts == ("clip", "poses")


def test_a_png_of_8_bits_is_no_depth(own: Path, tmp_path: Path) -> None:
    folder = pictured(own, "png", "0.005")
    (folder / "depth.0003.png").write_bytes(png_bytes(files.picture(0)))
    done = call("suite", "import", "memobench", str(own), "--out", str(tmp_path / "suite"))
    assert "depth.0003.png: not depth (a picture of mode RGB; depth has one channel of 16 bits)" in done.stdout


def test_large_depth_is_kept_small(own: Path, tmp_path: Path) -> None:
    for frame in range(FRAMES):
        np.save(own / RENDERED / f"Barn/Barn_001/Depth1/depth.{frame:04d}.npy", np.full((720, 1280), 3, np.float32))
    _, known = built(f"memobench:{own}", "Barn_001", tmp_path / "blobs")
    assert known.depth().shape == (FRAMES, 360, 640)
    assert (known.depth() == 3).all()


def test_the_report_of_a_hostile_release_stays_text(own: Path, tmp_path: Path) -> None:
    head = ("scene", "video_id", "subject", "exr_path", "prompt")
    table(own / METADATA / "synthetic_metadata.csv", [head, ("a\x1b[2J", "1", "cow", "", files.U_TURN)])
    told = call("suite", "import", "memobench", str(own), "--out", str(tmp_path / "suite"))
    assert told.returncode == 0, told.stderr
    assert "\x1b" not in told.stdout


def test_boxes_are_taken_by_clip(official: Path, tmp_path: Path) -> None:
    release = read_release("memobench", official, {"Barn_001": (0.7, 0.2, 0.9, 0.8)})
    subjects = {row["id"]: (row["subjects"][0]["side"], "box:unknown" in row["tags"]) for row in release.rows}
    assert subjects["Barn_001"] == ("right", False)
    assert subjects["Zen_010"] == ("centre", True)
