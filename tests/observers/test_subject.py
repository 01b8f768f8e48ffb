"""The subject observer against exact masks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway import truth
from lookaway.observers import Look
from lookaway.observers.subject import subject
from lookaway.outcomes import Abstain
from lookaway.pipeline import plans
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.store import open_run
from lookaway.truth import Truth
from lookaway.video import SharedFrames, decode, encode


def looks(demo_run: Path) -> list[tuple[Look, Truth]]:
    run = open_run(demo_run)
    found = []
    for task in built_tasks(run, plans.load(run)).values():
        known = truth.load(built_references(run)[task.instance], run.blobs.root)
        found.append((Look(known.frames(), task, known.frames().rgb[0], known), known))
    return found


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / max(1, (a | b).sum()))


def test_seen_masks_are_the_true_ones(demo_run: Path) -> None:
    for look, known in looks(demo_run):
        seen = subject(look)
        masks = seen.unpacked(np.arange(len(seen.masks)))
        shown = known.world.visible > 0.5
        assert np.mean([overlap(a, b) for a, b in zip(masks[shown], known.world.masks[shown], strict=True)]) > 0.85
        assert not masks[known.world.visible == 0].any()
        agree = seen.visible == (known.world.visible >= 0.2)
        assert agree.mean() > 0.95


@pytest.mark.parametrize("change", ["darker", "warmer", "small"])
def test_harmless_changes_do_not_hide_or_invent_the_subject(demo_run: Path, tmp_path: Path, change: str) -> None:
    for look, known in looks(demo_run):
        frames = [f.rgb.astype(float) for f in decode(known.video, long_side=220 if change == "small" else None)]
        gains = {"darker": (0.85, 0.85, 0.85), "warmer": (1.06, 1.0, 0.94), "small": (1, 1, 1)}[change]
        path = tmp_path / f"{look.task.id}.mp4"
        encode([np.clip(f * gains, 0, 255).astype(np.uint8) for f in frames], path, look.task.fps, crf=23)
        with SharedFrames.load(path) as shared:
            seen = subject(Look(shared, look.task, look.first_frame, known))
        assert (seen.visible == (known.world.visible >= 0.2)).mean() > 0.9


def test_a_subject_that_does_not_stand_out_is_an_abstention(demo_run: Path) -> None:
    import dataclasses

    look, known = looks(demo_run)[0]
    wall = np.zeros_like(known.world.masks)
    wall[:, 20:60, 100:140] = True  # a patch of wallpaper as the subject
    hung = dataclasses.replace(known.world, masks=wall)
    seen = subject(Look(look.frames, look.task, look.first_frame, dataclasses.replace(known, world=hung)))
    assert isinstance(seen, Abstain)
    assert "do not stand out" in seen.reason
