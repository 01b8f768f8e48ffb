"""StEvo's official release as a suite; the files here are written by hand, in the layout of the release."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from lookaway import extras, suites
from lookaway.errors import MissingExtra, SuiteError
from lookaway.geometry.script import duration, yaw_at
from lookaway.judges.prompting.context import Topic, fields_in_words
from lookaway.records import Task
from lookaway.store import Blobs
from lookaway.suites.releases import read_release
from lookaway.suites.releases.stevo.naming import TaskName, task_name, without_occluder
from lookaway.suites.releases.stevo.wording import camera_script, hiding_of, latents, process_of
from tests.command import call
from tests.suites.stevo_files import STEPS, picture, released, write_task


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release. Read only."""
    return released(tmp_path_factory.mktemp("stevo"))


@pytest.fixture
def own(official: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(official, tmp_path / "release"))


@pytest.fixture(scope="module")
def tasks(official: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Task]:
    blobs = Blobs(tmp_path_factory.mktemp("blobs"))
    return {draft.id: draft.built(blobs).task for draft in suites.find(f"stevo:{official}").drafts()}


def report_of(folder: Path) -> str:
    return "\n".join(read_release("stevo", folder).report)


def test_files_are_tasks_under_their_own_ids_and_cameras_get_the_id_without_occluder(tasks: dict[str, Task]) -> None:
    assert set(tasks) == {
        *("wax_drip_curtain", "wax_drip_cardboard", "wax_drip_lightoff", "wax_drip_00", "wax_drip_06_curtain"),
        *("tap_curtain", "tap_opposite_curtain", "fan", "wax_drip"),
    }
    wax = tasks["wax_drip_curtain"]
    assert (wax.scene, wax.category, wax.level, wax.event) == ("wax_drip", "continuous process", 1, "state_only")
    assert wax.prompt == "Wax drips; a curtain closes before it, after a pause it opens."
    assert (wax.end_edit, wax.action_control) == ("Make the candle short.", "A match lights it.")
    assert (wax.width, wax.height, wax.hfov_declared) == (64, 36, False)
    assert wax.tags == ("start:simple_trigger", "prompt:tells-the-hiding")


def test_what_hides_is_told_to_judges_and_no_word_is_added_to_the_prompt(tasks: dict[str, Task]) -> None:
    wax, dark, turned, plain = (tasks[id] for id in ("wax_drip_curtain", "wax_drip_lightoff", "wax_drip", "fan"))
    assert [task.observation_controls for task in (wax, dark, turned, plain)] == [
        *(("curtain",), ("lights-off",), ("look_away",), ("none",)),
    ]
    assert not wax.camera_asked
    assert not wax.cover
    told = fields_in_words(Topic(wax), ["hiding", "hiding_kind", "action"])
    assert told == {"hiding": "a curtain closes before it", "hiding_kind": "in-scene", "action": "A match lights it."}
    assert fields_in_words(Topic(dark), ["hiding"]) == {"hiding": "the lights go out"}
    assert fields_in_words(Topic(turned), ["hiding_kind"]) == {"hiding_kind": "pan"}
    assert (plain.visibility, plain.hiding) == ("always_visible", "")


def test_a_camera_string_is_a_camera_script_of_four_frames_a_latent(tasks: dict[str, Task]) -> None:
    task = tasks["wax_drip"]
    assert task.frames == 4 * (3 + 20 + 20) + 1 == 173
    assert task.prompt == "A match lights it."
    ends = np.array([3, 23, 43]) * 4 / 24
    assert yaw_at(task.camera, ends) == pytest.approx([0, 60, 0], abs=1e-3)
    assert task.tags[-1] == f"steps:HY-WorldPlay: {STEPS}"


@pytest.mark.parametrize(
    ("steps", "count"), [("s-3, right-10, left-20, right-10", 43), ("w+left-5,up-2", 7), ("wa-4", 4), ("Right-1", 1)]
)
def test_camera_strings_last_as_long_as_their_latents(steps: str, count: int) -> None:
    assert latents(steps) == count
    assert duration(camera_script(steps)) == pytest.approx(count * 4 / 24, rel=1e-4)


@pytest.mark.parametrize(
    "steps", ["", "sideways-3", "right", "right-0", "right-2000", "q-3, left-3", "w+q-3", "right-٣"]
)
def test_a_camera_string_that_cannot_be_read_is_refused(steps: str) -> None:
    with pytest.raises(SuiteError, match="camera string"):
        camera_script(steps)


def test_twins_and_variants_are_tied_to_the_tasks_they_belong_to(tasks: dict[str, Task]) -> None:
    observed, opposite, variant = (tasks[id] for id in ("wax_drip_00", "tap_opposite_curtain", "wax_drip_06_curtain"))
    assert (observed.twin, observed.visibility, observed.observation_controls) == (
        "observed",
        "always_visible",
        ("none",),
    )
    assert tasks[observed.twin_of or ""].scene == "wax_drip"
    assert tasks[observed.twin_of or ""].visibility == "leaves_and_returns"
    assert (opposite.twin, opposite.twin_of) == ("opposite", "tap_curtain")
    assert (variant.variant_of, variant.changes) == ("wax_drip_curtain", "a draught blows")
    assert "effect" in opposite.trigger
    assert not tasks["wax_drip_curtain"].trigger


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("wax_drip", TaskName("wax_drip")),
        ("wax_drip_00", TaskName("wax_drip", number=0)),
        ("wax_opposite_lightoff", TaskName("wax", "lightoff", opposite=True)),
        ("wax_cardboard_06", TaskName("wax", "cardboard", number=6)),
        ("curtain", TaskName("curtain")),
        ("the_curtain_curtain", TaskName("the_curtain", "curtain")),
    ],
)
def test_endings_of_ids_are_read_in_any_order(id: str, name: TaskName) -> None:
    assert task_name(id) == name


