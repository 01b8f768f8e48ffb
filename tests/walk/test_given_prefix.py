"""A model that goes on from true frames gets them in the shape of picture that it makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.generators.media import prefix_clip
from lookaway.geometry.framing import fit_between, picture_of
from lookaway.images import png_bytes
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, FitKind, ModelCard, System, Task
from lookaway.store import Run
from lookaway.video import decode, encode
from tests.builders import task

FRAMES = 6


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Run, Task, list[np.ndarray]]:
    """A task whose first frames are given: a ramp of colours that moves to the right."""
    ramp = np.linspace(0, 255, 320, dtype=np.uint8)
    frames = [np.stack([np.tile(np.roll(ramp, 8 * i), (180, 1))] * 3, axis=-1) for i in range(FRAMES)]
    run, clip = Run(tmp_path / "run"), tmp_path / "given.mp4"
    encode(frames, clip, 16.0, crf=8)
    first = run.blobs.put_bytes(png_bytes(frames[0]), ".png")
    return run, task(first_frame=first, prefix=run.blobs.put_file(clip), prefix_s=(FRAMES - 1) / 16), frames


def asked(run: Run, about: Task, **facts: object) -> Path:
    card = ModelCard.model_validate({"name": "m", "summary": "", "control": "text", "generator": "folder", **facts})
    request = request_for(CaseId(task=about.id, system="m"), about, System(name="m", card=card), run)
    clip = prefix_clip(request, run.blobs)
    assert clip is not None
    return clip


@pytest.mark.parametrize(("how", "size"), [("crop", (240, 180)), ("pad", (320, 240)), ("stretch", (320, 240))])
def test_given_frames_have_the_shape_of_the_models_pictures(
    begun: tuple[Run, Task, list[np.ndarray]], how: FitKind, size: tuple[int, int]
) -> None:
    run, about, frames = begun
    given = [frame.rgb for frame in decode(asked(run, about, width=size[0], height=size[1], fit=how))]
    fit = fit_between((320, 180), size, how)
    assert len(given) == FRAMES
    for got, frame in zip(given, frames, strict=True):
        assert got.shape == (size[1], size[0], 3)
        assert np.abs(got.astype(int) - picture_of(frame, fit, size)).mean() < 3, "only as encoding leaves it"


def test_given_frames_of_the_same_shape_stay_the_same_file(begun: tuple[Run, Task, list[np.ndarray]]) -> None:
    run, about, _ = begun
    assert about.prefix is not None
    assert asked(run, about) == run.blobs.path(about.prefix)
