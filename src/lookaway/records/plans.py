"""What a run is about: protocols and the plan."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from lookaway.records.base import Record
from lookaway.records.systems import CaseId, Setting, System


class Step(Record):
    """One step of the attribution ledger: reached when `metric` is at least `at_least`, or at most `at_most`."""

    name: str
    metric: str
    at_least: float | None = None
    at_most: float | None = None

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"ledger step '{self.name}': give either at_least or at_most")
        return self

    @property
    def miss(self) -> str:
        """What a number is that does not reach the step: `below 0.8`."""
        return f"below {self.at_least:g}" if self.at_most is None else f"above {self.at_most:g}"


class Protocol(Record):
    """Which metrics make up a profile, in which order they are read."""

    name: str
    summary: str
    metrics: tuple[str, ...]
    headline: tuple[str, ...]
    ledger: tuple[Step, ...] = ()
    observers: tuple[str, ...] = Field((), description="looked with as well, though no metric needs them")


class Plan(Record):
    """What a run folder is about: every stage works off it."""

    suite: str
    suite_version: str
    in_folder: bool = Field(False, description="the suite is no registered one, but a folder")
    folder: str | None = Field(None, exclude=True, description="where that lies on this machine; see local.json")
    systems: tuple[System, ...] = ()
    seeds: tuple[int, ...] = (0,)
    protocols: tuple[Protocol, ...]
    judge: str | None = None
    settings: dict[str, Setting] = Field({}, description="plugin.name to value")
    cases: tuple[CaseId, ...] = Field((), description="exactly these are made; empty: every task, system and seed")

    def settings_of(self, plugin: str) -> dict[str, Setting]:
        """The settings addressed to one plugin: `patch_features.model=...` reaches patch_features as `model`."""
        return {key.split(".", 1)[1]: value for key, value in self.settings.items() if key.split(".", 1)[0] == plugin}


class PluginVersion(Record):
    """Which source code stood behind a plugin's version when it made this run's rows."""

    kind: str
    name: str
    version: int
    source_sha256: str
