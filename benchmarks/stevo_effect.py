"""The observation effect on `diorama` with a judge that knows: the truth loses nothing, a frozen world its progress.

    python benchmarks/stevo_effect.py [--tasks N] [--out FOLDER]      writes benchmarks/stevo_effect.md

Tasks are chosen in turn from every category, each with its observed twin, and filmed by reference models: the truth, a
world that freezes unseen, and memories that forget after a few seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from itertools import chain, zip_longest
from pathlib import Path

from lookaway import suites
from lookaway.api import Silent
from lookaway.models import system
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Table
from lookaway.reports.drawing.markdown import markdown_table
from lookaway.store import Run
from lookaway.suites import Draft
from lookaway.suites.known_world import Shot

MODELS = ("truth", "frozen", "short-memory@2.0", "short-memory@1.0", "short-memory@0.5")
EVERY_FRAME = {"verifier.frames": "uniform:96"}
STAGE_NAMES = ("tasks", "controls", "generate", "judge", "score")
TABLES = ("observation-effect-stevo", "observation-effect-category-stevo", "observation-effect-mechanism-stevo")
OUT = Path(__file__).with_suffix(".md")


def chosen(most: int) -> list[str]:
    """Ids of tasks that hide something that goes on, the next of every category in turn, each with another look."""
    by_category: dict[str, list[Draft]] = defaultdict(list)
    for draft in suites.find("diorama").drafts():
        made = Shot.of(draft)
        if draft.hides and made.twin is None and made.world.variant == "plain":
            by_category[made.world.process].append(draft)
    turns = zip_longest(*by_category.values())
    return [draft.id for draft in chain.from_iterable(turns) if draft is not None][:most]


def measured(run: Run, tasks: list[str]) -> list[Table]:
    plan = plans.extend(
        run,
        "diorama",
        [system(name) for name in MODELS],
        chosen=["stevo"],
        judges=["verifier=oracle"],
        settings=EVERY_FRAME,
    )
    for task in tasks:
        for name in (task, f"{task}_observed"):
            for stage in STAGE_NAMES:
                run_stage(STAGES[stage], run, plan, Options(only=_exactly(name)), Silent())
    board = make_board(run, plan)
    return [table for name in TABLES for table in board.tables if table.name == name]


def _exactly(task: str) -> str:
    """A pattern that its twins do not match."""
    return f"[{task[0]}]{task[1:]}"


ABOUT = """# The observation effect with a judge that knows

Made by `python benchmarks/stevo_effect.py --tasks {tasks}`: {tasks} tasks of `diorama` and their observed twins, with
all frames shown to the oracle. `state_progress (yoked)` asks both arms the same question about the same seconds.
Memories forget after 2, 1 and 0.5 s out of sight; one that has forgotten loses progress and coherence together, where a
world that froze loses progress alone.

"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=24)
    parser.add_argument("--out", type=Path, help="where clips are kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Run(given.out or Path(folder) / "run"), chosen(given.tasks))
        OUT.write_text(ABOUT.format(tasks=given.tasks) + "\n".join(markdown_table(table) for table in found))
    sys.stdout.write(OUT.read_text())


if __name__ == "__main__":
    main()
