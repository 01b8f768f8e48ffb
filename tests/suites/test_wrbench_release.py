"""WRBench's official release as a suite; the files here are written by hand, in the layout of the release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway import suites
from lookaway.errors import SuiteError, UsageError
from lookaway.geometry.asked import asked_poses
from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.images import png_bytes
from lookaway.store import Blobs
from lookaway.suites.releases import read_release
from lookaway.video import encode
from tests.command import call

OWL, BAKER = "attic_owl_hop", "bakery_baker_loaf_place"
FAMILIES = [
    {"family_id": OWL, "scene": "an attic", "primary_object": {"id": "an_owl", "name": "an owl"}, "t2i_scene": "x"},
    {"family_id": BAKER, "scene": "a bakery", "primary_object": {"id": "a_baker", "name": "a baker"}},
]
EVENTS = {  # tier in the name: tier, event, divergence, what happens
    "T0": ("T0", "none", None, "waits"),
    "T1": ("T1", "spatial", None, "goes to the window"),
    "T2_div_a": ("T2", "state_only", "div_a", "closes both eyes"),
    "T2_div_b": ("T2", "full", "div_b", "climbs into the crate"),
}


def variants() -> list[dict[str, Any]]:
    return [
        {
            "variant_id": f"{family['family_id']}__{name}__{gap}",
            "family_id": family["family_id"],
            "reasoning_tier": tier,
            "oov_gap": gap,
            "event_delta": event,
            "divergence_id": divergence,
            "world_state_prompt": f"It {what}.",
            "expected_state": f"It {what}.",
            "ti2v_prompt": f"A wide shot. It {what}." + ("" if gap == "none" else " The camera does something."),
        }
        for family in FAMILIES
        for name, (tier, event, divergence, what) in EVENTS.items()
        for gap in ("none", "static", "yaw_LR", "yaw_RL")
    ]


def released(folder: Path, rows: list[dict[str, Any]] | None = None, pictures: tuple[str, ...] = (OWL, BAKER)) -> Path:
    (folder / "first_frames").mkdir(parents=True)
    (folder / "families.jsonl").write_text("\n".join(map(json.dumps, FAMILIES)) + "\n")
    (folder / "variants.jsonl").write_text("\n".join(map(json.dumps, variants() if rows is None else rows)) + "\n")
    for family in pictures:
        shade = np.random.default_rng(len(family)).integers(0, 255, (72, 128, 3)).astype(np.uint8)
        (folder / "first_frames" / f"{family}.png").write_bytes(png_bytes(shade))
    return folder


def said(code: int, *arguments: object) -> str:
    """What `lookaway ARGUMENTS` says, ending with that code."""
    done = call(*map(str, arguments))
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_every_event_is_asked_with_every_camera(tmp_path: Path) -> None:
    release = read_release("wrbench", released(tmp_path))
    assert len(release.rows) == 2 * 4 * 5
    assert "32 of 32 variants of the design are there" in release.report
    row = next(row for row in release.rows if row["id"] == f"{OWL}__T2_div_a__none__yaw60_RL")
    assert (row["moves"], row["changes_in_place"], row["tier"], row["action"]) == (False, True, "T2", "hop")
    assert (row["prompt"], row["expected_end"]) == ("A wide shot. It closes both eyes.", "It closes both eyes.")
    assert (row["venue"], row["level"], row["width"], row["height"]) == ("an attic", 60, 128, 72)
    assert row["subjects"][0]["name"] == "an owl"
    assert not row["hfov_declared"]


@pytest.mark.parametrize(("camera", "first_deg"), [("yaw30_LR", -30), ("yaw60_RL", 60), ("static", 0)])
def test_left_to_right_looks_left_first_and_comes_back(tmp_path: Path, camera: str, first_deg: float) -> None:
    folder = released(tmp_path / "release")
    drafts = {draft.id: draft for draft in suites.find(f"wrbench:{folder}").drafts()}
    task, reference, _ = drafts[f"{BAKER}__T0__none__{camera}"].built(Blobs(tmp_path / "blobs"))
    assert reference is None
    assert task.frames == 81
    seconds = np.arange(task.frames) / task.fps
    yaw = yaw_pitch_deg(asked_poses(task, seconds)[:, :3, :3])[:, 0]
    left = -np.sign(yaw_pitch_deg(asked_poses(_left(task), seconds)[:, :3, :3])[40, 0])
    assert yaw[40] * left == pytest.approx(first_deg, abs=1)
    assert yaw[-1] == pytest.approx(0, abs=0.1)


def _left(task: Any) -> Any:
    """A camera that only turns left: which sign that is."""
    return task.model_copy(update={"camera": "yaw:left:30@2.5s, hold@2.5s"})


def test_what_is_missing_doubled_or_contradictory_is_said(tmp_path: Path) -> None:
    rows = variants()
    rows[1]["world_state_prompt"] = "It sings."
    rows[4]["reasoning_tier"] = "T2"
    gone = rows.pop()
    rows.append(rows[8])
    for row in rows:
        if row["event_delta"] == "state_only":
            row["world_state_prompt"] = "It blinks without moving."
    release = read_release("wrbench", released(tmp_path, rows, (OWL,)))
    assert len({row["id"] for row in release.rows}) == len(release.rows) == 4 * 5
    report = "\n".join(release.report)
    assert "31 of 32 variants of the design are there" in report
    assert f"missing variant: {gone['family_id']} full yaw_RL" in report
    assert f"there twice: {OWL} state_only none" in report
    assert f"{OWL} none: told in 2 ways" in report
    assert f"{OWL}__T1__none: tier T2 with event spatial" in report
    assert "1 of 1 state_only events say what does not happen" in report
    assert f"no picture of {BAKER}: its tasks are not posed" in report
    assert "boxes of 1 of 1 subjects are not in the release: unverified" in report


def test_boxes_are_taken_from_a_file(tmp_path: Path) -> None:
    folder, boxes = released(tmp_path / "release"), tmp_path / "boxes.json"
    boxes.write_text(json.dumps({OWL: [0.6, 0.2, 0.9, 0.8]}))
    told = said(0, "suite", "import", "wrbench", folder, "--out", tmp_path / "suite", "--boxes", boxes, "--json")
    assert json.loads(told)["tasks"] == 40
    rows = [json.loads(line) for line in (tmp_path / "suite" / "tasks.jsonl").read_text().splitlines()]
    sides = {row["family"]: (row["subjects"][0]["side"], "box:from-text" in row["tags"]) for row in rows}
    assert sides == {OWL: ("right", False), BAKER: ("left", True)}
    assert "boxes of 1 of 2" in (tmp_path / "suite" / "import.txt").read_text()
    assert len(suites.find(str(tmp_path / "suite")).drafts()) == 40
    again = said(2, "suite", "import", "wrbench", folder, "--out", tmp_path / "suite")
    assert "holds a suite already" in again
    boxes.write_text('{"attic": [1, 2]}')
    wrong = said(2, "suite", "import", "wrbench", folder, "--out", tmp_path / "other", "--boxes", boxes)
    assert "not {family: [left, top, right, bottom]}" in wrong
    boxes.write_text(json.dumps({OWL: [0.6, 0.2, 1.9, 0.8]}))
    outside = said(2, "suite", "import", "wrbench", folder, "--out", tmp_path / "other", "--boxes", boxes)
    assert "must be left, top, right, bottom as shares of the frame" in outside
    assert not (tmp_path / "other").exists()
    boxes.unlink()
    gone = said(2, "suite", "import", "wrbench", folder, "--out", tmp_path / "other", "--boxes", boxes)
    assert "boxes.json: cannot read it" in gone


def test_videos_of_the_release_are_matched_by_name_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released(tmp_path / "release")
    videos = tmp_path / "videos"
    videos.mkdir()
    frames = np.random.default_rng(0).integers(0, 255, (9, 72, 128, 3)).astype(np.uint8)
    encode(frames, videos / f"{OWL}__T1__none__yaw60_LR.mp4", 16.0)
    monkeypatch.chdir(tmp_path)
    call("ingest", "videos", "--suite", "wrbench:release", "--model", "mine", "--out", "run")
    monkeypatch.chdir(videos)
    assert "9 frames at 16 fps" in said(0, "show", tmp_path / "run", f"{OWL}__T1__none__yaw60_LR/mine/0")
    assert str(tmp_path) not in (tmp_path / "run" / "run.json").read_text()


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("families.jsonl", "", "is empty"),
        ("families.jsonl", "[1, 2]", "families.jsonl:1: not as the release has it"),
        ("variants.jsonl", '{"variant_id": "a"}', "variants.jsonl:1: not as the release has it"),
        ("variants.jsonl", "{" * 9000, "variants.jsonl:1: not as the release has it"),
        ("variants.jsonl", json.dumps(variants()[0] | {"family_id": "../../etc"}), "is not in families.jsonl"),
        ("variants.jsonl", json.dumps(variants()[0] | {"event_delta": "explodes"}), "event_delta"),
    ],
)
def test_a_broken_release_is_one_clear_line(tmp_path: Path, file: str, text: str, why: str) -> None:
    released(tmp_path)
    (tmp_path / file).write_text(text)
    with pytest.raises(SuiteError, match=why):
        read_release("wrbench", tmp_path)


def test_a_family_that_is_a_path_reads_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png_bytes(np.zeros((8, 8, 3), np.uint8)))
    folder = released(tmp_path / "release")
    family = FAMILIES[0] | {"family_id": "../../secret"}
    rows = [row | {"family_id": "../../secret"} for row in variants()[:16]]
    (folder / "families.jsonl").write_text(json.dumps(family))
    (folder / "variants.jsonl").write_text("\n".join(map(json.dumps, rows)))
    release = read_release("wrbench", folder)
    assert not release.rows
    with pytest.raises(SuiteError, match="no task has a picture"):
        suites.find(f"wrbench:{folder}").drafts()


def test_the_report_of_a_hostile_release_stays_text(tmp_path: Path) -> None:
    folder = released(tmp_path / "release")
    family = FAMILIES[0] | {"family_id": "owl\x1b[2J\nhop"}
    (folder / "families.jsonl").write_text("\n".join(map(json.dumps, [*FAMILIES, family])))
    told = said(0, "suite", "import", "wrbench", folder, "--out", tmp_path / "suite")
    assert "\x1b" not in told
    assert "\nhop" not in told


def test_a_folder_that_is_not_there_and_a_release_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        suites.find(f"wrbench:{tmp_path}/nowhere")
    assert "wrbench" in said(2, "suite", "import", "wrbnch", tmp_path, "--out", tmp_path / "suite")
