"""A run folder that is read often: every stage is read once."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

from lookaway.records import Record
from lookaway.store.runs import Done, Run

if TYPE_CHECKING:
    import polars as pl

R = TypeVar("R", bound=Record)


class Snapshot(Run):
    """A run as it was when each stage was first read, so that a board and the pages beside it count the same lines."""

    def __init__(self, run: Run) -> None:
        super().__init__(run.root)
        self._records: dict[tuple[str, type[Record]], dict[str, Any]] = {}
        self._done: dict[str, dict[str, Done]] = {}
        self._tables: dict[tuple[str, type[Record], frozenset[str]], pl.DataFrame] = {}

    def latest(
        self, stage: str, kind: type[R], keys: Collection[str] | None = None, **wanted: str | int
    ) -> dict[str, R]:
        if keys is not None or wanted:
            return super().latest(stage, kind, keys, **wanted)
        if (stage, kind) not in self._records:
            self._records[stage, kind] = super().latest(stage, kind)
        return self._records[stage, kind]

    def done(self, stage: str) -> dict[str, Done]:
        if stage not in self._done:
            self._done[stage] = super().done(stage)
        return self._done[stage]

    def table(self, stage: str, kind: type[Record], without: Collection[str] = ()) -> pl.DataFrame:
        asked = (stage, kind, frozenset(without))
        if asked not in self._tables:
            self._tables[asked] = super().table(stage, kind, without)
        return self._tables[asked]


def snapshot(run: Run) -> Snapshot:
    """The run itself where it is one already."""
    return run if isinstance(run, Snapshot) else Snapshot(run)
