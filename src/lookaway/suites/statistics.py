"""Counts of a suite's tasks, and how far their cameras turn and for how long they hide, by trajectory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.asked import NOT_ASKED, asked_poses
from lookaway.geometry.framing import WHOLE
from lookaway.geometry.script import poses_at
from lookaway.geometry.turns import Turns, turns_of
from lookaway.geometry.visibility import planned
from lookaway.records import Interval, Task, event_of
from lookaway.suites import Draft, find, folder_of, is_release
from lookaway.suites.design import design, row_task
from lookaway.suites.releases import read_release

COUNTED = ("split", "scene", "venue", "category", "event", "trajectory")


class TaskFacts(NamedTuple):
    """What is counted of a task; empty or None where its suite does not tell."""

    id: str
    split: str
    scene: str
    venue: str
    category: str
    event: str
    trajectory: str
    turns: Turns | None = None
    gap_frames: float | None = None  # from the first frame without the subject to the first with it again


class TrajectoryLine(NamedTuple):
    """Means over the clips of one trajectory, each with the number of clips that tell."""

    split: str
    trajectory: str
    clips: int
    with_poses: int
    net_deg: float | None
    path_deg: float | None
    peak_deg: float | None
    with_gap: int
    gap_frames: float | None


def suite_facts(name: str) -> list[TaskFacts]:
    """Of every task of a suite; of a release those as well that cannot be posed for want of pictures."""
    if not is_release(name):
        return [draft_facts(draft) for draft in find(name).drafts()]
    release = read_release(name.partition(":")[0], folder_of(name).expanduser())
    drafts = find(name).drafts() if release.rows else []
    return [*map(draft_facts, drafts), *map(_listed_facts, release.unposed)]


def draft_facts(draft: Draft) -> TaskFacts:
    task = row_task(draft)
    if task is not None:
        return task_facts(task)
    told = design(draft)
    return TaskFacts(
        draft.id,
        split="",
        scene=draft.scene,
        venue="",
        category=told["category"] or "",
        event=told["event"] or "",
        trajectory=told["look"] or "",
        turns=_script_turns(draft),
    )


def _script_turns(draft: Draft) -> Turns | None:
    """None where no camera is asked, or its angle is found only when the task is built."""
    if draft.camera == NOT_ASKED:
        return None
    try:
        return turns_of(poses_at(draft.camera, np.arange(draft.frames) / draft.fps))
    except UsageError:
        return None


def task_facts(task: Task) -> TaskFacts:
    poses = asked_poses(task, np.arange(task.frames) / task.fps) if task.camera_asked else None
    return TaskFacts(
        task.id,
        task.split,
        task.scene,
        task.venue,
        task.category,
        task.event,
        _trajectory(task.tags) or ", ".join(task.observation_controls),
        None if poses is None else turns_of(poses),
        _gap_frames(_phases(task), task.fps),
    )


def _listed_facts(row: Mapping[str, Any]) -> TaskFacts:
    return TaskFacts(
        row["id"],
        split=row["split"],
        scene=row["scene"],
        venue=row["venue"],
        category=row["category"],
        event=event_of(row["moves"], row["changes_in_place"]),
        trajectory=_trajectory(row["tags"]),
    )


def _trajectory(tags: Sequence[str]) -> str:
    named = [tag.partition(":")[2] for tag in tags if tag.startswith(("trajectory:", "camera:"))]
    return named[0] if named else ""


def _phases(task: Task) -> tuple[Interval, ...]:
    """As they are known, or as the script plans them."""
    if task.phases or not task.camera_asked or task.subject is None or task.subject.box == WHOLE:
        return task.phases
    return planned(task).phases


def _gap_frames(phases: Sequence[Interval], fps: float) -> float | None:
    starts = {phase.phase: phase.start_s for phase in reversed(phases)}
    return None if len(starts) < 3 else round((starts["returned"] - starts["hidden"]) * fps, 3)


def trajectory_lines(facts: Sequence[TaskFacts]) -> list[TrajectoryLine]:
    """The clips of each trajectory of each split, most clips first."""
    groups: dict[tuple[str, str], list[TaskFacts]] = {}
    for one in facts:
        groups.setdefault((one.split, one.trajectory), []).append(one)
    return [_line(*key, group) for key, group in sorted(groups.items(), key=lambda pair: (pair[0][0], -len(pair[1])))]


def _line(split: str, trajectory: str, group: Sequence[TaskFacts]) -> TrajectoryLine:
    turns = [one.turns for one in group if one.turns is not None]
    gaps = [one.gap_frames for one in group if one.gap_frames is not None]
    net, path, peak = (_mean([getattr(turn, name) for turn in turns]) for name in Turns._fields)
    return TrajectoryLine(split, trajectory, len(group), len(turns), net, path, peak, len(gaps), _mean(gaps))


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


def counts(facts: Sequence[TaskFacts]) -> dict[str, dict[str, int]]:
    """Tasks by each field that any of them has; most tasks first."""
    found = {field: Counter(getattr(one, field) for one in facts) for field in COUNTED}
    return {field: dict(count.most_common()) for field, count in found.items() if set(count) != {""}}


def scenes_and_tasks(name: str) -> tuple[int, int]:
    """How many scenes, and how many tasks in them that can pose the return test."""
    posed = [draft for draft in find(name).drafts() if draft.hides]
    if not posed:
        raise UsageError(f"suite '{name}' has no task that hides its subject and brings it back")
    return len({draft.scene for draft in posed}), len(posed)
