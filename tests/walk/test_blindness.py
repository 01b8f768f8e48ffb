"""Nothing but the pixels counts: a reference clip re-encoded, renamed and ingested as `x` scores the same.

Tolerances: yes/no readings must not change at all. Overlaps may move by 0.06, because a second lossy encoding moves
mask edges by a fraction of a pixel and the subjects are about 25 pixels wide. PSNR and SSIM compare pixels, so the
second encoding itself costs up to 4 dB and 0.02. What is read off renderings of the true process may move by a few
hundredths, as far below any margin as a frame or a pixel is below what anyone would call a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookaway.api import Silent
from lookaway.metrics import METRICS
from lookaway.models import ingested
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.ingest import stage
from lookaway.pipeline.mapping import map_folder
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Score
from lookaway.store import Run
from lookaway.video import decode, encode, probe
from tests.conftest import MODELS

TOLERANCE = {
    "dB": 4.0,
    "similarity": 0.02,
    "overlap": 0.06,
    "share": 0.0,
    "rate": 0.0,
    "of the asked turn": 0.01,
    "of the peak turn": 0.01,
    "of the asked time": 0.05,
    "frame widths": 0.01,
    "explained": 0.05,
    "subjects": 0.05,
    "hidden durations": 0.05,
    "true time": 0.03,
    "correlation": 0.03,
    "correlation lost": 0.03,
    "asked steps": 0.05,
    "score": 0.02,
    "deg": 0.2,
    "deg/s³": 100.0,  # a tenth of a degree of noise is 450
}


Frames = Callable[[NDArray[np.uint8]], NDArray[np.uint8]]
ScorePlace = tuple[str, str, str]


def as_a_stranger(
    own_run: Run, model: str, folder: Path, redrawn: Frames = lambda rgb: rgb
) -> tuple[dict[ScorePlace, Score], dict[ScorePlace, Score]]:
    """Scores of a reference model, and of its clips re-encoded and ingested as `x`, every frame `redrawn`."""
    plan = plans.load(own_run)
    folder.mkdir()
    for clip in current_clips(own_run, plan):
        if clip.case.system == model and clip.video is not None:
            source = own_run.blobs.path(clip.video)
            frames = (redrawn(frame.rgb) for frame in decode(source))
            encode(frames, folder / f"{clip.case.task}.mp4", probe(source).fps, crf=18)
    (own_run.root / "run.json").unlink()
    plan = plans.extend(own_run, "diorama-mini", [ingested("x")])
    mapping = map_folder(folder, [path.stem for path in sorted(folder.iterdir())])
    run_stage(stage(mapping, "x"), own_run, plan, Options(), Silent())
    for name in ("observe", "score"):
        run_stage(STAGES[name], own_run, plan, Options(), Silent())
    scores = own_run.latest("scores", Score).values()
    before, after = ({(s.task, s.metric, s.variant): s for s in scores if s.system == name} for name in (model, "x"))
    return before, after


@pytest.mark.parametrize("model", MODELS)
def test_a_reencoded_stranger_scores_like_the_reference_model(model: str, own_run: Run, tmp_path: Path) -> None:
    before, after = as_a_stranger(own_run, model, tmp_path / "strangers")
    assert after.keys() == before.keys()
    for place, score in after.items():
        reference = before[place]
        assert (score.status, score.gate) == (reference.status, reference.gate), place
        if score.value is not None and reference.value is not None:
            unit = METRICS.get(f"{score.metric}:{score.variant}").unit
            assert abs(score.value - reference.value) <= TOLERANCE[unit], place
