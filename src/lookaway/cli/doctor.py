"""`doctor`: what is installed and what each missing extra would enable."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Annotated

import typer

from lookaway.cache import open_cache
from lookaway.cli import app
from lookaway.cli.admin import cache_line
from lookaway.cli.common import JsonFlag, print_json
from lookaway.cli.judges import try_judge
from lookaway.cli.tree import say_moved
from lookaway.errors import UsageError
from lookaway.extras import EXTRAS, missing


@app.command()
def doctor(
    judge: Annotated[str | None, typer.Option(hidden=True)] = None,
    suite: Annotated[str, typer.Option(hidden=True)] = "diorama-mini",
    settings: Annotated[list[str] | None, typer.Option("--set", hidden=True)] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say what is installed, and what each missing extra would enable."""
    if judge is not None:
        say_moved("doctor --judge JUDGE", "judges test JUDGE")
        try_judge(judge, suite, settings, as_json)
        return
    if settings:
        raise UsageError("--set is for a judge: lookaway judges test JUDGE --set PLUGIN.NAME=VALUE")
    _installed(as_json)


def _installed(as_json: bool) -> None:
    rows = [{"name": "python", "ok": True, "says": platform.python_version()}]
    rows.append({"name": "lookaway", "ok": True, "says": metadata.version("lookaway")})
    for extra, (_, enables) in EXTRAS.items():
        ok = not missing(extra)
        says = enables if ok else f"would enable {enables} (pip install 'lookaway[{extra}]')"
        rows.append({"name": extra, "ok": ok, "says": says})
    rows.append({"name": "cache", "ok": True, "says": cache_line(open_cache())})
    rows += [{"name": name, "ok": False, "says": f"plugin does not load: {why}"} for name, why in _broken().items()]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        typer.echo(f"{'ok     ' if row['ok'] else 'missing'}  {row['name']:<9} {row['says']}")


def _broken() -> dict[str, str]:
    from lookaway.plugins import registries

    found: dict[str, str] = {}
    for registry in registries():
        registry.all()
        found |= registry.broken
    return found
