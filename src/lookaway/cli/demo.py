"""`demo`: the main job end to end, on the known world, with nothing to download."""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from pathlib import Path

from lookaway.cli import app
from lookaway.cli.common import Ending, OutRun, stage_command
from lookaway.cli.run import start_run
from lookaway.pipeline.stage import Options

MODELS = ("truth", "compressed", "frozen", "short-memory@1.5", "static-camera")  # compressed must raise no alarm


@app.command()
@stage_command
def demo(
    options: Options,
    ending: Ending,
    out: OutRun = Path("demo"),
) -> None:
    """Try it all on reference models, with nothing to download.

    Five reference models in the known world are measured and reported, and the metrics measured on them.
    """
    from lookaway.models import system
    from lookaway.pipeline import plans
    from lookaway.store import make_run

    run = make_run(out)
    extend = functools.partial(plans.extend, run, "diorama-mini", [system(name) for name in MODELS])
    if options.workers == 1:
        options = replace(options, workers=min(4, os.cpu_count() or 1))
    start_run(run, extend, options, ending)
