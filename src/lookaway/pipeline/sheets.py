"""Everything that is known of one clip when it is judged and scored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import BlobError
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.framing import clip_reference, shown_task, shown_truth
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.observe import observation_key
from lookaway.pipeline.tasks import bank_of, built_banks, built_references, built_tasks
from lookaway.readings import Case
from lookaway.records import Bank, CaseId, Clip, Observation, Plan, Reference, Task
from lookaway.store import Run


@dataclass(frozen=True)
class Sheet:
    """A clip with its task, its truth, its questions and what observers saw in it; picklable."""

    clip: Clip
    task: Task
    reference: Reference | None
    bank: Bank
    observations: Mapping[str, Observation]
    others: Mapping[str, Clip]  # of the same task and seed, by system: what an ask may show beside it
    hints: Mapping[str, str]  # what is known of those systems, in words


def sheets(
    run: Run, plan: Plan, lookers: Iterable[str], beside: Iterable[str] = (), of_tasks: Collection[str] | None = None
) -> list[Sheet]:
    """One per clip that counts now, with what these observers saw and the clips of models that are shown beside.

    Where tasks are named, of their clips alone.
    """
    tasks, references, banks = built_tasks(run, plan), built_references(run), built_banks(run, plan)
    clips = [clip for clip in current_clips(run, plan) if of_tasks is None or clip.case.task in of_tasks]
    keys = _observation_keys(plan, clips, tasks, lookers)
    observations = run.latest("observations", Observation, {key for mine in keys.values() for key in mine.values()})
    models = set(beside)
    shown = {(c.case.task, c.case.seed, c.case.system): c for c in clips if c.case.system in models}
    hints = {system.label: system.card.summary for system in plan.systems if system.label in models}
    found = []
    for clip in clips:
        task = tasks[clip.case.task]
        others = {m: shown[at] for m in models if (at := (task.id, clip.case.seed, m)) in shown}
        seen = {name: observations[key] for name, key in keys[clip.case].items() if key in observations}
        reference = clip_reference(clip, tasks, references)
        found.append(Sheet(clip, task, reference, bank_of(task, banks), seen, others, hints))
    return found


def _observation_keys(
    plan: Plan, clips: Collection[Clip], tasks: Mapping[str, Task], lookers: Iterable[str]
) -> dict[CaseId, dict[str, str]]:
    """By case and observer, where its observation is found; none of a clip without a video."""
    instruments = {name: observer_instrument(plan, name) for name in lookers}
    instances = {task: tasks[task].instance for task in {clip.case.task for clip in clips}}
    found: dict[CaseId, dict[str, str]] = {}
    for clip in clips:
        media, instance = clip.video, instances[clip.case.task]
        told = {} if media is None else {n: observation_key(media, instance, one) for n, one in instruments.items()}
        found[clip.case] = told
    return found


def readable(run: Run, sheet: Sheet) -> Sheet:
    """The sheet, where an observation whose arrays are gone or damaged is a failed one: it costs only who needs it."""
    return replace(sheet, observations={name: _with_arrays(run, seen) for name, seen in sheet.observations.items()})


def _with_arrays(run: Run, seen: Observation) -> Observation:
    try:
        if seen.arrays is not None:
            run.blobs.path(seen.arrays)
        return seen
    except BlobError as error:
        return seen.model_copy(update={"status": "failed", "reason": str(error), "arrays": None})


def case_of(run: Run, sheet: Sheet) -> Case:
    """What gates and metrics may know of the clip, before anybody was asked about it."""
    seen: dict[str, Mapping[str, NDArray[Any]]] = {}
    for name, observation in sheet.observations.items():
        if observation.arrays is not None:
            seen[name] = _read_only(run.blobs.path(observation.arrays))
    known = shown_truth(sheet.reference, sheet.clip, run.blobs.root)
    shown = shown_task(sheet.task, sheet.clip, known, run.blobs)
    return Case(shown, known, MappingProxyType(seen), {}, sheet.bank.questions)


def _read_only(path: Path) -> Mapping[str, NDArray[Any]]:
    """Arrays that no metric can change under the next one's feet."""
    with np.load(path) as loaded:
        arrays = dict(loaded)
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(arrays)