def test_the_id_for_cameras_has_all_but_the_occluder() -> None:
    assert without_occluder("wax_cardboard_06") == "wax_06"
    assert without_occluder("wax_06") == "wax_06"
    assert without_occluder("the_curtain_curtain") == "the_curtain"


def test_what_hides_is_what_a_prompt_says_between_semicolon_and_pause() -> None:
    assert hiding_of("It boils; lights go out. After A Pause, they come on; it boils.") == "lights go out"
    assert hiding_of("Lights go out, after a pause they come on.") == "Lights go out"
    assert hiding_of("It boils; all the time.") == ""
    assert process_of("It boils; lights go out, after a pause they come on.") == "It boils"


def test_the_report_tells_what_is_there_missing_and_unverified(official: Path) -> None:
    said = report_of(official)
    assert "9 task files: 9 tasks of 3 processes (1 cardboard, 4 curtain, 1 lights-off, 1 look_away, 2 none)" in said
    assert "1 observed and 1 opposite twins, 1 variants" in said
    assert "files by level: 1: 5, 2: 1, 5: 2" in said
    assert "missing: a first frame of 1 tasks, which are not posed: unseen_curtain" in said
    assert "missing: level of 1 of 9 files: fan" in said
    assert "unverified: how far a latent" in said
    assert "questions of 4 tasks come without answers" in said
    assert "contradictory" not in said


def test_an_import_is_a_suite_with_the_report_and_the_files_beside(official: Path, tmp_path: Path) -> None:
    done = call("suite", "import", "stevo", str(official), "--out", str(tmp_path / "suite"))
    assert done.returncode == 0, done.stderr
    assert "9 tasks in" in done.stdout
    listed = {draft.id for draft in suites.find(str(tmp_path / "suite")).drafts()}
    assert listed == {draft.id for draft in suites.find(f"stevo:{official}").drafts()}
    assert "unverified" in (tmp_path / "suite/import.txt").read_text()
    kept = json.loads((tmp_path / "suite/stevo/wax_drip_curtain.yaml").read_text())
    assert kept["evaluation"]["questions"][0]["question"] == "Is it short?"


def test_boxes_name_subjects_by_task_or_process(official: Path) -> None:
    rows = {row["id"]: row for row in read_release("stevo", official, {"wax_drip": (0.1, 0.2, 0.3, 0.9)}).rows}
    assert rows["wax_drip_curtain"]["subjects"][0]["side"] == "left"
    assert rows["tap_curtain"]["subjects"] == []


def test_a_field_that_is_not_as_told_costs_itself(own: Path) -> None:
    write_task(
        own, "odd_curtain", {"level": "high", "prompts": {"video_WM": "It goes."}, "camera_control": {"Genie": "?"}}
    )
    release = read_release("stevo", own)
    row = next(row for row in release.rows if row["id"] == "odd_curtain")
    assert (row["level"], row["prompt"], row["category"]) == (None, "It goes.", "not told")
    said = "\n".join(release.report)
    assert "not readable: odd_curtain: level" in said
    assert "not readable: odd_curtain: Genie" in said


def test_another_picture_than_the_texts_were_written_for_is_named(own: Path) -> None:
    path = own / "tasks_all/simple_trigger/wax_drip_curtain/wax_drip_curtain_init_frame.png"
    path.write_bytes(picture(12))
    assert "contradictory: wax_drip_curtain: wax_drip_curtain_init_frame.png is not the picture" in report_of(own)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("id: !!python/object/apply:os.system ['echo x']", "not readable YAML"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nid: [*b, *b]", "aliases"),
        ("id: [", "not readable YAML"),
        ("- id", "not a task"),
        ("[" * 3000, "not readable YAML"),
        ("id: ../../etc/passwd", "cannot be the id"),
        ('id: "a b"', "cannot be the id"),
        ("id: 'x" + "y" * (1 << 20) + "'", "larger than"),
    ],
)
def test_a_file_that_is_no_plain_task_is_named_and_the_others_are_read(own: Path, text: str, why: str) -> None:
    bad = own / "tasks_all/image_implied/bad"
    bad.mkdir()
    (bad / "bad.yaml").write_text(text)
    (bad / "bad_init_frame.png").write_bytes(picture(1))
    release = read_release("stevo", own)
    assert len(release.rows) == 9
    assert any(line.startswith("not readable:") and why in line for line in release.report), release.report


def test_an_id_that_is_told_twice_is_taken_once(own: Path) -> None:
    write_task(own / "tasks_more", "fan", {"level": 1})
    assert "there twice: fan: tasks_more/fan/fan.yaml is left out" in report_of(own)


def test_a_picture_that_leads_out_of_the_release_is_not_taken(own: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture(3))
    write_task(own, "led_curtain", {"level": 1}, first=False)
    (own / "led_curtain/led_curtain_init_frame.png").symlink_to(tmp_path / "secret.png")
    release = read_release("stevo", own)
    assert "led_curtain" not in {row["id"] for row in release.rows}
    assert "leads out of the release" in "\n".join(release.report)


def test_a_folder_without_tasks_and_a_missing_extra_are_told(
    official: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SuiteError, match=r"has no ID/ID\.yaml"):
        read_release("stevo", tmp_path)
    monkeypatch.setattr(extras, "missing", lambda extra: ["yaml"])
    with pytest.raises(MissingExtra, match=r"lookaway\[yaml\]"):
        read_release("stevo", official)
