"""`judges`: whether a judge can be trusted."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookaway.cli import EXIT_FAILURES, group
from lookaway.cli.common import JsonFlag, Settings, parse_settings, print_json, print_rows
from lookaway.cli.suite import read_secret
from lookaway.errors import UsageError

if TYPE_CHECKING:
    from lookaway.pipeline.exam import ExamSitting
    from lookaway.records import OperatingPoint, Passport, Rate

WIDTH = 100

judges = group("judges", "Judges of videos: test and examine them.")


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


@judges.command("exam")
def exam(
    judge: Annotated[str, typer.Argument(help="Such as openai:URL or transformers:MODEL.", metavar="JUDGE")],
    settings: Settings = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the passport here as well, its operating point beside it.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="A passport to compare with, in place of the last one of this machine.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(help="How often every question is put, 2 to 4; judges in words need more.")
    ] = None,
    secret: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw an exam of your own from the secret in this file.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Examine a judge on 64 clips, and give it a passport.

    Its fingerprint becomes part of who it is on every board. Exits with 1 if it has moved since its last exam.
    """
    from lookaway.judges.exam import passports
    from lookaway.pipeline.exam import sit

    told = (lambda said: None) if as_json else (lambda said: typer.echo(said, err=True))
    drawn_from = None if secret is None else read_secret(secret)
    sat = sit(judge, parse_settings(settings or []), rounds, drawn_from, against, told)
    if out is not None:
        if len(sat) > 1:
            raise UsageError("--out takes one passport, and this judge has several members; examine them one by one")
        passports.write(sat[0].passport, out)
        passports.write(sat[0].point, passports.beside(out))
    if as_json:
        print_json([_told(one) for one in sat])
    else:
        for one in sat:
            _show_passport(one.passport)
            _show_point(one.point)
    if any(one.passport.moved_from for one in sat):
        raise typer.Exit(EXIT_FAILURES)


def _told(sat: ExamSitting) -> dict[str, Any]:
    passport = sat.passport.model_dump(mode="json", exclude={"answers"})
    return {"passport": passport, "operating_point": sat.point.model_dump(mode="json"), "file": str(sat.file)}


def _show_passport(passport: Passport) -> None:
    _show("judge        ", passport.instrument.label)
    _show("exam         ", passport.exam)
    found = passport.compared
    if found is None:
        _show("fingerprint  ", f"{passport.fingerprint}: its first sitting of this exam")
        return
    changed = f"answers about {found.clips_changed} of {found.clips} clips are not all the same (p {found.p:.4f})"
    if not passport.moved_from:
        _show("fingerprint  ", f"{passport.fingerprint}, as before: {changed}")
        return
    _show("fingerprint  ", f"{passport.fingerprint}: moved, it was {passport.moved_from}; {changed}")
    _show(" " * 13 + "→ ", "this is another instrument: what it judges from now on has columns of its own")


def _show_point(point: OperatingPoint) -> None:
    floors = f"always yes {point.always_yes:.2f}, always no {point.always_no:.2f}"
    _show("right        ", f"{_rate(point.right)}; {floors}; {point.unanswered} without an answer")
    if not point.beats_floors:
        _show(" " * 13 + "→ ", "no better than somebody who does not look: its other numbers mean little")
    lean = "–" if point.yes_lean is None else f"{point.yes_lean:+.2f}"
    _show("yes          ", f"{_rate(point.yes)}; {lean} against the right answers")
    rows = [{"kind": row.kind, "hits": _rate(row.hits), "false alarms": _rate(row.false_alarms)} for row in point.rows]
    print_rows(rows, False)


def _rate(rate: Rate) -> str:
    if rate.value is None:
        return "–"
    interval = f" [{rate.low:.2f}, {rate.high:.2f}]" if rate.low is not None and rate.high is not None else ""
    return f"{rate.value:.2f}{interval} of {rate.n}"


def _show(beginning: str, words: str) -> None:
    lines = textwrap.wrap(words, WIDTH, initial_indent=beginning, subsequent_indent=" " * len(beginning))
    typer.echo("\n".join(lines))
