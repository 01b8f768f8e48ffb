"""Stage `tasks`: drafts become Tasks with first frames and References."""

from __future__ import annotations

from collections.abc import Mapping

from lookaway import suites
from lookaway.banks import unpacked
from lookaway.cache import Built
from lookaway.errors import UsageError
from lookaway.geometry.asked import asked_seconds
from lookaway.pipeline.cases import planned_cases
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.records import Bank, BankedQuestion, CaseId, Plan, QuestionBank, Reference, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Blobs, Run


def jobs(run: Run, plan: Plan) -> list[Job]:
    drafts = planned_drafts(plan)
    return [Job(d.id, d.scene, d, {content_key("task", d.suite, d.id): content_key(*d.content())}) for d in drafts]


def suite_place(plan: Plan) -> str:
    """What to find the plan's suite by: its name, or the folder in which it lies on this machine."""
    if plan.in_folder and (plan.folder is None or not suites.folder_of(plan.folder).is_dir()):
        was = "" if plan.folder is None else f" at {plan.folder}"
        raise UsageError(
            f"the suite '{plan.suite}' is a folder, and it is not{was or ' known where it lies'}; "
            "give it again: lookaway run --suite FOLDER --out RUN"
        )
    return plan.folder or plan.suite


def planned_drafts(plan: Plan) -> list[suites.Draft]:
    """Every draft of the suite, or those that the plan's cases name."""
    drafts = suites.find(suite_place(plan)).drafts()
    named = {case.task for case in plan.cases}
    return [draft for draft in drafts if draft.id in named] if plan.cases else drafts


def work(run: Run, job: Job) -> list[Entry] | Failure:
    built = attempt(_built, job.payload, run.blobs)
    if isinstance(built, Failure):
        return built
    (key,) = job.expects
    first = [Entry(key, built.reference, log="references")] if built.reference is not None else []
    bank = built.bank or Bank(task=built.task.id)
    return [*first, Entry(key, bank, log="banks"), Entry(key, built.task)]


def _built(draft: suites.Draft, blobs: Blobs) -> Built:
    """What the suite makes of a draft, its camera script good at any frame rate."""
    built = draft.built(blobs)
    asked_seconds(built.task)
    return built


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    suite = suites.find(suite_place(plan))
    return [("suite", suite)] if not plan.in_folder and suite.name in suites.SUITES.all() else []


def cases(run: Run, plan: Plan) -> list[CaseId]:
    return planned_cases(plan, plan.tasks)


STAGE = Stage("tasks", "tasks", jobs, work, plugins, cases=cases)


def planned_tasks(plan: Plan) -> set[str]:
    """Ids of the tasks that the plan is about; the suite is not asked."""
    return {case.task for case in plan.cases} or set(plan.tasks)


def built_tasks(run: Run, plan: Plan) -> dict[str, Task]:
    """Task by id, for the tasks the plan is about and that have been built."""
    wanted = planned_tasks(plan)
    tasks = {t.id: t for t in run.latest("tasks", Task).values() if t.id in wanted}
    return {task: tasks[task] for task in sorted(tasks)}


def built_banks(run: Run, plan: Plan) -> dict[str, QuestionBank]:
    """The questions of each task, by its id: those of the plan's bank, else its own."""
    if plan.bank is not None:
        return unpacked(run.blobs.path(plan.bank.blob).read_bytes())
    own = run.latest("banks", Bank).values()
    return {
        bank.task: QuestionBank(task=bank.task, questions=tuple(BankedQuestion(question=q) for q in bank.questions))
        for bank in own
    }


def bank_of(task: Task, banks: Mapping[str, QuestionBank]) -> Bank:
    """What is asked of a task; a bank that was written for another instance of it is refused."""
    bank = banks.get(task.id, QuestionBank(task=task.id))
    if bank.instance not in ("", task.instance):
        raise UsageError(
            f"the bank of task {task.id} was written for another first frame or prompt; write it anew with: "
            "lookaway bank write, or leave it out"
        )
    asked = tuple(question.model_copy(update={"verdicts": {}}) for question in bank.kept)  # so that a review costs none
    return Bank(task=task.id, questions=asked)


def built_references(run: Run) -> dict[str, Reference]:
    """Reference by task instance."""
    return {r.instance: r for r in run.latest("references", Reference).values()}
