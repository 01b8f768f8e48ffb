"""`check`: did it get worse? A verdict for CI that may be asked for every night."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import EXIT_FAILURES, app
from lookaway.cli.common import JsonFlag, print_json
from lookaway.errors import StoreError, UsageError

if TYPE_CHECKING:
    from lookaway.records import CheckReport

EXIT_TOO_EARLY = 3


class Preset(StrEnum):
    """Rules and demands for a purpose."""

    serving = "serving"


class Annotate(StrEnum):
    """Whose annotations are printed."""

    github = "github"


@app.command()
def check(
    run: Annotated[str, typer.Argument(metavar="RUN[:SYSTEM]", help="The run, or system of it, that is checked.")],
    against: Annotated[str, typer.Option(metavar="RUN[:SYSTEM]", help="What it is held against.")],
    fail_if: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Such as 'world_clock worsens 0.1'; several may be given."),
    ] = None,
    level: Annotated[float, typer.Option(help="The chance of ever failing without cause, over all nights.")] = 0.05,
    evidence: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where nights add up; without it, these two runs alone count.")
    ] = None,
    preset: Annotated[
        Preset | None, typer.Option(help="serving: weight-free metrics, the same seeds, the same inputs.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a JUnit file.")] = None,
    annotate: Annotated[Annotate | None, typer.Option(help="Print annotations for this CI.")] = None,
    code_quality: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a code quality report, as GitLab reads it.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Check whether a system got worse; look as often as you like.

    Exit codes: 0 it did not, 1 it did, 3 too early to tell, 2 nothing could be checked.
    """
    from lookaway.pipeline.checking import check_runs
    from lookaway.reports.annotations import code_quality as quality_report
    from lookaway.reports.annotations import github_lines
    from lookaway.reports.junit import junit_xml
    from lookaway.store import write_whole

    try:
        report = check_runs(run, against, fail_if or (), level=level, evidence=evidence, preset=preset)
        if junit is not None:
            write_whole(junit, junit_xml(report))
        if code_quality is not None:
            write_whole(code_quality, quality_report(report, path="lookaway"))
    except StoreError as error:  # 1 is kept for what got worse
        raise UsageError(str(error)) from error
    if as_json:
        print_json(report.model_dump(mode="json") | {"verdict": report.verdict})
    else:
        _show(report)
    if annotate is not None:
        for line in github_lines(report):
            typer.echo(line, err=as_json)
    raise typer.Exit({"pass": 0, "fail": EXIT_FAILURES, "too early": EXIT_TOO_EARLY}[report.verdict])


def _show(report: CheckReport) -> None:
    typer.echo(f"{report.arm} against {report.against} on {report.suite}, version {report.suite_version}")
    for rule in report.rules:
        typer.echo(f"{rule.verdict:<9}  {rule.rule} [{rule.metric}]: {rule.reason}")
    for note in report.notes:
        typer.echo(f"note: {note}")
    told = {"pass": "pass", "fail": "fail", "too early": "too early to tell; look again with another seed"}
    typer.echo(f"{told[report.verdict]} (false alarms at most {report.level:g}, over all rules and nights)")
