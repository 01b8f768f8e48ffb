"""`world`: what the known world is made of, and any task of it on one page."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console, Group
from rich.table import Table

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, console, print_json
from lookaway.errors import UnknownName, UsageError, problems
from lookaway.records import WorldSpec

if TYPE_CHECKING:
    from lookaway.contact import SheetContent
    from lookaway.suites import Draft
    from lookaway.worlds import Traits

KNOWN_WORLD = "worlds"  # the extra that every suite of the known world needs
FREE = re.compile(r"(?P<layout>[^/:]+)/(?P<process>[^/:]+)(?::(?P<seed>\d{1,9}))?")

world = group("world", "The known world: what it is made of, and its tasks on a page.")


@world.command("list")
def list_parts(as_json: JsonFlag = False) -> None:
    """List the layouts and the processes of the known world."""
    from lookaway.worlds import LAYOUTS, PROCESSES

    places = [{"layout": name, "place": LAYOUTS.find(name).place} for name in LAYOUTS.names()]
    kinds = [_process_row(name, PROCESSES.find(name).traits) for name in PROCESSES.names()]
    if as_json:
        print_json({"layouts": places, "processes": kinds})
    else:
        console().print(Group(_table(places), "", _table(kinds)))


@world.command()
def show(
    name: Annotated[str, typer.Argument(help="A task, or any world as LAYOUT/PROCESS[:SEED].", metavar="TASK|WORLD")],
    suite: Annotated[
        str | None, typer.Option(help="The task's suite; without it all suites of the known world are searched.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The PNG to write; else it is named after what it shows.")
    ] = None,
    side: Annotated[str, typer.Option(help="Where the subject of a WORLD starts: left or right.")] = "left",
    variant: Annotated[str, typer.Option(help="Of a WORLD: plain, opposite or still.")] = "plain",
    as_json: JsonFlag = False,
) -> None:
    """Draw a task, or any process in any layout, on one page."""
    from lookaway.contact import contact_sheet
    from lookaway.images import png_bytes
    from lookaway.names import file_name

    path = out or Path(file_name(name.replace("/", "-").replace(":", "-")) + ".png")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: no folder {path.parent} to write the sheet to")
    with Console(stderr=True).status(f"building {name}"):
        content = _world_content(name, side, variant) if "/" in name else _task_content(_find_draft(name, suite))
    try:
        path.write_bytes(png_bytes(contact_sheet(content)))
    except OSError as error:
        raise UsageError(f"{path}: cannot write the sheet here: {error.strerror}") from error
    facts = _facts(content)
    if as_json:
        print_json(facts | {"sheet": str(path)})
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for key, value in facts.items():
        table.add_row(key, "\n".join(value) if isinstance(value, list) else str(value))
    console().print(table)
    typer.echo(f"sheet: {path}")


def _process_row(name: str, traits: Traits) -> dict[str, Any]:

    return {
        "process": name,
        "category": traits.category,
        "event": traits.event,
        "places": sorted(traits.places),
        "opposite": traits.opposite,
        "glows": traits.glows,
        "leaves": traits.leaves,
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in rows[0]:
        table.add_column(column, overflow="fold", style="bold" if column == next(iter(rows[0])) else None)
    for row in rows:
        table.add_row(*(_said(value) for value in row.values()))
    return table


def _said(value: str | bool | list[str]) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return value if isinstance(value, str) else ", ".join(value)


def _find_draft(task: str, suite: str | None) -> Draft:
    from lookaway.suites import SUITES, find

    known = [find(suite)] if suite else [s for s in SUITES.all().values() if s.extra == KNOWN_WORLD]
    drafts = {draft.id: draft for each in known for draft in each.drafts()}
    if task not in drafts:
        raise UnknownName(f"task in {' or '.join(each.name for each in known)}", task, drafts)
    return drafts[task]


def _task_content(draft: Draft) -> SheetContent:
    """Build that one task into a folder that goes away again."""
    from lookaway import truth
    from lookaway.contact import task_content
    from lookaway.store import Blobs
    from lookaway.worlds import world_of

    with tempfile.TemporaryDirectory() as folder:
        blobs = Blobs(Path(folder))
        task, reference, _ = draft.built(blobs)
        if reference is None or task.world is None:
            raise UsageError(f"{task.id}: not a task of the known world; only those have a contact sheet")
        world = world_of(task.world, (task.width, task.height))
        return task_content(task, truth.load(reference, blobs.root), world)


def _world_content(name: str, side: str, variant: str) -> SheetContent:
    from lookaway.contact import world_content
    from lookaway.worlds import World

    asked = FREE.fullmatch(name)
    if asked is None:
        raise UsageError(
            f"'{name}' is not a world; write LAYOUT/PROCESS or LAYOUT/PROCESS:SEED, such as parlour/ball:3"
        )
    given = {"layout": asked["layout"], "process": asked["process"], "seed": int(asked["seed"] or 0)}
    try:
        spec = WorldSpec.model_validate(given | {"side": side, "variant": variant})
    except ValidationError as error:
        raise UsageError(f"{name}: {problems(error)}") from error
    return world_content(World(spec))


def _facts(content: SheetContent) -> dict[str, str | list[str]]:
    changes = [f"{name} from {values[0]:.3f} to {values[-1]:.3f}" for name, values in content.states.items()]
    return {
        "what": content.title,
        "facts": list(content.facts),
        "prompt": content.prompt,
        "expected end": content.end,
        "lasts": f"{content.seconds[-1]:g} s, {len(content.seconds)} frames",
        "phases": [f"{p.phase} from {p.start_s:.2f} to {p.end_s:.2f} s" for p in content.phases],
        "state": changes,
    }
