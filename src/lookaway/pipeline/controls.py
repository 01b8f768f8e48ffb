"""Stage `controls`: each task said in each model's language."""

from __future__ import annotations

from lookaway.controls import CONTROLS, Shape, compiled
from lookaway.controls.events import told_events
from lookaway.pipeline.branches import branched, has_branch
from lookaway.pipeline.cases import generated_systems, planned_cases
from lookaway.pipeline.inputs import shown_source, source_clip
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import CaseId, Plan, Reference, Request, System, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run


def request_key(case: CaseId) -> str:
    return content_key("request", str(case))


def jobs(run: Run, plan: Plan) -> list[Job]:
    found = []
    tasks, references = built_tasks(run, plan), built_references(run)
    systems = {s.label: s for s in generated_systems(plan)}
    keys = {name: (system.key, CONTROLS.get(system.card.control).version) for name, system in systems.items()}
    for case in planned_cases(plan, tasks):
        task, system = tasks[case.task], systems[case.system]
        if not has_branch(task, case.branch):
            continue
        inputs = content_key(task.instance, *keys[case.system])
        payload = (case, task, system, references.get(task.instance))
        found.append(Job(str(case), task.scene, payload, {request_key(case): inputs}))
    return found


def work(run: Run, job: Job) -> list[Entry] | Failure:
    case, task, system, reference = job.payload
    request = attempt(request_for, case, task, system, run, reference)
    return request if isinstance(request, Failure) else [Entry(request_key(case), request)]


def request_for(case: CaseId, own: Task, system: System, run: Run, reference: Reference | None = None) -> Request:
    """The task in the system's language; `reference` is shown only as far as the card's input policy says."""
    task = branched(own, case.branch)
    source = shown_source(own, case.branch, system.card, reference, run.blobs)
    control = compiled(task, system.card, run.blobs, source.shows)
    events = told_events(task, system.card)
    told = {"trigger": events.trigger, "occlusion": events.occlusion}
    control = control.model_copy(
        update=told | {"warnings": (*control.warnings, *source.notes, *events.warnings)},
    )
    shape = Shape.of(task, system.card)
    return Request(
        case=case,
        prompt=" ".join(filter(None, [events.prompt, control.text, events.cover_text])),
        first_frame=task.first_frame,
        prefix=source_clip(source, task, control.fit, shape, run.blobs),
        control=control,
        width=shape.width,
        height=shape.height,
        frames=shape.frames,
        fps=shape.fps,
        task_instance=own.instance,
        system_key=system.key,
    )


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("control", CONTROLS.get(name)) for name in sorted({s.card.control for s in generated_systems(plan)})]


STAGE = Stage("controls", "requests", jobs, work, plugins)
