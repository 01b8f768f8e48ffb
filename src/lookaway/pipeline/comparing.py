"""Compare systems out of one run or several: the record for people and machines, and the worst pairs to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lookaway.analyses import Findings
from lookaway.analyses.contrasts import is_significant
from lookaway.analyses.ledger_changes import ledger_changes
from lookaway.analyses.system_contrasts import (
    SystemContrast,
    coverage_table,
    difference_table,
    sentence,
    system_contrasts,
    without_a_plugin,
)
from lookaway.analyses.training_curve import training_curves
from lookaway.analyses.worst_pairs import WorstPair, worst_pairs, worst_pairs_table
from lookaway.errors import UsageError
from lookaway.outcomes import Abstain
from lookaway.pipeline.arms import ArmPart, JoinedArm, comparable, joined_arms, split_seeds
from lookaway.pipeline.exhibits import shown_strip
from lookaway.pipeline.generate import clip_key
from lookaway.pipeline.tasks import built_references
from lookaway.records import Clip, Contrast, SystemComparison, Table
from lookaway.reports.exhibits import Montage, ShownClip


class Compared:
    """A comparison, and what is needed to show its worst pairs."""

    def __init__(self, record: SystemComparison, arms: Sequence[JoinedArm], worst: Sequence[WorstPair]) -> None:
        self.record, self.worst = record, tuple(worst)
        self._arms = {arm.name: arm for arm in arms}

    def montages(self) -> list[Montage]:
        """The worst pairs as strips of frames, the truth above both where there is one."""
        return [
            Montage("The worst pairs", f"{one.task}, seed {one.seed}", tuple(self._strips(one))) for one in self.worst
        ]

    def _strips(self, pair: WorstPair) -> list[ShownClip]:
        sides = [self._arms[name].clip(pair.task, pair.seed) for name in (pair.first, pair.second)]
        run = sides[0][0]
        reference = built_references(run.run).get(run.tasks[pair.task].instance)
        phases = () if reference is None else reference.phases
        shown = []
        if reference is not None and reference.video is not None:
            shown.append(shown_strip(run.run, "the true clip", reference.video, phases))
        for name, (place, case) in zip((pair.first, pair.second), sides, strict=True):
            clip = place.run.latest("clips", Clip, key=clip_key(case)).get(clip_key(case))
            title = f"{name} ({case} in {place.name})"
            if clip is None or clip.video is None:
                shown.append(ShownClip(title, "no video", "not in this run" if clip is None else clip.reason))
            else:
                shown.append(shown_strip(place.run, title, clip.video))
        return shown


def compare(parts: Sequence[ArmPart], aa: bool = False, apart: bool = False) -> Compared:
    """The systems against the first of them; `apart` joins no two of them.

    With `aa`, two runs of one checkpoint, or the seeds of one run.
    """
    arms = _same_twice(parts) if aa else joined_arms(parts, apart)
    if len(arms) < 2:
        raise UsageError(
            f"{arms[0].name if arms else 'nothing'} alone cannot be compared; name a second system, such as RUN:system"
        )
    every, left_out = comparable(arms)
    left_out |= without_a_plugin([ref for findings in every for ref in findings.protocol.headline])
    parts_found = [_of_protocol(findings) for findings in every]
    record = SystemComparison(
        suite=arms[0].parts[0].run.plan.suite,
        suite_version=arms[0].parts[0].run.plan.suite_version,
        arms=tuple(arm.record for arm in arms),
        contrasts=tuple(one for found in parts_found for one in found.contrasts),
        tables=tuple(table for found in parts_found for table in found.tables),
        sentences=tuple(told for found in parts_found for told in found.sentences),
        left_out=left_out,
        alarms=tuple(one.name for found in parts_found for one in found.contrasts if is_significant(one)),
    )
    return Compared(record, arms, [pair for found in parts_found for pair in found.worst])


def _same_twice(parts: Sequence[ArmPart]) -> list[JoinedArm]:
    if len(parts) == 1:
        return split_seeds(parts[0])
    if len(parts) != 2 or parts[0].system.key != parts[1].system.key:
        told = ", ".join(f"{part.system.label} in {part.run.name}" for part in parts)
        raise UsageError(
            f"--aa takes one system with two seeds or more, or the same checkpoint in two runs, not {told}"
        )
    if parts[0].run is parts[1].run:
        return split_seeds(parts[0])
    return joined_arms(parts, apart=True)


class FoundComparison(NamedTuple):
    """What one protocol says."""

    contrasts: list[Contrast]
    tables: list[Table]
    sentences: list[str]
    worst: list[WorstPair]


def _of_protocol(findings: Findings) -> FoundComparison:
    found = system_contrasts(findings)
    worst = worst_pairs(found, findings)
    ledger, curves = ledger_changes(findings), training_curves(findings)
    made = [
        coverage_table(findings),
        difference_table(found, findings),
        *(() if isinstance(ledger, Abstain) else ledger),
        worst_pairs_table(worst, findings),
        *(() if isinstance(curves, Abstain) else curves),
    ]
    by_arm: dict[str, list[SystemContrast]] = {}
    for one in found:
        by_arm.setdefault(one.second, []).append(one)
    return FoundComparison(
        contrasts=[one.contrast for one in found],
        tables=[table for table in made if table is not None],
        sentences=[sentence(mine) for mine in by_arm.values()],
        worst=worst,
    )
