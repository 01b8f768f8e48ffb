"""`admin`: house-keeping of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_json

if TYPE_CHECKING:
    from lookaway.cache import Cache

admin = typer.Typer(help="House-keeping: the cache of what was rendered.", no_args_is_help=True, name="admin")
app.add_typer(admin)


@admin.callback()
def _group() -> None:
    """House-keeping: the cache of what was rendered."""


@admin.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that is in it; no run folder needs it.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Say where rendered tasks and clips are cached and how much room they take, or clear them."""
    from lookaway.cache import open_cache

    found = open_cache()
    removed = len(found.entries()) if found is not None and clear else 0
    if found is not None and clear:
        found.clear()
    if as_json:
        entries, size = (len(found.entries()), found.size_bytes()) if found is not None else (0, 0)
        folder = str(found.root) if found is not None else None
        print_json({"folder": folder, "entries": entries, "bytes": size, "removed": removed})
        return
    if clear:
        typer.echo(f"removed {removed} entries")
    typer.echo(cache_line(found))


def cache_line(cache: Cache | None) -> str:
    """Such as `48 entries, 80 MB in FOLDER`."""
    if cache is None:
        return "no cache of what was rendered (LOOKAWAY_CACHE=off)"
    return f"{len(cache.entries())} entries, {cache.size_bytes() / 1e6:.0f} MB in {cache.root}"
