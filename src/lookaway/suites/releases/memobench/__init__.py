"""MemoBench's release: rendered and real clips in which a subject is visible, gone and back, with their truth.

A rendered clip is called SCENE_NNN and a real one real_NNN, and so are the tasks. What cannot be read costs itself: a
clip without a picture is not posed, one without poses or keyframes is posed without them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from lookaway.geometry.asked import pose_rows
from lookaway.geometry.framing import WHOLE
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import Box
from lookaway.suites.keyframes import ClipMarks
from lookaway.suites.releases.memobench.found import FoundClip, find_clip
from lookaway.suites.releases.memobench.listing import ListedClip, ReleaseListing, read_listing
from lookaway.suites.releases.memobench.media import TrueClip
from lookaway.suites.releases.memobench.report import ASSUMED_HFOV_DEG, counts, gathered, unverified
from lookaway.suites.releases.memobench.wording import end_of, process_group, process_of, trajectory_of
from lookaway.suites.releases.reading import Boxes, Release

NAME = "memobench"
SUMMARY = "MemoBench: what becomes of a subject that is visible, gone and back, with the true clip"
ASSUMED_SECONDS = 5.0  # of a clip of which only the first frame is there
DIGITS = 6  # of poses in a task


def read(folder: Path, boxes: Boxes) -> Release:
    """The tasks that the release can pose here, and a report of what is missing, inferred or contradictory."""
    listing = read_listing(folder)
    notes, found, pictureless = list(listing.notes), list[FoundClip](), list[ListedClip]()
    wanted = [clip for clip in listing.clips.values() if clip.id not in listing.skipped]
    for clip in wanted:
        one, said = find_clip(folder, clip, listing)
        notes += said
        if one is None:
            pictureless.append(clip)
        else:
            found.append(one)
    scenes = _process_names(wanted)
    rows = [_row(folder, one, scenes, boxes) for one in found]
    unposed = [_words_of(clip, scenes) | {"id": clip.id} for clip in pictureless]
    report = [*counts(listing, found, pictureless), *gathered(notes), *unverified(found, boxes)]
    return Release(NAME, SUMMARY, folder, rows, report, unposed, _beside(listing))


def _row(folder: Path, one: FoundClip, scenes: dict[str, str], boxes: Boxes) -> dict[str, Any]:
    clip, truth = one.clip, one.truth
    first, video = (
        None if path is None else path.relative_to(folder).as_posix() for path in (truth.first, truth.video)
    )
    phases = _phases(one.marks, truth) if one.marks is not None else []
    hfov = one.hfov_deg
    box = boxes.get(clip.id)
    row = _words_of(clip, scenes) | {
        "id": clip.id,
        "first_frame": first,
        "subjects": [{"name": clip.subject, "box": box or WHOLE, "side": _side(box)}],
        "poses": _pose_rows(one),
        "hfov_deg": hfov or ASSUMED_HFOV_DEG,
        "hfov_declared": hfov is not None,
        "width": truth.width,
        "height": truth.height,
        "fps": truth.fps,
        "seconds": (len(truth) - 1) / truth.fps if len(truth) > 1 else ASSUMED_SECONDS,
        "phases": phases,
        "released": {"split": clip.split, "scene": clip.scene, "number": clip.number, "first_frame": clip.first_frame},
    }
    if box is None:
        row["tags"] = [*row["tags"], "box:unknown"]
    if video is not None:
        row["reference"] = {"video": video, "phases": phases, "phase_source": "judged"}
    return row


def _words_of(clip: ListedClip, scenes: dict[str, str]) -> dict[str, Any]:
    """What the texts of the release say of a clip."""
    real, kind = clip.split == "real", trajectory_of(clip.prompt)
    return {
        "scene": scenes[clip.id],
        "category": (process_group(clip.prompt) or "other process") if real else "moving subject",
        "moves": not real,
        "changes_in_place": real,
        "prompt": clip.prompt,
        "expected_end": end_of(clip.prompt),
        "split": clip.split,
        "family": scenes[clip.id],
        "venue": clip.scene,
        "actor": clip.subject,
        "tags": [*([f"trajectory:{kind}"] if kind else []), "prompt:tells-the-end"],
    }


def _process_names(clips: list[ListedClip]) -> dict[str, str]:
    """The scene of each clip: real clips of one process count as one, called after its first clip."""
    first: dict[str, str] = {}
    for clip in clips:
        if clip.split == "real":
            first.setdefault(process_of(clip.prompt), f"process_{clip.number:03d}")
    return {clip.id: clip.scene or first[process_of(clip.prompt)] for clip in clips}


def _phases(marks: ClipMarks, truth: TrueClip) -> list[dict[str, Any]]:
    assert marks.gone is not None
    assert marks.back is not None
    edges = [float(truth.seconds[frame]) for frame in (0, marks.gone, marks.back, len(truth) - 1)]
    edges[-1] += 1 / truth.fps
    return [
        {"phase": phase, "start_s": start, "end_s": end}
        for phase, start, end in zip(("visible", "hidden", "returned"), edges, edges[1:], strict=False)
    ]


def _pose_rows(one: FoundClip) -> list[list[float]]:
    poses = one.camera.poses
    if poses is None or len(poses) < 2:
        return []
    relative = np.linalg.inv(poses[0]) @ poses
    path = Trajectory(relative, np.tile(np.eye(3), (len(poses), 1, 1)), one.truth.seconds - one.truth.seconds[0])
    return [[round(part, DIGITS) for part in row] for row in pose_rows(path)]


def _side(box: Box | None) -> str:
    middle = 0.5 if box is None else (box[0] + box[2]) / 2
    return "left" if middle < 0.4 else "right" if middle > 0.6 else "centre"


def _beside(listing: ReleaseListing) -> dict[str, Path]:
    """Question banks and failure cases under their own names, as whoever reads the release's expects them."""
    files = [*listing.banks.values(), *([] if listing.failures is None else [listing.failures])]
    return {f"vqa_questions/{path.name}": path for path in files}
