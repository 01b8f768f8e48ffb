"""A subject that is named and not drawn: a model finds it where its weights are, and nothing is fetched for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.looking import finding
from lookaway.looking.boxes import KeptBox, SubjectBox, drawn_boxes, keep_boxes, read_boxes, with_kept
from lookaway.looking.brought import BroughtVideo, Wishes
from lookaway.looking.finding import found_boxes
from lookaway.observers import Look
from lookaway.observers.box_finder import BoxFound, prompt_of, without_article
from lookaway.outcomes import Abstain
from lookaway.store import file_sha256
from lookaway.video import encode
from tests.command import call

BOX, FINDER = (0.25, 0.2, 0.5, 0.8), "somebody/model <weights 1f0a2b3c4d5e>"


@pytest.fixture(autouse=True)
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("LOOKAWAY_WEIGHTS", str(tmp_path / "weights"))


@pytest.fixture
def video(tmp_path: Path) -> BroughtVideo:
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 255, (96, 160, 3), np.uint8)
    encode([frame] * 8, tmp_path / "clip.mp4", 8)
    return BroughtVideo("clip", tmp_path / "clip.mp4")


def kept(video: BroughtVideo, name: str = "the man") -> dict[str, KeptBox]:
    digest = file_sha256(video.path)
    return {video.id: KeptBox(box=BOX, name=name, video_sha256=digest, found_by=FINDER, score=0.625)}


def test_without_weights_it_says_how_to_get_them_and_fetches_nothing(video: BroughtVideo) -> None:
    done = call("look", str(video.path), "--subject", "the man")
    assert done.returncode == 0, done.stderr
    assert "lookaway weights get google/owlv2-base-patch16-ensemble" in done.stderr
    assert "--pick" in done.stderr


def test_a_box_that_was_found_is_used_and_said_to_be(video: BroughtVideo, tmp_path: Path) -> None:
    keep_boxes(tmp_path / "run", kept(video))
    done = call("look", str(video.path), "--subject", "the man", "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert f"The box of the man was found by {FINDER}, score 0.62." in " ".join(done.stdout.split())


def test_a_box_found_for_another_name_is_not_used(video: BroughtVideo, tmp_path: Path) -> None:
    keep_boxes(tmp_path, kept(video, "the cat"))
    known = with_kept([video], Wishes(subject="the man"), tmp_path)
    assert (known.wishes.boxes, known.boxless, known.undrawn) == ({}, [video], [video])


def test_a_person_may_draw_over_what_a_model_found(video: BroughtVideo, tmp_path: Path) -> None:
    keep_boxes(tmp_path, kept(video))
    assert with_kept([video], Wishes(subject="the man"), tmp_path).undrawn == [video]
    drawn = (0.0, 0.0, 0.5, 0.5)
    keep_boxes(tmp_path, drawn_boxes([video], {"clip": SubjectBox(box=drawn, name="the boy")}))
    known = with_kept([video], Wishes(subject="the man"), tmp_path)
    assert (known.wishes.boxes, known.boxless, known.notes) == ({"clip": drawn}, [], {})


def test_nothing_is_looked_for_in_a_video_that_somebody_skipped(video: BroughtVideo, tmp_path: Path) -> None:
    keep_boxes(tmp_path, drawn_boxes([video], {"clip": SubjectBox(box=None, name="the man")}))
    known = with_kept([video], Wishes(subject="the man"), tmp_path)
    assert (known.wishes.boxes, known.boxless, known.undrawn) == ({}, [], [])


def test_the_finder_is_shown_the_first_frame_and_the_name_alone(
    video: BroughtVideo, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Look] = []

    def seen(_: object, look: Look) -> BoxFound:
        shown.append(look)
        return BoxFound(seconds=np.zeros(1), box=np.array(BOX), score=0.5)

    monkeypatch.setattr(finding, "seen_with", seen)
    made = found_boxes([video], "the man", {"model": "/home/somebody/owl"})
    (look,) = shown
    assert look.frames.rgb.shape == (1, 96, 160, 3)
    assert look.task.subject is not None
    assert look.task.subject.name == "the man"
    assert (made.kept["clip"].box, made.kept["clip"].score, made.notes) == (BOX, 0.5, {})
    assert "somebody" not in made.kept["clip"].found_by, "folders of this machine stay on it"


def test_what_is_not_found_is_noted_and_not_kept(
    video: BroughtVideo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "seen_with", lambda *_: Abstain("nothing looks like it"))
    monkeypatch.setattr(finding, "finder_is_here", lambda _: True)
    out = tmp_path / "run"
    done = call("look", str(video.path), "--subject", "the man", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "(No box of the man: nothing looks like it.)" in " ".join(done.stdout.split())
    assert read_boxes(out) == {}


@pytest.mark.parametrize(
    ("name", "prompt"),
    [("the man", "a photo of a man"), ("An old dog", "a photo of an old dog"), ("cat", "a photo of a cat")],
)
def test_a_name_becomes_a_prompt(name: str, prompt: str) -> None:
    assert prompt_of(name) == prompt


def test_an_article_alone_is_a_name() -> None:
    assert without_article("the") == "the"
