"""Camera rows as CameraCtrl and RealEstate10K write them: one line of text per frame.

id fx fy cx cy 0 0 and world-to-camera, row by row, in twelve numbers; intrinsics in shares of width and height
"""

from __future__ import annotations

import numpy as np

from lookaway.controls import AskedCamera, EncodedCamera, Files, control
from lookaway.controls.dialect import Dialect
from lookaway.geometry.trajectory import Trajectory

FILE = "camera.txt"


def read(files: Files, asked: AskedCamera) -> Trajectory:
    dialect = Dialect.of(asked.card)
    lines = files[FILE].decode().splitlines()[dialect.header_lines + dialect.anchor_rows :]
    matrices = np.tile(np.eye(4), (len(lines), 1, 1))
    matrices[:, :3] = [np.array(line.split()[7:19], float).reshape(3, 4) for line in lines]
    return dialect.path(matrices, asked.path)


@control(version=1, decode=read)
def camera_rows(asked: AskedCamera) -> EncodedCamera:
    """Text rows with normalised intrinsics and world-to-camera matrices."""
    dialect = Dialect.of(asked.card)
    matrices = dialect.matrices(asked.path)
    lens = dialect.lens(asked.path, _picture(asked))
    rows = [
        " ".join([str(i), *(f"{v:.9g}" for v in k), "0", "0", *(f"{v:.12g}" for v in matrix[:3].ravel())])
        for i, (k, matrix) in enumerate(zip(lens, matrices, strict=True))
    ]
    header = ["camera"] * dialect.header_lines
    text = "\n".join([*header, *rows[:1] * dialect.anchor_rows, *rows]) + "\n"
    return EncodedCamera({FILE: text.encode()}, dialect.path(matrices, asked.path))


def _picture(asked: AskedCamera) -> tuple[float, float]:
    """The picture that normalised intrinsics are shares of.

    A program that expects rows of pictures of another shape fits such a picture around the video's before it reads
    them, so they are given as shares of that.
    """
    width, height = asked.shape.width, asked.shape.height
    settings = asked.card.control_settings
    if "pose_width" not in settings:
        return width, height
    ratio = float(settings["pose_width"]) / float(settings["pose_height"])
    return (width, width / ratio) if width / height <= ratio else (height * ratio, height)
