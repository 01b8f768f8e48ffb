"""The official banks of MemoBench: a CSV per clip whose cells hold, as JSON, what each stage said.

`{scene}-{video_id}-questions.csv` has one line. Which clip that is, and what is wrong with its failure, stands in
`failure-cases.csv`: scene, video_id, hint, folder. A file of another name is called by its clip.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from lookaway.banks import checked_bank
from lookaway.banks.counting import Funnel, banks_without_failing, floors, questions_of, separation
from lookaway.banks.filters import DIMENSIONS
from lookaway.errors import UsageError, problems
from lookaway.records import BankDimension, BankedQuestion, BankStage, BankStep, BankTrial, Question, QuestionBank
from lookaway.suites.releases.reading import text_of

NAMES: Mapping[str, BankDimension] = {
    "Instruction Following": "instruction",
    "Object and Background": "things",
    "Continuity of Memory": "memory",
    "Physics Adherence": "physics",
}
STAGES: Mapping[Literal["on_truth", "on_failure", "with_hint"], str] = {
    "on_truth": "Evaluation on ground truth",
    "on_failure": "Evaluation on failure",
    "with_hint": "Revised Evaluation on failure",
}
START, FINAL = "Start Questions", "Final questions"
COLUMNS = ("scene", "video_id", START, *STAGES.values(), FINAL)
FAILURE = "failure"  # the release has one failure clip for each of its clips
RELEASE = "memobench"
FAILURE_CASES = "failure-cases.csv"
FAILURE_COLUMNS = ("scene", "video_id", "hint", "folder")


class ReleasedQuestion(BaseModel):
    """One entry of a cell."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int = Field(alias="ID")
    dimension: Literal[
        "Instruction Following", "Object and Background", "Continuity of Memory", "Physics Adherence"
    ] = Field(alias="Dimension")
    polarity: Literal["Positive", "Negative"] = Field(alias="Dimension Polarity")
    text: str = Field(alias="Question")
    answer: Literal["Yes", "No"] | None = Field(None, alias="Answer")
    verdict: Literal["Pass", "Fail"] | None = Field(None, alias="Verdict")
    reasoning: str = Field("", alias="Reasoning")


ReleasedCell = Mapping[int, ReleasedQuestion]
_QUESTIONS = TypeAdapter(list[ReleasedQuestion])


@dataclass(frozen=True)
class ReleasedBanks:
    """The banks of a release, and what is odd about them, in words."""

    banks: dict[str, QuestionBank]
    report: list[str]


def read_release(folder: Path, failures: Path | None = None) -> ReleasedBanks:
    """Every bank of the folder, by the name of its clip; failure cases that lie in it or beside it need no name."""
    files = sorted(folder.glob("*.csv")) if folder.is_dir() else []
    files = [path for path in files if path.name != FAILURE_CASES]
    if not files:
        raise UsageError(f"{folder}: no file called SCENE-ID-questions.csv; give the folder of MemoBench's banks")
    near = (place / FAILURE_CASES for place in (folder, folder.resolve().parent))
    failures = failures or next((path for path in near if path.is_file()), None)
    cases = read_failures(failures) if failures is not None else {}
    banks: dict[str, QuestionBank] = {}
    odd: list[str] = []
    for path in files:
        for number, row in _rows(path):
            clip = None if path.stem.endswith("-questions") else path.stem
            bank, lines = _bank(row, f"{path.name}:{number}", cases, clip)
            if bank.task in banks:
                raise UsageError(f"{path}: a second bank of {bank.task}")
            banks[bank.task] = checked_bank(bank, str(path))
            odd += [f"{bank.task}: {line}" for line in lines]
    return ReleasedBanks(banks, [*totals(list(banks.values())), *odd])


@dataclass(frozen=True)
class FailureCase:
    folder: str
    hint: str


def read_failures(path: Path) -> dict[tuple[str, str], FailureCase]:
    """The clip of each scene and video, and what is wrong with its failure."""
    lines = list(csv.DictReader(io.StringIO(text_of(path), newline="")))
    if not lines or any(line.get(name) is None for line in lines for name in FAILURE_COLUMNS):
        raise UsageError(f"{path}: not the release's failure cases: a line has no {', '.join(FAILURE_COLUMNS)}")
    return {
        (line["scene"], line["video_id"]): FailureCase(line["folder"].strip(), line["hint"].strip().strip('"'))
        for line in lines
    }


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a cell holds all that was said of 24 questions
    for number, row in enumerate(csv.DictReader(io.StringIO(text_of(path), newline="")), 2):
        if missing := [name for name in COLUMNS if row.get(name) is None]:
            raise UsageError(f"{path}:{number}: has no column '{missing[0]}'")
        yield number, row


