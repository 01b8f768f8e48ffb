"""Which questions stay: those that the truth passes, and of these what a known failure says. Pure.

Three forms of the failure filter. `main_text`: a question stays if the failure clip fails it. `hint`: it stays if its
verdict on the failure clip is the same whether or not the judge is told what is wrong, so that one which the failure
passes twice stays. `sound`: it stays if at least one of all known failures fails it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from lookaway.records import (
    BankDimension,
    BankedQuestion,
    BankStage,
    BankTrial,
    BankVerdict,
    FailureRule,
    QuestionBank,
)

DIMENSIONS: tuple[BankDimension, ...] = get_args(BankDimension)
RULES: tuple[FailureRule, ...] = get_args(FailureRule)
FEWEST = 2  # questions of a dimension, by the released code; told, never enforced

Verdicts = dict[BankStage, BankVerdict]
Trials = Mapping[str, Sequence[BankTrial]]  # by id of the question


def on_truth(one: BankedQuestion) -> BankVerdict:
    """Stays if the true clip passes it; unknown without an answer that can be read."""
    trials = one.held("on_truth")
    if any(one.passed(trial) is False or trial.answer == "cannot tell" for trial in trials):
        return "dropped"
    return "kept" if trials and all(one.passed(trial) for trial in trials) else "unknown"


def on_failure(one: BankedQuestion, rule: FailureRule) -> Verdicts:
    """What the failure clips say of a question that the truth passes."""
    plain = [one.passed(trial) for trial in one.held("on_failure")]
    answered = [trial.answer is not None for trial in one.held("on_failure")]
    if rule == "hint":
        return {"on_failure": "kept", "with_hint": _stable(one)}
    said = plain[:1] if rule == "main_text" else plain
    if False in said:
        return {"on_failure": "kept"}
    return {"on_failure": "dropped" if any(answered) else "unknown"}


def _stable(one: BankedQuestion) -> BankVerdict:
    """Whether every failure clip gets the same verdict with the hint as without."""
    told = {trial.clip: trial for trial in one.held("with_hint")}
    pairs = [(trial, told.get(trial.clip)) for trial in one.held("on_failure")]
    if not pairs or any(hinted is None or None in (plain.answer, hinted.answer) for plain, hinted in pairs):
        return "unknown"
    same = (hinted is not None and one.passed(plain) == one.passed(hinted) for plain, hinted in pairs)
    return "kept" if all(same) else "dropped"


def with_trials(bank: QuestionBank, stages: Sequence[BankStage], trials: Trials) -> QuestionBank:
    """The bank with new trials of these stages in place of its old ones, and without verdicts that rested on those."""
    questions = []
    for one in bank.questions:
        kept = tuple(trial for trial in one.trials if trial.stage not in stages)
        verdicts = {stage: said for stage, said in one.question.verdicts.items() if stage not in stages}
        question = one.question.model_copy(update={"verdicts": verdicts})
        new = kept + tuple(trials.get(question.id, ()))
        questions.append(one.model_copy(update={"question": question, "trials": new}))
    return bank.model_copy(update={"questions": tuple(questions)})


def truth_filtered(bank: QuestionBank) -> QuestionBank:
    """With the verdict of the true clip on every question that was left; unknown where it was not put."""
    return _judged(bank, lambda one: {"on_truth": on_truth(one)})


def failure_filtered(bank: QuestionBank, rule: FailureRule) -> QuestionBank:
    """With the verdict of the failure clips on every question that was left; unknown where there is no such clip."""
    return _judged(bank, lambda one: on_failure(one, rule))


def _judged(bank: QuestionBank, verdicts_of: Callable[[BankedQuestion], Verdicts]) -> QuestionBank:
    questions = []
    for one in bank.questions:
        if one.stays:
            said = {**one.question.verdicts, **verdicts_of(one)}
            one = one.model_copy(update={"question": one.question.model_copy(update={"verdicts": said})})
        questions.append(one)
    return bank.model_copy(update={"questions": tuple(questions)})
