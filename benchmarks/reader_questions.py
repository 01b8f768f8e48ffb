"""Ten questions about the demo's five systems for a reader who sees nothing but report.html, with the right answers.

    python benchmarks/reader_questions.py RUN            the questions
    python benchmarks/reader_questions.py RUN --answers  and what is right, computed from the run

A page is good enough where somebody who has never seen it answers nine of them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

from lookaway.pipeline import make_board, make_exhibits, plans
from lookaway.records import Board
from lookaway.reports.exhibits import Exhibits, ShownClip
from lookaway.store import open_run

FROZEN, FADING, STATIC = "frozen", "short-memory@1.5", "static-camera"
TASK = "parlour0_ball_left"


class Asked(NamedTuple):
    question: str
    answer: str


def questions(board: Board, shown: Exhibits) -> list[Asked]:
    reached = {(step.system, step.step): step for step in board.ledger}
    steps = [step.name for step in board.protocols[0].ledger]
    whole = [s for s in board.systems if reached[s, steps[-1]].reached == reached[s, steps[-1]].total]
    first = reached[STATIC, steps[0]]
    clock = board.cell(FROZEN, "world_clock")
    state = board.cell(FADING, "return_state")
    place = board.cell(STATIC, "return_place")
    known = board.cell(FADING, "world_clock")
    curve = next(c for c in board.dose if (c.system, c.dose) == (FADING, "hidden_s"))
    fits = [p for p in curve.points if p.value]
    fails = [p for p in curve.points if p.value == 0]
    clips = {clip.case: clip for task in shown.tasks for clip in task.clips}
    worst = max((c for c in clips.values() if c.system == FROZEN), key=lambda clip: value(clip, "return_place"))
    wrong = sum(reached[FROZEN, "right place"].lost.values())
    return [
        Asked("Which systems keep their world going in every clip?", ", ".join(whole)),
        Asked(
            "Which system was never tested for memory, why, and in how many of its clips?",
            f"{STATIC}: its camera does not turn away; {sum(first.lost.values())} of {first.total} clips",
        ),
        Asked("Whose clock stops while nobody looks, and what does it read?", f"{FROZEN}: {clock.value:z.2f}"),
        Asked(
            "Which system forgets only after some time, and after about how many seconds out of sight?",
            f"{FADING}: right up to {fits[-1].dose_high:.2f} s in some clips, never from {fails[0].dose_low:.2f} s on",
        ),
        Asked(
            "In how many clips of frozen is the subject in a wrong place on return, of how many that came so far?",
            f"{wrong} of {wrong + reached[FROZEN, 'right place'].reached}",
        ),
        Asked(
            "What is the mean return state of short-memory@1.5, with its interval and n?",
            f"{state.value:.2f} [{state.low:.2f}, {state.high:.2f}], n={state.ok} of {state.n}",
        ),
        Asked(
            "How many clips of static-camera have a number for return place, and what became of the others?",
            f"{place.ok} of {place.n}; {place.avoided} gated: the video never posed the question",
        ),
        Asked("Which clip of frozen has the worst return place, and what is it?", f"{worst.case}: {placed(worst)}"),
        Asked(
            f"In {TASK} by frozen: when does the subject's place come back, and which moment does it look like then?",
            clips[f"{TASK}/{FROZEN}/0"].moments[-1],
        ),
        Asked(
            "For how many clips of short-memory@1.5 can its clock be read, and why not for the others?",
            f"{known.ok} of {known.n}; {known.abstained} abstained: the subject was not found after the look-away",
        ),
    ]


def value(clip: ShownClip, metric: str) -> float:
    return next((s.score.value or 0.0 for s in clip.scores if s.score.metric == metric), 0.0)


def placed(clip: ShownClip) -> str:
    return f"{value(clip, 'return_place'):.2f} frame widths"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--answers", action="store_true")
    given = parser.parse_args()
    run = open_run(given.run)
    plan = plans.load(run)
    for number, one in enumerate(questions(make_board(run, plan), make_exhibits(run, plan, apart=True)), 1):
        sys.stdout.write(f"{number}. {one.question}\n" + (f"   {one.answer}\n" if given.answers else ""))


if __name__ == "__main__":
    main()
