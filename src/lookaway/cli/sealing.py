"""`share seal`, `audit`, `site`: a run in one file, what of it comes out again, many of them as a leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli.common import JsonFlag, RunFolder, Settings, console, parse_settings, print_json
from lookaway.errors import UsageError

if TYPE_CHECKING:
    from lookaway.records import Audit

SealFile = Annotated[Path, typer.Argument(help="A sealed run.", metavar="SEAL")]
SHOWN = 10  # scores that are listed; --json tells all


def seal(
    run: RunFolder,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where it goes; without it, beside the run.")] = None,
    without_pixels: Annotated[
        bool, typer.Option("--without-pixels", help="Leave videos and arrays out; then only hashes can be checked.")
    ] = False,
    generated_by: Annotated[str, typer.Option(help="Who made the clips, as readers are told.")] = "",
    scored_by: Annotated[str, typer.Option(help="Who scored them.")] = "",
    as_json: JsonFlag = False,
) -> None:
    """Seal a run into one file that others can check.

    It holds the plan, the logs and the clips, with a list of them by content. The list's hash names the bundle.
    """
    from lookaway.sharing.seals import write_seal
    from lookaway.store import open_run

    opened = open_run(run)
    path = out or run.resolve().with_name(f"{run.resolve().name}.seal")
    bundle = write_seal(opened, path, pixels=not without_pixels, generated_by=generated_by, scored_by=scored_by)
    if as_json:
        print_json({"written": str(path), "bundle": bundle, "bytes": path.stat().st_size})
        return
    typer.echo(f"{path}\nbundle {bundle}")


def audit(
    sealed: SealFile,
    clips: Annotated[int, typer.Option(min=1, help="How many clips are drawn and scored again.")] = 50,
    nonce: Annotated[
        str, typer.Option(help="Of an audit to repeat; without it, one is drawn now, which is what proves something.")
    ] = "",
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="What a score may differ by; without it, none on equal versions.")
    ] = None,
    suite: Annotated[
        Path | None, typer.Option(metavar="SEAL", help="A seal of yours, whose tasks and truths are trusted.")
    ] = None,
    set_: Settings = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep what was found as JSON.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes on this machine.")] = 1,
    as_json: JsonFlag = False,
) -> None:
    """Score some clips of a sealed run again, and compare.

    They are drawn by a nonce that its maker could not know.

    Exit code 1 where a score does not come out again, or its tasks are not those of --suite.
    """
    from lookaway.cli.progress import progress
    from lookaway.sharing.archives import read_seal
    from lookaway.sharing.audits import audit as audited
    from lookaway.store import write_whole

    trusted = read_seal(suite)[0] if suite is not None else None
    own = parse_settings(set_ or [])
    found = audited(
        sealed, clips, progress(), nonce=nonce, tolerance=tolerance, suite=trusted, settings=own, workers=workers
    )
    if out is not None:
        write_whole(out, found.model_dump_json(indent=1) + "\n")
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _print(found)
    if found.verdict in ("not reproduced", "other suite"):
        raise typer.Exit(1)


def say(text: str) -> None:
    console().print(text, soft_wrap=True, highlight=False)


def _print(found: Audit) -> None:
    say(f"bundle {found.bundle}")
    say(f"nonce {found.nonce} ({'given' if found.nonce_given else 'drawn now, after the seal was received'})")
    say(f"{len(found.drawn)} of {found.clips} clips were drawn")
    if found.drawn:
        say(
            f"scores: {found.equal} equal to the last bit, {found.within} within {found.tolerance:g} "
            f"({found.tolerance_reason}), {len(found.outside)} not reproduced, {len(found.unchecked)} not checked"
        )
    if found.on_answers:
        say(f"{found.on_answers} of them rest on a judge's answers as sealed; the judge was not asked again")
    for what, how in found.differences.items():
        say(f"other here: {what}: {how}")
    for title, checks in (("not reproduced", found.outside), ("not checked", found.unchecked)):
        for one in checks[:SHOWN]:
            say(f"{title}: {one.case}, {one.metric}: sealed {one.sealed}, here {one.again}")
        if len(checks) > SHOWN:
            say(f"{title}: and {len(checks) - SHOWN} more; --json tells all")
    say(f"{found.verdict}. {found.proves}")


def site(
    seals: Annotated[list[Path], typer.Argument(help="Sealed runs, or folders of them.", metavar="SEAL...")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the pages and the history go.")],
    title: Annotated[str, typer.Option(help="What stands above the page.")] = "Leaderboard",
    reason: Annotated[str, typer.Option(help="Why rows change or go; it goes into the history.")] = "",
    audits: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="What audits found: JSON files of share audit --out.")
    ] = None,
    anchor: Annotated[
        str, typer.Option(metavar="SYSTEM", help="A reference model that met every draw; compares across draws.")
    ] = "",
) -> None:
    """Write a leaderboard from sealed runs, as static pages.

    Only runs that are comparable by content share a table. The folder's history.jsonl is only ever added to.
    """
    from lookaway.sharing.site import write_site

    found = [path for given in seals for path in (sorted(given.glob("**/*.seal")) if given.is_dir() else [given])]
    if not found:
        raise UsageError(f"{seals[0]}: no *.seal in it; make one with: lookaway share seal RUN")
    checked = sorted(audits.glob("**/*.json")) if audits is not None else []
    for path in write_site(found, out, title=title, reason=reason, audits=checked, anchor=anchor):
        typer.echo(str(path))
