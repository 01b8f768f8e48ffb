"""`forget`: take something back out of a run's plan."""

from __future__ import annotations

from typing import Annotated

import typer

from lookaway.cli import app
from lookaway.cli.common import RunFolder
from lookaway.errors import UnknownName, UsageError


@app.command()
def forget(
    run: RunFolder,
    model: Annotated[str | None, typer.Option(help="A model of this run.")] = None,
    protocol: Annotated[str | None, typer.Option(help="A protocol of this run.")] = None,
    judge: Annotated[bool, typer.Option("--judge", help="The judge of this run.")] = False,
) -> None:
    """Leave a model, a protocol or the judge out of a run from now on; its records stay in the logs."""
    from lookaway.pipeline import plans
    from lookaway.store import Run

    folder = Run(run)
    plan = plans.load(folder)
    systems = {system.label: system for system in plan.systems}
    protocols = {known.name: known for known in plan.protocols}
    for kind, name, known in (("model", model, systems), ("protocol", protocol, protocols)):
        if name is not None and name not in known:
            raise UnknownName(f"{kind} in this run", name, known)
    if model is None and protocol is None and not judge:
        raise UsageError("say what to forget: --model NAME, --protocol NAME or --judge")
    plans.save(
        folder,
        plan.model_copy(
            update={
                "systems": tuple(s for n, s in systems.items() if n != model),
                "protocols": tuple(p for n, p in protocols.items() if n != protocol),
                "judges": () if judge else plan.judges,
            }
        ),
    )
