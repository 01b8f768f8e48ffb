"""The released question banks: how many questions each stage leaves, and what that says of the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lookaway.banks.counting import Funnel, banks_without_failing, floors, questions_of, separation
from lookaway.banks.filters import DIMENSIONS
from lookaway.published.lines import CheckLine, counted
from lookaway.published.memobench.release import CountedClip
from lookaway.records import BankDimension, Column, QuestionBank, Table, TableCell, TableRow

LABEL = "Question bank"
CLIPS = 360  # of which the conclusion speaks
PER_CLIP, PER_DIMENSION = 24, 6
BANKED, BANKED_SCENES = 45, 12  # clips and scenes of the whole released bank
STAGES = ("written", "pass on the true clip", "kept", "kept, and pass on the failure clip")


def stage_counts(banks: Sequence[QuestionBank], dimension: BankDimension | None = None) -> tuple[int, int, int, int]:
    """Questions that each stage leaves."""
    questions = questions_of(banks, dimension)
    left = Funnel.of(questions)
    return left.written, left.after_truth, left.kept, separation(questions).passing


def funnel(banks: Sequence[QuestionBank], protocol: str) -> Table:
    """Fig. 3: questions left at each stage, by dimension."""
    by_column: dict[str, tuple[int, int, int, int]] = {"all": stage_counts(banks)}
    by_column |= {name: stage_counts(banks, name) for name in DIMENSIONS}
    rates = {name: floors([one.question for one in questions_of(banks, name) if one.stays]) for name in DIMENSIONS}
    told = ", ".join(f"{name} {rate.always_yes:.3f}" for name, rate in rates.items() if rate is not None)
    return Table(
        name="fig3",
        title="Fig. 3: Questions left at each stage",
        shape="funnel",
        columns=tuple(Column(name=name, title=name, unit="questions", digits=0) for name in by_column),
        rows=tuple(
            TableRow(title=stage, cells=tuple(TableCell(value=counts[number]) for counts in by_column.values()))
            for number, stage in enumerate(STAGES)
        ),
        notes=(
            f"Counted in {len(banks)} banks of the release.",
            f"Always answering yes passes: {told}.",
            "Fail: by the first question to the failure clip, without the hint.",
        ),
        protocol=protocol,
        reading="A kept question that the failure clip passes as well cannot tell the failure from the truth.",
    )


def of_banks(banks: Sequence[QuestionBank]) -> list[CheckLine]:
    """24 written for each clip, six in each dimension; and that filters leave only what tells a failure."""
    return [_written(banks), _failures_told(banks), _stages(banks)]


def _written(banks: Sequence[QuestionBank]) -> CheckLine:
    differing = []
    for bank in banks:
        counts = Counter(one.question.dimension for one in bank.questions)
        if len(bank.questions) != PER_CLIP or set(counts.values()) != {PER_DIMENSION}:
            differing.append(f"{bank.task}: {dict(counts)}")
    return counted(LABEL, "24 questions for each clip, six in each dimension", differing, len(banks))


def _failures_told(banks: Sequence[QuestionBank]) -> CheckLine:
    *_, kept, passing = stage_counts(banks)
    what = "questions that do not penalise a known failure are removed"
    blind = len(banks_without_failing(banks))
    remark = f"{blind} of {len(banks)} banks keep no question that the failure clip fails"
    differing = [f"{passing} of {kept} kept questions pass on the failure clip"] if passing else []
    return CheckLine(
        LABEL, what, "contradicts" if differing else "agrees", kept - passing, kept, remark, tuple(differing)
    )


def _stages(banks: Sequence[QuestionBank]) -> CheckLine:
    told = " → ".join(map(str, stage_counts(banks)[:3]))
    return CheckLine(
        "Fig. 3", f"questions left at each stage: {told}", "layout only", remark="the paper prints no count"
    )


def coverage(failures: Sequence[CountedClip]) -> list[CheckLine]:
    """Of which clips there can be a bank: those of which a failure is known."""
    scenes = {clip.scene for clip in failures}
    real = sum(not clip.scene for clip in failures)
    told = (
        f"failure clips, which a bank needs, are listed for {len(failures)} clips of {len(scenes)} scenes, {real} real"
    )
    as_counted = (len(failures), len(scenes), real) == (BANKED, BANKED_SCENES, 0)
    return [
        counted("Table 3", "pass rates over all 360 clips", [told] if len(failures) < CLIPS else [], 1),
        counted(LABEL, "45 synthetic clips of 12 scenes", [] if as_counted else [told], 1, "12 scenes, as in Fig. 4"),
    ]
