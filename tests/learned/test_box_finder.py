"""OWLv2 through the real transformers path, with a tiny random checkpoint made here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.errors import ObserveError
from lookaway.looking.boxes import read_boxes
from lookaway.observers import OBSERVERS, Look, pipe
from lookaway.observers.box_finder import BoxFound, prompt_of, square
from lookaway.observers.elsewhere import seen_with
from lookaway.outcomes import Abstain
from lookaway.records import Setting, Subject
from lookaway.video import SharedFrames, encode
from tests.builders import task
from tests.command import call
from tests.learned.test_patch_features import FITS_TORCH

pytestmark = pytest.mark.torch

SIDE = 64


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("owlv2")
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = ["!", *letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = transformers.CLIPTokenizer(
        vocab={word: number for number, word in enumerate(vocabulary)}, merges=[], pad_token="!", model_max_length=16
    )
    tokenizer.save_pretrained(folder)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"bos_token_id": len(vocabulary) - 2, "eos_token_id": len(vocabulary) - 1, "pad_token_id": 0}
    config = transformers.Owlv2Config(
        text_config={**size, **ends, "vocab_size": len(vocabulary), "max_position_embeddings": 16},
        vision_config={**size, "image_size": SIDE, "patch_size": 16},
        projection_dim=32,
    )
    model = transformers.Owlv2ForObjectDetection(config)
    with torch.no_grad():
        model.box_head.dense2.weight *= 0.01  # else every box is a line, or lies beside the picture
        model.box_head.dense2.bias *= 0
    model.save_pretrained(folder)
    return folder


def picture(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (90, 160, 3), np.uint8)


def found(checkpoint: Path, folder: Path, name: str = "the man", seed: int = 0, **settings: Setting) -> Any:
    encode([picture(seed)] * 2, folder / "a.mp4", 12)
    named = task(subjects=(Subject(name=name, box=(0, 0, 1, 1), side="centre"),))
    with SharedFrames.load(folder / "a.mp4") as shared:
        given = {"model": str(checkpoint), "least_score": 0, "device": "cpu", **settings}
        return seen_with(OBSERVERS.get("box_finder"), Look(shared, named, shared.rgb[0], None, given))


def test_the_box_is_the_one_that_the_models_own_processor_finds(checkpoint: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, Owlv2ForObjectDetection, Owlv2ImageProcessor

    mine = found(checkpoint, tmp_path)
    with SharedFrames.load(tmp_path / "a.mp4") as shared:
        rgb = shared.rgb[0].copy()
    processor = Owlv2ImageProcessor(size={"height": SIDE, "width": SIDE})
    theirs = np.asarray(processor(rgb, return_tensors="pt")["pixel_values"][0])
    ours = square(rgb, SIDE)
    assert np.corrcoef(theirs.ravel(), ours.ravel())[0, 1] > 0.98, "they blur a little more before they shrink"
    words = AutoTokenizer.from_pretrained(checkpoint)(
        [prompt_of("the man")], padding="max_length", truncation=True, max_length=16, return_tensors="pt"
    )
    model = Owlv2ForObjectDetection.from_pretrained(checkpoint).eval()
    with torch.inference_mode():
        seen = model(**words, pixel_values=torch.from_numpy(ours[None]))
    (told,) = processor.post_process_object_detection(seen, threshold=0.0, target_sizes=[rgb.shape[:2]])
    boxes = np.clip(told["boxes"].numpy() / [160, 90, 160, 90], 0, 1)
    shown = (boxes[:, 2] - boxes[:, 0] > 0.01) & (boxes[:, 3] - boxes[:, 1] > 0.01)
    best = int(np.where(shown, told["scores"].numpy(), -1).argmax())
    assert mine.box == pytest.approx(boxes[best], abs=1e-5)
    assert mine.score == pytest.approx(float(told["scores"][best]), abs=1e-5)


def test_a_box_lies_in_the_picture_and_depends_on_pixels_and_words(checkpoint: Path, tmp_path: Path) -> None:
    one, other, cat = (
        found(checkpoint, tmp_path, name, seed) for name, seed in (("the man", 0), ("the man", 1), ("the cat", 0))
    )
    for seen in (one, other, cat):
        assert isinstance(seen, BoxFound)
        left, top, right, bottom = seen.box
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        assert 0 < seen.score < 1
    assert one.score != other.score
    assert one.score != cat.score


def test_below_the_stated_score_there_is_no_box(checkpoint: Path, tmp_path: Path) -> None:
    score = found(checkpoint, tmp_path).score
    assert isinstance(found(checkpoint, tmp_path, least_score=score - 0.01), BoxFound)
    none = found(checkpoint, tmp_path, least_score=min(1, score + 0.01))
    assert isinstance(none, Abstain)
    assert f"the best score is {score:.2f}, below" in none.reason


def test_a_long_name_is_cut_and_not_an_error(checkpoint: Path, tmp_path: Path) -> None:
    assert isinstance(found(checkpoint, tmp_path, "the man with a hat and a coat and a very long story"), BoxFound)


def test_weights_without_words_are_refused(checkpoint: Path, tmp_path: Path) -> None:
    for file in checkpoint.iterdir():
        if not file.name.startswith(("tokenizer", "vocab", "merges", "special")):
            (tmp_path / file.name).symlink_to(file)
    with pytest.raises(ObserveError, match="no tokenizer"):
        found(tmp_path, tmp_path)


def test_look_finds_the_subject_and_says_who_found_it(checkpoint: Path, tmp_path: Path) -> None:
    encode([picture()] * 8, tmp_path / "clip.mp4", 8)
    given = ["--subject", "the man", "--out", str(tmp_path / "run"), "--set", f"box_finder.model={checkpoint}"]
    done = call("look", str(tmp_path / "clip.mp4"), *given, "--set", "box_finder.least_score=0")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    kept = read_boxes(tmp_path / "run")["clip"]
    assert (
        f"The box of the man was found by box_finder <weights {kept.found_by[-13:-1]}>, score {kept.score:.2f}" in said
    )
    assert str(checkpoint.parent) not in (tmp_path / "run" / "boxes.json").read_text()
    unfound = call("look", str(tmp_path / "clip.mp4"), *given[:2], *given[4:], "--set", "box_finder.least_score=1")
    assert "No box of the man: nothing in the first frame looks like the man" in " ".join(unfound.stdout.split())


def test_a_worker_finds_the_same(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(FITS_TORCH)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])]))
    here = found(checkpoint, tmp_path)
    there = found(checkpoint, tmp_path, worker=sys.executable)
    pipe.end_all()
    assert there.box.tobytes() == here.box.tobytes()
    assert there.score == here.score
