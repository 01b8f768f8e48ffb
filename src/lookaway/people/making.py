"""Make a study from a run: which clips or pairs, which of them are held out, which checks, all with clips to show."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from lookaway.calibration.sample import spread
from lookaway.errors import UnknownName, UsageError
from lookaway.people import designs
from lookaway.people.candidates import Candidate, StudyClip
from lookaway.people.folder import DESIGN_FILE, StudyFolder, write_study
from lookaway.people.known_answers import known_items
from lookaway.people.ready_clips import ReadyClips
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.records import CaseId, QuestionBank, Study, StudyItem
from lookaway.store import Run, open_run


def make_study(
    run: Run,
    design: str,
    out: Path,
    limit: int | None = None,
    systems: Sequence[str] = (),
    banks: Mapping[str, QuestionBank] | None = None,
    checks_from: Path | None = None,
) -> StudyFolder:
    """A study folder of a run's clips; refused where one is already."""
    if (out / DESIGN_FILE).exists():
        raise UsageError(f"{out}: a study is there already; give another folder, or delete it")
    study = designs.load(design)
    clips = study_clips(run)
    wanted = _of_systems(clips, systems)
    found = _questions(study, run, banks or {}) if study.bank else _main(study, wanted)
    if not found:
        raise UsageError(f"{run.root}: nothing in it can be asked by the design {design}; see docs/people.md")
    chosen = _chosen(found, study, limit)
    known = study_clips(open_run(checks_from)) if checks_from is not None else clips
    checks = _checks(study, known)
    out.mkdir(parents=True, exist_ok=True)
    ready = ReadyClips(out / "blobs")
    items = [_item(candidate, ready) for candidate in [*_held_out(chosen, study), *checks]]
    return write_study(out, designs.text(design), items)


def study_clips(run: Run) -> list[StudyClip]:
    """Every clip of a run that can be shown, in order."""
    plan = plans.load(run)
    tasks, references = built_tasks(run, plan), built_references(run)
    made_by = {system.label: str(system.card.settings.get("reference", "")) for system in plan.systems}
    found = []
    for clip in current_clips(run, plan):
        if clip.video is None:
            continue
        task = tasks[clip.case.task]
        truth = references.get(task.instance)
        phases = truth.phases if truth is not None and truth.phases else task.phases
        found.append(StudyClip(clip.case, run.blobs.path(clip.video), task, phases, made_by[clip.case.system]))
    return found


def _of_systems(clips: Sequence[StudyClip], systems: Sequence[str]) -> list[StudyClip]:
    """Clips of the named systems; of all but the truth where none is named."""
    known = {clip.case.system for clip in clips}
    for name in systems:
        if name not in known:
            raise UnknownName("system with clips in this run", name, known)
    return [clip for clip in clips if (clip.case.system in systems if systems else clip.reference != "truth")]


def _main(study: Study, clips: Sequence[StudyClip]) -> list[Candidate]:
    if not study.paired:
        return [Candidate((clip,)) for clip in clips if study.kind != "keyframes" or clip.task.subject is not None]
    alike: dict[tuple[str, int, str], list[StudyClip]] = {}
    for clip in clips:
        alike.setdefault((clip.case.task, clip.case.seed, clip.case.branch), []).append(clip)
    return [Candidate(pair) for same in alike.values() for pair in combinations(same, 2)]


def _questions(study: Study, run: Run, banks: Mapping[str, QuestionBank]) -> list[Candidate]:
    """Questions that stay in the banks, beside the true clip of their task."""
    plan = plans.load(run)
    tasks, references = built_tasks(run, plan), built_references(run)
    found: list[Candidate] = []
    for name, bank in sorted(banks.items()):
        truth = references.get(tasks[name].instance) if name in tasks else None
        if truth is None or truth.video is None:
            continue
        case = CaseId(task=name, system="truth", seed=0)
        clip = StudyClip(case, run.blobs.path(truth.video), tasks[name], truth.phases, "truth")
        found += [Candidate((clip,), question) for question in bank.kept]
    return _few_of_each(found, study)


def _few_of_each(found: list[Candidate], study: Study) -> list[Candidate]:
    if study.bank_each is None:
        return found
    chance, taken = random.Random(study.seed), dict[tuple[str, str], int]()
    kept = []
    for candidate in chance.sample(found, len(found)):
        assert candidate.question is not None
        group = (candidate.scene, candidate.question.dimension)
        taken[group] = taken.get(group, 0) + 1
        kept += [candidate] if taken[group] <= study.bank_each else []
    return kept


def _chosen(found: Sequence[Candidate], study: Study, limit: int | None) -> list[Candidate]:
    """So many, as evenly over scenes and systems as they allow; chance, by the study's seed, decides among equals."""
    chance = random.Random(f"items/{study.seed}")
    places = {id(one): f"{chance.random():.12f}" for one in found}
    if limit is None or limit >= len(found):
        return sorted(found, key=lambda one: places[id(one)])
    return spread(found, _strata, lambda one: places[id(one)], limit)


def _strata(candidate: Candidate) -> list[tuple[str, ...]]:
    return [("scene", candidate.scene), ("systems", *(clip.case.system for clip in candidate.clips))]


def _held_out(chosen: Iterable[Candidate], study: Study) -> list[Candidate]:
    """Whole scenes are held out, so that nothing of them is seen while anything is tuned."""
    listed = list(chosen)
    scenes = sorted({candidate.scene for candidate in listed})
    random.Random(f"holdout/{study.seed}").shuffle(scenes)
    held = set(scenes[: round(study.holdout * len(scenes))])
    return [replace(one, role="holdout" if one.scene in held else study.role) for one in listed]


def _checks(study: Study, clips: Sequence[StudyClip]) -> list[Candidate]:
    """Twice as many as one person is given, so that not all get the same."""
    if not study.checks:
        return []
    chance = random.Random(f"checks/{study.seed}")
    found = known_items(study, clips)
    return chance.sample(found, min(2 * study.checks, len(found)))


def _item(candidate: Candidate, ready: ReadyClips) -> StudyItem:
    clips = [ready.of(clip.path) for clip in candidate.clips]
    first = candidate.clips[0]
    return StudyItem(
        id=candidate.id,
        cases=tuple(str(clip.case) for clip in candidate.clips),
        media=tuple(clip.media for clip in clips),
        frames=tuple(clip.frames for clip in clips),
        fps=tuple(clip.fps for clip in clips),
        scene=candidate.scene,
        prompt=first.task.prompt,
        subject=first.task.subject.name if first.task.subject is not None else "",
        phases=first.phases,
        question=candidate.question,
        role=candidate.role,
        right=dict(candidate.right),
    )
