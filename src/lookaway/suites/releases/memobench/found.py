"""A listed clip with all that was found of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookaway.suites.keyframes import ClipMarks
from lookaway.suites.releases.memobench.camera import TrueCamera, true_camera
from lookaway.suites.releases.memobench.depth import depth_files
from lookaway.suites.releases.memobench.listing import ListedClip, ReleaseListing
from lookaway.suites.releases.memobench.media import TrueClip, true_clip


@dataclass(frozen=True)
class FoundClip:
    clip: ListedClip
    truth: TrueClip
    camera: TrueCamera
    marks: ClipMarks | None  # None where they are missing or do not fit the clip
    depth_problem: str  # empty where depth can be read

    @property
    def hfov_deg(self) -> float | None:
        """Degrees across the picture; None where no lens is told."""
        if self.camera.intrinsics is None:
            return None
        degrees = float(np.rad2deg(2 * np.arctan(self.truth.width / 2 / self.camera.intrinsics[0, 0, 0])))
        return degrees if 1 <= degrees <= 170 else None


def find_clip(folder: Path, clip: ListedClip, listing: ReleaseListing) -> tuple[FoundClip | None, list[str]]:
    """What there is of a clip, None where not even its first frame is; and what is wrong with it."""
    truth, notes = true_clip(folder, clip)
    if truth is None:
        return None, notes
    if truth.video is None:
        notes.append(f"missing: {clip.id} has no true clip, only its first frame")
        return FoundClip(clip, truth, TrueCamera(), None, "no true clip"), notes
    camera = true_camera(folder, clip, len(truth), (truth.width, truth.height))
    marks = listing.marks.get(clip.id)
    problem = _marks_problem(marks, len(truth))
    if problem:
        kind = "missing" if marks is None or None in marks else "contradictory"
        notes.append(f"{kind}: {clip.id} {problem}")
    depth = depth_files(folder, clip).problem(len(truth))
    return FoundClip(clip, truth, camera, None if problem else marks, depth), [*notes, *camera.notes]


def _marks_problem(marks: ClipMarks | None, frames: int) -> str:
    if marks is None or marks.gone is None or marks.back is None:
        return "has no keyframes"
    if 0 < marks.gone < marks.back < frames:
        return ""
    return f"is gone at frame {marks.gone} and back at {marks.back} of {frames} frames"
