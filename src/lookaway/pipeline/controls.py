"""Stage `controls`: each task said in each model's language."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lookaway.controls import CONTROLS, Shape, compiled
from lookaway.geometry.cover import cover_in_words
from lookaway.geometry.framing import picture_of
from lookaway.pipeline.branches import branched, has_branch
from lookaway.pipeline.cases import generated_systems, planned_cases
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Fit, Plan, Request, System, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Blobs, Run
from lookaway.video import decode, encode

PREFIX_CRF = 8  # as true clips are kept


def request_key(case: CaseId) -> str:
    return content_key("request", str(case))


def jobs(run: Run, plan: Plan) -> list[Job]:
    found = []
    tasks, systems = built_tasks(run, plan), {s.label: s for s in generated_systems(plan)}
    keys = {name: (system.key, CONTROLS.get(system.card.control).version) for name, system in systems.items()}
    for case in planned_cases(plan, tasks):
        task, system = tasks[case.task], systems[case.system]
        if not has_branch(task, case.branch):
            continue
        inputs = content_key(task.instance, *keys[case.system])
        found.append(Job(str(case), task.scene, (case, task, system), {request_key(case): inputs}))
    return found


def work(run: Run, job: Job) -> list[Entry] | Failure:
    case, task, system = job.payload
    request = attempt(request_for, case, task, system, run)
    return request if isinstance(request, Failure) else [Entry(request_key(case), request)]


def request_for(case: CaseId, own: Task, system: System, run: Run) -> Request:
    task = branched(own, case.branch)
    control = compiled(task, system.card, run.blobs)
    shape = Shape.of(task, system.card)
    return Request(
        case=case,
        prompt=" ".join(filter(None, [task.prompt, control.text, cover_in_words(task.cover) if task.cover else ""])),
        first_frame=task.first_frame,
        prefix=given_prefix(task, control.fit, shape, run.blobs),
        control=control,
        width=shape.width,
        height=shape.height,
        frames=shape.frames,
        fps=shape.fps,
        task_instance=own.instance,
        system_key=system.key,
    )


def given_prefix(task: Task, fit: Fit | None, shape: Shape, blobs: Blobs) -> str | None:
    """The true frames that the model goes on from, as pictures of the same size and part as its first frame."""
    size = (shape.width, shape.height)
    if task.prefix is None or size == (task.width, task.height):
        return task.prefix
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prefix.mp4"
        encode((picture_of(f.rgb, fit, size) for f in decode(blobs.path(task.prefix))), path, task.fps, crf=PREFIX_CRF)
        return blobs.put_file(path)


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("control", CONTROLS.get(name)) for name in sorted({s.card.control for s in generated_systems(plan)})]


STAGE = Stage("controls", "requests", jobs, work, plugins)
