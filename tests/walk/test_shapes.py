"""A clip whose picture has another shape than the first frame is measured in the part that both show."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.api import Silent
from lookaway.geometry.framing import fit_between, picture_of
from lookaway.geometry.script import duration
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import shown_task
from lookaway.pipeline.stage import Options, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Clip, FitKind, Score
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


def test_a_camera_of_another_pace_is_not_compared_with_the_true_clip(own_run: Run) -> None:
    plan = plans.load(own_run)
    clip = next(c for c in current_clips(own_run, plan) if c.case.system == "truth" and "ball" in c.case.task)
    key = next(key for key, known in own_run.latest("clips", Clip).items() if known == clip)
    stretched = clip.model_copy(update={"pace": 2.0})
    with closing(own_run.writer("clips")) as writer:
        writer.append(key, "stretched", stretched, attempt=1)
    run_stage(STAGES["score"], own_run, plan, Options(only=str(clip.case)), Silent())
    scores = {s.metric: s for s in own_run.latest("scores", Score).values() if s.case == clip.case}
    for name in ("world_clock", "return_place", "psnr_all"):
        assert scores[name].status == "not_applicable", name
        assert "2.00 times the pace" in scores[name].reason
    assert scores["camera_gain"].value is not None
    asked = shown_task(built_tasks(own_run, plan)[clip.case.task], stretched, None, own_run.blobs)
    assert duration(asked.camera) == pytest.approx(asked.seconds)
