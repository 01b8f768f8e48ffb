"""Poses by MapAnything, through the package `mapanything` (github.com/facebookresearch/map-anything).

Every frame gets a pose, right or wrong: the model has no confidence in a pose, and never abstains.
"""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

MODEL = "facebook/map-anything"


def look(request: dict[str, Any]) -> dict[str, Any]:
    import torch
    from mapanything.utils.image import load_images

    device = "cuda" if torch.cuda.is_available() else "cpu"
    named = request["model"] or MODEL
    try:
        model = _model(named, device)
    except OSError:  # as the hub's library calls everything that keeps it from finding weights
        traceback.print_exc()
        return {"missing_weights": named}
    views = load_images([str(Path(request["folder"]) / file) for file in request["files"]])
    found = model.infer(views, memory_efficient_inference=True, use_amp=device == "cuda", amp_dtype="bf16")
    poses = np.stack([view["camera_poses"][0].double().cpu().numpy() for view in found])
    poses[:, :3, :3] = _nearest_rotations(poses[:, :3, :3])
    focal = np.array([float(view["intrinsics"][0, 0, 0]) for view in found])
    height, width = views[0]["img"].shape[-2:]
    scale = max(width / request["width"], height / request["height"])  # then cut to shape about the middle
    hfov_deg = np.degrees(2 * np.arctan(request["width"] * scale / 2 / focal))
    return {"poses": poses.tolist(), "hfov_deg": hfov_deg.tolist()}


def _nearest_rotations(matrices: Any) -> Any:
    """Mixed precision leaves them a little off."""
    u, _, vt = np.linalg.svd(matrices)
    u[:, :, 2] *= np.linalg.det(u @ vt)[:, None]
    return u @ vt


@cache
def _model(name: str, device: str) -> Any:
    from mapanything.models import MapAnything

    return MapAnything.from_pretrained(name).to(device).eval()
