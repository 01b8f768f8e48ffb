"""`demo`: the main job end to end, on the known world, with nothing to download."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path

from lookaway.cli import app
from lookaway.cli.common import Ending, OutRun, console, stage_command
from lookaway.cli.run import start_run
from lookaway.pipeline.stage import Options
from lookaway.store import Run

MODELS = ("truth", "compressed", "frozen", "short-memory@1.5", "static-camera")  # compressed must raise no alarm
FORGETFUL = "short-memory@1.5"  # two of its clips are looked at again, as videos that somebody brings
LOOKED_AT = slice(0, 4, 2)


@app.command()
@stage_command
def demo(
    options: Options,
    ending: Ending,
    out: OutRun = Path("demo"),
) -> None:
    """Try it all on reference models, with nothing to download.

    Five reference models in the known world are measured and reported, and the metrics measured on them. Some of the
    clips are then looked at as if nobody knew where they come from.
    """
    from lookaway.models import system
    from lookaway.pipeline import plans
    from lookaway.store import make_run

    run = make_run(out)
    extend = functools.partial(plans.extend, run, "diorama-mini", [system(name) for name in MODELS])
    if options.workers == 1:
        options = replace(options, workers=min(4, os.cpu_count() or 1))
    start_run(run, extend, options, ending)
    if not options.dry_run and not ending.as_json:
        _look(run, options)
        console().print(f"\nopen {run.root / 'report.html'}", soft_wrap=True, highlight=False, markup=False)


def _look(run: Run, options: Options) -> None:
    """Print what `lookaway look` says of a few clips, and keep its report beside the demo's."""
    from lookaway.cli.progress import progress
    from lookaway.looking.brought import BroughtVideo, Wishes
    from lookaway.looking.walk import looked_at
    from lookaway.pipeline import plans
    from lookaway.pipeline.clips import current_clips
    from lookaway.pipeline.tasks import built_tasks

    plan = plans.load(run)
    tasks = built_tasks(run, plan)
    media = {c.case.task: c.video for c in current_clips(run, plan) if c.case.system == FORGETFUL and c.video}
    subjects = {name: subject for name in [*media][LOOKED_AT] if (subject := tasks[name].subject) is not None}
    wishes = Wishes(
        boxes={name: subject.box for name, subject in subjects.items()},
        subjects={name: subject.name for name, subject in subjects.items()},
        hfov_deg=next((tasks[name].hfov_deg for name in subjects), None),
    )
    videos = [BroughtVideo(name, run.blobs.path(media[name])) for name in subjects]
    looks = looked_at(videos, wishes, run.root / "looked", ["real"], replace(options, only=None), progress())
    console().print(f"\nThe same without the truth, as `lookaway look` tells clips of {FORGETFUL}:", highlight=False)
    for said in looks.said:
        console().print(f"{said.id}: {said.text}", soft_wrap=True, highlight=False, markup=False)
    console().print(str(run.root / "looked" / "report.html"), soft_wrap=True, highlight=False, markup=False)
