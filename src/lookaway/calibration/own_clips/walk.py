"""A calibration on clips that somebody brings, as a run: look at them, change them, look at what was made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lookaway.calibration.own_clips.making import Making, makings, video_of
from lookaway.calibration.own_clips.relations import RELATIONS, Relation
from lookaway.errors import UnknownName, UsageError
from lookaway.looking.brought import BroughtVideo, Wishes, mapping_of, write_suite
from lookaway.models import ingested
from lookaway.pipeline import STAGES, check_plan, plans, walk
from lookaway.pipeline.ingest import stage as ingest_stage
from lookaway.pipeline.sheets import Sheet, sheets
from lookaway.pipeline.stage import Options, Progress, StageReport, run_stage
from lookaway.records import Plan, Setting
from lookaway.store import Run

BROUGHT = "as-brought"


@dataclass(frozen=True)
class ClipsWish:
    """What to calibrate on whose clips."""

    videos: Sequence[BroughtVideo]
    wishes: Wishes = field(default_factory=Wishes)
    protocols: Sequence[str] = ("real",)
    judges: Sequence[str] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    relations: Sequence[str] | None = None  # None: all


@dataclass(frozen=True)
class ClipsRun:
    """What a calibration leaves: its plan, what was made or why not, and videos that nobody can read."""

    plan: Plan
    makings: list[Making]
    unreadable: dict[str, str]
    reports: list[StageReport]


def chosen_relations(names: Sequence[str] | None) -> list[Relation]:
    for name in names or ():
        if name not in RELATIONS:
            raise UnknownName("relation", name, RELATIONS)
    return [relation for name, relation in RELATIONS.items() if names is None or name in names]


def calibrate_clips(
    run: Run, wish: ClipsWish, options: Options, progress: Progress, say: Callable[[str], None]
) -> ClipsRun:
    """Everything up to the scores; what is done already is skipped. A dry run ends before anything is changed."""
    relations = chosen_relations(wish.relations)
    suite = run.root / "suite"
    unreadable = write_suite(wish.videos, wish.wishes, suite)
    readable = [video for video in wish.videos if video.id not in unreadable]
    if not readable:
        raise UsageError(f"none of the videos can be read; {next(iter(unreadable.values()))}")
    plan = _planned(run, wish, [BROUGHT], options)
    check_plan(run, plan, options)
    reports = _taken_in(run, plan, {BROUGHT: readable}, options, progress)
    reports.append(run_stage(STAGES["observe"], run, plan, options, progress))
    if options.dry_run:
        return ClipsRun(plan, [], unreadable, reports)
    made = list(makings(run, _brought(run, plan, readable), relations))
    say(in_words(readable, made))
    by_relation = {relation.name: _videos(run, relation, made) for relation in relations}
    _add_tasks(by_relation, made, wish.wishes, suite)
    plan = _planned(run, wish, [name for name, videos in by_relation.items() if videos], options)
    whole = replace(options, only=None, limit=None, shard=(1, 1))
    reports += _taken_in(run, plan, by_relation, whole, progress)
    reports += [each for each in walk(run, plan, options, progress) if each.stage != "tasks"]
    return ClipsRun(plan, made, unreadable, reports)


def in_words(videos: Sequence[BroughtVideo], made: Sequence[Making]) -> str:
    """`calibrating on 40 clips made of 5 videos; 10 could not be made`."""
    count = sum(not each.reason for each in made)
    rest = f"; {len(made) - count} could not be made" if count < len(made) else ""
    return f"calibrating on {count} clips made of {len(videos)} videos{rest}"


def _planned(run: Run, wish: ClipsWish, systems: Sequence[str], options: Options) -> Plan:
    return plans.extend(
        run,
        str(run.root / "suite"),
        [ingested(name) for name in systems],
        chosen=wish.protocols,
        judges=wish.judges,
        settings=dict(wish.settings),
        keep=not options.dry_run,
    )


def _taken_in(
    run: Run, plan: Plan, videos: Mapping[str, Sequence[BroughtVideo]], options: Options, progress: Progress
) -> list[StageReport]:
    """The tasks, and the videos of each system."""
    reports = [run_stage(STAGES["tasks"], run, plan, options, progress)]
    for system, those in videos.items():
        if those:
            stage = ingest_stage(mapping_of(those, {}, run.root), system, add=True)
            reports.append(run_stage(stage, run, plan, options, progress))
    return reports


def _brought(run: Run, plan: Plan, videos: Sequence[BroughtVideo]) -> list[Sheet]:
    ids = {video.id for video in videos}
    every = sheets(run, plan, ["view", "subject_track"])
    return [each for each in every if each.clip.case.system == BROUGHT and each.task.id in ids]


def _videos(run: Run, relation: Relation, made: Sequence[Making]) -> list[BroughtVideo]:
    mine = [each for each in made if each.relation == relation.name and not each.reason]
    return [BroughtVideo(task_of(each), video_of(run, each), scene=each.clip) for each in mine]


def task_of(made: Making) -> str:
    """The clip's own task where it begins as the clip does; else another, whose id does not say what was done."""
    return made.clip if RELATIONS[made.relation].same_start else f"{made.clip}-{made.key[:6]}"


def _add_tasks(
    videos: Mapping[str, Sequence[BroughtVideo]], made: Sequence[Making], wishes: Wishes, suite: Path
) -> None:
    """Tasks for the clips that begin otherwise."""
    own = [video for name, those in videos.items() if not RELATIONS[name].same_start for video in those]
    known = {video.id for video in own}
    boxes = {task_of(each): each.box for each in made if each.box is not None and task_of(each) in known}
    write_suite(own, replace(wishes, boxes=boxes), suite)
