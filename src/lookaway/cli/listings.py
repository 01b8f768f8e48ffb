"""`suites`, `tasks`, `metrics`, `models`: what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lookaway.cli import app
from lookaway.cli.common import Ending, JsonFlag, console, print_json, stage_command
from lookaway.pipeline.stage import Options, check_only, run_stage


@app.command()
def suites(as_json: JsonFlag = False) -> None:
    """List the suites."""
    from lookaway.suites import SUITES

    rows = [
        {
            "suite": s.name,
            "version": s.version,
            "tasks": len(s.drafts()),
            "summary": s.summary,
            "extra": s.extra,
        }
        for s in SUITES.all().values()
    ]
    _show(rows, as_json)


@app.command()
@stage_command
def tasks(
    suite: Annotated[str, typer.Argument(help="A suite's name or folder.")],
    options: Options,
    ending: Ending,
    out: Annotated[Path | None, typer.Option(help="Also build the tasks into this run folder.")] = None,
) -> None:
    """List a suite's tasks; with --out, build their first frames and truth (stage `tasks`)."""
    from lookaway.suites import find

    if out is not None:
        from lookaway.cli.progress import progress
        from lookaway.pipeline import STAGES, plans
        from lookaway.store import Run

        run = Run(out)
        plan = plans.extend(run, suite, keep=not options.dry_run)
        reports = [run_stage(STAGES["tasks"], run, plan, options, progress())]
        check_only(reports, options)
        ending(reports)
        return
    rows = [
        {"task": d.id, "scene": d.scene, "seconds": d.seconds, "fps": d.fps, "camera": d.camera}
        for d in find(suite).drafts()
    ]
    _show(rows, ending.as_json)


@app.command()
def metrics(as_json: JsonFlag = False) -> None:
    """List the metrics."""
    from lookaway.metrics import METRICS

    rows = [
        {
            "metric": m.name,
            "variant": m.variant,
            "version": m.version,
            "unit": m.unit,
            "better": m.better,
            "needs": ", ".join([*m.needs, *(["a judge"] if m.needs_answers else [])]),
            "gates": ", ".join(m.gates),
            "what": m.doc.splitlines()[0] if m.doc else "",
        }
        for m in METRICS.all().values()
    ]
    _show(rows, as_json, hide=("version", "gates"))


@app.command()
def models(as_json: JsonFlag = False) -> None:
    """List the model cards."""
    from lookaway.models import load, names

    cards = [load(name) for name in names()]
    if as_json:
        print_json([card.model_dump(mode="json") for card in cards])
        return
    _show(
        [{"model": c.name, "condition": c.condition_type, "control": c.control, "summary": c.summary} for c in cards],
        False,
    )


def _show(rows: list[dict[str, Any]], as_json: bool, hide: tuple[str, ...] = ()) -> None:
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    columns = [name for name in rows[0] if name not in hide] if rows else []
    for name in columns:
        table.add_column(name, overflow="fold", style="bold" if name == columns[0] else None)
    for row in rows:
        table.add_row(*("" if row[name] is None else str(row[name]) for name in columns))
    console().print(table)
