"""Options that every stage command shares, and how its end is told."""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer
from rich.console import Console
from rich.table import Table

from lookaway.errors import UnknownName, UsageError
from lookaway.judges.calls.budget import Ceiling
from lookaway.pipeline.stage import LOCAL, Options, StageReport, executor_of
from lookaway.records import JudgeRole, Setting
from lookaway.secrets import holds_a_secret, names_a_secret, redacted
from lookaway.store import root_of

RunFolder = Annotated[Path, typer.Argument(help="A run folder.", metavar="RUN", parser=root_of)]


class Again(StrEnum):
    """What may be done again."""

    failed = "failed"


OutRun = Annotated[
    Path, typer.Option("--out", metavar="RUN", help="The run folder; an existing one is resumed.", parser=root_of)
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")]

Fresh = Annotated[bool, typer.Option("--fresh", help="Do it again even where it is done.")]
Limit = Annotated[int | None, typer.Option(min=1, help="At most this many items.")]
Only = Annotated[str | None, typer.Option(metavar="PATTERN", help="Only items whose name matches.")]
Shard = Annotated[str, typer.Option(metavar="I/N", help="This machine's part of the work.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes: 1 here; of a cluster, all that it has room for.")]
Executor = Annotated[str, typer.Option(metavar="NAME[:ADDRESS]", help="Where jobs run: local, ray or ray:HOST:PORT.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, do nothing.")]
MaxFailures = Annotated[int, typer.Option(min=0, help="Exit with 1 when more items than this fail.")]

Judge = Annotated[
    list[str] | None,
    typer.Option(metavar="[ROLE=]JUDGE", help="Such as scripted:answers.jsonl or openai:URL; several may be given."),
]
Bank = Annotated[Path | None, typer.Option(metavar="DIR", help="Banks of questions, put in place of the tasks' own.")]
Budget = Annotated[
    list[str] | None,
    typer.Option(metavar="[ROLE.]KIND=MOST", help="The most that judging may cost: calls, tokens or usd."),
]
Retry = Annotated[
    Again | None, typer.Option(help="Put to the judge only what it failed to answer; else failures are left alone.")
]

Models = Annotated[str | None, typer.Option(help="Model names or card files, separated by commas.")]
Protocols = Annotated[str | None, typer.Option(help="Protocols, separated by commas.")]
Settings = Annotated[list[str] | None, typer.Option("--set", metavar="PLUGIN.NAME=VALUE", help="A plugin's setting.")]

EXIT_INTERRUPTED = 130

_SHARED: dict[str, tuple[Any, Any]] = {
    "fresh": (Fresh, False),
    "limit": (Limit, None),
    "only": (Only, None),
    "shard": (Shard, "1/1"),
    "workers": (Workers, None),
    "executor": (Executor, LOCAL),
    "dry_run": (DryRun, False),
    "max_failures": (MaxFailures, 0),
    "as_json": (JsonFlag, False),
}


class Ending:
    """How a stage command reports: a JSON summary if asked, and the exit code."""

    def __init__(self, max_failures: int, as_json: bool) -> None:
        self.max_failures, self.as_json = max_failures, as_json

    def __call__(self, reports: Sequence[StageReport], **more: Any) -> None:
        new = {failure.name for report in reports for failure in report.failures}
        failed = len(new.union(*(report.left_failed for report in reports)))
        if self.as_json:
            print_json({"stages": [asdict(report) for report in reports], "failed": failed, **more})
        if failed > self.max_failures:
            raise typer.Exit(1)


def stage_command(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options; it receives them as `options` and `ending`."""
    own = [p for p in inspect.signature(function).parameters.values() if p.name not in ("options", "ending")]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
        for name, (kind, default) in _SHARED.items()
    ]
    hints = inspect.get_annotations(function, eval_str=True)

    @functools.wraps(function)
    def command(**given: Any) -> None:
        said = {name: given.pop(name) for name in _SHARED}
        options = Options(
            fresh=said["fresh"],
            limit=said["limit"],
            only=said["only"],
            shard=parse_shard(said["shard"]),
            workers=said["workers"] or (1 if said["executor"] == LOCAL else 0),
            executor=said["executor"],
            dry_run=said["dry_run"],
        )
        if options.executor != LOCAL:
            executor_of(options)
        try:
            function(**given, options=options, ending=Ending(said["max_failures"], said["as_json"]))
        except KeyboardInterrupt as error:
            typer.echo("interrupted; what was finished is kept, run the same command to go on", err=True)
            raise typer.Exit(EXIT_INTERRUPTED) from error

    parameters = [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    command.__signature__ = inspect.Signature([*parameters, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in [*parameters, *shared]}
    return command


def parse_shard(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"--shard '{text}' must be I/N with 1 <= I <= N, such as 1/4")
    return int(match[1]), int(match[2])


def with_judging(options: Options, retry: Again | None, budget: Sequence[str] | None) -> Options:
    """The options with what was said about judging."""
    return replace(options, retry_failed=retry is not None, ceilings=parse_budget(budget or []))


def parse_budget(pairs: Sequence[str]) -> dict[JudgeRole | None, Ceiling]:
    """`calls=500`, `tokens=2000000`, `usd=5` of the whole run; `gate.usd=1` of one role."""
    most: dict[JudgeRole | None, dict[str, float]] = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        role, _, kind = name.rpartition(".")
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        whole = kind == "usd" or number.is_integer()
        if kind not in ("calls", "tokens", "usd") or not 0 <= number < math.inf or not whole:
            raise UsageError(
                f"--budget '{pair}' must be calls=NUMBER, tokens=NUMBER or usd=AMOUNT, such as usd=5, or gate.usd=1"
            )
        if role and role not in get_args(JudgeRole):
            raise UnknownName("role of a judge", role, get_args(JudgeRole))
        of = most.setdefault(cast(JudgeRole, role) if role else None, {})
        of[kind] = number if kind == "usd" else int(number)
    return {role: Ceiling(**of) for role, of in most.items()}  # type: ignore[arg-type]


def parse_list(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("give at least one name, separated by commas")
    return names


def parse_settings(pairs: Sequence[str]) -> dict[str, Setting]:
    """`plugin.name=value` pairs; numbers and true/false are read as such."""
    settings: dict[str, Setting] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or "." not in key:
            raise UsageError(f"--set '{pair}' must read PLUGIN.NAME=VALUE, such as patch_features.model=FOLDER")
        if names_a_secret(key):
            raise UsageError(f"--set {key}=… looks like a secret, and settings are written down; use the environment")
        if holds_a_secret(text):
            raise UsageError(f"--set {key}=… has a key or password in its address; use the environment")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"--set '{pair}': give a finite number")
        settings[key] = value if isinstance(value, str | int | float | bool) else text
    return settings


def print_json(value: Any) -> None:
    typer.echo(redacted(json.dumps(value, ensure_ascii=False, indent=1)))


def print_rows(rows: Sequence[dict[str, Any]], as_json: bool, hide: tuple[str, ...] = ()) -> None:
    """As JSON, or as a table without the hidden columns; what is unknown or empty is a dash."""
    if as_json:
        print_json(rows)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    columns = [name for name in rows[0] if name not in hide] if rows else []
    for name in columns:
        table.add_column(name, overflow="fold", style="bold" if name == columns[0] else None)
    for row in rows:
        table.add_row(*("–" if row[name] is None else str(row[name]) for name in columns))
    console().print(table)


def console() -> Console:
    """Standard output, 100 columns at most; names may hold brackets and colons, so nothing is read as markup."""
    screen = Console(markup=False, emoji=False)
    wide = screen.width > 100 or not screen.is_terminal
    return Console(width=100, markup=False, emoji=False) if wide else screen
