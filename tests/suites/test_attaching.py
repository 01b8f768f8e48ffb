"""`lookaway suite attach natural`: pictures that somebody brings become tasks; bad ones cost a line each."""

from __future__ import annotations

import http.client
import json
import threading
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from lookaway import suites
from lookaway.errors import UsageError
from lookaway.images import png_bytes
from lookaway.pipeline import plans
from lookaway.pipeline.tasks import built_tasks
from lookaway.store import open_run
from lookaway.suites.attaching import attach
from tests.command import call

CAT, DUCK, BAKER = "hallway_cat_box", "park_duck_pond", "bakery_baker_tray"
LEFT, RIGHT = [0.1, 0.4, 0.3, 0.8], [0.7, 0.4, 0.9, 0.8]


def picture(folder: Path, name: str, seed: int = 0, size: tuple[int, int] = (480, 270), **facts: object) -> Path:
    folder.mkdir(exist_ok=True)
    shade = np.random.default_rng(seed).integers(0, 255, (size[1] // 30, size[0] // 30, 3)).astype(np.uint8)
    path = folder / f"{name}.png"
    path.write_bytes(png_bytes(np.kron(shade, np.ones((30, 30, 1), np.uint8))))
    if facts:
        path.with_suffix(".json").write_text(json.dumps(facts))
    return path


def test_each_picture_gets_the_whole_design_and_is_called_by_its_content(tmp_path: Path) -> None:
    frames, out = tmp_path / "frames", tmp_path / "suite"
    picture(frames, CAT, 1, box=LEFT, hfov_deg=70, pitch_deg=-5)
    picture(frames, f"{CAT}-at-night", 2, box=LEFT)
    picture(frames, DUCK, 3, box=RIGHT, hfov_deg=70)
    done = call("suite", "attach", "natural", "--frames", str(frames), "--out", str(out), "--fov", "50", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["tasks"], len(told["pictures"]), told["refused"]) == (60, 3, {})
    assert len(told["without_picture"]) == 26
    drafts = suites.find(str(out)).drafts()
    assert len({draft.scene for draft in drafts}) == 3
    call("stage", "tasks", str(tmp_path / "run"), "--suite", str(out))
    run = open_run(tmp_path / "run")
    tasks = built_tasks(run, plans.load(run))
    assert len(tasks) == 60
    assert all(task.scene == f"{task.family}-{task.first_frame[:8]}" for task in tasks.values())
    assert len({task.instance for task in tasks.values()}) == 60
    lenses = {
        (task.family, task.hfov_deg, task.hfov_declared, "hfov:unverified" in task.tags) for task in tasks.values()
    }
    assert lenses == {(CAT, 70.0, True, False), (CAT, 50.0, False, True), (DUCK, 70.0, True, False)}


def test_another_picture_is_another_instance_and_the_same_one_is_not(tmp_path: Path) -> None:
    scenes = []
    for number, seed in enumerate((1, 1, 2)):
        picture(tmp_path / f"{number}", CAT, seed, box=LEFT)
        scenes.append(attach(tmp_path / f"{number}", tmp_path / f"{number}-suite").pictures[f"{CAT}.png"])
    assert scenes[0] == scenes[1] != scenes[2]


def test_bad_pictures_cost_a_line_each_and_the_others_go_on(tmp_path: Path) -> None:
    frames, out = tmp_path / "frames", tmp_path / "suite"
    picture(frames, CAT, 1, box=LEFT)
    picture(frames, f"{CAT}-again", 1, box=LEFT)
    picture(frames, f"{CAT}-boxless", 2)
    picture(frames, f"{CAT}-outside", 3, box=[0.1, 0.2, 1.4, 0.9])
    picture(frames, f"{CAT}-mirrored", 4, box=RIGHT)
    picture(frames, f"{CAT}-odd", 5, box=LEFT, colour="red")
    picture(frames, DUCK, 6, size=(120, 90), box=RIGHT)
    picture(frames, BAKER, 7, size=(270, 480), box=LEFT)
    picture(frames, "hallway_cat_boks", 8, box=LEFT)
    (frames / f"{DUCK}-torn.png").write_bytes((frames / f"{CAT}.png").read_bytes()[:900])
    (frames / f"{DUCK}-notes.txt").write_text("a duck")
    (frames / f"{DUCK}-folder.png").mkdir()
    done = call("suite", "attach", "natural", "--frames", str(frames), "--out", str(out))
    assert done.returncode == 0
    assert "20 tasks on 1 picture;" in done.stdout
    said = {line.split(":")[0]: line for line in done.stderr.splitlines() if ".png: " in line or ".txt: " in line}
    why = {
        f"{CAT}-again.png": f"the same picture as {CAT}.png",
        f"{CAT}-boxless.png": "nobody says where the ginger cat is",
        f"{CAT}-outside.png": "must be left, top, right, bottom as shares of the frame",
        f"{CAT}-mirrored.png": "the box is on the right, and the text has the ginger cat on the left",
        f"{CAT}-odd.png": "colour: Extra inputs",
        f"{DUCK}.png": "120x90 is too small",
        f"{BAKER}.png": "270x480: give a picture that is one to three times as wide as high",
        "hallway_cat_boks.png": f"did you mean {CAT}?",
        f"{DUCK}-torn.png": "not a readable picture",
        f"{DUCK}-notes.txt": "not a picture",
        f"{DUCK}-folder.png": "not a picture",
    }
    assert said.keys() == why.keys()
    assert all(why[name] in line for name, line in said.items())


@pytest.mark.parametrize("name", [f"{CAT}-..", f"{CAT}-\x1b[2Jx", f"{CAT}-%2e%2e%2fetc", f"{CAT}-\udcff"])
def test_a_foreign_name_never_becomes_a_path(tmp_path: Path, name: str) -> None:
    frames, out = tmp_path / "frames", tmp_path / "suite"
    picture(frames, name, box=LEFT)
    done = call("suite", "attach", "natural", "--frames", str(frames), "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    written = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    (scene,) = {draft.scene for draft in suites.find(str(out)).drafts()}
    assert written == [f"first_frames/{scene}.png", "suite.toml", "tasks.jsonl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["frames", "suite"]


def test_what_a_camera_wrote_into_a_picture_is_not_passed_on(tmp_path: Path) -> None:
    from PIL import Image

    lying = Image.fromarray(np.zeros((480, 270, 3), np.uint8))
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "at home"
    (tmp_path / "frames").mkdir()
    lying.save(tmp_path / "frames" / f"{CAT}.jpg", exif=exif)
    (tmp_path / "frames" / f"{CAT}.json").write_text(json.dumps({"box": LEFT}))
    attached = attach(tmp_path / "frames", tmp_path / "suite")
    (row, *_) = attached.rows
    assert (row["width"], row["height"]) == (480, 270)
    with Image.open(tmp_path / "suite" / row["first_frame"]) as copy:
        assert copy.size == (480, 270)
        assert not copy.getexif()


def test_a_folder_of_another_suite_is_left_alone(tmp_path: Path) -> None:
    picture(tmp_path / "frames", CAT, box=LEFT)
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "suite.toml").write_text('name = "mine"\nversion = 1\nsummary = "mine"\n')
    with pytest.raises(UsageError, match="holds another suite already"):
        attach(tmp_path / "frames", tmp_path / "suite")
    assert not (tmp_path / "suite" / "first_frames").exists()


def test_without_any_picture_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    done = call("suite", "attach", "natural", "--frames", str(tmp_path / "frames"))
    assert done.returncode == 2
    assert "no picture can be used" in done.stderr
    assert not (tmp_path / "frames-suite").exists()
    assert "takes no pictures" in call("suite", "attach", "diorama", "--frames", str(tmp_path)).stderr
    assert "no such folder" in call("suite", "attach", "natural", "--frames", str(tmp_path / "none")).stderr


def test_the_wanted_pictures_are_described() -> None:
    told = json.loads(call("suite", "attach", "natural", "--json").stdout)
    assert len(told["pictures"]) == 28
    assert "60 degrees across" in told["framing"]
    cat = next(row for row in told["pictures"] if row["family"] == CAT)
    assert (cat["side"], cat["rendered"]) == ("left", None)
    assert "cardboard box" in cat["picture"]


def test_a_box_can_be_drawn_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lookaway.cli import attach as verb

    frames = tmp_path / "frames"
    picture(frames, CAT)
    drawers: list[threading.Thread] = []

    def echo(text: str, err: bool = False) -> None:
        if "http://" in text:
            drawers.append(threading.Thread(target=_draw, args=(text.split()[-1],)))
            drawers[-1].start()

    monkeypatch.setattr(verb.typer, "echo", echo)
    done = call("suite", "attach", "natural", "--frames", str(frames), "--pick", "--pick-minutes", "1")
    for drawer in drawers:
        drawer.join()
    assert done.returncode == 0, done.stderr
    assert json.loads((frames / f"{CAT}.json").read_text())["box"] == LEFT
    assert len(suites.find(str(tmp_path / "frames-suite")).drafts()) == 20


def _draw(address: str) -> None:
    parts = urlsplit(address)
    for what, said in (("answer", {"video": 0, "box": LEFT, "name": "the cat"}), ("finish", {})):
        connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)
        connection.request("POST", f"{parts.path}{what}", json.dumps(said), {"Content-Type": "application/json"})
        assert connection.getresponse().status == 200
        connection.close()


@pytest.mark.parametrize("suite", ["evolution", "evolution-permanence"])
def test_processes_of_evolution_take_pictures_as_families_do(tmp_path: Path, suite: str) -> None:
    name = {"evolution": "marble_tray", "evolution-permanence": "vase_shelf"}[suite]
    picture(tmp_path / "frames", name, 1, box=LEFT, hfov_deg=70)
    picture(tmp_path / "frames", CAT, 2, box=LEFT)
    out = tmp_path / "suite"
    done = call("suite", "attach", suite, "--frames", str(tmp_path / "frames"), "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert list(told["refused"]) == [f"{CAT}.png"]
    found = suites.find(str(out))
    assert found.name == suite
    drafts = found.drafts()
    assert {draft.scene.partition("-")[0] for draft in drafts} == {name}
    twins = {"evolution": 2 + 4, "evolution-permanence": 2}[suite]
    assert len(drafts) == told["tasks"] == 4 + twins


def test_the_pictures_that_evolution_wants_are_described() -> None:
    wanted = json.loads(call("suite", "attach", "evolution", "--json").stdout)
    assert len(wanted["pictures"]) == 86
    marble = next(row for row in wanted["pictures"] if row["family"] == "marble_tray")
    assert marble["picture"].startswith("In a playroom, a glass marble rests")
