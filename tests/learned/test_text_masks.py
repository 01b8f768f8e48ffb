"""SAM 3 asked by words through the real transformers path, with a tiny random checkpoint laid out as the published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.observers import OBSERVERS, Look, text_masks
from lookaway.observers.box_prompted import squeezed
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.learned import HALF, SAME_FEATURES
from lookaway.observers.text_masks import KEPT, TextMasks, prompt_in
from lookaway.outcomes import Abstain
from lookaway.records import Setting, Subject
from lookaway.video import SharedFrames, encode
from tests.builders import task
from tests.learned import tiny_sam3
from tests.observers.true_phases import with_phases

pytestmark = pytest.mark.torch

FRAMES, FPS = 24, 12


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return tiny_sam3.build(tmp_path_factory.mktemp("sam3"))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("clip") / "a.mp4"
    encode([rng.integers(0, 255, (90, 160, 3), np.uint8) for _ in range(FRAMES)], path, FPS)
    return path


def seen(checkpoint: Path, clip: Path, observer: str = "text_masks", **settings: Setting) -> Any:
    named = task(subjects=(Subject(name="the red ball", box=(0, 0, 1, 1), side="centre"),))
    given: dict[str, Setting] = {"model": str(checkpoint), "device": "cpu", **settings}
    with SharedFrames.load(clip) as shared:
        truth = with_phases(FRAMES, FPS, gone=6, back=16)
        return seen_with(OBSERVERS.get(observer), Look(shared, named, shared.rgb[0], truth, given))


def test_masks_are_those_that_the_models_own_processor_finds(checkpoint: Path, clip: Path) -> None:
    import torch
    from transformers import AutoTokenizer, Sam3ImageProcessor, Sam3Model

    mine = seen(checkpoint, clip)
    with SharedFrames.load(clip) as shared:
        last = shared.rgb[-1].copy()
    processor = Sam3ImageProcessor(size={"height": tiny_sam3.SIDE, "width": tiny_sam3.SIDE})
    theirs = np.asarray(processor(last, return_tensors="pt")["pixel_values"][0])
    ours = squeezed(last, tiny_sam3.SIDE, HALF, HALF)
    assert np.corrcoef(theirs.ravel(), ours.ravel())[0, 1] > 0.95, "they shrink by other weights"
    words = AutoTokenizer.from_pretrained(checkpoint)(
        ["red ball"], padding="max_length", max_length=32, return_tensors="pt"
    )
    model = Sam3Model.from_pretrained(checkpoint).eval()
    with torch.inference_mode():
        told = model(pixel_values=torch.from_numpy(ours[None]), **words)
    (found,) = processor.post_process_instance_segmentation(told, threshold=0.0)
    order = np.argsort(-found["scores"].numpy())
    queries = len(order)
    assert mine.confidence[-1, :queries] == pytest.approx(found["scores"].numpy()[order], abs=1e-5)
    assert mine.coverage[-1, :queries] == pytest.approx(found["masks"].float().mean((1, 2)).numpy()[order], abs=1e-5)
    assert mine.boxes[-1, :queries] == pytest.approx(found["boxes"].clamp(0, 1).numpy()[order], abs=1e-4)
    assert not mine.confidence[:, queries:].any()
    assert not mine.left_out.any(), "fewer masks than are kept"


def test_every_frame_of_the_return_is_looked_at_and_a_few_before(checkpoint: Path, clip: Path) -> None:
    mine = seen(checkpoint, clip)
    assert isinstance(mine, TextMasks)
    assert set(range(16, FRAMES)) <= set(mine.frames.tolist())
    assert (mine.frames < 6).any()
    assert ((mine.frames >= 6) & (mine.frames < 16)).any()
    assert mine.confidence.shape == (len(mine.frames), KEPT)
    assert mine.clip_frames == FRAMES


def test_how_many_frames_are_looked_at_together_makes_no_difference(checkpoint: Path, clip: Path) -> None:
    one, three = (seen(checkpoint, clip, batch=batch) for batch in (1, 3))
    assert one.confidence == pytest.approx(three.confidence, abs=SAME_FEATURES)


def test_a_long_return_takes_no_more_room(checkpoint: Path, clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together: list[int] = []
    make = text_masks._pictures

    def counted(eyes: Any, look: Look, frames: np.ndarray) -> list[Any]:
        together.append(len(frames))
        return make(eyes, look, frames)

    monkeypatch.setattr(text_masks, "_pictures", counted)
    mine = seen(checkpoint, clip, batch=4)
    assert sum(together) == len(mine.frames)
    assert max(together) <= 4


def test_the_words_reach_the_model(checkpoint: Path, clip: Path) -> None:
    plain, the, photo = (seen(checkpoint, clip, f"text_masks{form}") for form in ("", "_the", "_photo"))
    assert not np.array_equal(plain.confidence, the.confidence)
    assert not np.array_equal(the.confidence, photo.confidence)
    by_setting = seen(checkpoint, clip, prompt="the")
    assert np.array_equal(by_setting.confidence, the.confidence)


def test_a_mask_that_is_not_kept_leaves_its_confidence(
    checkpoint: Path, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = seen(checkpoint, clip)
    monkeypatch.setattr(text_masks, "KEPT", 3)
    few = seen(checkpoint, clip)
    assert few.confidence == pytest.approx(whole.confidence[:, :3])
    assert few.left_out == pytest.approx(whole.confidence[:, 3])


def test_without_phases_or_a_name_it_abstains(checkpoint: Path, clip: Path) -> None:
    with SharedFrames.load(clip) as shared:
        unnamed = Look(shared, task(subjects=()), shared.rgb[0], with_phases(FRAMES, FPS, 6, 16), {})
        without = Look(shared, task(), shared.rgb[0], None, {})
        answers = [seen_with(OBSERVERS.get("text_masks"), look) for look in (unnamed, without)]
    assert all(isinstance(answer, Abstain) for answer in answers)
    assert prompt_in("first_word", "the red ball") == "red"
