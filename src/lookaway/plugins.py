"""Every registry there is."""

from __future__ import annotations

from typing import Any

from lookaway.analyses import ANALYSES
from lookaway.controls import CONTROLS
from lookaway.executors import EXECUTORS
from lookaway.gates import GATES
from lookaway.generators import GENERATORS
from lookaway.judges import JUDGES
from lookaway.metrics import METRICS
from lookaway.observers import OBSERVERS
from lookaway.registry import Registry
from lookaway.reports import REPORTS
from lookaway.suites import SUITES


def registries() -> list[Registry[Any]]:
    return [SUITES, CONTROLS, GENERATORS, OBSERVERS, JUDGES, GATES, METRICS, ANALYSES, REPORTS, EXECUTORS]
