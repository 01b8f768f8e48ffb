"""`share tables`, `results`, `schema`, `costs` and `upload`: a run's numbers in the formats that others read."""

from __future__ import annotations

import json
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lookaway.cli.common import JsonFlag, RunFolder, print_rows
from lookaway.errors import LookawayError, UnknownName, UsageError


class TableFormat(StrEnum):
    """In which form tables are written."""

    latex = "latex"
    markdown = "markdown"
    csv = "csv"
    json = "json"
    parquet = "parquet"


class HubKind(StrEnum):
    """What a repository at a hub is."""

    model = "model"
    dataset = "dataset"
    space = "space"


def tables(
    run: RunFolder,
    table: Annotated[
        list[str] | None, typer.Option(help="Only this table, such as cells-diorama; several may be given.")
    ] = None,
    format: Annotated[TableFormat, typer.Option(help="How tables are written.")] = TableFormat.latex,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where they go; without it, printed.")] = None,
    list_names: Annotated[bool, typer.Option("--list", help="Only list the tables that there are.")] = False,
) -> None:
    """Write a run's tables, for a paper or a program.

    LaTeX needs booktabs and makecell. CSV and Parquet hold a line for every cell, with interval, n, marks and reason.
    """
    from lookaway.pipeline import make_board, placeless_board, plans
    from lookaway.sharing.table_files import table_file
    from lookaway.store import open_run, write_whole

    opened = open_run(run)
    known = {one.name: one for one in placeless_board(make_board(opened, plans.load(opened)), opened).tables}
    if list_names:
        print_rows([{"table": one.name, "title": one.title} for one in known.values()], False)
        return
    for name in table or []:
        if name not in known:
            raise UnknownName("table in this run", name, known)
    if not known:
        raise LookawayError(f"{run}: its protocols have no tables yet; go on with: lookaway run --out {run}")
    content = table_file([known[name] for name in dict.fromkeys(table or known)], format)
    if out is not None:
        typer.echo(str(write_whole(out, content)))
    elif format is TableFormat.parquet:
        raise UsageError("Parquet is not for a screen; say --out FILE")
    else:
        typer.echo(content.decode(), nl=False)


def results(
    run: RunFolder,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go.")],
    organisation: Annotated[str, typer.Option(help="Who hands these results on.")],
    relationship: Annotated[
        str, typer.Option(help="To the model: first_party, third_party, collaborative or other.")
    ] = "third_party",
    dataset: Annotated[
        str, typer.Option(metavar="OWNER/NAME", help="A benchmark at the hub; adds .eval_results files.")
    ] = "",
    url: Annotated[str, typer.Option(help="Where more is told.")] = "",
) -> None:
    """Write a run's results in formats of other tools.

    Every Eval Ever 0.3 and Hugging Face .eval_results.

    A cell without a number has no place in them; our counts stand in their details and notes.
    """
    from lookaway.names import inside
    from lookaway.pipeline import make_board, placeless_board, plans
    from lookaway.sharing.results import RELATIONSHIPS, Origin, result_files
    from lookaway.store import open_run, write_whole

    if relationship not in RELATIONSHIPS:
        raise UnknownName("relationship", relationship, RELATIONSHIPS)
    opened = open_run(run)
    plan = plans.load(opened)
    now = time.time()
    origin = Origin(organisation, relationship, int(now), time.strftime("%Y-%m-%d", time.gmtime(now)), url)
    board = placeless_board(make_board(opened, plan), opened)
    for name, text in result_files(board, plan.systems, origin, dataset).items():
        path = inside(out, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        typer.echo(str(write_whole(path, text)))


def schema() -> None:
    """Print the JSON schema of every record."""
    from lookaway.sharing.schemas import record_schema

    typer.echo(json.dumps(record_schema(), ensure_ascii=False, indent=1))


def costs(run: RunFolder, as_json: JsonFlag = False) -> None:
    """Sum what clips and judging cost; what nobody told is a dash."""
    from lookaway.sharing.costs import costs as summed
    from lookaway.store import open_run

    print_rows(summed(open_run(run)), as_json)


def upload(
    folder: Annotated[Path, typer.Argument(help="What is sent, such as what share results wrote.", metavar="FOLDER")],
    repository: Annotated[str, typer.Option("--to", metavar="OWNER/NAME", help="The repository at the hub.")],
    kind: Annotated[HubKind, typer.Option(help="What that repository is.")] = HubKind.dataset,
    endpoint: Annotated[str, typer.Option(metavar="URL", help="Another hub than huggingface.co.")] = "",
    commit: Annotated[bool, typer.Option("--commit", help="Commit at once instead of opening a pull request.")] = False,
) -> None:
    """Send a folder to a hub, as a pull request.

    Needs the extra `hub` and a token in HF_TOKEN. A file that tells of this machine stops it before anything is sent.
    """
    from lookaway.sharing.uploads import upload as sent

    typer.echo(sent(folder, repository, kind=kind, endpoint=endpoint, pull_request=not commit))
