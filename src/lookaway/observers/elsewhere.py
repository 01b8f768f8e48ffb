"""Any observer may look in an environment of its own: `--set NAME.worker=ENVIRONMENT/bin/python`.

The same function runs there, in a process that stays for all clips of a run. The clip goes over as a file of pixels,
arrays come back as a file: bit by bit what the function would have returned here.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field, ValidationError

import lookaway
from lookaway import workers
from lookaway.errors import MissingWeights, ObserveError, problems
from lookaway.observers import Look, ObservedArrays, Observer
from lookaway.observers.exchange import ANSWER_FILE, hand_over, read_arrays
from lookaway.observers.pipe import Message, asked
from lookaway.observers.stand_ins import BY, stand_in
from lookaway.outcomes import Abstain
from lookaway.records import Record, Setting

SERVE = Path(workers.__file__).with_name("serve.py")
SIDE = Path(__file__).with_name("worker_side.py")


class ElsewhereSettings(Record):
    """What `--set NAME.SETTING=VALUE` may say of any observer; it has no part in what is seen."""

    worker: str = Field(min_length=1, description="the Python of an environment that has lookaway's dependencies")
    worker_timeout_s: float = Field(1800.0, gt=0, description="for one clip; the first one waits for the weights")


WORKER_SETTINGS = frozenset(ElsewhereSettings.model_fields)


def lives_elsewhere(settings: Mapping[str, Setting]) -> bool:
    return "worker" in settings


def seen_with(observer: Observer, look: Look) -> ObservedArrays | Abstain:
    """What an observer sees, or its stand-in: here, or in the worker that its settings name."""
    observer, look = stand_in(observer, look.settings), replace(look, settings=_without(look.settings, {BY}))
    if not lives_elsewhere(look.settings):
        return observer.function(look)
    own = {name: value for name, value in look.settings.items() if name in WORKER_SETTINGS}
    try:
        settings = ElsewhereSettings.model_validate(own)
    except ValidationError as error:
        raise ObserveError(f"--set {observer.name}.…: {problems(error)}") from error
    try:
        return _seen_there(observer, replace(look, settings=_without(look.settings, WORKER_SETTINGS)), settings)
    except MissingWeights:
        raise
    except ObserveError as error:
        raise ObserveError(f"worker of {observer.name}: {error}") from error


def _without(settings: Mapping[str, Setting], names: Collection[str]) -> dict[str, Setting]:
    return {name: value for name, value in settings.items() if name not in names}


_numbers = itertools.count(1)


def _seen_there(observer: Observer, look: Look, settings: ElsewhereSettings) -> ObservedArrays | Abstain:
    words = (settings.worker, str(SERVE), str(SIDE.with_suffix("")))
    with TemporaryDirectory() as folder:
        request = hand_over(look, Path(folder)) | _function(observer) | {"clip": next(_numbers), "folder": folder}
        return _read(observer, asked(words, request, settings.worker_timeout_s), Path(folder))


def _function(observer: Observer) -> Message:
    """Where the worker finds the function, and what its module's text must be there."""
    module = inspect.getmodule(observer.function)
    if module is None or module.__name__ == "__main__" or module.__file__ is None:
        raise ObserveError("its function is in no module, so no other process can find it; put it into a file")
    return {
        "package": str(Path(lookaway.__file__).parent),
        "module": module.__name__,
        "file": module.__file__,
        "function": observer.function.__name__,
        "source_sha256": hashlib.sha256(inspect.getsource(module).encode()).hexdigest(),
    }


def _read(observer: Observer, answer: Message, folder: Path) -> ObservedArrays | Abstain:
    if "missing_weights" in answer:
        name, command = map(str, answer["missing_weights"])
        raise MissingWeights(name, command)
    if "abstain" in answer:
        return Abstain(str(answer["abstain"]))
    if "error" in answer:
        raise ObserveError(str(answer["error"]))
    return observer.saw.from_arrays(read_arrays(folder / ANSWER_FILE))
