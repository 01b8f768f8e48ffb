"""A clip whose picture has another shape than the first frame is measured in the part that both show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.geometry.framing import fit_between, picture_of
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.records import FitKind
from lookaway.store import Run
from tests.walk.test_blindness import as_a_stranger

# What the truth may score in another shape of picture: a narrower or shrunken view has fewer pixels and landmarks.
AS_GOOD = {
    "left_view": (0.8, 1.0),
    "came_back": (1.0, 1.0),
    "turn_share": (0.95, 1.05),
    "world_clock": (0.95, 1.05),
    "return_place": (0.0, 0.02),
    "return_count": (0.0, 0.2),
    "return_state": (0.9, 1.0),
    "return_identity": (0.9, 1.0),
    "background_same": (0.9, 1.0),
    "camera_gain": (0.97, 1.03),
    "object_return": (0.85, 1.0),
}


@pytest.mark.parametrize(("how", "size"), [("crop", (240, 180)), ("pad", (320, 240)), ("stretch", (320, 240))])
def test_the_truth_is_true_in_any_shape_of_picture(
    how: FitKind, size: tuple[int, int], own_run: Run, tmp_path: Path
) -> None:
    fit = fit_between((320, 180), size, how)
    assert fit is not None

    def redrawn(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return picture_of(rgb, fit, size)

    _, after = as_a_stranger(own_run, "truth", tmp_path / how, redrawn)
    clips = current_clips(own_run, plans.load(own_run))
    assert [clip.fit for clip in clips] == [fit] * len(clips)
    for (task, metric, _), score in after.items():
        if metric in AS_GOOD and score.value is not None:
            low, high = AS_GOOD[metric]
            assert low <= score.value <= high, (task, metric, score.value)
    measured = {metric for (_, metric, _), score in after.items() if score.value is not None}
    assert measured >= AS_GOOD.keys()
