"""The subject followed by SAM 3 from its box in the first frame: the same arrays as `subject_track` has.

`--set subject_track.by=subject_track_sam3` lets every metric of the subject read it. See docs/subject.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lookaway.observers import Look, observer
from lookaway.observers.box_prompted import BoxTracker, followed_box, whole_model
from lookaway.observers.learned import HALF, LearnedSettings, learned_settings
from lookaway.observers.subject_track import SubjectTrack
from lookaway.outcomes import Abstain

NAME = "subject_track_sam3"
MODEL = "facebook/sam3"


class Sam3Track(SubjectTrack):
    """The same, followed by SAM 3."""


class Sam3TrackSettings(LearnedSettings):
    """What `--set subject_track_sam3.NAME=VALUE` may say; frames are looked at one by one, whatever `batch` says."""

    model: str = MODEL


@observer(version=1, saw=Sam3Track, extra="torch", weights=MODEL, unverified=True)
def subject_track_sam3(look: Look) -> Sam3Track | Abstain:
    """Per frame, from the box in the first one: where SAM 3 sees the subject, and what it looks like there."""
    return followed_box(look, SAM3, learned_settings(Sam3TrackSettings, NAME, look), Sam3Track)


def _opened(folder: Path) -> Any:
    """The part of the published weights that follows a box; the part that goes by words is left."""
    return whole_model("Sam3TrackerVideoModel", folder)


SAM3 = BoxTracker(
    NAME,
    _opened,
    "transformers.models.sam3_tracker_video.modeling_sam3_tracker_video.Sam3TrackerVideoInferenceSession",
    HALF,
    HALF,
)
