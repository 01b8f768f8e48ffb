"""Protocols: which metrics make up a profile, and of which rows their tables speak. One folder each; no machinery."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from lookaway.analyses import ANALYSES
from lookaway.errors import UnknownName, UsageError
from lookaway.metrics import find as find_metric
from lookaway.records import MetricRef, Protocol
from lookaway.tomls import read_record

FILE = "protocol.toml"


def names() -> list[str]:
    return sorted(f.name for f in resources.files("lookaway.protocols").iterdir() if (f / FILE).is_file())


def load(name: str) -> Protocol:
    """A protocol by name, from a .toml file by path, or `metric:NAME` for one metric alone."""
    if name.startswith("metric:"):
        metric = resolved(MetricRef.model_validate(name.removeprefix("metric:")))
        return Protocol(
            name=name, summary=f"{metric.name} alone", metrics=(metric,), headline=(metric,), analyses=("cells",)
        )
    if name.endswith(".toml"):
        return _own(Path(name))
    if name not in names():
        raise UnknownName("protocol", name, names())
    with resources.as_file(resources.files("lookaway.protocols") / name / FILE) as path:
        return with_variants(read_record(path, Protocol, "protocol", name))


def _own(path: Path) -> Protocol:
    if path.stem in names():
        raise UsageError(f"{path}: '{path.stem}' is a protocol of lookaway's own; give the file another name")
    return with_variants(read_record(path, Protocol, "protocol"))


def with_variants(protocol: Protocol) -> Protocol:
    """The protocol with every metric's variant said; a metric or analysis that does not exist is an error here."""
    for name in protocol.analyses:
        ANALYSES.get(name)
    steps = [step.model_copy(update={"metric": resolved(step.metric)}) for step in protocol.ledger]
    populations = {str(resolved(MetricRef.model_validate(name))): p for name, p in protocol.populations.items()}
    return Protocol.model_validate(
        dict(protocol)
        | {
            "metrics": tuple(map(resolved, protocol.metrics)),
            "headline": tuple(map(resolved, protocol.headline)),
            "ledger": tuple(steps),
            "populations": populations,
        }
    )


def resolved(metric: MetricRef) -> MetricRef:
    """The reference with its variant; where a metric has several, the one meant must be said."""
    found = find_metric(metric)
    return MetricRef(name=found.name, variant=found.variant)
