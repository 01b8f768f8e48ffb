"""Banks are made: written from a first frame and a prompt, put to the true clip and to clips that are known to fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lookaway.banks.filters import DIMENSIONS, Trials, failure_filtered, truth_filtered, with_trials
from lookaway.errors import UnknownName, UsageError
from lookaway.judges.prompting import variants
from lookaway.judges.prompting.files import chosen_variant
from lookaway.pipeline.bank_asking import BankDesk
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.items import Item
from lookaway.pipeline.tasks import bank_of, built_references, built_tasks
from lookaway.readings.bank_answers import answered_questions
from lookaway.readings.told.memobench import BankAnswers, WrittenQuestion, WrittenQuestions
from lookaway.records import (
    Answer,
    Ask,
    BankDimension,
    BankedQuestion,
    BankStage,
    BankStep,
    BankTrial,
    Clip,
    FailureRule,
    Plan,
    Question,
    QuestionBank,
    Task,
)
from lookaway.worlds.reference import REFERENCE

FRAMES = "rate:3:24"  # as the protocols of MemoBench show a clip
VARIANT: Mapping[FailureRule, str] = {"main_text": "paper", "hint": "paper", "sound": "sound"}
ON_TRIAL: tuple[BankStage, ...] = ("on_truth", "on_failure", "with_hint")


@dataclass(frozen=True)
class Made:
    """Banks, and why tasks have none or less than they might."""

    banks: dict[str, QuestionBank]
    missing: dict[str, str]


# ---------------------------------------------------------------- writing


def write(desk: BankDesk, wanted: Sequence[str] = (), variant: str = "") -> Made:
    """Six questions in each of four dimensions for every task, three of which expect a yes; one call a dimension."""
    tasks = {name: task for name, task in built_tasks(desk.run, desk.plan).items() if not wanted or name in wanted}
    if not tasks:
        raise UsageError(f"{desk.run.root}: no task is built here; build them with: lookaway stage tasks")
    items = {name: {d: _writing(desk, task, d, variant) for d in DIMENSIONS} for name, task in tasks.items()}
    desk.asked("bank write", tasks, {name: list(mine.values()) for name, mine in items.items()})
    said, made = desk.answers(), Made({}, {})
    for name, mine in items.items():
        if desk.left_out(item.key not in said for item in mine.values()):
            continue
        silent = {d: _why(said.get(item.key)) for d, item in mine.items()}
        if any(silent.values()):
            made.missing[name] = "; ".join(f"{d}: {why}" for d, why in silent.items() if why)
            continue
        questions = [q for d, item in mine.items() for q in _written(said[item.key], d)]
        step = BankStep(name="written", by=desk.seat("writer").instrument.label, how=_prompts(mine.values()))
        bank = QuestionBank(task=name, instance=tasks[name].instance, steps=(step,), questions=tuple(questions))
        made.banks[name] = bank
    return made


def _writing(desk: BankDesk, task: Task, dimension: BankDimension, variant: str) -> Item:
    prompt = f"memobench/write_{dimension}"
    known = variants(prompt)
    chosen = chosen_variant(prompt, known, variant if variant in known else "")
    ask = Ask(prompt=prompt, variant=chosen, role="writer", about="first_frame", frames="uniform:1")
    return desk.item(ask, task, task.first_frame)


def _prompts(items: Iterable[Item]) -> str:
    return ", ".join(f"{item.ask.prompt}:{item.ask.variant}" for item in items)


def _why(answer: Answer | None) -> str:
    """Why an ask has no answer that can be read, or nothing."""
    if answer is None:
        return "never asked"
    return "" if answer.status == "ok" else answer.reason or answer.status


def _written(answer: Answer, dimension: BankDimension) -> list[BankedQuestion]:
    return [_banked(row, dimension) for row in WrittenQuestions.read(answer).questions]


def _banked(row: WrittenQuestion, dimension: BankDimension) -> BankedQuestion:
    good = row.good_answer
    return BankedQuestion(
        question=Question(
            id=f"{dimension}-{row.id}",
            text=one_line(row.question),
            dimension=dimension,
            polarity="positive" if good == "yes" else "negative",
            expected=good,
            verdicts={"written": "kept"},
        )
    )


def one_line(text: str) -> str:
    """A question as it can be put among others: without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


# ---------------------------------------------------------------- filtering


def known_failures(plan: Plan) -> list[str]:
    """The plan's systems that are faults of the known world: they fail in a known way."""
    named = {system.label: str(system.card.settings.get("reference", "")) for system in plan.systems}
    known = set(REFERENCE.names())
    return [label for label, name in named.items() if name in known and REFERENCE.find(name).kind == "fault"]


