"""Poses by VGGT, through the package `vggt` (github.com/facebookresearch/vggt).

Every frame gets a pose, right or wrong: the model has no confidence in a pose, and never abstains.
"""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

MODEL = "facebook/VGGT-1B"


def look(request: dict[str, Any]) -> dict[str, Any]:
    import torch
    from vggt.utils.load_fn import load_and_preprocess_images
    from vggt.utils.pose_enc import pose_encoding_to_extri_intri

    device = "cuda" if torch.cuda.is_available() else "cpu"
    named = request["model"] or MODEL
    try:
        model = _model(named, device)
    except OSError:  # as the hub's library calls everything that keeps it from finding weights
        traceback.print_exc()
        return {"missing_weights": named}
    paths = [str(Path(request["folder"]) / file) for file in request["files"]]
    images = load_and_preprocess_images(paths).to(device)[None]  # 518 wide; only the height may be cut
    with torch.inference_mode():
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            tokens, _ = model.aggregator(images)
        encoded = model.camera_head(tokens)[-1]
        camera_from_world, intrinsics = pose_encoding_to_extri_intri(encoded, images.shape[-2:])
    width = images.shape[-1]
    focal = intrinsics[0, :, 0, 0].double().cpu().numpy()
    return {
        "poses": _camera_to_world(camera_from_world[0].double().cpu().numpy()).tolist(),
        "hfov_deg": np.degrees(2 * np.arctan(width / 2 / focal)).tolist(),
    }


def _camera_to_world(camera_from_world: Any) -> Any:
    """(N, 3, 4), OpenCV axes either way."""
    turned = camera_from_world[:, :, :3].transpose(0, 2, 1)
    return np.concatenate([turned, -turned @ camera_from_world[:, :, 3:]], axis=2)


@cache
def _model(name: str, device: str) -> Any:
    from vggt.models.vggt import VGGT

    return VGGT.from_pretrained(name).to(device).eval()
