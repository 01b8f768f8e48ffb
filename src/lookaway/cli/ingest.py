"""`ingest`: bring a folder of videos."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from lookaway.cli import app
from lookaway.cli.common import Ending, OutRun, console, stage_command
from lookaway.errors import UsageError
from lookaway.pipeline.mapping import Mapping, VideoLayout
from lookaway.pipeline.stage import Options, check_only, run_stage
from lookaway.records import CaseId, Plan, System
from lookaway.video.names import printable

MOST_LINES = 20  # of each kind; --json lists all


@app.command()
@stage_command
def ingest(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of videos, or of folders of frames.")],
    suite: Annotated[str, typer.Option(help="A suite's name or folder.")],
    out: OutRun,
    options: Options,
    ending: Ending,
    model: Annotated[str | None, typer.Option(help="What to call the model that made them; else as its card.")] = None,
    card: Annotated[str | None, typer.Option(help="Its card, a model's name or card file: what it was given.")] = None,
    map_file: Annotated[Path | None, typer.Option("--map", help="CSV with columns video,task[,seed].")] = None,
    pattern: Annotated[str | None, typer.Option(help="Such as '{task}_{seed}.mp4'; {any} skips text.")] = None,
    layout: Annotated[
        VideoLayout | None,
        typer.Option(help="Where the videos lie; as the release of which the suite is made has it, else names."),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep this model's earlier clips; only add to them.")] = False,
) -> None:
    """Take in videos that you have, matched to the tasks of a suite.

    Says what matched and what did not. `lookaway run --out RUN` then measures them. Files beside a video that tell its
    camera are read, see docs/bring-your-videos.md.
    """
    from lookaway.cli.progress import progress
    from lookaway.pipeline import STAGES, plans
    from lookaway.pipeline.clips import current_clips
    from lookaway.pipeline.ingest import stage
    from lookaway.pipeline.mapping import layout_of, map_folder
    from lookaway.store import make_run
    from lookaway.suites import find

    maker, run = _maker(model, card), make_run(out)
    asked = find(suite)
    laid = layout or layout_of(asked.name)
    mapping = map_folder(folder, [draft.id for draft in asked.drafts()], map_file, pattern, laid)
    row = _row(plans.extend(run, suite, [maker], keep=False), maker)
    cases = [CaseId(task=task, system=row, seed=seed) for task, seed in mapping.slots(with_missing=not add)]
    check_only(options, cases)
    if not ending.as_json:
        console().print(mapping_table(mapping))
        for note in (*mapping.notes, *_unreasoned(maker)):
            console().print(f"note: {note}", soft_wrap=True, highlight=False, style="yellow")
    plan = plans.extend(run, suite, [maker], keep=not options.dry_run)
    bar = progress()
    reports = [
        run_stage(replace(STAGES["tasks"], cases=lambda run, plan: cases), run, plan, _whole(options), bar),
        run_stage(stage(mapping, row, add), run, plan, options, bar),
    ]
    unusable = [o for o in reports[1].outcomes if o.status == "unreadable"]
    if not ending.as_json:
        if not options.dry_run:
            notes = [(c.case, c.provenance.note) for c in current_clips(run, plan) if c.case.system == row]
            _say([f"unreadable {outcome.name}: {outcome.reason}" for outcome in unusable])
            _say([f"note {case}: {note}" for case, note in notes if note])
        typer.echo(mapping_counts(mapping))
        if not options.dry_run:
            typer.echo(f"next: lookaway run --out {shlex.quote(str(out))}")
    ending(reports, mapping=mapping_json(mapping))
    if len(unusable) > ending.max_failures:
        raise typer.Exit(1)


def _maker(model: str | None, card: str | None) -> System:
    """Who made the videos: by name, by card, or by a card under another name."""
    from lookaway.models import ingested, load

    known = load(card) if card is not None else None
    name = model or (known.name if known is not None else None)
    if name is None:
        raise UsageError("give --model NAME, or --card with a model's name or card file; see: lookaway model list")
    if "/" in name:
        raise UsageError(f"--model '{name}' must not contain a slash")
    return ingested(name, known)


def _row(plan: Plan, maker: System) -> str:
    """What the row of the videos is called: another system of the same name may have one already."""
    return next(system.label for system in plan.systems if system.key == maker.key)


def _unreasoned(maker: System) -> list[str]:
    """Said of a card that sorts its system and does not tell why."""
    card = maker.card
    if card.condition_type == "unknown" or card.condition_reason or card.source("condition_type"):
        return []
    return [f'the card sorts it as {card.condition_type} without a reason; write condition_reason = "…" into it']


def _say(lines: list[str]) -> None:
    for line in lines[:MOST_LINES]:
        typer.echo(line)
    if (left := len(lines) - MOST_LINES) > 0:
        typer.echo(and_more(left))


def _whole(options: Options) -> Options:
    """Tasks are built whole, whichever of their videos are taken now."""
    return replace(options, limit=None, shard=(1, 1))


def mapping_table(mapping: Mapping) -> Table:
    """Everything found and everything missing, one line each; of many of a kind the first, and how many more."""
    table = Table(
        title=f"mapping of {printable(str(mapping.folder))}", title_justify="left", box=None, padding=(0, 2, 0, 0)
    )
    for column in ("", "video", "task", "seed"):
        table.add_column(column, overflow="fold")
    for kind, rows in _rows(mapping).items():
        for row in rows[:MOST_LINES]:
            table.add_row(kind, *row, style=None if kind == "matched" else "yellow")
        if (left := len(rows) - MOST_LINES) > 0:
            table.add_row("", and_more(left), "", "", style="dim")
    return table


def _rows(mapping: Mapping) -> dict[str, list[tuple[str, str, str]]]:
    """Video, task and seed of each line, by kind."""
    return {
        "matched": [(_name(mapping, path), task, str(seed)) for (task, seed), path in mapping.matched.items()],
        "ambiguous": [
            (_name(mapping, path), task, str(seed))
            for (task, seed), paths in mapping.ambiguous.items()
            for path in paths
        ],
        "unmatched video": [(_name(mapping, path), _hint(mapping, path), "") for path in mapping.unmatched],
        "task without a video": [("", task, str(seed)) for task, seed in mapping.without_video],
    }


def _hint(mapping: Mapping, path: Path) -> str:
    return f"did you mean {mapping.meant[path]}?" if path in mapping.meant else ""


def and_more(left: int) -> str:
    return f"… and {left:,} more"


def mapping_counts(mapping: Mapping) -> str:
    return (
        f"{len(mapping.matched)} matched, {len(mapping.unmatched)} unmatched videos, "
        f"{len(mapping.without_video)} tasks without a video, {len(mapping.ambiguous)} ambiguous"
    )


def mapping_json(mapping: Mapping) -> dict[str, object]:
    return {
        "matched": {f"{task}/{seed}": _name(mapping, path) for (task, seed), path in mapping.matched.items()},
        "ambiguous": {
            f"{task}/{seed}": [_name(mapping, p) for p in paths] for (task, seed), paths in mapping.ambiguous.items()
        },
        "unmatched": [_name(mapping, path) for path in mapping.unmatched],
        "did_you_mean": {_name(mapping, path): task for path, task in mapping.meant.items()},
        "without_video": [f"{task}/{seed}" for task, seed in mapping.without_video],
    }


def _name(mapping: Mapping, path: Path) -> str:
    return printable(str(path.relative_to(mapping.folder)))
