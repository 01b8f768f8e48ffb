"""Stage `exhibits`: what reports show beside the board, read, decoded and put into words before any of them draws."""

from __future__ import annotations

import base64
import io
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image
from pydantic import ValidationError

from lookaway.analyses.dose import hidden_s
from lookaway.analyses.ledger import fates
from lookaway.errors import LookawayError, StoreError
from lookaway.geometry.asked import largest_turn_deg
from lookaway.names import file_name
from lookaway.pipeline.case_facts import LOOKERS, ClipPhases, camera_lines, clip_phases, moments, score_frames
from lookaway.pipeline.flip_books import flip_book
from lookaway.pipeline.paragraph import paragraphs
from lookaway.pipeline.plans import installed, planned_observers
from lookaway.pipeline.sayings import sayings
from lookaway.pipeline.sheets import Sheet, case_of, readable, sheets
from lookaway.pipeline.stage import Outcome, Progress, StageReport
from lookaway.pipeline.tasks import built_tasks
from lookaway.pipeline.this_machine import passed_on
from lookaway.pipeline.trace import strip_of
from lookaway.readings import Case
from lookaway.records import CaseId, DetectionTable, Interval, Plan, Protocol, Reference, Score, Task
from lookaway.reports.exhibits import Exhibits, LedgerEnd, ShownClip, ShownScore, ShownTask
from lookaway.reports.words import clips_way
from lookaway.store import Run

DETECTION_FILE = "detection.json"
MOST_IN_ONE_FILE = 200  # cases; more get pages of their own beside the report
PAGES = "report"  # the folder of such pages and of their videos
PLAYABLE = (".mp4", ".webm")

Phases = tuple[Interval, ...]


def gathered(
    run: Run, plan: Plan, scores: pl.DataFrame, tasks: Collection[str], apart: bool, progress: Progress | None
) -> Exhibits:
    """These tasks with every clip, what the cards say, and the detection table if the run has one.

    Beyond 200 cases, or where they are to stand `apart`, tasks get pages of their own and nothing is decoded for them:
    their videos are there to play.
    """
    started = time.monotonic()
    by_task: dict[str, list[Sheet]] = {}
    wanted = [name for name in LOOKERS if name in planned_observers(installed(plan))]
    for sheet in sheets(run, plan, wanted, of_tasks=tasks):
        by_task.setdefault(sheet.task.id, []).append(sheet)
    count = sum(map(len, by_task.values()))
    apart = apart or count > MOST_IN_ONE_FILE
    found = _Found(run, plan, scores, by_task)
    if progress is not None:
        progress.start("report", count, 0)
    shown = []
    for mine in by_task.values():
        shown.append(found.task(mine, apart))
        if progress is not None:
            progress.advance([Outcome(clip.case, "done") for clip in shown[-1].clips])
    if progress is not None:
        done = tuple(Outcome(clip.case, "done") for task in shown for clip in task.clips)
        progress.finish(StageReport("report", count, 0, done, time.monotonic() - started, 0, ""))
    asked = [task.task for task in shown if hidden_s(task.task) > 0 and task.task.camera_asked]
    return Exhibits(
        tasks=tuple(shown),
        summaries={system.label: system.card.summary for system in plan.systems},
        detection=_detection(run.root / DETECTION_FILE),
        doses={
            "hidden_s": {task.id: hidden_s(task) for task in asked},
            "rotation_deg": {task.id: largest_turn_deg(task) for task in asked},
        },
    )


class _Found:
    """All that is known of the cases of a run, by case."""

    def __init__(self, run: Run, plan: Plan, scores: pl.DataFrame, tasks: Collection[str]) -> None:
        self.run = run
        self.order = {system.label: number for number, system in enumerate(plan.systems)}
        self.ceilings = {system.label for system in plan.systems if system.is_ceiling}
        scores = scores.filter(pl.col("task").is_in(list(tasks)))
        self.scores = _scores_by_case(scores)
        self.ledger = _ledger_lines(scores, plan.protocols, built_tasks(run, plan))
        self.said = dict(paragraphs(run, plan, tasks))
        self.sayings = sayings(run, plan, tasks)

    def task(self, mine: Iterable[Sheet], apart: bool) -> ShownTask:
        ordered = sorted(mine, key=lambda sheet: (self.order[sheet.clip.case.system], sheet.clip.case.seed))
        task, reference = ordered[0].task, ordered[0].reference
        is_shown = any(s.clip.case.system in self.ceilings and s.clip.video is not None for s in ordered)
        truth = None if is_shown else _truth(self.run, reference, apart)
        page = f"{PAGES}/{file_name(task.id)}.html" if apart else ""
        return ShownTask(task, truth, tuple(self.clip(sheet, apart) for sheet in ordered), page)

    def clip(self, sheet: Sheet, apart: bool) -> ShownClip:
        clip, case = sheet.clip, sheet.clip.case
        known = case_or_reason(self.run, sheet)
        own = ClipPhases((), f"not measured: {known}") if isinstance(known, str) else clip_phases(known)
        due = sheet.reference.phases if sheet.reference is not None else sheet.task.phases
        scores = self.scores.get(case, ())
        if clip.video is None:
            picture = ShownClip("", clip.status, clip.reason)
        else:
            picture = _picture(self.run, clip.video, apart)
        return replace(
            picture,
            title=_title(case),
            case=str(case),
            system=case.system,
            scores=tuple(_shown_score(score, known, own.phases, due) for score in scores),
            ledger=self.ledger.get(case, ()),
            phases=own.phases,
            phase_words=own.words,
            camera=None if isinstance(known, str) else camera_lines(known),
            moments=moments(sheet.task, own.phases, scores),
            sayings=self.sayings.get(case, ()),
            note=clip.provenance.note if clip.video is not None else "",
            said=self.said.get(case, ""),
        )


