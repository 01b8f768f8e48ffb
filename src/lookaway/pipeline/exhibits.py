"""Stage `exhibits`: what reports show beside the board, read, decoded and put into words before any of them draws."""

from __future__ import annotations

import base64
import io
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image
from pydantic import ValidationError

from lookaway.analyses.ledger import fates
from lookaway.errors import LookawayError, StoreError
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.paragraph import paragraphs
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.pipeline.this_machine import passed_on
from lookaway.pipeline.trace import strip_of
from lookaway.records import CaseId, Clip, DetectionTable, Interval, Plan, Protocol, Reference, Score, Task
from lookaway.reports.exhibits import Exhibits, ShownClip, ShownTask
from lookaway.reports.words import clips_way, headline_metrics
from lookaway.store import Run
from lookaway.video import decode, encode

DETECTION_FILE = "detection.json"
MOST_TASKS = 12  # whose clips are embedded; a page of a thousand videos helps nobody
EMBED_AS_IS_BYTES = 600_000
PREVIEW_LONG_SIDE = 480
PREVIEW_CRF = 26

Phases = tuple[Interval, ...]


def gathered(run: Run, plan: Plan, scores: pl.DataFrame) -> Exhibits:
    """The first tasks with every system's clip, what the cards say, and the detection table if the run has one."""
    tasks, references = built_tasks(run, plan), built_references(run)
    by_task = _clips_to_show(run, plan)
    names = list(by_task)[:MOST_TASKS]
    by_case = _headline_scores(scores.filter(pl.col("task").is_in(names)), plan.protocols)
    ledger, said = _ledger_lines(scores, plan.protocols, tasks), dict(paragraphs(run, plan, names))
    shown = []
    for name in names:
        reference = references.get(tasks[name].instance)
        phases = reference.phases if reference is not None else ()
        clips = [
            replace(
                _clip(run, clip, phases),
                scores=by_case.get(clip.case, ()),
                ledger=ledger.get(clip.case, ()),
                said=said.get(clip.case, ""),
            )
            for clip in by_task[name]
        ]
        shown.append(ShownTask(tasks[name], phases, _truth(run, reference), tuple(clips)))
    return Exhibits(
        tasks=tuple(shown),
        left_out=len(by_task) - len(names),
        summaries={system.label: system.card.summary for system in plan.systems},
        detection=_detection(run.root / DETECTION_FILE),
    )


def _clips_to_show(run: Run, plan: Plan) -> dict[str, list[Clip]]:
    """Of each task one clip per system, in the plan's order: the lowest seed that has a video."""
    by_task: dict[str, dict[str, Clip]] = {}
    for clip in current_clips(run, plan):  # sorted by seed
        mine = by_task.setdefault(clip.case.task, {})
        if clip.case.system not in mine or (mine[clip.case.system].video is None and clip.video is not None):
            mine[clip.case.system] = clip
    order = [system.label for system in plan.systems]
    return {task: sorted(mine.values(), key=lambda c: order.index(c.case.system)) for task, mine in by_task.items()}


def _headline_scores(scores: pl.DataFrame, protocols: Iterable[Protocol]) -> dict[CaseId, tuple[Score, ...]]:
    wanted = headline_metrics(protocols)
    found: dict[CaseId, tuple[Score, ...]] = {}
    rows = scores.filter(scores["metric"].is_in([metric for _, metric, _ in wanted]))
    for row in rows.drop("key", "inputs", "attempt").iter_rows(named=True):
        if (row["protocol"], row["metric"], row["variant"]) in wanted:
            score = Score.model_validate(row)
            found[score.case] = (*found.get(score.case, ()), score)
    return found


def _ledger_lines(
    scores: pl.DataFrame, protocols: Iterable[Protocol], tasks: Mapping[str, Task]
) -> dict[CaseId, tuple[str, ...]]:
    """How far each clip got, in words, once per protocol with a ledger."""
    lines: dict[CaseId, tuple[str, ...]] = {}
    for protocol in protocols:
        for row in fates(scores, protocol, tasks).iter_rows(named=True) if protocol.ledger else ():
            case = CaseId(task=row["task"], system=row["system"], seed=row["seed"], branch=row["branch"])
            step = None if row["ended"] is None else protocol.ledger[row["ended"]]
            way = clips_way(step, row["outcome"], row["value"], row["reason"])
            line = f"{row['instruments']}: {way}" if row["instruments"] else way
            lines[case] = (*lines.get(case, ()), line)
    return lines


def _truth(run: Run, reference: Reference | None) -> ShownClip | None:
    if reference is None or reference.video is None:
        return None
    return _shown_or_why(run, "the true clip", reference.video, reference.phases)


def _clip(run: Run, clip: Clip, phases: Phases) -> ShownClip:
    if clip.video is None:
        return ShownClip(_title(clip.case), clip.status, clip.reason)
    return replace(_shown_or_why(run, _title(clip.case), clip.video, phases), note=clip.provenance.note)


def _title(case: CaseId) -> str:
    return ", ".join([case.system, *([f"seed {case.seed}"] if case.seed else []), *filter(None, [case.branch])])


def _shown_or_why(run: Run, title: str, media: str, phases: Phases) -> ShownClip:
    shown = shown_strip(run, title, media, phases)
    try:
        return replace(shown, video=_playable(run.blobs.path(media))) if shown.strip else shown
    except UNSHOWABLE as error:
        return ShownClip(title, "cannot be shown", passed_on(str(error), run.root))


def shown_strip(run: Run, title: str, media: str, phases: Phases) -> ShownClip:
    """A clip as frames side by side, without the video."""
    try:
        return ShownClip(title, "ok", "", strip=_strip(run, media, phases))
    except UNSHOWABLE as error:
        return ShownClip(title, "cannot be shown", passed_on(str(error), run.root))


UNSHOWABLE = (LookawayError, OSError, ValueError, OverflowError, cv2.error)


def _strip(run: Run, media: str, phases: Phases) -> str:
    return jpeg_uri(strip_of(run, media, phases))


def jpeg_uri(rgb: NDArray[np.uint8]) -> str:
    """A picture as a data URI."""
    picture = io.BytesIO()
    Image.fromarray(rgb).save(picture, "JPEG", quality=82)
    return _data_uri("image/jpeg", picture.getvalue())


def _playable(path: Path) -> str:
    """The clip as a data URI that browsers play: as it is when small and mp4 or webm, else a smaller copy."""
    kinds = {".mp4": "video/mp4", ".webm": "video/webm"}
    if path.suffix in kinds and path.stat().st_size <= EMBED_AS_IS_BYTES:
        return _data_uri(kinds[path.suffix], path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        preview = Path(folder) / "preview.mp4"
        frames = list(decode(path, long_side=PREVIEW_LONG_SIDE))
        seconds = frames[-1].seconds - frames[0].seconds
        fps = (len(frames) - 1) / seconds if seconds > 0 else 24.0
        encode((frame.rgb for frame in frames), preview, fps, crf=PREVIEW_CRF)
        return _data_uri("video/mp4", preview.read_bytes())


def _data_uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def _detection(path: Path) -> DetectionTable | None:
    """The detection table that was computed for this run, if there is one."""
    if not path.exists():
        return None
    try:
        return DetectionTable.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise StoreError(
            f"{path}: not a detection table: {error.errors()[0]['msg']}; remove it or make it again"
        ) from error
