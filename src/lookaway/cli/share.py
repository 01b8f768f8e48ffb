"""`share`: what a run hands on to others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, Protocols, RunFolder, parse_list, print_json, print_rows
from lookaway.cli.exporting import costs, results, schema, tables, upload
from lookaway.cli.sealing import audit, seal, site
from lookaway.cli.travelling import fetch, send
from lookaway.errors import LookawayError, UnknownName, UsageError

share = group("share", "Hand on what a run found: seals, a site, tables, pairs.")
share.command("seal")(seal)
share.command("audit")(audit)
share.command("site")(site)
for verb in (send, fetch, tables, results, schema, costs, upload):
    share.command(verb.__name__)(verb)


@share.command()
def preferences(
    run: RunFolder,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the files go; without it, into the run folder.")
    ] = None,
    axes: Annotated[str | None, typer.Option(help="Axes, separated by commas; without it, all.")] = None,
    margin: Annotated[
        list[str] | None, typer.Option(metavar="AXIS=LEAD", help="What the better clip must lead by on an axis.")
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, help="At most so many pairs of an axis and task.")] = None,
    with_static: Annotated[
        bool, typer.Option("--with-static", help="Keep pairs whose rejected clip has a camera that never turned.")
    ] = False,
    protocols: Protocols = None,
    as_json: JsonFlag = False,
) -> None:
    """Write pairs of better and worse clips to train on.

    preferences.jsonl and preferences.parquet hold prompt, chosen, rejected, axis, margin and the evidence;
    preferences.json counts what was removed, and why. Paths of videos are told from the run folder.
    """
    from lookaway.pipeline import plans
    from lookaway.preferences import export
    from lookaway.preferences.axes import AXIS_NAMES, PairRules
    from lookaway.store import open_run, write_whole

    chosen = parse_list(axes) if axes is not None else AXIS_NAMES
    rules = PairRules(
        axes=tuple(_known(name, "axis", AXIS_NAMES) for name in chosen),
        margins={_known(name, "axis", AXIS_NAMES): lead for name, lead in map(_margin, margin or [])},
        with_static=with_static,
        by_people=axes is None,
        most=most,
    )
    folder = open_run(run)
    plan = plans.load(folder)
    if protocols is not None:
        names = [one.name for one in plan.protocols]
        wanted = [_known(name, "protocol in this run", names) for name in parse_list(protocols)]
        plan = plan.model_copy(update={"protocols": tuple(p for p in plan.protocols if p.name in wanted)})
    found = export.preferences(folder, plan, rules)
    place = out or folder.root
    place.mkdir(parents=True, exist_ok=True)
    written = [str(write_whole(place / name, data)) for name, data in export.all_files(found, rules).items()]
    told = export.counts(found)
    if as_json:
        print_json(export.summary(told, rules) | {"written": written})
    else:
        print_rows([{"axis": one.axis, "pairs": one.pairs, "removed": _reasons(one.removed)} for one in told], False)
        for path in written:
            typer.echo(path)
    if found.pairs.is_empty():
        raise LookawayError(export.why_none(told))


def _known(name: str, kind: str, names: Sequence[str]) -> str:
    if name not in names:
        raise UnknownName(kind, name, names)
    return name


def _margin(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        lead = float(number)
    except ValueError:
        lead = -1.0
    if not 0 < lead < float("inf"):
        raise UsageError(f"--margin '{text}' must be AXIS=LEAD with a lead above 0, such as integrity=0.05")
    return name, lead


def _reasons(removed: dict[str, int]) -> str:
    return "\n".join(f"{n} {why}" for why, n in removed.items()) or "none"