def case_or_reason(run: Run, sheet: Sheet) -> Case | str:
    """What observers saw of a clip, or why nobody can read it."""
    if sheet.clip.video is None:
        return "there is no video"
    seen = sheet.observations
    if (exact := seen.get("replay")) is not None and exact.arrays is not None:
        sheet = replace(sheet, observations={"replay": exact})  # it tells all that the others would
    try:
        return case_of(run, readable(run, sheet))
    except UNSHOWABLE as error:
        return passed_on(str(error), run.root)


def _shown_score(score: Score, known: Case | str, own: Phases, due: Phases) -> ShownScore:
    if isinstance(known, str):
        return ShownScore(score, known)
    words, spans = score_frames(known, score, own if score.phase_source in ("measured", "none") else due)
    return ShownScore(score, words, spans)


def _scores_by_case(scores: pl.DataFrame) -> dict[CaseId, tuple[Score, ...]]:
    found: dict[CaseId, list[Score]] = {}
    for row in scores.drop("key", "inputs", "attempt", strict=False).iter_rows(named=True):
        score = Score.model_construct(**row)  # they were checked when they were read
        found.setdefault(score.case, []).append(score)
    return {case: tuple(mine) for case, mine in found.items()}


def _ledger_lines(
    scores: pl.DataFrame, protocols: Iterable[Protocol], tasks: Mapping[str, Task]
) -> dict[CaseId, tuple[LedgerEnd, ...]]:
    """How far each clip got, once per protocol with a ledger and set of instruments."""
    lines: dict[CaseId, tuple[LedgerEnd, ...]] = {}
    for protocol in protocols:
        for row in fates(scores, protocol, tasks).iter_rows(named=True) if protocol.ledger else ():
            case = CaseId(task=row["task"], system=row["system"], seed=row["seed"], branch=row["branch"])
            step = None if row["ended"] is None else protocol.ledger[row["ended"]]
            way = clips_way(step, row["outcome"], row["value"], row["reason"])
            ended = LedgerEnd(protocol.name, row["instruments"], row["ended"], row["outcome"] or "reached", way)
            lines[case] = (*lines.get(case, ()), ended)
    return lines


def _truth(run: Run, reference: Reference | None, apart: bool) -> ShownClip | None:
    if reference is None or reference.video is None:
        return None
    shown = _picture(run, reference.video, apart)
    return replace(
        shown, title="the true clip", phases=reference.phases, phase_words=f"{reference.phase_source}, of the truth"
    )


def _title(case: CaseId) -> str:
    return ", ".join([case.system, *([f"seed {case.seed}"] if case.seed else []), *filter(None, [case.branch])])


def _picture(run: Run, media: str, apart: bool) -> ShownClip:
    """Where the video lies in the run folder, and frames of it where the page stands alone."""
    try:
        path = run.blobs.path(media)
        video = path.relative_to(run.root).as_posix() if path.suffix in PLAYABLE else ""
        return ShownClip("", "ok", "", video=video, book=None if apart and video else flip_book(run, media))
    except UNSHOWABLE as error:
        return ShownClip("", "cannot be shown", passed_on(str(error), run.root))


def shown_strip(run: Run, title: str, media: str, phases: Phases = ()) -> ShownClip:
    """A clip as frames side by side, without the video; `phases` are its own, where they are known."""
    try:
        return ShownClip(title, "ok", "", strip=jpeg_uri(strip_of(run, media, phases)))
    except UNSHOWABLE as error:
        return ShownClip(title, "cannot be shown", passed_on(str(error), run.root))


UNSHOWABLE = (LookawayError, OSError, ValueError, OverflowError, cv2.error)


def jpeg_uri(rgb: NDArray[np.uint8]) -> str:
    """A picture as a data URI."""
    picture = io.BytesIO()
    Image.fromarray(rgb).save(picture, "JPEG", quality=82)
    return f"data:image/jpeg;base64,{base64.b64encode(picture.getvalue()).decode()}"


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
