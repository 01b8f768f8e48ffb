"""Banks on the known world: written by the oracle for every task of a suite, and filtered in all three forms.

    python benchmarks/banks.py [--suite diorama-mini] [--only PATTERN] [--run FOLDER] > benchmarks/banks.md

Clips of faults are made first, and kept in the run folder. The oracle writes and answers, so that what is dropped is
dropped for what the clips show and not for a judge's mistakes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
from pathlib import Path

from lookaway.api import Silent
from lookaway.banks.counting import (
    Funnel,
    banks_without_failing,
    floors,
    questions_of,
    separation,
    short_dimensions,
)
from lookaway.banks.filters import DIMENSIONS, RULES
from lookaway.models import system
from lookaway.pipeline import STAGES, plans
from lookaway.pipeline.bank_asking import BankDesk, bank_plan
from lookaway.pipeline.bank_making import filter_banks, write
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import QuestionBank
from lookaway.store import make_run

FAULTS = (
    *("vanished", "duplicated", "wrong-colour", "wrong-size", "reset", "undone", "floating", "sunk"),
    *("background-melt", "other-room", "never-returns", "jump-cut", "camera-drag", "never-triggered"),
)


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--suite", default="diorama-mini")
    given.add_argument("--only", default=None)
    given.add_argument("--run", type=Path, default=None)
    said = given.parse_args()
    with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
        made = made_banks(said.run or Path(folder) / "run", said.suite, said.only)
    sys.stdout.write(page(said.suite, made))


def made_banks(root: Path, suite: str, only: str | None) -> dict[str, dict[str, QuestionBank]]:
    """The banks of every form of the failure filter, by task."""
    run = make_run(root)
    plan = plans.extend(run, suite, [system(name) for name in FAULTS], chosen=["questions"])
    for stage in ("tasks", "controls", "generate"):
        run_stage(STAGES[stage], run, plan, Options(only=only), Silent())
    desk = BankDesk(run, bank_plan(run, ["oracle"], {}), Options(), Silent())
    written = write(desk)
    assert not written.missing, written.missing
    return {rule: filter_banks(desk, written.banks, rule).banks for rule in RULES}


def page(suite: str, made: dict[str, dict[str, QuestionBank]]) -> str:
    tasks = len(made["sound"])
    lines = [
        f"# Banks of {suite}, by the oracle",
        "",
        *textwrap.wrap(
            f"Made by `python benchmarks/banks.py`: 24 questions on each of {tasks} tasks, put to the true clip and to "
            f"clips of {len(FAULTS)} faults: {', '.join(FAULTS)}. `main_text` and `hint` are held on the first fault "
            "that a task can show, as the paper has one failure clip a task; their prompts want a yes or a no, and "
            "the oracle says no where it cannot tell.",
            110,
            break_on_hyphens=False,
        ),
        "",
        "Failing: at least one fault fails the question. Floors: what passes who always says the same.",
        "",
        "| form | dimension | written | the truth passes | kept | of them failing | always yes | always no |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rule, banks in made.items():
        lines += [_row(rule, dimension, list(banks.values())) for dimension in (*DIMENSIONS, None)]
    return "\n".join([*lines, "", *_short(made), ""])


def _row(rule: str, dimension: str | None, banks: list[QuestionBank]) -> str:
    mine = questions_of(banks, dimension)  # type: ignore[arg-type]
    stages, told = Funnel.of(mine), separation(mine)
    rate = floors([one.question for one in mine if one.stays])
    yes, no = ("–", "–") if rate is None else (f"{rate.always_yes:.2f}", f"{rate.always_no:.2f}")
    counts = (stages.written, stages.after_truth, stages.kept, told.failing)
    return "| " + " | ".join([rule, dimension or "all", *map(str, counts), yes, no]) + " |"


def _short(made: dict[str, dict[str, QuestionBank]]) -> list[str]:
    found = []
    for rule, banks in made.items():
        short = sum(bool(short_dimensions(bank)) for bank in banks.values())
        without = len(banks_without_failing(banks.values()))
        found.append(
            f"- `{rule}`: {short} of {len(banks)} banks have a dimension with fewer than 2 questions; "
            f"{without} keep none that a failure fails."
        )
    separating = separation(questions_of(made["sound"].values()))
    found.append(f"- In `sound`, {separating.separating} of {separating.tried} kept pass on truth and fail on a fault.")
    return found


if __name__ == "__main__":
    main()
