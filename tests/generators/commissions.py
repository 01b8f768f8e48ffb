"""One small commission, as a generator gets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lookaway.controls.poses import poses
from lookaway.generators import Commission, TrueClips
from lookaway.images import png_bytes
from lookaway.pipeline.controls import request_for
from lookaway.records import CaseId, ModelCard, Setting, System
from lookaway.store import Run
from tests.builders import task as any_task

SIZE, FRAMES = (64, 48), 9


def commission(
    tmp_path: Path, generator: str, settings: dict[str, Setting], spent: float = 0.0, seconds: float = 1.0, **facts: Any
) -> Commission:
    """The commission, of a model whose card says these facts."""
    run = Run(tmp_path / "run")
    first = np.full((SIZE[1], SIZE[0], 3), 90, np.uint8)
    task = any_task(
        first_frame=run.blobs.put_bytes(png_bytes(first), ".png"),
        prompt='A cup, "full".',
        camera="hold@0.5s, yaw:left:20@0.5s",
        width=SIZE[0],
        height=SIZE[1],
        fps=8.0,
        seconds=seconds,
    )
    known = {"control": poses.__name__, "settings": settings, **facts}
    card = ModelCard(name="m", summary="", generator=generator, **known)
    case = CaseId(task=task.id, system="m", seed=3)
    request = request_for(case, task, System(name="m", card=card), run)
    workdir = tmp_path / "work"
    workdir.mkdir(parents=True)
    return Commission(request, run.blobs, task, card, workdir, lambda: TrueClips({}, lambda id: None), lambda: spent)
