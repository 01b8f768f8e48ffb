"""`bank`: yes/no questions about tasks, made, filtered, reviewed, brought and counted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookaway.cli import EXIT_FAILURES, group
from lookaway.cli.common import (
    Budget,
    Ending,
    JsonFlag,
    Judge,
    Retry,
    RunFolder,
    Settings,
    parse_list,
    parse_settings,
    print_json,
    print_rows,
    stage_command,
    with_judging,
)
from lookaway.errors import UsageError
from lookaway.pipeline.stage import Options

if TYPE_CHECKING:
    from lookaway.pipeline.bank_asking import BankDesk
    from lookaway.pipeline.bank_making import Made
    from lookaway.records import QuestionBank

bank = group("bank", "Banks of yes/no questions: make, review and count them.")

BankFolder = Annotated[Path, typer.Option("--bank", metavar="DIR", help="The folder of the banks, a file per task.")]
BankPlace = Annotated[Path, typer.Argument(help="A folder of banks.", metavar="DIR")]


class Rule(StrEnum):
    """Forms of the failure filter."""

    sound = "sound"
    main_text = "main_text"
    hint = "hint"


class Prompts(StrEnum):
    sound = "sound"
    paper = "paper"


class Source(StrEnum):
    memobench = "memobench"


@bank.command()
@stage_command
def write(
    run: RunFolder,
    options: Options,
    ending: Ending,
    out: BankFolder,
    judge: Judge = None,
    prompts: Annotated[
        Prompts, typer.Option(help="sound also asks what has got further while unseen.")
    ] = Prompts.sound,
    budget: Budget = None,
    retry: Retry = None,
    settings: Settings = None,
) -> None:
    """Have a judge write 24 questions about every task of a run.

    Six on the instructions, on things, on memory and on physics, from the first frame and the prompt; half expect a
    yes. A task that has a bank in DIR is left alone, unless --fresh.
    """
    from lookaway.banks import read_banks, write_banks
    from lookaway.pipeline.bank_making import write as written
    from lookaway.pipeline.tasks import built_tasks

    desk = _desk(run, judge, settings, with_judging(options, retry, budget))
    there = {} if options.fresh or not any(out.glob("*.json")) else read_banks(out)
    wanted = [name for name in built_tasks(desk.run, desk.plan) if name not in there]
    if there and not wanted:
        typer.echo(f"{out}: every task has a bank; --fresh writes them anew", err=True)
        return
    _finish(written(desk, wanted, prompts.value), out, write_banks, options, ending)


@bank.command("filter")
@stage_command
def filter_bank(
    run: RunFolder,
    options: Options,
    ending: Ending,
    out: BankFolder,
    judge: Judge = None,
    form: Annotated[Rule, typer.Option(help="Which failure filter; see docs/memobench.md.")] = Rule.sound,
    failures: Annotated[
        str | None,
        typer.Option(help="Models of the run that fail in a known way; without it, the known world's faults."),
    ] = None,
    budget: Budget = None,
    retry: Retry = None,
    settings: Settings = None,
) -> None:
    """Drop questions that the truth fails or no failure does.

    The run holds true clips and those of models that fail in a known way. Every answer is kept in the bank.
    """
    from lookaway.banks import read_banks, write_banks
    from lookaway.pipeline.bank_making import filter_banks

    desk = _desk(run, judge, settings, with_judging(options, retry, budget))
    chosen = parse_list(failures) if failures is not None else []
    _finish(filter_banks(desk, read_banks(out), form.value, chosen), out, write_banks, options, ending)


@bank.command()
def review(
    folder: BankPlace,
    write: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a review file here, to be filled in.")
    ] = None,
    read: Annotated[Path | None, typer.Option(metavar="FILE", help="Read a review file that was filled in.")] = None,
    by: Annotated[str | None, typer.Option(help="Who reviewed; with --read.")] = None,
) -> None:
    """Let a person accept, edit or reject questions.

    --write FILE makes a CSV file with a line per question; --read FILE --by NAME takes it back. An edited question
    keeps its original words beside the new ones.
    """
    from lookaway.banks import read_banks, write_banks
    from lookaway.banks.reviewing import read_review, review_sheet, reviewed
    from lookaway.store import write_whole

    banks = read_banks(folder)
    if (write is None) == (read is None):
        raise UsageError("give either --write FILE or --read FILE")
    if write is not None:
        if write.exists():
            raise UsageError(f"{write}: is there already, and may be filled in; give another name")
        write_whole(write, review_sheet(banks.values()))
        typer.echo(f"{write}: fill in verdict (accept, edit, reject), new_text and reason, then read it with --read")
        return
    assert read is not None
    if not (by or "").strip():
        raise UsageError("say who reviewed: --by NAME")
    done = reviewed(banks, read_review(read), str(by).strip())
    write_banks(folder, done.values())
    for name, one in done.items():
        typer.echo(f"{name}: {one.steps[-1].how}; {len(one.kept)} questions stay")


@bank.command("import")
def import_banks(
    source: Annotated[Source, typer.Argument(help="Whose banks: memobench.", metavar="KIND")],
    folder: Annotated[Path, typer.Argument(help="The folder with SCENE-ID-questions.csv.", metavar="FOLDER")],
    out: BankFolder,
    failures: Annotated[
        Path | None, typer.Option(metavar="FILE", help="failure-cases.csv, if elsewhere: clips and their hints.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Bring the banks of another benchmark's release.

    Every verdict of its stages is kept, and what contradicts itself is said.
    """
    from lookaway.banks import write_banks
    from lookaway.banks.memobench import read_release
    from lookaway.video.names import printable

    found = read_release(folder, failures)
    write_banks(out, found.banks.values())
    if as_json:
        print_json({"bank": str(out), "tasks": len(found.banks), "report": found.report})
        return
    for line in found.report:
        typer.echo(printable(line))


