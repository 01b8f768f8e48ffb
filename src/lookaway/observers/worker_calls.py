"""What observers share that ask a program in an environment of its own: settings, frames as files, its answer."""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar
from weakref import WeakKeyDictionary

from pydantic import Field, ValidationError

from lookaway import workers
from lookaway.errors import MissingPackage, MissingWeights, ObserveError, problems
from lookaway.images import png_bytes
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.pipe import Message, Worker, asked, running
from lookaway.records import Record
from lookaway.weights import HUB_NAME, found, how_to_get

SERVE = Path(workers.__file__).with_name("serve.py")


class WorkerSettings(Record):
    """What `--set NAME.SETTING=VALUE` may say of any worker; each kind adds its own."""

    command: str = Field("{python} {worker}", description="{worker} is the program that comes with lookaway")
    model: str | None = Field(None, description="a checkpoint's name or folder; the worker's own choice unless told")
    timeout_s: float = Field(1800.0, gt=0, description="for one clip; the first one waits for the weights")


S = TypeVar("S", bound=WorkerSettings)


def worker_settings(kind: type[S], name: str, look: Look) -> S:
    try:
        return kind.model_validate(dict(look.settings))
    except ValidationError as error:
        raise ObserveError(f"--set {name}.…: {problems(error)}") from error


_numbers = itertools.count(1)
_lacking: WeakKeyDictionary[Worker, dict[str | None, Message]] = WeakKeyDictionary()  # by model, while it runs


def worker_answer(name: str, look: Look, settings: WorkerSettings, sampled: Sequence[int], facts: Message) -> Message:
    """What the worker of that observer answers when it is shown these frames and told these facts.

    One that has said what it lacks is shown no more frames.
    """
    words, model = _words(name, settings.command), _model(name, settings)
    known = _lacking.setdefault(running(words), {})
    answer = known.get(model) or _answered(words, look, sampled, {"model": model} | facts, settings.timeout_s)
    if "missing_weights" in answer or "missing_package" in answer:
        known[model] = answer
    if "missing_weights" in answer:
        raise _no_weights(answer["missing_weights"])
    if "missing_package" in answer:
        raise MissingPackage(f"worker {name}: {answer.get('error')}")
    return answer


def _answered(words: tuple[str, ...], look: Look, sampled: Sequence[int], facts: Message, timeout_s: float) -> Message:
    with TemporaryDirectory() as folder:
        files = [f"{index:06d}.png" for index in sampled]
        for file, index in zip(files, sampled, strict=True):
            (Path(folder) / file).write_bytes(png_bytes(look.frames.rgb[index], level=1))
        return asked(words, {"clip": next(_numbers), "folder": folder, "files": files} | facts, timeout_s)


def _no_weights(told: object) -> ObserveError:
    """A name or a folder; or a name and the line that gets what it stands for, where it is in no catalogue."""
    if isinstance(told, list) and len(told) == 2:
        return MissingWeights(str(told[0]), str(told[1]))
    named = str(told)
    if HUB_NAME.fullmatch(named):
        return MissingWeights(named, how_to_get(named))
    return ObserveError(f"cannot load the weights in {named}")


def _model(name: str, settings: WorkerSettings) -> str | None:
    """The folder of the weights where they are here; else their name, which the worker's own library may find."""
    named = settings.model or OBSERVERS.get(name).weights
    folder = found(named) if named else None
    return settings.model if folder is None else str(folder.resolve())


def _words(name: str, command: str) -> tuple[str, ...]:
    """A command line, in which {python} is the one that runs this and {worker} the worker of that name."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ObserveError(f"its command cannot be read: {error}") from error
    if not words:
        raise ObserveError(f'its command is empty; give one: --set "{name}.command=ENVIRONMENT/bin/python {{worker}}"')
    places = {"{python}": [sys.executable], "{worker}": [str(SERVE), name]}
    return tuple(part for word in words for part in places.get(word, [word]))
