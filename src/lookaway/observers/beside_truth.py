"""Which frame of the true clip a frame is compared with, and its picture at the clip's size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookaway.geometry.phase_frames import anchored, sight_frames
from lookaway.observers import Indices, Look
from lookaway.observers.subject_track import subject_track
from lookaway.outcomes import Abstain
from lookaway.video import resize

NO_TRUE_CLIP = "the task has no true clip to compare with"


def true_pictures(look: Look) -> Callable[[int], NDArray[np.uint8]]:
    """The true frame of an index, at the size of the clip's frames."""
    assert look.truth is not None  # the caller has looked
    height, width = look.frames.rgb.shape[1:3]
    rgb = look.truth.frames().rgb
    return lambda index: resize(rgb[index], (width, height))


class AnchoredFrames(NamedTuple):
    """Per frame of a clip."""

    true_index: Indices
    phase: Indices  # 0 visible, 1 hidden, 2 returned, as measured in the clip


def anchored_frames(look: Look) -> AnchoredFrames | Abstain:
    """Beside each frame the true one at the same share of the same phase, both phases measured by `subject_track`.

    What that errs by in either clip cancels: a true clip lies beside itself.
    """
    if look.truth is None or look.truth.video is None:
        return Abstain(NO_TRUE_CLIP)
    true = look.truth.frames()
    edges = []
    for name, frames in (("clip", look.frames), ("true clip", true)):
        measured = _edges(replace(look, frames=frames, first_frame=frames.rgb[0], truth=None))
        if isinstance(measured, Abstain):
            return Abstain(f"{name}: {measured.reason}")
        edges.append(measured)
    own, theirs = edges
    phase = np.repeat(np.arange(3), np.diff(own))
    return AnchoredFrames(anchored(own, theirs), phase)


def _edges(look: Look) -> Indices | Abstain:
    """The first frame, that from which the subject is gone, that from which it is fully back, and the end."""
    seen = subject_track(look)
    if isinstance(seen, Abstain):
        return seen
    cut_off = seen.touches_border | bool(look.task.cover)
    sight = sight_frames(seen.seconds, seen.visible, seen.share, cut_off)
    if not len(sight.hidden) or not len(sight.returned):
        return Abstain("its subject does not leave the view and come back")
    gone = sight.hidden[0]
    return np.array([0, gone, sight.returned[sight.returned > gone][0], len(look.frames)])
