"""The oracle over every prompt it knows: right where there is a right answer, silent where its frames do not show it.

    python benchmarks/oracle.py [--run FOLDER]      writes benchmarks/oracle.md

Clips are true and faulty ones of `diorama-mini`, and of tasks of `diorama` that a cover hides or that are watched all
the time. What is right is said here a second time, by hand and by the fault's meaning (`MUST`), which the oracle never
learns: it knows no fault's name.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from lookaway.api import Silent
from lookaway.judges import Probe
from lookaway.judges.estimators import structured, vote
from lookaway.judges.oracle import answerers, found_in, oracle, replying
from lookaway.judges.oracle.dials import Dials
from lookaway.judges.oracle.known_answers import KnownAnswer, KnownAnswers
from lookaway.judges.prompting import Prompt, load, variants
from lookaway.judges.prompting.context import hiding_kind
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.answers import asked_of
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.seats import JudgeSeat, Member
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Ask, Choice, PlannedJudge, Task
from lookaway.store import Run

TRUTH = "truth"
FAULTS = (
    *("frozen", "reset", "undone", "skipped-ahead", "never-triggered@1", "vanished", "teleported", "floating"),
    *("duplicated", "wrong-colour", "wrong-shape", "wrong-state", "other-room", "background-melt", "static-camera"),
    *("never-returns@1", "camera-drag"),
)
COVERED = (
    *("street2_yarn_curtain_L", "street2_yarn_curtain_L_observed", "workshop0_yarn_lights-off_L"),
    *("kitchen0_conveyor_u-turn_L", "kitchen0_conveyor_u-turn_L_observed", "garden1_candle_yaw-right_L_observed"),
)
OF_COVERED = ("frozen", "reset", "teleported", "vanished", "duplicated", "dim-lights", "gaping-cover")
OUT = Path(__file__).parent / "oracle.md"
EVERY_FRAME, FEW_FRAMES = "uniform:96", "uniform:12"
ERROR = 0.1
SEEDS = range(8)

Y: Choice = "yes"
N: Choice = "no"
# What must be answered wherever the oracle answers at all. Prompts that ask whether something is wrong come second.
MUST: Mapping[str, Mapping[str, Choice]] = {
    TRUTH: {
        **dict.fromkeys(
            (
                *("wrbench/visible_place_follows", "wrbench/visible_place_steady", "wrbench/visible_state_follows"),
                *("wrbench/visible_state_advances", "wrbench/returned_place_right", "wrbench/returned_state_right"),
                *("stevo/hidden", "stevo/started", "question/there"),
            ),
            Y,
        ),
        **dict.fromkeys(
            (
                *("wrbench/visible_place_broken", "wrbench/visible_state_broken", "wrbench/returned_place_wrong"),
                *("wrbench/returned_state_wrong", "stevo/plausible", "stevo/coherent"),
            ),
            N,
        ),
    },
    "frozen": {"wrbench/returned_state_right": N, "wrbench/returned_state_wrong": Y, "stevo/progress": N},
    "reset": {"wrbench/returned_state_right": N, "wrbench/visible_state_broken": Y, "stevo/coherent": Y},
    "undone": {"wrbench/returned_state_right": N, "wrbench/visible_state_advances": N, "stevo/progress": N},
    "skipped-ahead": {"wrbench/returned_state_right": N, "stevo/progress:sound": N, "stevo/progress:paper": Y},
    "never-triggered@1": {"stevo/started": N, "wrbench/visible_state_advances": N, "stevo/plausible": N},
    "vanished": {"question/there": N, "stevo/coherent": Y},
    "teleported": {"wrbench/returned_place_right": N, "wrbench/returned_state_right": Y, "stevo/coherent": Y},
    "floating": {"wrbench/returned_place_right": N, "wrbench/visible_place_follows": N},
    "duplicated": {"wrbench/returned_place_wrong": Y, "wrbench/visible_place_broken": Y, "question/there": Y},
    "wrong-colour": {"stevo/plausible": Y, "wrbench/returned_place_right": Y, "wrbench/returned_state_right": Y},
    "wrong-shape": {"stevo/plausible": Y, "wrbench/returned_place_right": Y},
    "wrong-state": {"wrbench/returned_state_right": N, "wrbench/returned_place_right": Y},
    "other-room": {"wrbench/visible_place_steady": N, "stevo/coherent": Y, "wrbench/returned_state_right": Y},
    "background-melt": {"wrbench/visible_place_steady": N, "stevo/plausible": Y},
    "static-camera": {"stevo/hidden": N, "wrbench/visible_place_follows": Y, "stevo/plausible": N},
    "never-returns@1": {"stevo/hidden": Y, "question/there": N},
    "gaping-cover": {"stevo/hidden": N, "wrbench/visible_place_follows": Y, "stevo/plausible": N},
    "camera-drag": {"wrbench/visible_place_broken": Y, "wrbench/visible_place_follows": N},
}


@dataclass(frozen=True)
class Case:
    """One finding: of a prompt about a clip, or of one row of it; `said` by dial, as the reply was read."""

    prompt: str  # name:variant
    row: str
    model: str  # `truth` as well where the task hides nothing: what faults do unseen they do not do there
    media: str
    finding: KnownAnswer
    must: bool | None  # what is right by hand
    said: Mapping[str, tuple[bool | None, ...]]
    made: bool = False
    blank: bool = False  # asked of grey pictures


DIALS: Mapping[str, list[Dials]] = {
    "0": [Dials()],
    "error": [Dials(ERROR, seed=seed) for seed in SEEDS],
    "per clip": [Dials(ERROR, per_clip=1.0, seed=seed) for seed in SEEDS],
}


# ---------------------------------------------------------------- asking


def cases(run: Run, sheet: Sheet, asked: Sequence[Prompt]) -> Iterator[Case]:
    """All that these prompts ask about a clip."""
    each = [item for prompt in asked if can_be_put(prompt, sheet) for item in items(sheet, prompt)]
    media = {m for item in each for m in (item.media, item.beside) if m is not None}
    reels = {m: reel_of(run.blobs.path(m), still=m == sheet.task.first_frame) for m in media}
    footage = Footage().add(reels, each)
    for item in each:
        (put,) = asked_of(item, sheet.task, footage, run.root)
        yield from findings(item, sheet, put.probe(0))


def findings(item: Item, sheet: Sheet, probe: Probe) -> Iterator[Case]:
    found = found_in(probe)
    assert oracle(probe).text == replying(probe, Dials()).text(found)
    read = {dial: [values(probe, found, dials) for dials in each] for dial, each in DIALS.items()}
    made, name = answerers()[item.prompt.name].made, f"{item.prompt.name}:{item.prompt.variant}"
    model = TRUTH if sheet.task.yoked else sheet.clip.case.system
    for number, finding in enumerate(found if isinstance(found, list) else [found]):
        said = {dial: tuple(each[number] for each in replies) for dial, replies in read.items()}
        blank = item.ask.showing == "blank"
        row = row_name(item, number)
        must = must_be(item.prompt, row, model, sheet.task)
        yield Case(name, row, model, item.media, finding, must, said, made, blank)


def items(sheet: Sheet, prompt: Prompt) -> list[Item]:
    sees, seat = prompt.declared.sees, SEAT
    assert sheet.clip.video is not None
    about_first = prompt.name.startswith("memobench/write") or prompt.name == "stevo/progress_expect"
    every = prompt.name in ("stevo/progress", "stevo/progress_observed")
    ask = Ask(
        prompt=prompt.name,
        variant=prompt.variant,
        frames=EVERY_FRAME if every else FEW_FRAMES,
        about="first_frame" if about_first else "clip",
        reference=prompt.declared.reference,
        window="returned@replay" if "return_seconds" in sees else "",
    )
    media = sheet.task.first_frame if about_first else sheet.clip.video
    spans = returned(sheet) if "return_seconds" in sees else None
    given = {"expected_change": "what follows from it", "hint": "something is wrong"}
    plain = Item(prompt.name, ask, prompt, seat, media, sheet.task.instance, spans=spans, given=given)
    if prompt.name == "pair":
        return pairs(plain, sheet)
    each = [replace(plain, questions=sheet.bank.questions)]
    if "question" in sees:
        each = [replace(plain, name=question.id, questions=(question,)) for question in sheet.bank.questions]
    blank = [replace(i, ask=i.ask.model_copy(update={"showing": "blank"})) for i in each if needs_pictures(i, sheet)]
    return [*each, *blank]


def needs_pictures(item: Item, sheet: Sheet) -> bool:
    """Asked of grey pictures as well: of true clips, what no request answers by itself."""
    if sheet.clip.case.system != TRUTH or item.ask.about != "clip":
        return False
    none = {"stevo/hidden": hiding_kind(sheet.task) == "none", "stevo/started": sheet.task.action_control == "none"}
    return not none.get(item.prompt.name, False)


def pairs(plain: Item, sheet: Sheet) -> list[Item]:
    true = sheet.others.get(TRUTH)
    if true is None or true.video is None:
        return []
    return [
        replace(plain, name=place, ask=plain.ask.model_copy(update={"showing": place}), beside=true.video)
        for place in ("before", "after")
    ]


def returned(sheet: Sheet) -> tuple[tuple[float, float], ...] | None:
    """As the task has it: what an observer would have measured on the true clip."""
    return tuple((i.start_s, i.end_s) for i in sheet.task.phases if i.phase == "returned") or None


def values(probe: Probe, found: KnownAnswers, dials: Dials) -> list[bool | None]:
    """What is replied, read as the runner reads it: one value, or one per row."""
    text = replying(probe, dials).text(found)
    if probe.form.kind == "yes_no":
        return [{"yes": True, "no": False}.get(vote(text, "complete"))]
    verdict = structured([(text, "complete")], probe.form)
    assert verdict.status == "ok", (probe.about.prompt, verdict.reason, text)
    if probe.form.rows is not None:
        return [_row_value(row) for row in verdict.fields[probe.form.rows.name]]
    if not probe.form.decided_by:
        assert isinstance(found, KnownAnswer)
        return [all(verdict.fields[name] == value for name, value in found.fields.items())]
    return [verdict.choice == "yes"]


def _row_value(row: Mapping[str, Any]) -> bool | None:
    for name in ("identifiable", "judgeable"):
        if name in row:
            return bool(row[name])
    return {"yes": True, "no": False}.get(str(row.get("answer", row.get("good_answer"))))


def row_name(item: Item, number: int) -> str:
    """Such as the id of a question."""
    if item.prompt.form.rows is not None and item.prompt.form.rows.of == "questions":
        return item.questions[number].id
    return item.name if item.name != item.prompt.name else ""


# ---------------------------------------------------------------- counting


def must_be(prompt: Prompt, row: str, model: str, task: Task) -> bool | None:
    """What is right by hand, where that was said."""
    if prompt.name == "stevo/started" and task.action_control == "none":
        return True  # by the prompt's own rule, whatever the clip shows
    known = MUST.get(model, {})
    asked = f"question/{row}" if prompt.name in ("question", "memobench/answer") else prompt.name
    choice = known.get(f"{asked}:{prompt.variant}", known.get(asked))
    return None if choice is None else choice == "yes"


@dataclass(frozen=True)
class Line:
    prompt: str
    cases: int
    answerable: int
    right: int
    by_hand: int
    right_by_hand: int
    unseen: int
    inexact: int
    blank: int
    blank_silent: int
    errors: int
    asked: int
    spread: float  # variance of errors per clip against that of independent ones
    spread_per_clip: float

    @property
    def interval(self) -> tuple[float, float]:
        found = binomtest(self.errors, self.asked, ERROR).proportion_ci(method="exact") if self.asked else None
        return (0.0, 1.0) if found is None else (float(found.low), float(found.high))


def line(prompt: str, asked: Sequence[Case]) -> Line:
    each, blank = [case for case in asked if not case.blank], [case for case in asked if case.blank]
    answerable = [case for case in each if case.finding.says is not None]
    by_hand = [case for case in answerable if case.must is not None]
    wrong = [said != case.finding.says for case in answerable for said in case.said["error"]]
    return Line(
        prompt,
        len(each),
        len(answerable),
        sum(case.said["0"][0] == case.finding.says for case in answerable),
        len(by_hand),
        sum(case.said["0"][0] == case.must for case in by_hand),
        sum(case.finding.says is None and not case.finding.seen for case in each),
        sum(case.finding.says is None and case.finding.seen for case in each),
        len(blank),
        sum(case.finding.says is None and not case.finding.seen for case in blank),
        sum(wrong),
        len(wrong),
        spread(answerable, "error"),
        spread(answerable, "per clip"),
    )


def spread(each: Sequence[Case], dial: str) -> float:
    """Variance of the number of errors per clip, against that of independent errors of the same rate; 1 is no bond."""
    errors: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for case in each:
        for seed, said in enumerate(case.said[dial]):
            errors[case.media, seed].append(said != case.finding.says)
    counts = np.array([len(drawn) for drawn in errors.values()], float)
    wrong = np.array([sum(drawn) for drawn in errors.values()], float)
    if not len(counts) or not 0 < wrong.sum() < counts.sum():
        return float("nan")
    rate = wrong.sum() / counts.sum()
    return float(((wrong - rate * counts) ** 2).sum() / (rate * (1 - rate) * counts.sum()))


HEAD = (
    *("prompt", "cases", "answerable", "right", "by hand", "right by hand", "not shown", "no exact answer"),
    *("blank: silent", "error rate", "spread", "with per_clip"),
)
ABOUT = """# The oracle over every prompt

