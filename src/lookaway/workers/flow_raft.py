"""Optical flow by RAFT-Large, through the package `torchvision`.

Writes `flows.npy` (pairs, height, width, 2) into the folder `out`: pixels to the right and down, from the first to the
second file of each pair.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

MODEL = "torchvision/raft_large"
FILE = "raft_large_C_T_SKHT_V2-ff5fadd5.pth"
LEAST_SIDE, STEP = 128, 8  # pixels: smaller pictures, and sides in between, are padded


def look(request: dict[str, Any]) -> dict[str, Any]:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        model = _model(request["model"], device)
    except OSError:  # no network included
        return {"missing_weights": request["model"] or MODEL}
    folder = Path(request["folder"])
    flows = []
    with torch.inference_mode():
        for pair in request["pairs"]:
            one, other = (_pixels(folder / request["files"][i]).to(device) for i in pair)
            height, width = one.shape[-2:]
            found = model(_padded(one), _padded(other))[-1][0, :, :height, :width]
            flows.append(found.permute(1, 2, 0).float().cpu().numpy())
    np.save(Path(request["out"]) / "flows.npy", np.stack(flows))
    return {"flows": "flows.npy"}


def _pixels(path: Path) -> Any:
    """(1, 3, height, width) from -1 to 1."""
    import torch
    from PIL import Image

    rgb = np.array(Image.open(path).convert("RGB"), np.float32)
    return torch.from_numpy(rgb).permute(2, 0, 1)[None] / 127.5 - 1


def _padded(pixels: Any) -> Any:
    """With the border repeated to the right and below."""
    from torch.nn.functional import pad

    down, right = (max(LEAST_SIDE, -(-side // STEP) * STEP) - side for side in pixels.shape[-2:])
    return pad(pixels, (0, right, 0, down), mode="replicate")


@cache
def _model(folder: str | None, device: str) -> Any:
    import torch
    from torchvision.models.optical_flow import Raft_Large_Weights, raft_large

    if folder is None:
        return raft_large(weights=Raft_Large_Weights.C_T_SKHT_V2, progress=False).to(device).eval()
    model = raft_large(weights=None, progress=False)
    model.load_state_dict(torch.load(Path(folder) / FILE, map_location="cpu", weights_only=True))
    return model.to(device).eval()
