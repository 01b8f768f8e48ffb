"""How much the subject after its return resembles itself in the first frame, by the patches that show it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from lookaway.observers import OBSERVERS, Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.observers.learned import LearnedSettings, in_batches, learned_settings, loaded_model
from lookaway.observers.mapped_phases import spread
from lookaway.observers.patch_features import MODEL, last_hidden, opened_dinov2
from lookaway.observers.patch_matches import Tokens, unit
from lookaway.observers.picture_sizes import IMAGENET, whole_view
from lookaway.observers.returned_patches import SHORT_SIDE
from lookaway.observers.stand_ins import stand_in
from lookaway.observers.subject_track import SubjectTrack, hidden_runs
from lookaway.outcomes import Abstain

NAME = "subject_patches"
SHOWS_IT = 0.5  # of a patch, at least, is the subject; where no patch shows so much, the one that shows most
NEVER_AWAY = "the subject was in sight all the time"
NOT_AGAIN = "the subject is not seen again"


class SubjectPatches(ObservedArrays):
    """One row per frame after the first look-away, one column per patch."""

    seconds: Floats
    frames: Indices
    shows_it: Flags  # (F, patches)
    best_match: NDArray[np.float32]  # (F, patches) highest cosine to a patch of it in the first frame; 0 where not it
    batch: int  # frames that were looked at together
    device: NDArray[np.str_]  # where


S = TypeVar("S", bound=SubjectPatches)


class SubjectPatchSettings(LearnedSettings):
    """What `--set subject_patches.NAME=VALUE` may say."""

    model: str = MODEL
    frames: int = Field(9, gt=0, description="after its return, at most, evenly spread")
    tracker: str = Field("subject_track", description="whose masks; give it where subject_track.by is given")


@observer(version=2, saw=SubjectPatches, extra="torch", weights=MODEL, unverified=True)
def subject_patches(look: Look) -> SubjectPatches | Abstain:
    """Best cosines of the subject's patches in nine frames after its return to its patches in the first frame."""
    settings = learned_settings(SubjectPatchSettings, NAME, look)
    loaded_model(NAME, settings, opened_dinov2)  # missing weights are told before the subject is followed
    track = stand_in(OBSERVERS.get("subject_track"), {"by": settings.tracker}).function(replace(look, settings={}))
    if isinstance(track, Abstain):
        return track
    assert isinstance(track, SubjectTrack)
    frames = returned_sights(track, look.frames.info.fps, settings.frames)
    if isinstance(frames, Abstain):
        return frames
    return matched_patches(SubjectPatches, look, settings, frames, track.unpacked(np.array([0, *frames])))


def matched_patches(kind: type[S], look: Look, settings: LearnedSettings, frames: Indices, masks: Flags) -> S:
    """What shows the subject in these frames beside what shows it in the first; its masks in the first and in these."""
    eyes = loaded_model(kind.observer, settings, opened_dinov2)
    patch = eyes.model.config.patch_size
    shown = [whole_view(look.frames.rgb[i], SHORT_SIDE, patch, IMAGENET) for i in (0, *frames)]
    patches = unit(in_batches(eyes, shown, settings.batch, last_hidden)[:, 1:])
    rows, columns = (side // patch for side in shown[0].shape[1:])
    shows_it = np.stack([patches_showing(mask, rows, columns) for mask in masks])
    return kind(
        seconds=look.frames.seconds[frames],
        frames=frames,
        shows_it=shows_it[1:],
        best_match=_matched(patches, shows_it),
        batch=settings.batch,
        device=np.array(eyes.device),
    )


def returned_sights(track: SubjectTrack, fps: float, most: int) -> Indices | Abstain:
    """Frames after the first look-away that show it, whole ones if there are any."""
    away = hidden_runs(track.visible, fps)
    if not track.visible[0]:
        return Abstain("the subject is not seen in the first frame")
    if not away:
        return Abstain(NEVER_AWAY)
    again = np.flatnonzero(track.visible & (np.arange(len(track.visible)) >= away[0][1]))
    whole = again[~track.touches_border[again]]
    return spread(whole if len(whole) else again, most) if len(again) else Abstain(NOT_AGAIN)


def patches_showing(mask: Flags, rows: int, columns: int) -> Flags:
    """Which patches (rows x columns, flat) show what the mask marks."""
    share = cv2.resize(mask.astype(np.float32), (columns, rows), interpolation=cv2.INTER_AREA).ravel()
    return np.asarray(share >= min(SHOWS_IT, share.max()))


def _matched(patches: Tokens, shows_it: Flags) -> Tokens:
    own = patches[0][shows_it[0]]
    best = np.matmul(patches[1:], own.T).max(axis=2).clip(-1, 1)
    return np.where(shows_it[1:], best, np.float32(0)).astype(np.float32)
