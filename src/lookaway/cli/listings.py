"""`suites`, `tasks`, `metrics`, `models`: what there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from lookaway.cli import app
from lookaway.cli.common import Ending, JsonFlag, console, print_json, stage_command
from lookaway.pipeline.stage import Options, check_selected, run_stage
from lookaway.records import ModelCard


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
        check_selected(reports[0], options)
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
def models(
    name: Annotated[str | None, typer.Argument(help="Show this card whole, with the source of each fact.")] = None,
    reference: Annotated[bool, typer.Option("--reference", help="List the reference models instead.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """List the systems that papers evaluate and the baselines; with a name, show one card."""
    from lookaway.models import load, names
    from lookaway.models.table import ordered, row

    if name is not None:
        _show_card(load(name), as_json)
        return
    cards = ordered([load(card) for card in names()])
    if as_json:
        print_json([card.model_dump(mode="json") for card in cards])
        return
    apart = [{"model": c.name, "what": c.summary} for c in cards if c.condition_type == "known-world"]
    if reference:
        _show(apart, False)
        return
    _show([row(card) for card in cards if card.condition_type != "known-world"], False)
    console().print(
        "\n? is unknown. `lookaway models NAME` shows a card whole, `lookaway models --reference` "
        f"the {len(apart)} reference models."
    )


def _show_card(card: ModelCard, as_json: bool) -> None:
    """Each fact with the number of its source, and the sources below."""
    if as_json:
        print_json(card.model_dump(mode="json"))
        return
    console().print(f"{card.name}: {card.summary}", style="bold")
    for paper, evaluation in card.papers.items():
        label = f" ({evaluation.label})" if evaluation.label else ""
        console().print(f"{paper} calls it {', '.join(evaluation.called)}{label}")
    console().print(f"made by the generator {card.generator}\n")
    sources = list(dict.fromkeys(source for fact in card.facts() if (source := card.source(fact))))
    _show([_fact(card, fact, value, sources) for fact, value in card.facts().items()], False)
    console().print()
    for number, source in enumerate(sources, 1):
        console().print(f"[{number}] {source}", soft_wrap=True)


def _fact(card: ModelCard, fact: str, value: object, sources: list[str]) -> dict[str, str]:
    if value is None:
        return {"fact": fact, "value": "unknown", "source": ""}
    said = ", ".join(value) if isinstance(value, tuple) else str(value)
    source = card.source(fact)
    return {"fact": fact, "value": said, "source": f"[{sources.index(source) + 1}]" if source else "no source"}


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
