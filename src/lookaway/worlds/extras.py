"""Import an optional module, or say which extra brings it."""

from __future__ import annotations

import importlib
from types import ModuleType

from lookaway.errors import MissingExtra


def need(module: str) -> ModuleType:
    """The module, imported on first use."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise MissingExtra("worlds", "a known world") from missing
