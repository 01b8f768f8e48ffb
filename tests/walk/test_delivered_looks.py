"""`lookaway plan --probe`: what a model makes of each look, before anything long is run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookaway.images import png_bytes
from lookaway.pipeline.probe import judged
from lookaway.records import CaseId, Clip, Interval, Provenance
from lookaway.video import resize
from tests.builders import LOOK_LEFT, task
from tests.command import call

MADE_BY = Provenance(generator="folder", version=1, lookaway="0", python="3")


def clip(frames: int = 81, fps: float = 16.0) -> Clip:
    return Clip(
        case=CaseId(task="a", system="m"),
        request_key="",
        task_instance="",
        status="ok",
        video="0" * 64,
        frames=frames,
        fps=fps,
        provenance=MADE_BY,
    )


def camera(gain: float | None, home: float | None = 0.0, status: str = "ok") -> dict[str, dict[str, Any]]:
    return {
        "camera_gain": {"value": gain, "status": status, "reason": "" if gain is not None else "blank pictures"},
        "camera_end_over_peak": {"value": home, "status": status, "reason": ""},
    }


@pytest.mark.parametrize(
    ("made", "measured", "verdict", "says"),
    [
        (clip(), camera(1.0), "posed", ""),
        (clip(), camera(0.3), "avoided", "made 30% of the asked turn"),
        (clip(), camera(-0.9), "avoided", "the other way"),
        (clip(), camera(1.0, 0.8), "avoided", "80% of the turn were left"),
        (clip(fps=12.0), camera(1.0), "avoided", "12 frames a second came, not 16"),
        (clip(frames=40), camera(1.0), "avoided", "40 of 81 frames"),
        (clip(), camera(None), "unknown", "blank pictures"),
        (clip(), camera(None, None, "not_applicable"), "posed", ""),
        (None, {}, "no video", ""),
    ],
)
def test_a_mismatch_avoids_the_question(made: Clip | None, measured: dict[str, Any], verdict: str, says: str) -> None:
    found, why = judged(made, 81, 16.0, measured)
    assert found == verdict
    assert says in why


def looking_suite(folder: Path) -> Path:
    """One task in a textured room, whose camera turns away and back."""
    folder.mkdir()
    (folder / "suite.toml").write_text('name = "rooms"\nversion = 1\nsummary = "one room"\n')
    coarse = np.random.default_rng(0).integers(0, 255, (12, 20, 3)).astype(np.uint8)
    (folder / "room.png").write_bytes(png_bytes(resize(coarse, (160, 96))))
    phases = [
        Interval(phase=p, start_s=a, end_s=b) for p, a, b in (("visible", 0, 1), ("hidden", 1, 2), ("returned", 2, 4))
    ]
    asked = task(
        id="room", first_frame="room.png", camera=LOOK_LEFT, width=160, height=96, fps=8.0, seconds=4.0, phases=phases
    )
    row = asked.model_dump(mode="json", exclude={"suite", "version"}, exclude_defaults=True)
    (folder / "tasks.jsonl").write_text(json.dumps(row))
    return folder


def test_a_model_that_never_turns_is_told_so_before_a_long_run(tmp_path: Path) -> None:
    suite = looking_suite(tmp_path / "suite")
    done = call("plan", "--suite", str(suite), "--probe", "held-first-frame", "--json")
    assert done.returncode == 0, done.stderr
    (look,) = json.loads(done.stdout)
    assert (look["verdict"], look["task"], look["tasks"]) == ("avoided", "room", 1)
    assert look["frames"] == look["frames_asked"]
    assert abs(look["gain"]) < 0.1
    text = call("plan", "--suite", str(suite), "--probe", "held-first-frame").stdout
    assert "held-first-frame can be asked 0 of 1 tasks" in text


def test_without_models_and_without_probe_nothing_is_planned() -> None:
    done = call("plan", "--suite", "diorama-mini")
    assert done.returncode == 2
    assert "give --models or --probe" in done.stderr
