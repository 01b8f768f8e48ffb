"""What a model that is given words might find in a clip of 24 frames: gone from frame 8, back from frame 16."""

from __future__ import annotations

import numpy as np

from lookaway.geometry.phase_frames import Keyframes
from lookaway.observers.text_masks import KEPT, TextMasks, frames_to_look_at
from lookaway.readings import Case
from tests.builders import task
from tests.observers.true_phases import with_phases

FRAMES, FPS, GONE, BACK = 24, 12.0, 8, 16
SIZE = 0.03  # of the picture
Found = tuple[float, float]  # confidence, coverage
NOTHING: Found = (0.0, 0.0)


def text_case(
    before: Found = (0.9, SIZE),
    away: Found = NOTHING,
    after: Found = (0.9, SIZE),
    beside: Found = NOTHING,
    left_out: float = 0.0,
    kind: type[TextMasks] = TextMasks,
) -> Case:
    """The surest mask before, while it should be gone, and after; `beside` is found in every frame as well."""
    frames = frames_to_look_at(FRAMES, Keyframes(GONE, BACK, FRAMES))
    rows = [before if i < GONE else away if i < BACK else after for i in frames]
    both = [sorted((row, beside), reverse=True) for row in rows]
    confidence, coverage = (np.array([[found[k] for found in row] for row in both], np.float32) for k in (0, 1))
    pad = ((0, 0), (0, KEPT - 2))
    seen = kind(
        frames=frames,
        seconds=frames / FPS,
        clip_frames=FRAMES,
        confidence=np.pad(confidence, pad),
        coverage=np.pad(coverage, pad),
        boxes=np.zeros((len(frames), KEPT, 4), np.float32),
        left_out=np.full(len(frames), left_out, np.float32),
    )
    return Case(task(), with_phases(FRAMES, FPS, GONE, BACK), {kind.observer: seen.arrays()}, {})
