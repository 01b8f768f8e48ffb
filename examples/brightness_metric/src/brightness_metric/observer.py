"""How bright is each frame?"""

from __future__ import annotations

from lookaway.observers import Floats, Look, ObservedArrays, observer


class Brightness(ObservedArrays):
    """One row per frame."""

    seconds: Floats
    grey: Floats  # mean level, 0 to 255


@observer(version=1, saw=Brightness, seconds_per_frame=0.001)
def brightness(look: Look) -> Brightness:
    """Mean grey level of each frame, 0 to 255."""
    return Brightness(seconds=look.frames.seconds, grey=look.frames.rgb.mean((1, 2, 3)))
