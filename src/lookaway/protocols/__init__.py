"""Protocols: which metrics make up a profile, in which order they are read. Data, no machinery."""

from __future__ import annotations

import tomllib
from importlib import resources

from lookaway.errors import UnknownName
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
    if name not in names():
        raise UnknownName("protocol", name, names())
    text = (resources.files("lookaway.protocols") / "data" / f"{name}.toml").read_text()
    return Protocol(name=name, **tomllib.loads(text))
