"""The far side of `elsewhere.py`: run by workers/serve.py in another environment, where it looks with one function.

The package lookaway is taken from where the asking process has it, so that both run the same code; all else is from
the environment. Nothing of lookaway is imported before that.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any


def look(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request: that the arrays are in the folder, or why there are none."""
    try:
        _use_package(Path(request["package"]))
        return _looked(request)
    except ImportError as error:
        return {"error": f"{error}; install it for {sys.executable}"}


def _looked(request: dict[str, Any]) -> dict[str, Any]:
    from lookaway.errors import LookawayError, MissingWeights
    from lookaway.observers.exchange import ANSWER_FILE, taken_over, write_arrays
    from lookaway.outcomes import Abstain

    folder = Path(request["folder"])
    try:
        seen = _function(request)(taken_over(request, folder))
        if isinstance(seen, Abstain):
            return {"abstain": seen.reason}
        write_arrays(folder / ANSWER_FILE, seen)
        return {"arrays": ANSWER_FILE}
    except MissingWeights as error:
        return {"missing_weights": [error.name, error.command]}
    except LookawayError as error:
        return {"error": str(error)}
    # an observer may raise anything, and the next clip may be fine
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return {"error": f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"}


def _use_package(package: Path) -> None:
    if "lookaway" in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(
        "lookaway", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    _loaded("lookaway", spec)


def _loaded(name: str, spec: Any) -> ModuleType:
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _function(request: dict[str, Any]) -> Callable[[Any], Any]:
    """The function of that name, in a module of the same text as the asking process has."""
    name, file = request["module"], request["file"]
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        module = _loaded(name, importlib.util.spec_from_file_location(name, file))
    if hashlib.sha256(inspect.getsource(module).encode()).hexdigest() != request["source_sha256"]:
        raise ImportError(f"{name} is another version there than here")
    function: Callable[[Any], Any] = getattr(module, request["function"])
    return function
