"""From videos to what is said about them: a run like any other, whose suite is made of the videos themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookaway.looking.brought import BroughtVideo, Wishes, mapping_of, write_suite
from lookaway.models import ingested
from lookaway.pipeline import STAGES, make_board, plans, walk, write_reports
from lookaway.pipeline.ingest import stage as ingest_stage
from lookaway.pipeline.paragraph import paragraphs
from lookaway.pipeline.stage import Options, Progress, StageReport, run_stage
from lookaway.records import Setting
from lookaway.reports.escaping import in_markdown
from lookaway.store import make_run, write_whole

SYSTEM = "brought"
SAID = "looked-at.md"


@dataclass(frozen=True)
class Saying:
    """What is said about one video."""

    id: str
    text: str


@dataclass(frozen=True)
class Looks:
    said: list[Saying]
    reports: list[StageReport]
    written: list[Path]
    unreadable: int  # videos


def looked_at(
    videos: Sequence[BroughtVideo],
    wishes: Wishes,
    root: Path,
    protocols: Sequence[str],
    options: Options,
    progress: Progress,
    settings: dict[str, Setting] | None = None,
    notes: Mapping[str, str] | None = None,
) -> Looks:
    """Every video seen, measured and told, in a run folder that may hold others already.

    `notes` are said behind what was seen, by id of the video.
    """
    run = make_run(root)
    suite = root / "suite"
    unreadable = write_suite(videos, wishes, suite)
    plan = plans.extend(
        run, str(suite), [ingested(SYSTEM)], chosen=protocols, settings=settings, keep=not options.dry_run
    )
    mapping = mapping_of(videos, unreadable, root)
    taken = [
        run_stage(STAGES["tasks"], run, plan, options, progress),
        run_stage(ingest_stage(mapping, SYSTEM, add=True), run, plan, options, progress),
    ]
    reports = taken + [each for each in walk(run, plan, options, progress) if each.stage != "tasks"]
    if options.dry_run:
        return Looks([], reports, [], len(unreadable))
    asked = {video.id for video in videos}
    told = [_with_note(Saying(case.task, text), notes or {}) for case, text in paragraphs(run, plan, asked)]
    told += [Saying(name, f"cannot be read: {why}") for name, why in unreadable.items()]
    written = [*write_reports(run, plan, make_board(run, plan)), _kept(root, told)]
    return Looks(told, reports, written, len(unreadable))


def _with_note(said: Saying, notes: Mapping[str, str]) -> Saying:
    return Saying(said.id, f"{said.text} ({notes[said.id]})") if said.id in notes else said


def _kept(root: Path, told: Sequence[Saying]) -> Path:
    text = "".join(f"## {in_markdown(each.id)}\n\n{in_markdown(each.text)}\n\n" for each in told)
    return write_whole(root / SAID, text)
