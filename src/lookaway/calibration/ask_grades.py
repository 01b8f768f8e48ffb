"""How often is a judge right? Whatever protocols ask, wherever the known world knows what is right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from lookaway.calibration import judge_bias
from lookaway.calibration.right_answers import LOG, asked_clips, has_right_answer, inputs_of
from lookaway.judges.prompting.forms import Field, Form
from lookaway.pipeline.items import Item
from lookaway.pipeline.judge import STAGE
from lookaway.pipeline.planned import Asking, planned_scores
from lookaway.records import Answer, AskGrade, Choice, Plan, RightAnswers
from lookaway.store import Run

Verdict = Choice | Literal["abstained", "invalid", "failed"]
AskOfJudge = tuple[str, str]  # instrument and ask, by key


class Graded(NamedTuple):
    """What a judge said to one thing, or one row of it, and what is right."""

    clip: str
    said: Verdict
    right: Choice | None


def ask_grades(run: Run, plan: Plan) -> dict[str, list[AskGrade]]:
    """How each judge of the plan, by the key of its instrument, did in each of its asks."""
    given = graded(run, plan)
    found: dict[str, list[AskGrade]] = defaultdict(list)
    for keys, asking in planned_asks(plan).items():
        found[keys[0]].append(grade(asking, given.get(keys, [])))
    return dict(found)


def planned_asks(plan: Plan) -> dict[AskOfJudge, Asking]:
    """Every ask of the planned metrics and their gates as it is put to each judge, once."""
    each = [asking for reading in planned_scores(plan) for asking in reading.askings.values()]
    return {(asking.seat.instrument.key, asking.ask.key): asking for asking in each}


def graded(run: Run, plan: Plan) -> dict[AskOfJudge, list[Graded]]:
    """All that judges said to what they are asked now, beside what is right."""
    said, done = run.latest(STAGE.log, Answer), run.done(STAGE.log)
    right, known = run.latest(LOG, RightAnswers), run.done(LOG)
    found: dict[AskOfJudge, list[Graded]] = defaultdict(list)
    for item in (item for asked in asked_clips(run, plan) for item in asked.items):
        if item.key not in right or known[item.key].inputs != inputs_of(item):
            continue
        answer = said[item.key] if item.key in said and done[item.key].inputs == item.inputs else None
        found[item.seat.instrument.key, item.ask.key] += _of_item(item, answer, right[item.key])
    return found


def _of_item(item: Item, answer: Answer | None, right: RightAnswers) -> list[Graded]:
    form = item.prompt.form
    return [Graded(item.media, verdict(answer, form, one.row), one.choice) for one in right.answers]


def verdict(answer: Answer | None, form: Form, row: str = "") -> Verdict:
    """What an answer says as a whole, or in one row."""
    if answer is None or answer.status == "failed":
        return "failed"
    if answer.status != "ok":
        return answer.status
    if form.rows is None:
        return answer.choice or "abstained"
    listed: Sequence[Mapping[str, Any]] = answer.fields[form.rows.name]
    said = next(line for line in listed if line["id"] == row)[decisive(form.rows.fields)]
    words: dict[object, Verdict] = {True: "yes", False: "no", "yes": "yes", "no": "no"}
    return words.get(said, "abstained")


def decisive(fields: Sequence[Field]) -> str:
    """The field of a row that means yes or no: the first that is true or false, else one that has both to choose.

    >>> answer = Field(name="answer", kind="choice", says="", options=("yes", "no", "cannot tell"))
    >>> decisive([Field(name="seen", kind="text", says=""), answer])
    'answer'
    """
    plain = [field for field in fields if field.kind == "boolean"]
    chosen = [field for field in fields if {"yes", "no"} <= set(field.options)]
    return (plain + chosen)[0].name


def grade(asking: Asking, given: Sequence[Graded]) -> AskGrade:
    """One judge's grade in one ask; the interval of its error is over clips."""
    known = [one for one in given if one.right is not None]
    counts = Counter("right" if one.said == one.right else one.said for one in known)
    told = [one for one in known if one.said in ("yes", "no")]
    wrong = judge_bias.share([one.clip for one in told], [one.said != one.right for one in told])
    return AskGrade(
        ask=asking.name,
        label=asking.ask.label,
        ask_key=asking.ask.key,
        role=asking.ask.role,
        n=len(known),
        n_yes=sum(one.right == "yes" for one in known),
        right=counts["right"],
        abstained=counts["abstained"],
        invalid=counts["invalid"],
        failed=counts["failed"],
        unknown=len(given) - len(known),
        error=wrong.estimate.value if wrong.estimate else None,
        low=wrong.estimate.low if wrong.estimate else None,
        high=wrong.estimate.high if wrong.estimate else None,
        reason=_why(asking, known, wrong),
    )


def _why(asking: Asking, known: Sequence[Graded], wrong: judge_bias.Checked) -> str:
    """Why the error or its interval is missing, or nothing."""
    if not has_right_answer(asking.prompt):
        return f"nobody knows the right answer to the prompt '{asking.prompt.name}'"
    if not known:
        return "nothing was asked that has a right answer"
    if wrong.estimate is None:
        return "it never said yes or no"
    return "" if wrong.estimate.low is not None else wrong.estimate.method
