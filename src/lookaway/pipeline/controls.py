"""Stage `controls`: each task said in each model's language."""

from __future__ import annotations

from lookaway.controls import CONTROLS, Shape
from lookaway.generators import GENERATORS
from lookaway.geometry.cover import cover_in_words
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Plan, Request, System, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run


def generated_systems(plan: Plan) -> list[System]:
    """Systems whose clips can be made now; others brought theirs, or are callables of another process."""
    return [s for s in plan.systems if GENERATORS.get(s.card.generator).can_make(s.name)]


def request_key(case: CaseId) -> str:
    return content_key("request", str(case))


def jobs(run: Run, plan: Plan) -> list[Job]:
    found = []
    for task in built_tasks(run, plan).values():
        for system in generated_systems(plan):
            version = CONTROLS.get(system.card.control).version
            for seed in plan.seeds:
                case = CaseId(task=task.id, system=system.name, seed=seed)
                inputs = content_key(task.instance, system.key, version)
                found.append(Job(str(case), task.scene, (case, task, system), {request_key(case): inputs}))
    return found


def work(run: Run, job: Job) -> list[Entry] | Failure:
    case, task, system = job.payload
    request = attempt(request_for, case, task, system, run)
    return request if isinstance(request, Failure) else [Entry(request_key(case), request)]


def request_for(case: CaseId, task: Task, system: System, run: Run) -> Request:
    control = CONTROLS.get(system.card.control).function(task, system.card, run.blobs)
    shape = Shape.of(task, system.card)
    return Request(
        case=case,
        prompt=" ".join(filter(None, [task.prompt, control.text, cover_in_words(task.cover) if task.cover else ""])),
        first_frame=task.first_frame,
        prefix=task.prefix,
        control=control,
        width=shape.width,
        height=shape.height,
        frames=shape.frames,
        fps=shape.fps,
        task_instance=task.instance,
        system_key=system.key,
    )


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("control", CONTROLS.get(name)) for name in sorted({s.card.control for s in generated_systems(plan)})]


STAGE = Stage("controls", "requests", jobs, work, plugins)
