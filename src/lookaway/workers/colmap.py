"""Poses by COLMAP's structure from motion, through `pycolmap`.

It places cameras by parallax: a camera that only turns, or rests, has none, and cannot be measured this way.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

MIN_PLACED = 0.5  # share of the frames
WITHIN = (
    0.005  # of the picture's width: as near as points come to where a pose puts them; COLMAP's 4 px suit photographs
)


def look(request: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        models = _reconstructed(request, Path(scratch))
    files = request["files"]
    best = max(models, key=lambda model: int(model.num_reg_images()), default=None)
    if best is None:
        return {"abstain": "no two frames show enough parallax to start from; the camera rested or only turned"}
    placed = {image.name: image for image in best.images.values() if image.has_pose}
    if len(placed) < MIN_PLACED * len(files):
        return {"abstain": f"only {len(placed)} of {len(files)} frames could be placed together"}
    (camera,) = best.cameras.values()
    return {
        "poses": [_camera_to_world(placed[file]) if file in placed else None for file in files],
        "hfov_deg": math.degrees(2 * math.atan(camera.width / 2 / camera.focal_length)),
    }


def _camera_to_world(image: Any) -> list[list[float]]:
    rows: list[list[float]] = image.cam_from_world().inverse().matrix().tolist()
    return rows


def _reconstructed(request: dict[str, Any], scratch: Path) -> list[Any]:
    """Every connected model of the scene, in which all frames share one pinhole camera."""
    import pycolmap

    pycolmap.set_random_seed(0)
    database, frames, pixels = scratch / "database.db", request["folder"], WITHIN * request["width"]
    pycolmap.extract_features(
        database,
        frames,
        request["files"],
        camera_mode=pycolmap.CameraMode.SINGLE,
        reader_options=pycolmap.ImageReaderOptions(camera_model="SIMPLE_PINHOLE", camera_params=_lens(request)),
        extraction_options=pycolmap.FeatureExtractionOptions(num_threads=1),  # so that twice gives the same
    )
    verifying = pycolmap.TwoViewGeometryOptions()
    verifying.ransac.max_error = pixels
    pycolmap.match_exhaustive(
        database,
        matching_options=pycolmap.FeatureMatchingOptions(num_threads=1),
        verification_options=verifying,
    )
    return list(pycolmap.incremental_mapping(database, frames, scratch, _mapping(request, pixels)).values())


def _lens(request: dict[str, Any]) -> str:
    """Focal length and middle where the field of view is declared, else nothing."""
    if request["hfov_deg"] is None:
        return ""
    focal = request["width"] / 2 / math.tan(math.radians(request["hfov_deg"]) / 2)
    return f"{focal},{request['width'] / 2},{request['height'] / 2}"


def _mapping(request: dict[str, Any], pixels: float) -> Any:
    import pycolmap

    options = pycolmap.IncrementalPipelineOptions(num_threads=1, random_seed=0, extract_colors=False)
    options.mapper.init_max_error = options.mapper.filter_max_reproj_error = pixels
    options.mapper.abs_pose_max_error = 3 * pixels
    options.triangulation.merge_max_reproj_error = options.triangulation.complete_max_reproj_error = pixels
    free = request["hfov_deg"] is None
    options.ba_refine_focal_length = options.mapper.abs_pose_refine_focal_length = free
    return options
