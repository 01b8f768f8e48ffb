"""Protocols: which metrics make up a profile, in which order they are read. Data, no machinery."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.metrics import find as find_metric
from lookaway.records import Protocol
from lookaway.tomls import read_record


def names() -> list[str]:
    folder = resources.files("lookaway.protocols") / "data"
    return sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))


def load(name: str) -> Protocol:
    """A protocol by name, from a .toml file by path, or `metric:NAME` for one metric alone."""
    if name.startswith("metric:"):
        metric = name.removeprefix("metric:")
        return Protocol(name=name, summary=f"{find_metric(metric).name} alone", metrics=(metric,), headline=(metric,))
    if name.endswith(".toml"):
        return _own(Path(name))
    if name not in names():
        raise UnknownName("protocol", name, names())
    with resources.as_file(resources.files("lookaway.protocols") / "data" / f"{name}.toml") as path:
        return _read(path)


def _own(path: Path) -> Protocol:
    if path.stem in names():
        raise UsageError(f"{path}: '{path.stem}' is a protocol of lookaway's own; give the file another name")
    return _read(path)


def _read(path: Path) -> Protocol:
    protocol = read_record(path, Protocol, "protocol")
    for metric in (*protocol.metrics, *protocol.headline, *(step.metric for step in protocol.ledger)):
        find_metric(metric)
    return protocol