Made by `python benchmarks/oracle.py`: {cases} cases about {clips} clips, true and of {faults} faults, with twelve
frames each (progress: all frames).

- *Answerable*: there is one right answer, and the frames show it. *Right*: the oracle's reply at dial 0, read as the
  runner reads it.
- *By hand*: answerable cases whose answer was written down beforehand by the fault's meaning, which the oracle is not
  told.
- *Not shown*: the evidence is not among the frames, and the oracle cannot tell. *No exact answer*: near a margin, or
  the question does not say; neither right nor wrong. *Blank*: true clips asked about with grey pictures.
- *Error rate* at `error=0.1`, {seeds} seeds, with its 95 % binomial interval; {held} of {rows} hold 0.1.
- *Spread*: variance of the errors of a clip against that of independent ones, without and with `per_clip=1`. One case a
  clip has nothing to share.
- What the oracle writes itself (`write_…`, `progress_expect`) stands apart, below the sum.

"""


def page(lines: Sequence[Line], whole: Line, made: Sequence[Line], clips: int) -> str:
    """The table as Markdown."""
    measured = [found for found in (*lines, *made) if found.asked]
    held = sum(found.interval[0] <= ERROR <= found.interval[1] for found in measured)
    faults = len({name.partition("@")[0] for name in (*FAULTS, *OF_COVERED)})
    about = ABOUT.format(cases=whole.cases, clips=clips, faults=faults, seeds=len(SEEDS), held=held, rows=len(measured))
    rule = f"|{'---|' * len(HEAD)}"
    return about + "\n".join([f"| {' | '.join(HEAD)} |", rule, *map(row, [*lines, whole, *made]), ""])


def row(found: Line) -> str:
    low, high = found.interval
    rate = f"{found.errors / found.asked:.3f} [{low:.3f}, {high:.3f}]" if found.asked else "–"
    spreads = ["–" if np.isnan(value) else f"{value:.2f}" for value in (found.spread, found.spread_per_clip)]
    told = [found.cases, found.answerable, found.right, found.by_hand, found.right_by_hand, found.unseen, found.inexact]
    blank = f"{found.blank_silent} of {found.blank}" if found.blank else "–"
    return f"| {found.prompt} | {' | '.join(map(str, told))} | {blank} | {rate} | {' | '.join(spreads)} |"


# ---------------------------------------------------------------- the run

MEMBER = Member("oracle", "", {})
SEAT = JudgeSeat(PlannedJudge(judge="oracle"), (MEMBER,))


def made(folder: Path, suite: str, models: Sequence[str], tasks: Sequence[str | None]) -> tuple[Run, list[Sheet]]:
    run = Run(folder)
    plan = plans.extend(run, suite, [system(name) for name in models])
    for task in tasks:
        for name in ("tasks", "controls", "generate"):
            run_stage(STAGES[name], run, plan, Options(only=task), Silent())
    found = [sheet for sheet in sheets(run, plan, [], [TRUTH]) if sheet.clip.video is not None]
    true_last = sorted(found, key=lambda sheet: sheet.clip.case.system == TRUTH)
    once = {(sheet.clip.video, sheet.task.id): sheet for sheet in true_last}  # equal clips draw equal errors
    return run, [replace(s, task=with_end_edit(s.task)) for s in once.values()]


def with_end_edit(task: Task) -> Task:
    """What one prompt is told, and tasks of the known world have not."""
    return task.model_copy(update={"end_edit": task.expected_end})


def prompts() -> list[Prompt]:
    """Every variant of every prompt that the oracle knows; texts that it makes itself come last."""
    named = sorted(answerers().values(), key=lambda known: (known.made, known.prompt))
    return [load(known.prompt, variant) for known in named for variant in variants(known.prompt)]


def can_be_put(prompt: Prompt, sheet: Sheet) -> bool:
    """Whether the task has what the prompt must be told; what is asked of the first frame is asked once."""
    once = answerers()[prompt.name].made and sheet.clip.case.system != TRUTH
    sees = prompt.declared.sees
    untold = ("interval" in sees and not sheet.task.yoked) or ("return_seconds" in sees and not returned(sheet))
    return not once and not untold


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where clips are kept")
    given = parser.parse_args()
    found: dict[str, list[Case]] = {f"{p.name}:{p.variant}": [] for p in prompts()}
    clips = 0
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        runs = [
            made(out / "mini", "diorama-mini", (TRUTH, *FAULTS), [None]),
            made(out / "covered", "diorama", (TRUTH, *OF_COVERED), COVERED),
        ]
        for run, sheet in ((run, sheet) for run, known in runs for sheet in known):
            clips += 1
            for case in cases(run, sheet, prompts()):
                found[case.prompt].append(case)
    judged = {name: each for name, each in found.items() if not answerers()[name.partition(":")[0]].made}
    texts = [line(name, each) for name, each in found.items() if name not in judged]
    whole = line("all but texts", [case for each in judged.values() for case in each])
    OUT.write_text(page([line(name, each) for name, each in judged.items()], whole, texts, clips))
    for case in (case for each in judged.values() for case in each if not case.blank):
        if None not in (case.finding.says, case.must) and case.must != case.finding.says:
            sys.stderr.write(f"not as by hand: {case.prompt} {case.row} {case.model} {case.finding.why}\n")
    sys.stdout.write(OUT.read_text())


if __name__ == "__main__":
    main()
