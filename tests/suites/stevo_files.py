"""A release of StEvo in little, written by hand in its layout."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from lookaway.images import png_bytes

DRIP = {"video_WM": "Wax drips; a curtain closes before it, after a pause it opens.", "camera_WM": "A match lights it."}
STEPS = "s-3, right-20, left-20"


def picture(shade: int) -> bytes:
    return png_bytes(np.full((36, 64, 3), shade, np.uint8))


def write_task(folder: Path, id: str, told: dict[str, Any] | None, shade: int = 90, first: bool = True) -> Path:
    """JSON is YAML; `told` None: the id alone."""
    own = folder / id
    own.mkdir(parents=True)
    (own / f"{id}.yaml").write_text(json.dumps({"id": id} | (told or {}), indent=1))
    if first:
        (own / f"{id}_init_frame.png").write_bytes(picture(shade))
    return own


def released(folder: Path) -> Path:
    """Wax behind a curtain, cardboard and in the dark, observed and opposite; a fan of which only the id is told."""
    tasks = folder / "tasks_all"
    evaluation = {
        "init2final_edit_prompt": "Make the candle short.",
        "init_frame_description": "A tall candle.",
        "questions": [{"id": "q1", "question": "Is it short?", "answer_type": "yes_no"}],
        "inputs_digest": {"initial_frame_sha256": hashlib.sha256(picture(90)).hexdigest()},
    }
    wax = {"level": 1, "category": "scalar", "prompts": DRIP, "evaluation": evaluation}
    camera = {"camera_control": {"HY-WorldPlay": STEPS, "lingbot": None, "Genie": "look to the right"}}
    triggered, implied = tasks / "simple_trigger", tasks / "image_implied"
    write_task(triggered, "wax_drip_curtain", wax | camera)
    write_task(triggered, "wax_drip_cardboard", wax | camera)
    write_task(triggered, "wax_drip_lightoff", wax | {"prompts": {"video_WM": "Wax drips."}})
    write_task(triggered, "wax_drip_00", {"level": 1, "prompts": {"video_WM": "Wax drips."}})
    write_task(triggered, "wax_drip_06_curtain", wax | {"variation_description": "a draught blows"})
    causal = {"level": 5, "prompts": DRIP}
    write_task(triggered, "tap_curtain", causal)
    write_task(triggered, "tap_opposite_curtain", causal)
    write_task(implied, "fan", None)
    write_task(implied, "unseen_curtain", {"level": 2, "prompts": DRIP}, first=False)
    return folder
