"""`metrics`: what can be measured."""

from __future__ import annotations

from lookaway.cli import app
from lookaway.cli.common import JsonFlag, print_rows


@app.command()
def metrics(as_json: JsonFlag = False) -> None:
    """List what can be measured, in which unit, and what it needs.

    `unverified` stands at observers that were never run here on their true weights.
    """
    from lookaway.metrics import METRICS

    rows = [
        {
            "metric": m.name,
            "variant": m.variant,
            "version": m.version,
            "unit": m.unit,
            "better": m.better,
            "needs": ", ".join([*map(_told, m.observers), *(["a judge"] if m.all_asks else [])]),
            "unverified": list(m.unverified),
            "gates": ", ".join(m.gates),
            "what": m.doc.splitlines()[0] if m.doc else "",
        }
        for m in METRICS.all().values()
    ]
    print_rows(rows, as_json, hide=("version", "gates", "unverified"))


def _told(observer: str) -> str:
    from lookaway.observers import OBSERVERS

    return f"{observer} (unverified)" if OBSERVERS.get(observer).unverified else observer
