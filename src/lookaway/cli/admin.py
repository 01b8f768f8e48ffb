"""`admin`: house-keeping of this machine and of run folders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lookaway.cli import group
from lookaway.cli.common import JsonFlag, RunFolder, print_json
from lookaway.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from lookaway.cache import Cache

admin = group("admin", "House-keeping: cached renderings, logs, and the plan of a run.")


@admin.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that is in it; no run folder needs it.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Say how much is cached of what was rendered, or clear it."""
    from lookaway.cache import open_cache

    found = open_cache()
    removed = len(found.entries()) if found is not None and clear else 0
    if found is not None and clear:
        found.clear()
    if as_json:
        entries, size = (len(found.entries()), found.size_bytes()) if found is not None else (0, 0)
        folder = str(found.root) if found is not None else None
        print_json({"folder": folder, "entries": entries, "bytes": size, "removed": removed})
        return
    if clear:
        typer.echo(f"removed {removed} entries")
    typer.echo(cache_line(found))


def cache_line(cache: Cache | None) -> str:
    """Such as `48 entries, 80 MB in FOLDER`."""
    if cache is None:
        return "no cache of what was rendered (LOOKAWAY_CACHE=off)"
    return f"{len(cache.entries())} entries, {cache.size_bytes() / 1e6:.0f} MB in {cache.root}"


@admin.command()
def compact(run: RunFolder) -> None:
    """Merge the score logs of a finished run into one Parquet file.

    It is never needed, only faster with very many scores.
    """
    from lookaway.records import Score
    from lookaway.store import open_run

    folder = open_run(run)
    if not folder.log_folder("scores").is_dir():
        raise UsageError(f"{run}: no scores to compact yet; run: lookaway run --out {run}")
    typer.echo(folder.compact("scores", Score))


@admin.command()
def forget(
    run: RunFolder,
    model: Annotated[str | None, typer.Option(help="A model of this run.")] = None,
    protocol: Annotated[str | None, typer.Option(help="A protocol of this run.")] = None,
    judge: Annotated[str | None, typer.Option(metavar="ROLE", help="The judges of a role, or all.")] = None,
) -> None:
    """Leave a model, a protocol or judges out of a run.

    From now on it is not run and not shown; its records stay in the logs.
    """
    from lookaway.pipeline import plans
    from lookaway.store import make_run

    folder = make_run(run)
    plan = plans.load(folder)
    systems = {system.label: system for system in plan.systems}
    protocols = {known.name: known for known in plan.protocols}
    for kind, name, known in (("model", model, systems), ("protocol", protocol, protocols)):
        if name is not None and name not in known:
            raise UnknownName(f"{kind} in this run", name, known)
    roles = {"all": None} | {str(known.role or "any"): known.role for known in plan.judges}
    if judge is not None and judge not in roles:
        raise UnknownName("role of a judge in this run", judge, roles)
    if model is None and protocol is None and judge is None:
        raise UsageError("say what to forget: --model NAME, --protocol NAME or --judge ROLE")
    plans.save(
        folder,
        plan.model_copy(
            update={
                "systems": tuple(s for n, s in systems.items() if n != model),
                "protocols": tuple(p for n, p in protocols.items() if n != protocol),
                "judges": tuple(j for j in plan.judges if judge not in ("all", str(j.role or "any"))),
            }
        ),
    )