def filter_banks(
    desk: BankDesk, banks: Mapping[str, QuestionBank], rule: FailureRule, failures: Sequence[str] = ()
) -> Made:
    """The banks with new verdicts of the true clip and of failures; which of them, `failures` says, by system."""
    tasks = built_tasks(desk.run, desk.plan)
    mine = {name: with_trials(bank, ON_TRIAL, {}) for name, bank in banks.items() if name in tasks}
    if not mine:
        raise UsageError(f"none of the {len(banks)} banks is of a task of this run, but of {min(banks)} and the like")
    for name in mine:
        bank_of(tasks[name], mine)  # refuses one of another instance
    missing = {name: "not a task of this run" for name in banks if name not in tasks}
    true = {r.task: r.video for r in built_references(desk.run).values() if r.video is not None}
    missing |= {name: "has no true clip: nothing can be filtered" for name in mine if name not in true}
    shown = {name: bank for name, bank in mine.items() if name in true}
    truth = {name: [_trial_item(desk, tasks[name], bank, true[name] or "", rule)] for name, bank in shown.items()}
    desk.asked("bank filter, truth", tasks, truth)
    said = desk.answers()
    put_to = {name: bank for name, bank in shown.items() if not desk.left_out([truth[name][0].key not in said])}
    tried = {name: _after_truth(desk, bank, truth[name][0]) for name, bank in put_to.items()}
    clips = _failure_clips(desk, failures or known_failures(desk.plan), rule)
    put = {name: _failing(desk, tasks[name], bank, clips.get(name, []), rule) for name, bank in tried.items()}
    desk.asked("bank filter, failures", tasks, {name: [one.item for one in each] for name, each in put.items()})
    missing |= {name: "has no failure clip: no question of it is kept" for name in tried if not clips.get(name)}
    done = {name: _after_failures(desk, bank, put[name], rule) for name, bank in tried.items()}
    return Made(done, missing)


def _failure_clips(desk: BankDesk, failures: Sequence[str], rule: FailureRule) -> dict[str, list[Clip]]:
    """The clips of these systems, by task, in their order; of all but `sound` the first alone."""
    labels = [system.label for system in desk.plan.systems]
    for name in failures:
        if name not in labels:
            raise UnknownName("system of this run", name, labels)
    found: dict[str, list[Clip]] = {}
    first = [c for c in current_clips(desk.run, desk.plan) if c.video is not None and not c.case.branch]
    for name in failures:
        for clip in (c for c in first if c.case.system == name and c.case.seed == min(desk.plan.seeds)):
            found.setdefault(clip.case.task, []).append(clip)
    return found if rule == "sound" else {task: clips[:1] for task, clips in found.items()}


def _trial_item(
    desk: BankDesk, task: Task, bank: QuestionBank, media: str, rule: FailureRule, failure: str = "", hint: str = ""
) -> Item:
    prompt = "memobench/answer_with_hint" if hint else "memobench/answer"
    about = {"about": "failure", "beside": failure} if failure else {"about": "truth"}
    ask = Ask.model_validate({"prompt": prompt, "variant": VARIANT[rule], "frames": FRAMES, **about})
    asked = tuple(question.model_copy(update={"verdicts": {}}) for question in bank.kept)
    return desk.item(ask, task, media, asked, hint)


@dataclass(frozen=True)
class FailureTrial:
    item: Item
    clip: str  # the system's label
    hinted: bool


def _failing(
    desk: BankDesk, task: Task, bank: QuestionBank, clips: Sequence[Clip], rule: FailureRule
) -> list[FailureTrial]:
    """What is asked about the failures of a task: plainly, and with the hint where the rule wants it."""
    if not bank.kept:
        return []
    known = {system.label: system.card.summary for system in desk.plan.systems}
    found = []
    for clip in clips:
        name = clip.case.system
        for hint in ("", bank.hint or known[name]) if rule == "hint" else ("",):
            item = _trial_item(desk, task, bank, clip.video or "", rule, name, hint)
            found.append(FailureTrial(item, name, bool(hint)))
    return found


def _after_truth(desk: BankDesk, bank: QuestionBank, item: Item) -> QuestionBank:
    trials = _trials(desk.answers().get(item.key), item, "on_truth", "truth")
    return truth_filtered(with_trials(bank, ("on_truth",), trials))


def _after_failures(desk: BankDesk, bank: QuestionBank, put: Sequence[FailureTrial], rule: FailureRule) -> QuestionBank:
    said = desk.answers()
    found: dict[str, list[BankTrial]] = {}
    for one in put:
        stage: BankStage = "with_hint" if one.hinted else "on_failure"
        for question, trials in _trials(said.get(one.item.key), one.item, stage, one.clip).items():
            found.setdefault(question, []).extend(trials)
    filtered = failure_filtered(with_trials(bank, ("on_failure", "with_hint"), found), rule)
    clips = ", ".join(dict.fromkeys(one.clip for one in put)) or "no failure clip"
    step = BankStep(name="filtered", by=desk.seat("scorer").instrument.label, how=f"{rule}: {clips}")
    return filtered.model_copy(update={"steps": (*bank.steps, step)})


def _trials(answer: Answer | None, item: Item, stage: BankStage, clip: str) -> Trials:
    """What was said to each question of an item; without an answer that can be read, that it has none."""
    why = _why(answer)
    by = item.seat.instrument.label
    if answer is None or why:
        silent = BankTrial.model_validate({"stage": stage, "clip": clip, "answer": None, "seen": why, "instrument": by})
        return {question.id: [silent] for question in item.questions}
    rows = answered_questions(item.questions, BankAnswers.read(answer))
    facts = {"stage": stage, "clip": clip, "instrument": by}
    return {
        row.question.id: [BankTrial.model_validate({**facts, "answer": row.answer, "seen": row.seen})] for row in rows
    }
