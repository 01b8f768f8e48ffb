"""The oracle over every prompt it knows: right where there is a right answer, silent where its frames do not show it.

    python benchmarks/oracle.py [--run FOLDER]      writes benchmarks/oracle.md

Clips are those of `diorama-mini`, true and faulty, and of observed and covered tasks of `diorama`. What is right is said
here a second time, by hand and by the fault's meaning (`MUST`), which the oracle never learns: it knows no fault's name.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from lookaway.api import Silent
from lookaway.judges import Probe, Said
from lookaway.judges.estimators import structured, vote
from lookaway.judges.oracle import answerers, found_in, oracle
from lookaway.judges.oracle.dials import dials_of
from lookaway.judges.oracle.findings import Finding, Findings, Replying
from lookaway.judges.prompting import Prompt, load, variants
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.answers import asked_of
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.seats import Member, Seat
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Ask, Choice, PlannedJudge, Setting
from lookaway.store import Run

TRUTH = "truth"
FAULTS = (
    *("frozen", "reset", "undone", "skipped-ahead", "never-triggered", "vanished", "teleported", "floating"),
    *("duplicated", "wrong-colour", "wrong-shape", "wrong-state", "other-room", "background-melt", "static-camera"),
    *("never-returns", "camera-drag"),
)
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
    "never-triggered": {"stevo/started": N, "wrbench/visible_state_advances": N, "stevo/plausible": N},
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
    "never-returns": {"stevo/hidden": Y, "question/there": N},
    "camera-drag": {"wrbench/visible_place_broken": Y, "wrbench/visible_place_follows": N},
}


@dataclass(frozen=True)
class Case:
    """One finding: of a prompt about a clip, or of one row of it; `said` by dial, as the reply was read."""

    prompt: str  # name:variant
    row: str
    model: str
    media: str
    finding: Finding
    said: Mapping[str, tuple[bool | None, ...]]
    made: bool


DIALS: Mapping[str, list[dict[str, Setting]]] = {
    "0": [{}],
    "error": [{"error": ERROR, "seed": seed} for seed in SEEDS],
    "per clip": [{"error": ERROR, "per_clip": 1.0, "seed": seed} for seed in SEEDS],
}


# ---------------------------------------------------------------- asking


def cases(run: Run, sheet: Sheet, asked: Sequence[Prompt]) -> Iterator[Case]:
    """All that these prompts ask about a clip."""
    each = [item for prompt in asked if can_be_put(prompt, sheet) for item in items(sheet, prompt)]
    media = {m for item in each for m in (item.media, item.beside) if m is not None}
    reels = {m: reel_of(run.blobs.path(m), still=m == sheet.task.first_frame) for m in media}
    footage = Footage(reels, each)
    for item in each:
        (put,) = asked_of(item, sheet.task, footage, run.root)
        yield from findings(item, sheet, put.probe(0))


def findings(item: Item, sheet: Sheet, probe: Probe) -> Iterator[Case]:
    found = found_in(probe)
    assert oracle(probe).text == reply(probe, found, {}).text
    read = {dial: [values(probe, reply(probe, found, s)) for s in each] for dial, each in DIALS.items()}
    made, name = answerers()[item.prompt.name].made, f"{item.prompt.name}:{item.prompt.variant}"
    for number, finding in enumerate(found if isinstance(found, list) else [found]):
        said = {dial: tuple(each[number] for each in replies) for dial, replies in read.items()}
        yield Case(name, row_name(item, number), sheet.clip.case.system, item.media, finding, said, made)


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
    if "question" in sees:
        return [replace(plain, name=question.id, questions=(question,)) for question in sheet.bank.questions]
    if prompt.name == "pair":
        return pairs(plain, sheet)
    return [replace(plain, questions=sheet.bank.questions)]


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


def reply(probe: Probe, found: Findings, settings: Mapping[str, Setting]) -> Said:
    about = probe.about
    return Said(Replying(probe.form, dials_of(settings), about.media, about.question).text(found), finish="complete")


def values(probe: Probe, said: Said) -> list[bool | None]:
    """What a reply says, read as the runner reads it: one value, or one per row."""
    if probe.form.kind == "yes_no":
        return [{"yes": True, "no": False}.get(vote(said.text, said.finish))]
    verdict = structured([(said.text, said.finish)], probe.form)
    assert verdict.status == "ok", (probe.about.prompt, verdict.reason, said.text)
    rows = probe.form.rows
    if rows is not None:
        return [_row_value(row) for row in verdict.fields[rows.name]]
    if not probe.form.decided_by:
        return ["goes down" not in str(verdict.fields)]  # the oracle's own text, or the same turned round
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


def must_be(case: Case) -> bool | None:
    """What is right by hand, where that was said."""
    name, _, variant = case.prompt.partition(":")
    known = MUST.get(case.model, {})
    asked = f"question/{case.row}" if name in ("question", "memobench/answer") else name
    choice = known.get(f"{asked}:{variant}", known.get(asked))
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
    errors: int
    asked: int
    spread: float  # variance of errors per clip against that of independent ones
    spread_per_clip: float

    @property
    def interval(self) -> tuple[float, float]:
        found = binomtest(self.errors, self.asked, ERROR).proportion_ci(method="exact") if self.asked else None
        return (0.0, 1.0) if found is None else (float(found.low), float(found.high))


def line(prompt: str, each: Sequence[Case]) -> Line:
    answerable = [case for case in each if case.finding.says is not None]
    by_hand = [(case, must) for case in answerable if (must := must_be(case)) is not None]
    wrong = [said != case.finding.says for case in answerable for said in case.said["error"]]
    return Line(
        prompt,
        len(each),
        len(answerable),
        sum(case.said["0"][0] == case.finding.says for case in answerable),
        len(by_hand),
        sum(case.said["0"][0] == must for case, must in by_hand),
        sum(case.finding.says is None and not case.finding.seen for case in each),
        sum(case.finding.says is None and case.finding.seen for case in each),
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


def page(lines: Sequence[Line], whole: Line, seconds: str) -> str:
    """The table as Markdown."""
    head = [
        "# The oracle over every prompt",
        "",
        f"{whole.cases} cases: the clips of `diorama-mini`, true and of {len(FAULTS)} faults. *Answerable*: there is one",
        "right answer and the frames show it. *Right by hand*: of those whose answer was written down by the fault's",
        "meaning, which the oracle is not told. *Not shown*: the evidence is not among the frames, and the oracle cannot",
        "tell. *No exact answer*: near a margin, or the question does not say. *Errors* at `error=0.1`, eight seeds, with",
        "the 95 % binomial interval of the rate. *Spread*: variance of errors per clip against independent ones, without",
        "and with `per_clip=1`. Rows that the oracle writes itself (`write_…`, `progress_expect`) stand apart at the end.",
        "",
        "| prompt | cases | answerable | right | by hand | right by hand | not shown | no exact answer | error rate | spread | with per_clip |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(row, lines), row(whole), "", seconds, ""])


def row(found: Line) -> str:
    low, high = found.interval
    rate = f"{found.errors / found.asked:.3f} [{low:.3f}, {high:.3f}]" if found.asked else "–"
    spreads = ["–" if np.isnan(value) else f"{value:.2f}" for value in (found.spread, found.spread_per_clip)]
    told = [found.cases, found.answerable, found.right, found.by_hand, found.right_by_hand, found.unseen, found.inexact]
    return f"| {found.prompt} | {' | '.join(map(str, told))} | {rate} | {' | '.join(spreads)} |"


# ---------------------------------------------------------------- the run

MEMBER = Member("oracle", "", {})
SEAT = Seat(PlannedJudge(judge="oracle"), (MEMBER,))


def made(folder: Path) -> tuple[Run, list[Sheet]]:
    run = Run(folder)
    plan = plans.extend(run, "diorama-mini", [system(name) for name in (TRUTH, *FAULTS)])
    for name in ("tasks", "controls", "generate"):
        run_stage(STAGES[name], run, plan, Options(), Silent())
    return run, [sheet for sheet in sheets(run, plan, [], [TRUTH]) if sheet.clip.video is not None]


def prompts() -> list[Prompt]:
    """Every variant of every prompt that the oracle knows; texts that it makes itself come last."""
    named = sorted(answerers().values(), key=lambda known: (known.made, known.prompt))
    return [load(known.prompt, variant) for known in named for variant in variants(known.prompt)]


def can_be_put(prompt: Prompt, sheet: Sheet) -> bool:
    """Whether the task has what the prompt must be told."""
    sees = set(prompt.declared.sees) - set(prompt.declared.may_be_none)
    return not ("interval" in sees and not sheet.task.yoked) and not ("end_edit" in sees and not sheet.task.end_edit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, known = made(given.run or Path(folder))
        found: dict[str, list[Case]] = {f"{p.name}:{p.variant}": [] for p in prompts()}
        for sheet in known:
            for case in cases(run, sheet, prompts()):
                found[case.prompt].append(case)
    lines = [line(name, each) for name, each in found.items()]
    judged = [case for each in found.values() for case in each if not case.made]
    OUT.write_text(page(lines, line("all but texts", judged), ""))
    for name, each in found.items():
        for case in each:
            must = must_be(case)
            if case.finding.says is not None and must is not None and must != case.finding.says:
                print("BY HAND", name, case.row, case.model, case.media[:8], case.finding)
    print(OUT.read_text())


if __name__ == "__main__":
    main()
