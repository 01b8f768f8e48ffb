"""`doctor`: what is installed, and what each missing extra would enable."""

from __future__ import annotations

import platform
from importlib import metadata

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_json
from lookaway.extras import EXTRAS, missing


@app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Say what is installed and what is missing, one line each."""
    rows = [{"name": "python", "ok": True, "says": platform.python_version()}]
    rows.append({"name": "lookaway", "ok": True, "says": metadata.version("lookaway")})
    for extra, (_, enables) in EXTRAS.items():
        ok = not missing(extra)
        says = enables if ok else f"would enable {enables} (pip install 'lookaway[{extra}]')"
        rows.append({"name": extra, "ok": ok, "says": says})
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
