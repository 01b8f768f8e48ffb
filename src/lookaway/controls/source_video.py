"""A camera path beside a video of the scene, for models that film a given video anew or continue it.

The source is what the task itself gives: its observed prefix, or the first frame held. It must not show how the scene
ends, or the model could copy the answer.
"""

from __future__ import annotations

from dataclasses import replace

from lookaway.controls import AskedCamera, EncodedCamera, Files, control, lines, poses
from lookaway.geometry.trajectory import Trajectory

LEAK = "the source video already shows the endpoint: what comes out is an upper bound, never evidence of memory"
HELD = "the task gives no source video: its first frame, held, stands for one"


def read(files: Files, asked: AskedCamera) -> Trajectory:
    return lines.read(files, asked) if lines.speaks(asked.card) else poses.read(files, asked)


@control(version=2, decode=read, shows_source=True)
def source_video(asked: AskedCamera) -> EncodedCamera:
    """Poses in the card's dialect, and which video the model may see."""
    said = lines.said(asked) if lines.speaks(asked.card) else poses.poses(asked)
    warning = {"full_target": LEAK, "first_frame": HELD}.get(asked.shows)
    return replace(said, input_policy=asked.shows, warnings=(*said.warnings, *filter(None, [warning])))
