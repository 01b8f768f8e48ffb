"""Still images in and out, as (height, width, 3) RGB."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from lookaway.errors import SuiteError


def read_image(path: Path) -> NDArray[np.uint8]:
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"), np.uint8)
    except (OSError, UnidentifiedImageError) as error:
        raise SuiteError(f"{path}: not a readable image ({error}); give a png or jpg") from error


def png_bytes(rgb: NDArray[np.uint8]) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(rgb).save(buffer, "PNG")
    return buffer.getvalue()
