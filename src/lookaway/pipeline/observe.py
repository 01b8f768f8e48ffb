"""Stage `observe`: each clip is decoded once and shown to every observer that the plan's metrics need."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookaway.errors import MissingExtra, MissingPackage, MissingWeights, ObserveError
from lookaway.observers import OBSERVERS, Arrays, Look, Observer
from lookaway.observers.elsewhere import lives_elsewhere, seen_with
from lookaway.observers.pipe import end_all
from lookaway.outcomes import Abstain
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import (
    clip_reference,
    shown_first_frame,
    shown_frames,
    shown_task,
    shown_truth,
    watched_truth,
)
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.plans import planned_observers
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import Clip, Instrument, Observation, Plan, Reference, Setting, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import SharedFrames


def observation_key(media: str, instance: str, instrument: Instrument) -> str:
    return content_key("observation", media, instance, instrument.key)


def observation_inputs(clip: Clip, reference: Reference | None) -> str:
    return content_key(clip.fit, clip.pace, *filter(None, [clip.asked]), *watched_truth(clip, reference))


def jobs(run: Run, plan: Plan) -> list[Job]:
    lookers = {name: observer_instrument(plan, name) for name in planned_observers(plan)}
    settings = {name: plan.settings_of(name) for name in lookers}
    tasks, references = built_tasks(run, plan), built_references(run)
    found: dict[tuple[str, str], Job] = {}
    for clip in current_clips(run, plan):
        if clip.video is None or clip.task_instance != tasks[clip.case.task].instance:
            continue
        reference = clip_reference(clip, tasks, references)
        expects = {
            observation_key(clip.video, clip.task_instance, looker): observation_inputs(clip, reference)
            for looker in lookers.values()
        }
        payload = Sight(clip, tasks[clip.case.task], reference, settings, lookers)
        found.setdefault((clip.video, clip.task_instance), Job(str(clip.case), clip.case.task, payload, expects))
    return list(found.values())


@dataclass(frozen=True)
class Sight:
    """What one observe job needs; picklable."""

    clip: Clip
    task: Task
    reference: Reference | None
    settings: Mapping[str, Mapping[str, Setting]]  # by observer
    lookers: Mapping[str, Instrument]  # by observer


def work(run: Run, job: Job) -> list[Entry] | Failure:
    sight: Sight = job.payload
    media, task = sight.clip.video, sight.task
    assert media is not None
    left = [looker for looker in sight.lookers.values() if observation_key(media, task.instance, looker) in job.todo]
    frames = attempt(lambda: SharedFrames.load(run.blobs.path(media)))
    if isinstance(frames, Failure):
        return [_entry(media, task, looker, frames, run) for looker in left]
    entries = []
    with shown_frames(frames, task, sight.clip) as frames:
        for looker in left:
            seen = _looked(run, sight, frames, looker.plugin)
            entries.append(_entry(media, task, looker, seen, run))
    return entries


def _looked(run: Run, sight: Sight, frames: SharedFrames, name: str) -> Arrays | Abstain | Failure:
    """What one observer saw; without what it needs to be installed, as without its weights, it looks another time."""
    try:
        return attempt(_seen, run, sight, frames, name)
    except MissingExtra as error:
        return Failure(str(error), error)


def _seen(run: Run, sight: Sight, frames: SharedFrames, name: str) -> Arrays | Abstain:
    """What one observer saw, checked to be arrays that can be kept."""
    known = shown_truth(sight.reference, sight.clip, run.blobs.root)
    task = shown_task(sight.task, sight.clip, known, run.blobs)
    first_frame = shown_first_frame(sight.task, sight.clip, run.blobs)
    observer = OBSERVERS.get(name)
    seen = seen_with(observer, Look(frames, task, first_frame, known, sight.settings[name]))
    if isinstance(seen, Abstain):
        return seen
    if not isinstance(seen, observer.saw):
        raise ObserveError(f"observer {name} must return {observer.saw.__name__} or an Abstain")
    return seen.arrays()


def _entry(media: str, task: Task, looker: Instrument, seen: Arrays | Abstain | Failure, run: Run) -> Entry:
    made: dict[str, Any] = {
        "media": media,
        "task_instance": task.instance,
        "observer": looker.plugin,
        "instrument": looker.label,
        "instrument_key": looker.key,
    }
    key = observation_key(media, task.instance, looker)
    if isinstance(seen, Failure) and isinstance(seen.error, MissingWeights | MissingPackage | MissingExtra):
        return Entry(key, Observation(**made, status="abstained", reason=seen.reason), undone=True)
    if isinstance(seen, Failure):
        record = Observation(**made, status="failed", reason=seen.reason)
    elif isinstance(seen, Abstain):
        record = Observation(**made, status="abstained", reason=seen.reason)
    else:
        record = Observation(**made, status="ok", arrays=run.blobs.put_bytes(_npz(seen), ".npz"))
    return Entry(key, record)


def _npz(arrays: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def on_device(job: Job) -> set[str]:
    """What learned observers see, unless they were told to stay on the CPU."""
    sight: Sight = job.payload
    assert sight.clip.video is not None
    return {
        observation_key(sight.clip.video, sight.task.instance, looker)
        for name, looker in sight.lookers.items()
        if wants_device(OBSERVERS.get(name), sight.settings[name])
    }


def wants_device(observer: Observer, settings: Mapping[str, Setting]) -> bool:
    learned = bool(observer.weights) or observer.extra == "torch" or lives_elsewhere(settings)
    return learned and settings.get("device") != "cpu"


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("observer", OBSERVERS.get(name)) for name in planned_observers(plan)]


STAGE = Stage("observe", "observations", jobs, work, plugins, ends=end_all, on_device=on_device)
