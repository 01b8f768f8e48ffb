"""`doctor`: what is installed, and what each missing extra would enable."""

from __future__ import annotations

import importlib.util
import platform
from importlib import metadata

import typer

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_json

EXTRAS = {
    "worlds": (("mujoco", "embreex"), "the known world: reference models, diorama suites, the demo"),
    "torch": (("torch", "transformers"), "learned observers: visual integrity"),
    "openai": (("openai",), "nothing yet; reserved for judges behind an OpenAI-compatible server"),
    "gemini": (("google.genai",), "nothing yet; reserved for Gemini as a judge"),
    "ray": (("ray",), "nothing yet; reserved for running on a cluster"),
    "annotate": (("fastapi", "uvicorn"), "nothing yet; reserved for the web page where people label"),
    "dev": (("pytest", "mypy"), "running the tests and checks"),
}


@app.command()
def doctor(as_json: JsonFlag = False) -> None:
    """Say what is installed and what is missing, one line each."""
    rows = [{"name": "python", "ok": True, "says": platform.python_version()}]
    rows.append({"name": "lookaway", "ok": True, "says": metadata.version("lookaway")})
    for extra, (modules, enables) in EXTRAS.items():
        missing = [name for name in modules if not _installed(name)]
        says = enables if not missing else f"would enable {enables} (pip install 'lookaway[{extra}]')"
        rows.append({"name": extra, "ok": not missing, "says": says})
    rows += [{"name": name, "ok": False, "says": f"plugin does not load: {why}"} for name, why in _broken().items()]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        typer.echo(f"{'ok     ' if row['ok'] else 'missing'}  {row['name']:<9} {row['says']}")


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _broken() -> dict[str, str]:
    from lookaway.plugins import registries

    found: dict[str, str] = {}
    for registry in registries():
        registry.all()
        found |= registry.broken
    return found
