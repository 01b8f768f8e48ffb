"""Stage `observe`: each clip is decoded once and shown to every observer that the plan's metrics need."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from lookaway.errors import ObserveError
from lookaway.observers import OBSERVERS, Arrays, Look
from lookaway.outcomes import Abstain
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import shown_first_frame, shown_frames, shown_task, shown_truth
from lookaway.pipeline.plans import planned_observers
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import Clip, Observation, Plan, Reference, Setting, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import SharedFrames


def observation_key(media: str, instance: str, observer: str) -> str:
    return content_key("observation", media, instance, observer)


def observation_inputs(plan: Plan, observer: str, clip: Clip) -> str:
    return content_key(OBSERVERS.get(observer).version, plan.settings_of(observer), clip.fit, clip.pace)


def jobs(run: Run, plan: Plan) -> list[Job]:
    names = planned_observers(plan)
    tasks, references = built_tasks(run, plan), built_references(run)
    found: dict[tuple[str, str], Job] = {}
    for clip in current_clips(run, plan):
        if clip.video is None or clip.task_instance != tasks[clip.case.task].instance:
            continue
        expects = {
            observation_key(clip.video, clip.task_instance, name): observation_inputs(plan, name, clip)
            for name in names
        }
        payload = Sight(
            clip,
            tasks[clip.case.task],
            references.get(clip.task_instance),
            {n: plan.settings_of(n) for n in names},
        )
        found.setdefault((clip.video, clip.task_instance), Job(str(clip.case), clip.case.task, payload, expects))
    return list(found.values())


class Sight:
    """What one observe job needs; picklable."""

    def __init__(
        self, clip: Clip, task: Task, reference: Reference | None, observers: dict[str, dict[str, Setting]]
    ) -> None:
        self.clip, self.task, self.reference, self.observers = clip, task, reference, observers


def work(run: Run, job: Job) -> list[Entry] | Failure:
    sight: Sight = job.payload
    media, task = sight.clip.video, sight.task
    assert media is not None
    left = {
        name: settings
        for name, settings in sight.observers.items()
        if observation_key(media, task.instance, name) in job.todo
    }
    frames = attempt(lambda: SharedFrames.load(run.blobs.path(media)))
    if isinstance(frames, Failure):
        return [_entry(media, task, name, frames, run) for name in left]
    entries = []
    with shown_frames(frames, task, sight.clip) as frames:
        for name, settings in left.items():
            seen = attempt(_seen, run, sight, frames, name, settings)
            entries.append(_entry(media, task, name, seen, run))
    return entries


def _seen(run: Run, sight: Sight, frames: SharedFrames, name: str, settings: dict[str, Setting]) -> Arrays | Abstain:
    """What one observer saw, checked to be arrays that can be kept."""
    known = shown_truth(sight.reference, sight.clip, run.blobs.root)
    task = shown_task(sight.task, sight.clip, known)
    first_frame = shown_first_frame(sight.task, sight.clip, run.blobs)
    seen = OBSERVERS.get(name).function(Look(frames, task, first_frame, known, settings))
    if isinstance(seen, Abstain):
        return seen
    if not isinstance(seen, dict) or not all(isinstance(a, np.ndarray) and a.dtype != object for a in seen.values()):
        raise ObserveError(f"observer {name} must return a dict of number arrays or an Abstain")
    return seen


def _entry(media: str, task: Task, name: str, seen: Arrays | Abstain | Failure, run: Run) -> Entry:
    made: dict[str, Any] = {
        "media": media,
        "task_instance": task.instance,
        "observer": name,
        "version": OBSERVERS.get(name).version,
    }
    if isinstance(seen, Failure):
        record = Observation(**made, status="failed", reason=seen.reason)
    elif isinstance(seen, Abstain):
        record = Observation(**made, status="abstained", reason=seen.reason)
    else:
        record = Observation(**made, status="ok", arrays=run.blobs.put_bytes(_npz(seen), ".npz"))
    return Entry(observation_key(media, task.instance, name), record)


def _npz(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("observer", OBSERVERS.get(name)) for name in planned_observers(plan)]


STAGE = Stage("observe", "observations", jobs, work, plugins)
