"""A suite as a folder of plain files: all that a person needs to run a model of their own and bring its videos back.

The folder is itself a suite (suites/folder.py), and what was exported reads back as it was.
"""

from __future__ import annotations

import fnmatch
import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lookaway import extras, suites
from lookaway.errors import MissingExtra, UsageError
from lookaway.executors import Group, Site
from lookaway.executors.local import local
from lookaway.export.folder import Finished, Folder, Head
from lookaway.export.memobench import places
from lookaway.export.notes import notes
from lookaway.export.one_task import Order, export_group, inputs_of
from lookaway.export.pages import tasks_of, write_pages
from lookaway.pipeline.stage import Outcome, Progress, StageReport
from lookaway.records import ModelCard
from lookaway.suites import Draft, Suite
from lookaway.suites.secret import secret_suite


@dataclass(frozen=True)
class Export:
    """What became of an export."""

    out: Path
    private: Path | None  # where the truth is, if it is kept apart
    tasks: int  # in the folder now
    notes: list[str]
    failures: list[Outcome]


def export_suite(
    name: str,
    out: Path,
    progress: Progress,
    *,
    card: ModelCard | None = None,
    tasks: str | None = None,
    memobench: bool = False,
    with_truth: bool = True,
    secret: bytes | None = None,
    workers: int = 1,
) -> Export:
    """Write a suite to a folder; tasks that are there already are skipped.

    With a card, everything has that model's size, length and rate. With a secret, the worlds are seeded by it. Without
    truth, `out` holds only what a model may know, and the whole suite goes to a second folder, `out`-private.
    """
    suite = _exported(suites.find(name), card, secret)
    drafts = suite.drafts()
    wanted = _wanted(drafts, tasks)
    full = Folder(out if with_truth else private_beside(out))
    public = None if with_truth else Folder(out)
    _claim(Head.of(suite, card, truth=True), full, public)
    order = Order(full, public, card, places(drafts) if memobench else {})
    report = _run(order, wanted, workers, progress)
    finished = [known for draft in drafts if (known := full.finished(draft.id)) is not None]
    exported = tasks_of(suite, finished)
    write_pages(suite, exported, full, public)
    return Export(out, full.root if public else None, len(exported), notes(exported, card), report.failures)


def private_beside(out: Path) -> Path:
    """The folder for the truth: it must not lie inside of what is given away."""
    named = out if out.name not in ("", "..") else out.resolve()
    return named.with_name(f"{named.name}-private")


def _exported(suite: Suite, card: ModelCard | None, secret: bytes | None) -> Suite:
    """The suite under the name of what is really exported: other worlds or another size make it another suite."""
    if suite.extra is not None and extras.missing(suite.extra):
        raise MissingExtra(suite.extra, f"'{suite.name}'", suite.without_extra)
    if secret is not None:
        suite = secret_suite(suite, secret)
    if card is not None:
        name = f"{suite.name}-for-{card.name}"
        suite = replace(suite, name=name, function=functools.partial(_renamed, suite, name))
    return suite


def _renamed(suite: Suite, name: str) -> list[Draft]:
    return [replace(draft, suite=name) for draft in suite.drafts()]


def _wanted(drafts: list[Draft], pattern: str | None) -> list[Draft]:
    wanted = [draft for draft in drafts if pattern is None or fnmatch.fnmatch(draft.id, pattern)]
    if not wanted:
        raise UsageError(f"--tasks '{pattern}' matches none of the {len(drafts)} tasks, such as {drafts[0].id}")
    return wanted


def _claim(head: Head, full: Folder, public: Folder | None) -> None:
    """Both folders are looked at before either is touched."""
    heads = {full: head} | ({} if public is None else {public: replace(head, truth=False)})
    for folder, own in heads.items():
        folder.check(own)
    for folder, own in heads.items():
        folder.claim(own)


@dataclass(frozen=True)
class Exporting:
    """Exports tasks in any process."""

    order: Order

    def __call__(self, drafts: Sequence[Draft]) -> list[Outcome]:
        return export_group(self.order, list(drafts))

    def end(self) -> None:
        """Nothing is open."""


def _run(order: Order, drafts: list[Draft], workers: int, progress: Progress) -> StageReport:
    started = time.monotonic()
    left = [draft for draft in drafts if not _is_there(order, order.full.finished(draft.id), draft)]
    progress.start("export", len(drafts), len(drafts) - len(left))
    outcomes: list[Outcome] = []
    groups = [Group(drafts) for drafts in _grouped(left)]
    for done in local(Exporting(order), groups, Site(workers)):
        assert isinstance(done, list)
        outcomes += done
        progress.advance(done)
    report = StageReport(
        stage="export",
        total=len(drafts),
        skipped=len(drafts) - len(left),
        outcomes=tuple(outcomes),
        seconds=time.monotonic() - started,
        passed_over=0,
        example=drafts[0].id,
    )
    progress.finish(report)
    return report


def _is_there(order: Order, known: Finished | None, draft: Draft) -> bool:
    return (
        known is not None
        and known.inputs == inputs_of(order, draft)
        and (known.memobench or draft.id not in order.places)
        and order.full.holds(known.files)
        and (order.public is None or order.public.holds(known.given))
    )


def _grouped(drafts: list[Draft]) -> list[list[Draft]]:
    """A task and its twins together: they share a world."""
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(dict(draft.facts).get("twin_of") or draft.id, []).append(draft)
    return list(groups.values())
