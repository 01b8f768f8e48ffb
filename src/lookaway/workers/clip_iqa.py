"""CLIP-IQA+ of pictures, through the package `pyiqa` (github.com/chaofengc/IQA-PyTorch).

pyiqa is not for commercial use. It is no dependency of lookaway: whoever installs it here accepts its terms.
"""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

METRIC = "clipiqa+"  # pyiqa's own name for it
GET = """ENVIRONMENT/bin/python -c "import pyiqa; pyiqa.create_metric('{}')\""""


def look(request: dict[str, Any]) -> dict[str, Any]:
    import torch
    from PIL import Image

    named = request["model"] or METRIC
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        metric = _metric(named, device)
    except OSError:  # as pyiqa's downloads call everything that keeps them from the weights
        traceback.print_exc()
        return {"missing_weights": [f"of {named}", GET.format(named)]}
    scores = []
    for file in request["files"]:
        rgb = np.array(Image.open(Path(request["folder"]) / file).convert("RGB"), np.float32) / 255
        with torch.inference_mode():
            scores.append(float(metric(torch.from_numpy(rgb.transpose(2, 0, 1)[None].copy()).to(device))))
    return {"scores": scores}


@cache
def _metric(named: str, device: str) -> Any:
    import pyiqa

    return pyiqa.create_metric(named, device=device)
