"""The subject followed by SAM 2 from its box in the first frame: the same arrays as `subject_track` has.

`--set subject_track.by=subject_track_sam2` lets every metric of the subject read it. See docs/subject.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lookaway.observers import Look, observer
from lookaway.observers.box_prompted import BoxTracker, followed_box, whole_model
from lookaway.observers.learned import IMAGENET_MEAN, IMAGENET_STD, LearnedSettings, learned_settings
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain

NAME = "subject_track_sam2"
MODEL = "facebook/sam2.1-hiera-tiny"


class Sam2Track(SubjectTrack):
    """The same, followed by SAM 2."""


class Sam2Settings(LearnedSettings):
    """What `--set subject_track_sam2.NAME=VALUE` may say; frames are looked at one by one, whatever `batch` says."""

    model: str = MODEL


@observer(version=1, saw=Sam2Track, extra="torch", weights=MODEL, unverified=True)
def subject_track_sam2(look: Look) -> Sam2Track | Abstain:
    """Per frame, from the box in the first one: where SAM 2 sees the subject, and what it looks like there."""
    return followed_box(look, SAM2, learned_settings(Sam2Settings, NAME, look), Sam2Track)


def _opened(folder: Path) -> Any:
    return whole_model("Sam2VideoModel", folder)


SAM2 = BoxTracker(
    NAME,
    _opened,
    "transformers.models.sam2_video.modeling_sam2_video.Sam2VideoInferenceSession",
    IMAGENET_MEAN,
    IMAGENET_STD,
)
