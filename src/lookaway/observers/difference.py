"""How much of each frame differs from the true clip: is there anything to see at all?"""

from __future__ import annotations

import cv2
import numpy as np

from lookaway.observers import Floats, Look, ObservedArrays, observer
from lookaway.outcomes import Abstain
from lookaway.video import nearest_index, resize

GREY_LEVELS = 30  # a pixel differs if any channel is further away than this after a 3x3 box blur


class PixelDifference(ObservedArrays):
    """Clip and truth at the same seconds, one row per frame."""

    seconds: Floats
    areas: Floats  # that differ, in areas of the subject's first sight


@observer(version=1, saw=PixelDifference, seconds_per_frame=0.001)
def difference(look: Look) -> PixelDifference | Abstain:
    """Per frame: pixels that differ from the true frame at the same second, in areas of the subject's first sight."""
    if look.truth is None or look.truth.masks is None or look.truth.video is None:
        return Abstain("the task has no exact truth to compare with")
    subject = look.truth.masks[0].mean()
    true = look.truth.frames()
    height, width = true.rgb.shape[1:3]
    changed = []
    for frame, second in zip(look.frames.rgb, look.frames.seconds, strict=True):
        ours = cv2.blur(resize(frame, (width, height)), (3, 3))
        theirs = cv2.blur(true.rgb[nearest_index(true.seconds, float(second))], (3, 3))
        changed.append((cv2.absdiff(ours, theirs) > GREY_LEVELS).any(2).mean())
    return PixelDifference(seconds=look.frames.seconds, areas=np.array(changed) / subject)
