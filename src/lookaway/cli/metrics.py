"""`metrics`: what can be measured."""

from __future__ import annotations

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_rows


@app.command()
def metrics(as_json: JsonFlag = False) -> None:
    """List what can be measured, in which unit, and what it needs."""
    from lookaway.metrics import METRICS
    from lookaway.protocols import asked_by

    rows = [
        {
            "metric": m.name,
            "variant": m.variant,
            "version": m.version,
            "unit": m.unit,
            "better": m.better,
            "needs": ", ".join([*m.needs, *(["a judge"] if asked_by(m) else [])]),
            "gates": ", ".join(m.gates),
            "what": m.doc.splitlines()[0] if m.doc else "",
        }
        for m in METRICS.all().values()
    ]
    print_rows(rows, as_json, hide=("version", "gates"))