def _bank(
    row: Mapping[str, str], where: str, cases: Mapping[tuple[str, str], FailureCase], clip: str | None
) -> tuple[QuestionBank, list[str]]:
    cells = {name: _cell(row[name], f"{where}, {name}") for name in (START, *STAGES.values(), FINAL)}
    start = cells[START]
    for name, cell in cells.items():
        if strangers := sorted(cell.keys() - start.keys()):
            raise UsageError(f"{where}, {name}: question {strangers[0]} is not among those that were written")
    case = cases.get((row["scene"], row["video_id"]))
    clip = clip or (case.folder if case is not None else f"{row['scene']}_{row['video_id']:0>3}")
    asked = [_question(one, cells) for one in start.values()]
    step = BankStep(name="imported", by=RELEASE, how="kept by the release: stable on its failure clip under the hint")
    bank = QuestionBank(task=clip, hint=case.hint if case is not None else "", steps=(step,), questions=tuple(asked))
    return bank, [*_reworded(cells), *_oddities(bank, start)]


def _cell(text: str, where: str) -> ReleasedCell:
    try:
        found = _QUESTIONS.validate_python(json.loads(text))
    except (ValueError, TypeError, RecursionError) as error:
        said = problems(error) if isinstance(error, ValidationError) else str(error)
        raise UsageError(f"{where}: not a JSON list of questions: {said}") from error
    if len({one.id for one in found}) < len(found):
        raise UsageError(f"{where}: two questions have the same ID")
    return {one.id: one for one in found}


def _question(one: ReleasedQuestion, cells: Mapping[str, ReleasedCell]) -> BankedQuestion:
    """With the verdict of every stage: what goes on to the next one was kept."""
    true, failing, final = (one.id in cells[name] for name in (*[STAGES["on_truth"], STAGES["on_failure"]], FINAL))
    verdicts: dict[BankStage, str] = {"written": "kept"}
    verdicts |= {"on_truth": "kept" if failing else "dropped"} if true else {}
    verdicts |= {"on_failure": "kept", "with_hint": "kept" if final else "dropped"} if failing else {}
    text = cells[FINAL][one.id].text if final else one.text
    verdicts |= {"review": "edited"} if text != one.text else {}
    question = Question(
        id=str(one.id),
        text=text,
        dimension=NAMES[one.dimension],
        polarity="positive" if one.polarity == "Positive" else "negative",
        expected="yes" if one.polarity == "Positive" else "no",
        verdicts=verdicts,
    )
    trials = tuple(_trial(stage, cells[name][one.id]) for stage, name in STAGES.items() if one.id in cells[name])
    return BankedQuestion(question=question, original=one.text if text != one.text else "", trials=trials)


def _trial(stage: Literal["on_truth", "on_failure", "with_hint"], said: ReleasedQuestion) -> BankTrial:
    return BankTrial.model_validate(
        {
            "stage": stage,
            "clip": "truth" if stage == "on_truth" else FAILURE,
            "answer": said.answer.lower() if said.answer else None,
            "seen": said.reasoning,
            "recorded": said.verdict.lower() if said.verdict else "",
        }
    )


def _reworded(cells: Mapping[str, ReleasedCell]) -> list[str]:
    """Questions that a stage has in other words than those that were written."""
    return [
        f"question {one.id}: its words in '{name}' are not those in '{START}'"
        for name, cell in cells.items()
        for one in cell.values()
        if one.text != cells[START][one.id].text
    ]


def _oddities(bank: QuestionBank, start: ReleasedCell) -> list[str]:
    """What contradicts itself in a bank."""
    found = []
    for one in bank.questions:
        for trial in one.trials:
            passed = one.passed(trial)
            if trial.recorded and passed is not None and (trial.recorded == "pass") != passed:
                said = f"'{trial.answer}' to a question that expects {one.question.expected}"
                found.append(f"question {one.question.id}, {trial.stage}: {said} is printed as a {trial.recorded}")
    for dimension in DIMENSIONS:
        yes = [q.polarity == "Positive" for q in start.values() if NAMES[q.dimension] == dimension]
        if yes.count(True) != yes.count(False):
            found.append(f"{dimension}: {yes.count(True)} questions expect yes, {yes.count(False)} no")
    return found


def totals(banks: Sequence[QuestionBank]) -> list[str]:
    """The counts of the release, stage by stage."""
    every = questions_of(banks)
    stages, told = Funnel.of(every), separation(every)
    without = banks_without_failing(banks)
    rates = [floors([o.question for o in questions_of(banks, d) if o.stays]) for d in DIMENSIONS]
    yes = ", ".join(f"{d} {rate.always_yes:.3f}" for d, rate in zip(DIMENSIONS, rates, strict=True) if rate)
    return [
        f"{len(banks)} banks: {stages.written} questions written, {stages.after_truth} after the truth, "
        f"{stages.kept} kept",
        f"{told.passing} of {told.tried} that were kept pass on the failure clip; "
        f"{len(without)} of {len(banks)} banks keep no question that it fails",
        f"always yes passes: {yes}",
    ]
