"""Before a long run: one task per look is filmed, and what came is set against what was asked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from lookaway import models, protocols, suites
from lookaway.errors import UsageError
from lookaway.pipeline import check_extras, counted_scores, plans, walk
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.stage import Options, Progress
from lookaway.records import CaseId, Clip, Plan, Protocol, Request
from lookaway.store import Run
from lookaway.suites import Draft
from lookaway.suites.design import design

METRICS = ("camera_gain", "camera_end_over_peak")
TURNED = 0.7  # of the asked turn, as the ledger's first step has it
HOME = 0.3  # of the peak turn, at most, between the last view and the first
SAME_RATE = 0.02  # of the asked frame rate


class DeliveredLook(NamedTuple):
    """What became of one look; None where it was not measured, and `verdict` says what a suite can pose with it."""

    look: str
    task: str
    frames: int | None
    frames_asked: int
    fps: float | None
    fps_asked: float
    frames_per_press: str  # of a session, by step: `16`, or `16, 9`
    gain: float | None  # of the asked turn; below 0 the other way
    home: float | None  # of the peak turn that is left at the end
    verdict: str  # posed, avoided, unknown, or no video
    why: str
    tasks: int  # of the suite with this look


def probe(run: Run, suite: str, model: str, progress: Progress) -> list[DeliveredLook]:
    """Films the shortest task of each look with one model; the run holds the clips."""
    found = suites.find(suite)
    drafts = found.drafts()
    looks: dict[str, list[Draft]] = {}
    for draft in drafts:
        if draft.hides:
            looks.setdefault(look_of(draft), []).append(draft)
    if not looks:
        raise UsageError(f"suite '{suite}' has no task that hides its subject and brings it back; nothing to probe")
    chosen = {look: min(mine, key=lambda draft: (draft.seconds, draft.id)) for look, mine in looks.items()}
    system = models.system(model)
    plan = Plan(
        suite=suite,
        suite_version=str(found.version),
        systems=(system,),
        tasks=tuple(draft.id for draft in drafts),
        protocols=(_protocol(),),
        cases=tuple(CaseId(task=draft.id, system=system.label) for draft in chosen.values()),
    )
    check_extras(plan)
    plan = plans.sample(run, plan)
    walk(run, plan, Options(), progress)
    return list(_looks(run, plan, chosen, {look: len(mine) for look, mine in looks.items()}))


def look_of(draft: Draft) -> str:
    """The name of a draft's look, or its camera script where it has none."""
    return design(draft)["look"] or draft.camera


def _protocol() -> Protocol:
    named = Protocol(name="probe", summary="What a model makes of each look", metrics=METRICS, headline=METRICS)
    return protocols.with_variants(named)


def _looks(run: Run, plan: Plan, chosen: dict[str, Draft], tasks: dict[str, int]) -> Iterable[DeliveredLook]:
    clips = {clip.case.task: clip for clip in current_clips(run, plan)}
    asked = {request.case.task: request for request in run.latest("requests", Request).values()}
    scores = counted_scores(run, plan)
    for look, draft in chosen.items():
        mine = scores.filter(pl.col("task") == draft.id)
        told = {row["metric"]: row for row in mine.iter_rows(named=True)}
        yield _look(look, draft, clips.get(draft.id), asked.get(draft.id), told, run)._replace(tasks=tasks[look])


def _look(
    look: str, draft: Draft, clip: Clip | None, request: Request | None, told: dict[str, dict[str, object]], run: Run
) -> DeliveredLook:
    gain, home = (_value(told.get(name)) for name in METRICS)
    frames, fps = (request.frames, request.fps) if request is not None else (draft.frames, draft.fps)
    made = clip if clip is not None and clip.status == "ok" else None
    verdict, why = judged(made, frames, fps, told)
    return DeliveredLook(
        look=look,
        task=draft.id,
        frames=made.frames if made else None,
        frames_asked=frames,
        fps=made.fps if made else None,
        fps_asked=fps,
        frames_per_press=_per_press(clip, run),
        gain=gain,
        home=home,
        verdict=verdict,
        why=why or (clip.reason if clip is not None and made is None else ""),
        tasks=0,
    )


def _value(row: dict[str, object] | None) -> float | None:
    value = row["value"] if row else None
    return value if isinstance(value, float) else None


def judged(clip: Clip | None, frames: int, fps: float, told: dict[str, dict[str, object]]) -> tuple[str, str]:
    """Whether the clip poses the question, and what speaks against it: a camera that does otherwise avoids it."""
    if clip is None:
        return "no video", ""
    wrong = []
    if clip.fps is not None and abs(clip.fps / fps - 1) > SAME_RATE:
        wrong.append(f"{clip.fps:g} frames a second came, not {fps:g}")
    if clip.frames is not None and clip.frames < frames:
        wrong.append(f"{clip.frames} of {frames} frames came")
    row = told.get("camera_gain", {})
    if row.get("status") == "not_applicable":
        return ("avoided" if wrong else "posed"), "; ".join(wrong)
    gain, home = (_value(told.get(name)) for name in METRICS)
    if gain is None:
        return "unknown", str(row.get("reason") or "the camera was not measured")
    if gain < 0:
        wrong.append("the camera turned the other way: its sign may be wrong")
    elif gain < TURNED:
        wrong.append(f"the camera made {gain:.0%} of the asked turn")
    if home is not None and home > HOME and gain >= 0:
        wrong.append(f"{home:.0%} of the turn were left at the end")
    return ("avoided" if wrong else "posed"), "; ".join(wrong)


def _per_press(clip: Clip | None, run: Run) -> str:
    """Frames that each step of a session made, as its log has them; empty of a model that takes all at once."""
    if clip is None or clip.provenance.generator != "session" or clip.provenance.log is None:
        return ""
    lines = [json.loads(line) for line in run.blobs.path(clip.provenance.log).read_text().splitlines()]
    return ", ".join(dict.fromkeys(str(line["frames"]) for line in lines if "step" in line))
