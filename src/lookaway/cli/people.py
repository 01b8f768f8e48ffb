"""`people`: let people look at the clips of a run, and take what they say as labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, RunFolder, console, parse_list, print_json, print_rows
from lookaway.errors import UsageError

if TYPE_CHECKING:
    from lookaway.people.desk import StudyDesk

DEMO_MODELS = ("truth", "frozen", "vanished", "static-camera")
DEMO_TASKS = "*_left"

people = group("people", "Studies: people look at clips and say what they see.")

StudyPlace = Annotated[Path, typer.Argument(help="A study's folder.", metavar="STUDY")]
Host = Annotated[str, typer.Option(help="The address to listen at; the default is this machine alone.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port to listen at; 0: any that is free.")]
AllowHost = Annotated[
    list[str] | None, typer.Option(metavar="NAME", help="A name by which browsers reach the server, if not --host.")
]
Https = Annotated[bool, typer.Option("--https", help="Something in front of the server speaks HTTPS.")]
Invites = Annotated[int, typer.Option("--invite", min=0, max=1000, help="Print so many links for new raters.")]
Hours = Annotated[float, typer.Option(min=0.01, max=720, help="How long an invite can be used.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most this many items, spread over scenes and systems.")]


@people.command()
def make(
    run: RunFolder,
    design: Annotated[str, typer.Option(help="wrbench, stevo, memobench-review … or a TOML file of your own.")],
    out: Annotated[Path, typer.Option(metavar="STUDY", help="The study's folder, which is made.")],
    systems: Annotated[
        str | None, typer.Option(help="Systems of the run, separated by commas; else all but truth.")
    ] = None,
    limit: Limit = None,
    bank: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A folder of banks, in place of the run's own.")
    ] = None,
    checks_from: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A run of the known world to take attention checks from.")
    ] = None,
) -> None:
    """Make a study from the clips of a run.

    Designs: wrbench, stevo, memobench-review, memobench-keyframes, memobench-check, remembered. The design is copied to
    STUDY/study.toml, where it can be changed until somebody was shown the study.
    """
    from lookaway.banks import read_banks
    from lookaway.people.making import make_study
    from lookaway.pipeline import plans
    from lookaway.pipeline.tasks import built_banks
    from lookaway.store import open_run

    folder = open_run(run)
    banks = read_banks(bank) if bank is not None else built_banks(folder, plans.load(folder))
    chosen = parse_list(systems) if systems is not None else []
    made = make_study(folder, design, out, limit, chosen, banks, checks_from)
    typer.echo(f"{out}: {len(made.main_items)} items, {len(made.checks)} checks; {made.study.raters} raters each")
    if made.study.checks and not made.checks:
        typer.echo("no clip of the known world is here, so nothing checks attention; see --checks-from", err=True)
    typer.echo(f"next: lookaway people serve {out} --invite 10, or lookaway people file {out} --raters 10 --out FOLDER")


@people.command()
def serve(
    study: StudyPlace,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    allow_host: AllowHost = None,
    https: Https = False,
    invite: Invites = 0,
    hours: Hours = 72.0,
) -> None:
    """Serve a study to people with an invite.

    Prints a link for whoever runs the study and, with --invite N, one for each of N raters. Stop it and start it
    again at any time: what was acknowledged is kept.
    """
    from lookaway.people import read_study
    from lookaway.people.serving import LOOPBACK, Address, Links
    from lookaway.people.serving import serve as serve_study

    if host not in LOOPBACK and not https:
        typer.echo("without --https, invites and answers can be read by anybody on the way", err=True)

    def say(links: Links) -> None:
        typer.echo(f"to run the study (once, within a day):\n  {links.admin}")
        for link in links.raters:
            typer.echo(f"for one rater (once, within {hours:g} hours):\n  {link}")
        typer.echo("stop it with Ctrl-C", err=True)

    serve_study(read_study(study), Address(host, port, tuple(allow_host or ()), https), invite, hours, say)


@people.command()
def invite(
    study: StudyPlace,
    home: Annotated[str, typer.Option(metavar="URL", help="Where the study is served, such as http://127.0.0.1:8765.")],
    raters: Annotated[int, typer.Option(min=1, max=1000, help="How many new raters.")] = 1,
    rater: Annotated[str | None, typer.Option(help="A rater who is known and goes on in another browser.")] = None,
    hours: Hours = 72.0,
) -> None:
    """Print links for raters of a study that is served.

    A link lets one browser in, once.
    """
    from lookaway.people.entry import Gatekeeper, secret_of

    desk = _desk(study)
    keeper = Gatekeeper(desk.book, secret_of(study))
    for _ in range(1 if rater is not None else raters):
        typer.echo(f"{home.rstrip('/')}/i/{keeper.invite('rater', hours, 'command line', rater)}/")


@people.command()
def withdraw(
    study: StudyPlace, name: Annotated[str, typer.Argument(metavar="INVITE", help="Its id, see people show.")]
) -> None:
    """Withdraw an invite, and the seat that it gave.

    What they said before stays.
    """
    from lookaway.people.entry import Gatekeeper, secret_of

    Gatekeeper(_desk(study).book, secret_of(study)).withdraw(name, "command line")
    typer.echo(f"{name}: withdrawn")


@people.command("erase")
def erase_rater(
    study: StudyPlace, rater: Annotated[str, typer.Argument(metavar="RATER", help="A pseudonym, see people show.")]
) -> None:
    """Delete all that a rater said.

    Labels that were written elsewhere before are not reached.
    """
    from lookaway.people.entry import erase

    typer.echo(f"{rater}: {erase(_desk(study).book, rater, 'command line')} answers deleted")


@people.command()
def show(study: StudyPlace, as_json: JsonFlag = False) -> None:
    """Tell how far raters are, and count the labels.

    Attention checks that were right, answers that were the same when asked again, invites, labels by family and role.
    """
    from lookaway.people.register import register_table
    from lookaway.reports.drawing.terminal import terminal_table

    desk = _desk(study)
    raters = [row._asdict() for row in desk.progress()]
    asked = "SELECT id, role, expires_at, used_by, withdrawn_at FROM invites ORDER BY made_at"
    invites = [dict(row) for row in desk.book.rows(asked)]
    found = desk.labels()
    if as_json:
        counted = register_table(found).model_dump(mode="json") if found else None
        print_json({"raters": raters, "invites": invites, "labels": counted})
        return
    print_rows(raters, False)
    print_rows(invites, False)
    if found:
        console().print(terminal_table(register_table(found)))
    else:
        typer.echo("no labels yet")


@people.command("file")
def files(
    study: StudyPlace,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go, one for each rater.")],
    raters: Annotated[int, typer.Option(min=1, max=1000, help="How many people.")] = 1,
) -> None:
    """Write a study as HTML files that need no server.

    One for each rater. It opens from disk, keeps answers in the browser and saves them as a file, for people import.
    """
    from lookaway.people.one_file import study_file
    from lookaway.store import write_whole

    desk = _desk(study)
    out.mkdir(parents=True, exist_ok=True)
    for _ in range(raters):
        rater = desk.file_rater()
        if not desk.showings(rater):
            raise UsageError(f"every item of {study} has its {desk.study.raters} raters; raise raters in study.toml")
        typer.echo(str(write_whole(out / f"{rater}.html", study_file(desk, rater))))


@people.command("import")
def bring_labels(
    study: StudyPlace,
    answers: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Saved answers, labels, Label Studio's JSON.")
    ],
) -> None:
    """Take answers from files, other servers, Label Studio.

    A label that is there already counts once.
    """
    from lookaway.people.importing import bring

    desk = _desk(study)
    for path in answers:
        done = bring(desk, path)
        typer.echo(f"{path}: {done.new} new labels, {done.known} known already")


@people.command()
def labels(
    study: StudyPlace,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write them as JSON Lines.")] = None,
    run: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Write them into this run folder's logs.")] = None,
    checks: Annotated[bool, typer.Option("--checks", help="Attention checks too.")] = False,
) -> None:
    """Write what raters said as labels.

    Each rater has one label on each item and axis; one more where an item was shown twice.
    """
    from lookaway.people.labels import study_labels, write_labels
    from lookaway.store import open_run, write_whole

    if (out is None) == (run is None):
        raise UsageError("give either --out FILE or --run RUN")
    found = study_labels(_desk(study), checks)
    if out is not None:
        write_whole(out, "".join(f"{label.model_dump_json()}\n" for label in found))
        typer.echo(f"{out}: {len(found)} labels")
    else:
        assert run is not None
        typer.echo(f"{run}: {write_labels(open_run(run), found)} of {len(found)} labels are new")


@people.command()
def sheets(
    study: StudyPlace,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the files go, one for each rater.")],
) -> None:
    """Write reviews and keyframes as CSV files.

    Reviews are read by lookaway bank review, keyframes by lookaway suite keyframes, which compares two raters.
    """
    from lookaway.names import file_name
    from lookaway.people.sheets import rater_sheets
    from lookaway.store import write_whole

    out.mkdir(parents=True, exist_ok=True)
    for rater, text in rater_sheets(_desk(study)).items():
        typer.echo(str(write_whole(out / f"{file_name(rater)}.csv", text)))


@people.command()
def agree(
    study: StudyPlace,
    run: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A run with scores of the same clips, to set beside people.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Tell how far raters agree, and judges and metrics with them.

    Agreement, Gwet's AC, Krippendorff's alpha and Cohen's kappa, with intervals over scenes. With --run also what its
    metrics say of the same clips; write the labels into the run to have these tables in its report.
    """
    from lookaway.people.agreement import agreement_tables, tables_beside
    from lookaway.people.labels import study_labels
    from lookaway.reports.drawing.terminal import terminal_table
    from lookaway.store import open_run

    desk = _desk(study)
    said = study_labels(desk)
    tables = agreement_tables(desk.folder, said) if run is None else tables_beside(open_run(run), said)
    if as_json:
        print_json([table.model_dump(mode="json") for table in tables])
        return
    for table in tables:
        console().print(terminal_table(table))


