"""Protocols: which metrics make up a profile, in which order they are read. Data, no machinery."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import UnknownName, UsageError
from lookaway.metrics import find as find_metric
from lookaway.records import Record


class Step(Record):
    """One step of the attribution ledger: reached when `metric` is at least `at_least`."""

    name: str
    metric: str
    at_least: float


class Protocol(Record):
    name: str
    summary: str
    metrics: tuple[str, ...]
    headline: tuple[str, ...]
    ledger: tuple[Step, ...] = ()


def names() -> list[str]:
    folder = resources.files("lookaway.protocols") / "data"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> Protocol:
    """A protocol by name, from a .toml file by path, or `metric:NAME` for one metric alone."""
    if name.startswith("metric:"):
        metric = find_metric(name.removeprefix("metric:")).name
        return Protocol(name=name, summary=f"{metric} alone", metrics=(metric,), headline=(metric,))
    if name.endswith(".toml"):
        return _read(name, Path(name))
    if name not in names():
        raise UnknownName("protocol", name, names())
    with resources.as_file(resources.files("lookaway.protocols") / "data" / f"{name}.toml") as path:
        return _read(name, path)


def _read(name: str, path: Path) -> Protocol:
    try:
        return Protocol(name=name, **tomllib.loads(path.read_text()))
    except OSError as error:
        raise UsageError(f"{path}: cannot read this protocol: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageError(f"{path}: not a protocol: {error}") from error
