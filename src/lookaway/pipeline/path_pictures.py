"""Camera paths above frames: a picture for every task that a table of camera paths names, from the run folder alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lookaway.analyses.camera_paths import NAME
from lookaway.contact.path_sheet import PathLine, PathMoment, PathRow, PathSheet, ground_pose, path_sheet
from lookaway.errors import BlobError
from lookaway.geometry.asked import asked_in_words, asked_poses
from lookaway.geometry.rotations import yaw_pitch_deg
from lookaway.observers import Floats
from lookaway.observers.classical import Classical
from lookaway.pipeline.exhibits import UNSHOWABLE, jpeg_uri
from lookaway.pipeline.sheets import Sheet, case_of, readable, sheets
from lookaway.pipeline.this_machine import passed_on
from lookaway.readings.camera import believed
from lookaway.records import Interval, Phase, Plan, Reference, Table, Task
from lookaway.reports.exhibits import PathPicture
from lookaway.store import Run
from lookaway.video import SharedFrames

MOST_SYSTEMS = 6
TRUE_CLIP = "the true clip"
ANGLES = ("yaw, degrees to the right", "pitch, degrees up")
LETTERS: dict[Phase, str] = {"visible": "V", "hidden": "D", "returned": "R"}
SHOT_LONG_SIDE = 480


def path_pictures(run: Run, plan: Plan, tables: Iterable[Table]) -> tuple[PathPicture, ...]:
    """A picture per task: the asked path and what was recovered of each system's, above frames of every phase."""
    names = list(dict.fromkeys(row.title for table in tables if table.name.startswith(NAME) for row in table.rows))
    if not names:
        return ()
    found: dict[str, dict[str, Sheet]] = {}
    for sheet in sheets(run, plan, ["classical"], of_tasks=names):  # sorted by seed: the lowest that has a video
        mine = found.setdefault(sheet.task.id, {})
        system = sheet.clip.case.system
        if not sheet.clip.case.branch and (system not in mine or mine[system].clip.video is None):
            mine[system] = sheet
    order = {system.label: number for number, system in enumerate(plan.systems)}
    shown = [
        sorted(found[name].values(), key=lambda sheet: order[sheet.clip.case.system]) for name in names if name in found
    ]
    return tuple(_picture(run, clips) for clips in shown if clips[0].task.camera_asked and _phases(clips[0]))


def _phases(sheet: Sheet) -> tuple[Interval, ...]:
    """Those of the true clip, else those of the task."""
    return sheet.reference.phases if sheet.reference is not None and sheet.reference.phases else sheet.task.phases


def _picture(run: Run, clips: Sequence[Sheet]) -> PathPicture:
    task, reference, phases = clips[0].task, clips[0].reference, _phases(clips[0])
    moments = moments_of(phases)
    seconds = np.arange(task.frames) / task.fps
    poses = asked_poses(task, seconds)
    angles = yaw_pitch_deg(poses[:, :3, :3])
    axis = int(np.abs(angles).max(axis=0).argmax())
    shown, left = clips[:MOST_SYSTEMS], len(clips) - MOST_SYSTEMS
    rows = [_clip(run, sheet, axis, moments) for sheet in shown]
    truth = _truth(run, task, reference, moments)
    at = [int(np.abs(seconds - moment.second).argmin()) for moment in moments]
    page = PathSheet(
        title=task.id,
        facts=asked_in_words(task) + (f" {left} further systems are not shown." if left > 0 else ""),
        angle=ANGLES[axis],
        asked=PathLine(seconds, np.rad2deg(np.unwrap(np.deg2rad(angles[:, axis])))),
        ground=np.stack([ground_pose(poses[frame]) for frame in at]),
        hfov_deg=task.hfov_deg,
        phases=phases,
        moments=moments,
        rows=[*([truth] if truth is not None else []), *rows],
    )
    names = ", ".join(row.title for row in page.rows)
    return PathPicture(task.id, jpeg_uri(path_sheet(page)), f"camera path of {task.id} above frames of {names}")


def moments_of(phases: Iterable[Interval]) -> list[PathMoment]:
    """The middle of the first phase of each kind."""
    first: Mapping[Phase, Interval] = {phase.phase: phase for phase in reversed(tuple(phases))}
    return [
        PathMoment(letter, kind, (first[kind].start_s + first[kind].end_s) / 2)
        for kind, letter in LETTERS.items()
        if kind in first
    ]


def _truth(run: Run, task: Task, reference: Reference | None, moments: Sequence[PathMoment]) -> PathRow | None:
    if reference is None or reference.video is None:
        return None
    try:
        return PathRow(TRUE_CLIP, _shots(run, reference.video, task, moments))
    except UNSHOWABLE as error:
        return PathRow(TRUE_CLIP, (), note=passed_on(str(error), run.root))


def _clip(run: Run, sheet: Sheet, axis: int, moments: Sequence[PathMoment]) -> PathRow:
    title = sheet.clip.case.system
    if sheet.clip.video is None:
        return PathRow(title, (), note=f"no video: {sheet.clip.reason}")
    try:
        shots = _shots(run, sheet.clip.video, sheet.task, moments)
    except UNSHOWABLE as error:
        return PathRow(title, (), note=passed_on(str(error), run.root))
    try:
        line = _line(run, sheet, axis)
    except BlobError:
        line = None
    return PathRow(title, shots, line, "" if line is not None else "its camera was not recovered")


def _line(run: Run, sheet: Sheet, axis: int) -> PathLine | None:
    """The recovered angle at the seconds of the task; a clip of another length is stretched to it."""
    case = case_of(run, readable(run, sheet))
    if "classical" not in case.seen:
        return None
    seen = case.saw(Classical)
    known = believed(seen)
    if not known.any():
        return None
    angles: Floats = np.rad2deg(np.unwrap(np.deg2rad(yaw_pitch_deg(seen.rotation)[:, axis])))
    share = seen.seconds / max(float(seen.seconds[-1]), 1e-9)
    return PathLine(share * (sheet.task.frames - 1) / sheet.task.fps, np.where(known, angles, np.nan))


def _shots(run: Run, media: str, task: Task, moments: Sequence[PathMoment]) -> list[NDArray[np.uint8]]:
    """Frames at the same share of the clip's length as the moments have of the task's."""
    with SharedFrames.load(run.blobs.path(media), long_side=SHOT_LONG_SIDE) as frames:
        whole = (task.frames - 1) / task.fps
        places = [min(moment.second / whole, 1.0) * (len(frames) - 1) for moment in moments]
        return [np.array(frames[round(place)].rgb) for place in places]
