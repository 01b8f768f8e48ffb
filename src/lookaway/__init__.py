"""lookaway: does a video world model's world keep going when nobody looks?

import lookaway
board = lookaway.evaluate(my_model, suite="diorama-mini")
run = lookaway.open_run("runs/mine")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookaway.api import evaluate
    from lookaway.metrics import metric
    from lookaway.observers import observer
    from lookaway.outcomes import Abstain, NotApplicable
    from lookaway.store import open_run

__all__ = ["Abstain", "NotApplicable", "evaluate", "metric", "observer", "open_run"]

_HOMES = {
    "evaluate": "lookaway.api",
    "metric": "lookaway.metrics",
    "observer": "lookaway.observers",
    "Abstain": "lookaway.outcomes",
    "NotApplicable": "lookaway.outcomes",
    "open_run": "lookaway.store",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'lookaway' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
