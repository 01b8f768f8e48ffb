"""A case as a picture: frames of its clip over those of the truth, each with the phases of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lookaway.errors import BlobError, UsageError
from lookaway.images import png_bytes
from lookaway.pipeline import plans
from lookaway.pipeline.case_facts import LOOKERS, ClipPhases, clip_phases
from lookaway.pipeline.exhibits import case_or_reason
from lookaway.pipeline.plans import installed, planned_observers
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.trace import find_clip, strip_of
from lookaway.records import Clip
from lookaway.store import Run


def write_strip(run: Run, name: str, path: Path) -> str:
    """A PNG; returns what it shows, in words."""
    clip = find_clip(run, name)
    if clip.video is None:
        raise UsageError(f"{name} has no video: {clip.reason}")
    sheet = _sheet(run, clip)
    known = case_or_reason(run, sheet)
    own = ClipPhases((), f"not known: {known}") if isinstance(known, str) else clip_phases(known)
    strips, shows = [strip_of(run, clip.video, own.phases)], "the clip; this task has no true clip"
    if sheet.reference is not None and sheet.reference.video is not None:
        try:
            strips.append(strip_of(run, sheet.reference.video, sheet.reference.phases))
            shows = "the clip above the truth"
        except BlobError as error:
            shows = f"the clip, and no truth below it: {error}"
    width = min(strip.shape[1] for strip in strips)
    try:
        path.write_bytes(png_bytes(np.concatenate([strip[:, :width] for strip in strips])))
    except OSError as error:
        raise UsageError(f"{path}: cannot write the filmstrip here: {error.strerror}") from error
    return f"{shows}; phases of the clip {own.words}"


def _sheet(run: Run, clip: Clip) -> Sheet:
    plan = plans.load(run)
    wanted = [name for name in LOOKERS if name in planned_observers(installed(plan))]
    of_task = sheets(run, plan, wanted, of_tasks=[clip.case.task])
    return next(sheet for sheet in of_task if sheet.clip.case == clip.case)
