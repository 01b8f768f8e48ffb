"""The loop of a worker that comes with lookaway: `python serve.py NAME` answers JSON lines with the NAME beside it.

NAME may also be the path of another file, without its suffix, that has a function `look`.

Runs in a model's own environment, so nothing here or beside it imports lookaway. What requests and answers hold is in
docs/pose-observers.md and, of workers that score pictures, in docs/memobench.md.
"""

from __future__ import annotations

import importlib.util
import json
import os
import select
import sys
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

Look = Callable[[dict[str, Any]], dict[str, Any]]
HERE = Path(__file__).resolve().parent


def main(name: str) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    threading.Thread(target=_stop_when_unheard, args=(answers.fileno(),), daemon=True).start()
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"clip": request["clip"], **_answered(name, request)}
        answers.write(json.dumps(answer) + "\n")


def _stop_when_unheard(answers: int) -> None:
    """Ends this process, busy or not, when whoever asked is gone."""
    hangup = select.poll()
    hangup.register(answers, 0)
    hangup.poll()
    os._exit(1)


@cache
def _look(name: str) -> Look:
    # beside this file lie a vggt.py and a mapanything.py, which are not the packages of these names
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != HERE]
    spec = importlib.util.spec_from_file_location(f"worker_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    look: Look = module.look
    return look


def _answered(name: str, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return _look(name)(request)
    except ImportError as error:
        return _without_package(name, error.name or "", str(error))
    # a model may raise anything, and the next clip may be fine
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}"
        broken = _broken_package(error)
        return _without_package(name, broken, f"{broken} does not load: {said}") if broken else {"error": said}


def _without_package(name: str, package: str, reason: str) -> dict[str, Any]:
    return {
        "missing_package": package,
        "error": f"{reason}; install it where this worker runs, or run it elsewhere: "
        f'--set "{name}.command=ENVIRONMENT/bin/python {{worker}}"',
    }


def _broken_package(error: BaseException) -> str:
    """The package whose import raised this; empty where none did. One built for another torch raises no ImportError."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_name == "<module>"]
    names = [str(frame.f_globals["__name__"]).partition(".")[0] for frame in frames]
    return next((name for name in names if not name.startswith("worker_")), "")


if __name__ == "__main__":
    main(sys.argv[1])
