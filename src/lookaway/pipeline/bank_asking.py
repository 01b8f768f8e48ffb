"""What is asked while banks are made, put to judges as everything else is: resumed, cached, budgeted, in a log of its
own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from platform import python_version

from lookaway.errors import UsageError
from lookaway.judges.prompting import load
from lookaway.pipeline import plans
from lookaway.pipeline.items import Item
from lookaway.pipeline.judge import Matter, forecast, job_about, together
from lookaway.pipeline.judge import plugins as judge_plugins
from lookaway.pipeline.planned import ask_settings, with_settings
from lookaway.pipeline.seats import JudgeSeat, seatings
from lookaway.pipeline.sheets import Sheet
from lookaway.pipeline.stage import Job, Options, Progress, Stage, StageReport, run_stage
from lookaway.records import (
    Answer,
    Ask,
    Bank,
    CaseId,
    Clip,
    JudgeRole,
    Plan,
    PlannedJudge,
    Provenance,
    Question,
    Reference,
    Setting,
    Task,
    asked_key,
)
from lookaway.store import Run

LOG = "bank_answers"


@dataclass(frozen=True)
class BankDesk:
    """A run folder whose judge makes banks."""

    run: Run
    plan: Plan
    options: Options
    progress: Progress

    def seat(self, role: JudgeRole) -> JudgeSeat:
        found = seatings(self.plan, [role])
        if len(found) != 1:
            raise UsageError(f"one judge makes a bank; give one with --judge {role}=JUDGE" if found else _nobody(role))
        return found[0][role]

    def item(self, ask: Ask, task: Task, media: str, questions: tuple[Question, ...] = (), hint: str = "") -> Item:
        """One ask about one clip or picture, as the judge of its role is put it; its questions are part of its key."""
        prompt, seat = load(ask.prompt.partition("@")[0], ask.variant), self.seat(ask.role)
        ask = with_settings(ask, prompt, ask_settings(self.plan, ask.role, seat))
        named = {"prompt": f"{prompt.name}@{prompt.declared.version}", "variant": prompt.variant}
        if questions:
            named["bank"] = asked_key({task.id: questions})
        put = ask.model_copy(update=named)
        given = {"hint": hint} if hint else {}
        return Item(prompt.name, put, prompt, seat, media, task.instance, questions=questions, given=given)

    def asked(self, name: str, tasks: Mapping[str, Task], items: Mapping[str, Sequence[Item]]) -> StageReport:
        """Puts the items of each task, as far as they are not answered yet."""

        def jobs(run: Run, plan: Plan) -> list[Job]:
            said, done = run.latest(LOG, Answer), run.done(LOG)
            return [
                job_about(Matter(_sheet(tasks[task]), {item.key: item for item in mine}, said, done))
                for task, mine in items.items()
                if mine
            ]

        stage = Stage(name, LOG, jobs, plugins=judge_plugins, together=together, redoes_failed=False, forecast=forecast)
        return run_stage(stage, self.run, self.plan, self.options, self.progress)

    def left_out(self, unasked: Iterable[bool]) -> bool:
        """Whether a task was not asked about because only others were to be."""
        return self.options.partial and any(unasked)

    def answers(self) -> dict[str, Answer]:
        return self.run.latest(LOG, Answer)


def _nobody(role: JudgeRole) -> str:
    return f"a bank needs a judge as {role}; give one with --judge {role}=JUDGE, such as {role}=openai:URL"


def bank_plan(run: Run, judges: Iterable[str], settings: Mapping[str, Setting]) -> Plan:
    """The plan of a run with these judges alone; the run's own plan stays as it is."""
    plan = plans.load(run)
    given = tuple(map(PlannedJudge.parse, judges))
    update = {"judges": given, "settings": {**plan.settings, **settings}, "protocols": (), "bank": None}
    return plans.with_instruments(plan.model_copy(update=update))


def _sheet(task: Task, reference: Reference | None = None) -> Sheet:
    """A task without a clip of its own: what is shown is named by each item."""
    made_by = Provenance(generator="bank", version=1, lookaway=metadata.version("lookaway"), python=python_version())
    clip = Clip(
        case=CaseId(task=task.id, system="bank"),
        request_key="",
        task_instance=task.instance,
        status="missing",
        reason="no clip of its own",
        provenance=made_by,
    )
    return Sheet(clip, task, reference, Bank(task=task.id), {}, {}, {})
