"""What keeps a metric from a clip before any gate is tried: no clip, no truth, nobody who looked."""

from __future__ import annotations

from dataclasses import dataclass

from lookaway.metrics import Case, Metric
from lookaway.pipeline.sheets import Sheet
from lookaway.records import ScoreStatus


@dataclass(frozen=True)
class Obstacle:
    status: ScoreStatus
    reason: str


def obstacle(sheet: Sheet, case: Case, metric: Metric, lookers: tuple[str, ...]) -> Obstacle | None:
    """The first that there is."""
    return _of_clip(sheet) or _of_truth(sheet, case, metric) or _of_lookers(sheet, lookers)


def _of_clip(sheet: Sheet) -> Obstacle | None:
    clip = sheet.clip
    if clip.video is None:
        if clip.status == "failed":
            return Obstacle("failed", clip.reason)
        return Obstacle("no_output", f"{clip.status}: {clip.reason}")
    if clip.task_instance != sheet.task.instance:
        return Obstacle("failed", "the task changed after this clip was made; generate or ingest it again")
    return None


def _of_truth(sheet: Sheet, case: Case, metric: Metric) -> Obstacle | None:
    if metric.needs_truth and sheet.clip.pace != 1:
        return Obstacle(
            "not_applicable",
            f"the camera was asked for at {sheet.clip.pace:.2f} times the pace of the true clip; "
            "export the suite for the model to film the truth at its length",
        )
    known = () if case.truth is None else case.truth.parts
    if missing := [part for part in metric.needs_truth if part not in known]:
        of = f"; of its truth there is {', '.join(known)}" if known else ""
        return Obstacle("not_applicable", f"the task has no true {missing[0]} to compare with{of}")
    return None


def _of_lookers(sheet: Sheet, lookers: tuple[str, ...]) -> Obstacle | None:
    for name in lookers:
        observation = sheet.observations.get(name)
        if observation is None:
            return Obstacle("failed", f"{name} was never observed; run: lookaway stage observe")
        if observation.status != "ok":
            return Obstacle(observation.status, f"{name}: {observation.reason}")
    return None
