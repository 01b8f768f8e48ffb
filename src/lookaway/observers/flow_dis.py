"""What optical flow without weights leaves unexplained: OpenCV's dense inverse search."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from lookaway.observers import Look, observer
from lookaway.observers.flow_errors import Flow, FlowErrors, Pairs, compared_pairs, seen_errors
from lookaway.outcomes import Abstain


class DisFlow(FlowErrors):
    """By dense inverse search."""


@observer(version=1, saw=DisFlow, seconds_per_frame=0.02)
def flow_dis(look: Look) -> DisFlow | Abstain:
    """Per pair of frames of the visible and the returned phase: the error that flow by dense inverse search leaves."""
    pairs = compared_pairs(look)
    return pairs if isinstance(pairs, Abstain) else seen_errors(DisFlow, look, pairs, _flows(look, pairs))


def _flows(look: Look, pairs: Pairs) -> Iterator[Flow]:
    search = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_MEDIUM)
    grey = {i: cv2.cvtColor(look.frames.rgb[i], cv2.COLOR_RGB2GRAY) for pair in pairs for i in pair}
    for i, j in pairs:
        empty = np.zeros((*grey[i].shape, 2), np.float32)
        yield np.asarray(search.calc(grey[i], grey[j], empty), np.float32)
