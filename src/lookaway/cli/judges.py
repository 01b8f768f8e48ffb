"""`judges`: whether a judge can be trusted."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import Annotated

import typer

from lookaway.cli import EXIT_FAILURES, group
from lookaway.cli.common import JsonFlag, Settings, parse_settings, print_json

WIDTH = 100

judges = group("judges", "Judges of videos: find out whether one can be trusted.")


@judges.command("test")
def try_judge(
    judge: Annotated[str, typer.Argument(help="Such as openai:URL or gemini:MODEL.", metavar="JUDGE")],
    suite: Annotated[str, typer.Option(help="The suite whose cost is told.")] = "diorama-mini",
    settings: Settings = None,
    as_json: JsonFlag = False,
) -> None:
    """Test a judge on pictures whose answers are known.

    Tells whether it can be trusted, how many frames it sees, and what judging a suite costs. Exits with 1 if it cannot.
    """
    from lookaway.pipeline.judge_doctor import look_over

    found = look_over(judge, parse_settings(settings or []), suite)
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
