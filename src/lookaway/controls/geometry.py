"""A camera path beside a cache of geometry that the model builds from what it is shown."""

from __future__ import annotations

from dataclasses import replace

from lookaway.controls import AskedCamera, EncodedCamera, control, poses
from lookaway.controls.source_video import LEAK


@control(version=2, decode=poses.read, shows_source=True)
def geometry(asked: AskedCamera) -> EncodedCamera:
    """Poses in the card's dialect; the cache is built from the task's first frame or prefix."""
    said = poses.poses(asked)
    return replace(said, input_policy=asked.shows, warnings=(LEAK,) if asked.shows == "full_target" else ())
