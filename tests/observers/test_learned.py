"""Settings that all learned observers share, and where they compute; what they see is tested in tests/learned."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from lookaway.errors import MissingExtra, MissingWeights, ObserveError
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.learned import _batches, first_device, learned_settings
from lookaway.observers.patch_features import MODEL, PatchSettings
from lookaway.records import Setting
from lookaway.video import SharedFrames, encode
from tests.builders import task


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> SharedFrames:
    video: Path = tmp_path_factory.mktemp("learned") / "a.mp4"
    encode([np.zeros((90, 160, 3), np.uint8)] * 3, video, 16.0)
    return SharedFrames.load(video)


def read(clip: SharedFrames, **settings: Setting) -> PatchSettings:
    return learned_settings(PatchSettings, "patch_features", Look(clip, task(), clip.rgb[0], None, settings))


def test_unless_told_it_is_the_first_device_in_full_precision(clip: SharedFrames) -> None:
    plain = read(clip)
    assert (plain.model, plain.device, plain.dtype, plain.frames) == (MODEL, "auto", "float32", "rate")
    assert read(clip, device="cuda:1", batch=2, dtype="float16").device == "cuda:1"


@pytest.mark.parametrize(
    "wrong", [{"device": "gpu"}, {"device": "cuda:x"}, {"dtype": "float64"}, {"batch": 0}, {"btch": 2}], ids=str
)
def test_a_setting_that_cannot_work_is_said_with_those_that_can(wrong: dict[str, Setting], clip: SharedFrames) -> None:
    with pytest.raises(ObserveError, match=r"--set patch_features\.….*settings are: model, device, dtype, batch"):
        read(clip, **wrong)


@pytest.mark.parametrize(
    ("cuda", "mps", "first"), [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu"), (True, False, "cuda")]
)
def test_auto_is_the_first_device_there_is(cuda: bool, mps: bool, first: str) -> None:
    backends = SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps))
    assert first_device(SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: cuda), backends=backends)) == first


@pytest.mark.parametrize("batch", [1, 2, 5, 9])
def test_batches_hold_every_picture_once_and_in_order(batch: int) -> None:
    pictures = [np.full((3, 2, 2), value, np.float32) for value in range(5)]
    made = list(_batches(pictures, batch))
    assert [picture[0, 0, 0] for together in made for picture in together] == [0, 1, 2, 3, 4]
    assert max(map(len, made)) <= batch


class Unseen:
    def __getattr__(self, name: str) -> Any:
        pytest.fail(f"a frame was looked at ({name})")


@pytest.mark.parametrize("name", ["lpips_anchored", "subject_features", "subject_patches"])
def test_missing_weights_are_told_before_the_subject_is_followed(name: str, clip: SharedFrames) -> None:
    look = Look(cast(SharedFrames, Unseen()), task(), clip.rgb[0], None, {"model": "nobody/has-these"})
    with pytest.raises((MissingExtra, MissingWeights)):
        OBSERVERS.get(name).function(look)