@bank.command()
def show(folder: BankPlace, as_json: JsonFlag = False) -> None:
    """Count what each stage left, and the floors.

    A floor is what somebody passes who always says the same. Dimensions with fewer than two questions are named.
    """
    from lookaway.banks import read_banks
    from lookaway.banks.counting import banks_without_failing, edited_since, short_dimensions

    banks = list(read_banks(folder).values())
    print_rows(_counts(banks), as_json)
    if as_json:
        return
    for one in banks:
        if short := short_dimensions(one):
            typer.echo(f"{one.task}: fewer than 2 questions on {', '.join(short)}")
        if edited := edited_since(one):
            typer.echo(f"{one.task}: edited after the filters, and not filtered again: {', '.join(edited)}")
    if without := banks_without_failing(banks):
        typer.echo(f"{len(without)} of {len(banks)} banks keep no question that a failure fails")


def _counts(banks: list[QuestionBank]) -> list[dict[str, Any]]:
    from lookaway.banks.counting import Funnel, floors, questions_of, separation
    from lookaway.banks.filters import DIMENSIONS

    rows = []
    for dimension in (*DIMENSIONS, None):
        mine = questions_of(banks, dimension)
        told, rate = separation(mine), floors([one.question for one in mine if one.stays])
        rows.append(
            {
                "dimension": dimension or "all",
                **{name.replace("_", " "): count for name, count in Funnel.of(mine)._asdict().items()},
                "failing": told.failing,
                "passing": told.passing,
                "always yes": None if rate is None else round(rate.always_yes, 3),
                "always no": None if rate is None else round(rate.always_no, 3),
            }
        )
    return rows


def _desk(run: Path, judge: list[str] | None, settings: list[str] | None, options: Options) -> BankDesk:
    from lookaway.cli.progress import progress
    from lookaway.pipeline.bank_asking import BankDesk, bank_plan
    from lookaway.store import open_run

    folder = open_run(run)
    return BankDesk(folder, bank_plan(folder, judge or [], parse_settings(settings or [])), options, progress())


def _finish(made: Made, out: Path, write_banks: Any, options: Options, ending: Ending) -> None:
    """Write the banks, say what they come to and what is missing, and how it ended."""
    if options.dry_run:
        return
    write_banks(out, made.banks.values())
    for name, why in made.missing.items():
        typer.echo(f"{name}: {why}", err=True)
    if ending.as_json:
        print_json({"banks": sorted(made.banks), "missing": made.missing, "counts": _counts([*made.banks.values()])})
    else:
        print_rows(_counts([*made.banks.values()]), False)
    if len(made.missing) > ending.max_failures:
        raise typer.Exit(EXIT_FAILURES)
