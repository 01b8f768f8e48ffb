"""The analyses of a run's protocols: every table they return, and why there are not more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lookaway.analyses import ANALYSES, Findings
from lookaway.outcomes import Abstain
from lookaway.pipeline.stage import Failure, attempt
from lookaway.records import Table


class Analysed(NamedTuple):
    tables: tuple[Table, ...]
    missing: dict[str, str]  # `protocol: analysis` to the reason why it has none


def analysed(findings: Iterable[Findings]) -> Analysed:
    """What the analyses of every protocol say; one that abstains, fails or is gone stops no other."""
    tables: list[Table] = []
    missing: dict[str, str] = {}
    for one in findings:
        for name in _asked(one):
            found = _tables(name, one)
            if isinstance(found, str):
                missing[f"{one.protocol.name}: {name}"] = found
            else:
                tables += found
    return Analysed(_with_names_of_their_own(tables), missing)


def label_tables(findings: Iterable[Findings]) -> list[Table]:
    """Only what labels of people bring along."""
    found = [_tables(name, one) for one in findings for name in _of_labels()]
    return [table for tables in found if not isinstance(tables, str) for table in tables]


def _asked(findings: Findings) -> list[str]:
    """What the protocol names, and what labels of people bring along."""
    named = list(findings.protocol.analyses)
    return named + [name for name in _of_labels() if findings.labels and name not in named]


def _of_labels() -> list[str]:
    return [name for name, known in ANALYSES.all().items() if known.of_labels]


def _tables(name: str, findings: Findings) -> list[Table] | str:
    found = attempt(_called, name, findings)
    return found.reason if isinstance(found, Abstain | Failure) else found


def _called(name: str, findings: Findings) -> list[Table] | Abstain:
    found = ANALYSES.get(name).function(findings)
    return found if isinstance(found, Abstain) else [Table.model_validate(table) for table in found]


def _with_names_of_their_own(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Two tables that call themselves the same are told apart by number, in their order."""
    named: dict[str, Table] = {}
    for table in tables:
        name, number = table.name, 2
        while name in named:
            name, number = f"{table.name}-{number}", number + 1
        named[name] = table if name == table.name else table.model_copy(update={"name": name})
    return tuple(named.values())
