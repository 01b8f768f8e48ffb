"""A model that is a Python callable in this process, as a training loop has it."""

from __future__ import annotations

from collections.abc import Callable

from lookaway.generators import Ask, Made, generator
from lookaway.records import Request

_callables: dict[str, Callable[[Request], Made]] = {}


def lend(name: str, model: Callable[[Request], Made]) -> None:
    """Make a callable known to this process under a system's name."""
    _callables[name] = model


@generator(version=1, can_make=_callables.__contains__)
def python(ask: Ask) -> Made:
    """Calls the function that `lookaway.evaluate` was given."""
    return _callables[ask.card.name](ask.request)
