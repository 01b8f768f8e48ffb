"""ImageReward of pictures for a prompt, through the package `image-reward` (github.com/THUDM/ImageReward)."""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

MODEL = "THUDM/ImageReward"
RELEASE = "ImageReward-v1.0"  # the package's own name for them


def look(request: dict[str, Any]) -> dict[str, Any]:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        model = _model(request["model"], device)
    except OSError:  # as the hub's library calls everything that keeps it from finding weights
        traceback.print_exc()
        return {"missing_weights": request["model"] or MODEL}
    pictures = [str(Path(request["folder"]) / file) for file in request["files"]]
    with torch.inference_mode():
        return {"scores": np.atleast_1d(model.score(request["prompt"], pictures)).astype(float).tolist()}


@cache
def _model(folder: str | None, device: str) -> Any:
    """From the folder that `lookaway weights get` fills; else as the package itself finds it."""
    import ImageReward as package
    import torch
    from ImageReward.ImageReward import ImageReward

    if folder is None:
        return package.load(RELEASE, device=device)
    model = ImageReward(device=device, med_config=str(Path(folder) / "med_config.json")).to(device)
    model.load_state_dict(torch.load(Path(folder) / "ImageReward.pt", "cpu", weights_only=True), strict=False)
    return model.eval()
