"""`weights`: of learned observers, judges and workers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, print_json, print_rows

if TYPE_CHECKING:
    from lookaway.weights import Weights

MIRROR_VARIABLE = "LOOKAWAY_WEIGHTS_MIRROR"

weights = group("weights", "Weights of learned observers and judges: list them, get them.")


@weights.command("list")
def list_weights(as_json: JsonFlag = False) -> None:
    """List the weights: used by, licence, size, whether they are here.

    A size is about right until the weights are here. --json also tells files, hashes and whether commercial use is
    allowed.
    """
    from lookaway.weights import catalogue

    rows = [_row(each) for each in catalogue()]
    if as_json:
        print_json(rows)
        return
    told = {"weights": "name", "used by": "used_by", "licence": "licence"}
    shown = [{title: row[field] for title, field in told.items()} | _told(row) for row in rows]
    print_rows([row | {"used by": ", ".join(row["used by"])} for row in shown], as_json)
    if not all(row["here"] for row in rows):
        typer.echo("\nto get one: lookaway weights get NAME")


def _row(each: Weights) -> dict[str, Any]:
    from lookaway.weights.locks import expected_content
    from lookaway.weights.places import files_of, found, own_folder

    folder = found(each.name)
    files = list(each.files) if folder is None else files_of(folder, each)
    known = {file: expected_content(each, folder or own_folder(each.name), file) for file in files}
    return {
        "name": each.name,
        "used_by": list(each.used_by),
        "licence": each.licence,
        "commercial": each.commercial,
        "about_bytes": each.about_bytes,
        "bytes": None if folder is None else sum((folder / file).stat().st_size for file in files),
        "here": folder is not None,
        "folder": None if folder is None else str(folder),
        "revision": each.revision,
        "sha256": {file: None if hash is None else hash.sha256 for file, hash in known.items()},
    }


def _told(row: dict[str, Any]) -> dict[str, str]:
    if row["here"]:
        size = _size(row["bytes"])
    else:
        size = "unknown" if row["about_bytes"] is None else f"about {_size(row['about_bytes'])}"
    flags = {name: "yes" if row[name] else "no" for name in ("commercial", "here")}
    return {"commercial": flags["commercial"], "size": size, "here": flags["here"], "where": row["folder"] or "–"}


def _size(size: int) -> str:
    """Such as `17.5 GB`, `346 MB` or `12 kB`."""
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= step:
            return f"{size / step:.3g} {unit}"
    return f"{size} bytes"


@weights.command("get")
def get_weights(
    name: Annotated[str, typer.Argument(help="As `lookaway weights list` has it.", metavar="NAME")],
    mirror: Annotated[
        str, typer.Option(envvar=MIRROR_VARIABLE, metavar="URL", help="A server with the hub's layout.")
    ] = "",
    offline: Annotated[bool, typer.Option("--offline", help="Ask nothing of the network: check what is here.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Get weights: whole, checked by their hash, resumed if need be.

    What is here already, also in the hub's own cache, is not fetched. HF_HUB_OFFLINE=1 means --offline.
    """
    from lookaway.weights import find
    from lookaway.weights.download import get
    from lookaway.weights.offline import checked_here

    known = find(name)
    way = checked_here if offline or os.environ.get("HF_HUB_OFFLINE", "0") not in ("", "0") else get
    folder = way(known, mirror, lambda line: typer.echo(line, err=True))
    if as_json:
        print_json(_row(known))
    else:
        typer.echo(f"{known.name} is in {folder}; its licence is {known.licence}")