@people.command()
def demo(
    out: Annotated[
        Path, typer.Option(metavar="STUDY", help="The study's folder; an existing one is served again.")
    ] = Path("people-demo"),
    run: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A run with clips; else some of the known world are made.")
    ] = None,
    design: Annotated[str, typer.Option(help="Which design; see people make.")] = "remembered",
    limit: Limit = 6,
    port: Port = 8765,
    prepare: Annotated[bool, typer.Option("--prepare", help="Make the study, and do not serve it.")] = False,
) -> None:
    """Try a study on clips of the known world.

    Makes a few clips of reference models where no run is given, a study of them, and serves it on this machine.
    """
    if not (out / "study.toml").exists():
        make(run or _demo_clips(out), design, out, limit=limit)
    if not prepare:
        serve(out, port=port, invite=1)


def _demo_clips(out: Path) -> Path:
    """A run beside the study, with clips of a few reference models and nothing measured."""
    from lookaway.cli.progress import progress
    from lookaway.models import system
    from lookaway.pipeline import STAGES, plans
    from lookaway.pipeline.stage import Options, run_stage
    from lookaway.store import make_run

    run = make_run(out / "run")
    plan = plans.extend(run, "diorama-mini", [system(name) for name in DEMO_MODELS])
    for name in ("tasks", "controls", "generate"):
        run_stage(STAGES[name], run, plan, Options(only=DEMO_TASKS), progress())
    return run.root


def _desk(study: Path) -> StudyDesk:
    from lookaway.people import read_study
    from lookaway.people.desk import StudyDesk

    return StudyDesk(read_study(study))
