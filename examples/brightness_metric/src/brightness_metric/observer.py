"""How bright is each frame?"""

from __future__ import annotations

from lookaway.observers import Arrays, Look, observer


@observer(version=1, seconds_per_frame=0.001)
def brightness(look: Look) -> Arrays:
    """Mean grey level of each frame, 0 to 255."""
    return {"seconds": look.frames.seconds, "grey": look.frames.rgb.mean((1, 2, 3))}
