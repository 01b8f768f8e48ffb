"""`doctor`: what is installed and what each missing extra would enable; or whether a judge can be trusted."""

from __future__ import annotations

import platform
import textwrap
from dataclasses import asdict
from importlib import metadata
from typing import Annotated

import typer

from lookaway.cache import open_cache
from lookaway.cli import EXIT_FAILURES, app
from lookaway.cli.admin import cache_line
from lookaway.cli.common import JsonFlag, parse_settings, print_json
from lookaway.errors import UsageError
from lookaway.extras import EXTRAS, missing

WIDTH = 100


@app.command()
def doctor(
    judge: Annotated[str | None, typer.Option(help="Look over a judge, such as openai:URL or gemini:MODEL.")] = None,
    suite: Annotated[str, typer.Option(help="With --judge: the suite whose cost is told.")] = "diorama-mini",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="PLUGIN.NAME=VALUE", help="With --judge.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say what is installed and what is missing, or whether a judge can be trusted, one line each."""
    if judge is not None:
        _judge(judge, suite, settings or [], as_json)
        return
    if settings:
        raise UsageError("--set is for a judge: name it with --judge")
    _installed(as_json)


def _judge(judge: str, suite: str, settings: list[str], as_json: bool) -> None:
    from lookaway.pipeline.judge_doctor import look_over

    found = look_over(judge, parse_settings(settings), suite)
    failed = any(finding.state == "fail" for finding in found)
    if as_json:
        print_json({"judge": judge, "trusted": not failed, "findings": [asdict(finding) for finding in found]})
    else:
        for finding in found:
            _show(f"{finding.state:<4}  {finding.name:<9} ", finding.says)
            if finding.then:
                _show(" " * 16 + "→ ", finding.then)
    if failed:
        raise typer.Exit(EXIT_FAILURES)


def _show(beginning: str, words: str) -> None:
    lines = textwrap.wrap(words, WIDTH, initial_indent=beginning, subsequent_indent=" " * len(beginning))
    typer.echo("\n".join(lines))


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
