"""Runs as arms of a comparison: who was named, whose clips join, and what of them can be compared at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.board import findings_of, metric_scales
from lookaway.errors import UnknownName, UsageError
from lookaway.pipeline import counted_scores, plans
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, ComparedArm, Plan, Protocol, System, Task
from lookaway.store import Run, open_run, root_of

COUNTS = ("headline", "ledger", "population", "populations", "asks")  # of a protocol: what its numbers depend on
READING = ["protocol", "metric", "variant", "version", "instrument_key", "ask_key"]


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """All that a comparison reads of a run folder."""

    name: str  # that it goes by
    run: Run
    plan: Plan
    scores: pl.DataFrame
    tasks: Mapping[str, Task]


@dataclass(frozen=True, eq=False)
class ArmPart:
    """One system in one run."""

    run: ComparedRun
    system: System
    scores: pl.DataFrame  # its own, `seed` as it pairs

    @property
    def cases(self) -> set[tuple[str, int]]:
        own = self.scores.filter(pl.col("branch") == "").select("task", "seed").unique()
        return set(own.rows())


@dataclass(frozen=True, eq=False)
class JoinedArm:
    """One side of a comparison: a system, out of one run or several."""

    name: str
    parts: tuple[ArmPart, ...]
    seed_of: Mapping[int, int] | None = None  # the seed that a pair's number stands for, where they differ

    @property
    def system(self) -> System:
        return self.parts[0].system

    @property
    def record(self) -> ComparedArm:
        cases = set().union(*(part.cases for part in self.parts))
        return ComparedArm(
            name=self.name,
            system=self.system.label,
            checkpoint=self.system.checkpoint,
            runs=tuple(part.run.name for part in self.parts),
            tasks=len({task for task, _ in cases}),
            clips=len(cases),
        )

    def clip(self, task: str, seed: int) -> tuple[ComparedRun, CaseId]:
        """The run that holds a clip of a pair, and the case it has there."""
        part = next((part for part in self.parts if (task, seed) in part.cases), self.parts[0])
        own = seed if self.seed_of is None else self.seed_of[seed]
        return part.run, CaseId(task=task, system=part.system.label, seed=own)


def read_run(place: str | Path, name: str = "") -> ComparedRun:
    run = open_run(place)
    plan = plans.load(run)
    return ComparedRun(name or run.root.resolve().name, run, plan, counted_scores(run, plan), built_tasks(run, plan))


def named_parts(texts: Sequence[str]) -> list[list[ArmPart]]:
    """The systems that each argument, such as `runs/a` or `runs/a:frozen`, names; each run is read once."""
    named = [_parted(text) for text in texts]
    names = _names_of([root for root, _ in named])
    runs = {root: read_run(root, name) for root, name in names.items()}
    return [parts_of(runs[root], label) for root, label in named]


def _parted(text: str) -> tuple[Path, str]:
    """A run folder, and the system behind the last colon that leaves one."""
    if _is_run(text):
        return root_of(text), ""
    at = text.rfind(":")
    while at > 0:
        if _is_run(text[:at]):
            return root_of(text[:at]), text[at + 1 :]
        at = text.rfind(":", 0, at)
    return open_run(text).root, ""  # raises, and says what a run folder is


def _is_run(text: str) -> bool:
    try:
        return (root_of(text) / "logs").is_dir()
    except (OSError, UsageError):
        return False


def _names_of(roots: Iterable[Path]) -> dict[Path, str]:
    """Each run by its folder's name, with the folder above where two have the same."""
    known = {root: root.resolve() for root in roots}
    times = Counter(whole.name for whole in known.values())
    return {
        root: whole.name if times[whole.name] == 1 else f"{whole.parent.name}/{whole.name}"
        for root, whole in known.items()
    }


def parts_of(run: ComparedRun, label: str = "") -> list[ArmPart]:
    """One system of a run by its label, or all of them."""
    known = {system.label: system for system in run.plan.systems}
    if label and label not in known:
        raise UnknownName(f"system in {run.name}", label, known)
    chosen = [label] if label else list(known)
    return [ArmPart(run, known[one], run.scores.filter(pl.col("system") == one)) for one in chosen]


def joined_arms(parts: Sequence[ArmPart], apart: bool = False) -> list[JoinedArm]:
    """Parts of the same system are one arm where no clip is in two of them; else, or `apart`, they are several."""
    grouped: dict[tuple[str, str], list[ArmPart]] = {}
    for part in parts:
        mine = grouped.setdefault((part.system.label, part.system.key), [])
        if any(known.run is part.run for known in mine):
            raise UsageError(f"{part.system.label} in {part.run.name} is named twice; give it once, or --aa")
        mine.append(part)
    sides = [side for group in grouped.values() for side in _sides(group, apart)]
    order = {id(part): place for place, part in enumerate(parts)}
    sides.sort(key=lambda side: order[id(side[0])])
    labels = Counter(side[0].system.label for side in sides)
    return [JoinedArm(_arm_name(side, labels), tuple(side)) for side in sides]


def _sides(group: Sequence[ArmPart], apart: bool) -> list[list[ArmPart]]:
    times = Counter(case for part in group for case in part.cases)
    twice = any(count > 1 for count in times.values())
    return [[part] for part in group] if apart or twice else [list(group)]


def _arm_name(side: Sequence[ArmPart], labels: Mapping[str, int]) -> str:
    label = side[0].system.label
    return label if labels[label] == 1 else f"{label} ({side[0].run.name})"


def split_seeds(part: ArmPart) -> list[JoinedArm]:
    """One system as two arms: its first seed against its second, its third against its fourth."""
    seeds = sorted(part.scores["seed"].unique())
    if len(seeds) < 2:
        raise UsageError(
            f"--aa: {part.system.label} in {part.run.name} has one seed; run it with --seeds 2, or give another run"
        )
    arms = []
    for half, name in enumerate(("first seeds", "second seeds")):
        mine = seeds[half : len(seeds) // 2 * 2 : 2]
        places = {seed: place for place, seed in enumerate(mine)}
        own = part.scores.filter(pl.col("seed").is_in(mine))
        own = own.with_columns(pl.col("seed").replace_strict(places, return_dtype=pl.Int64))
        arms.append(
            JoinedArm(
                f"{part.system.label} ({name})",
                (ArmPart(part.run, part.system, own),),
                {place: seed for seed, place in places.items()},
            )
        )
    return arms


def comparable(arms: Sequence[JoinedArm]) -> tuple[list[Findings], dict[str, str]]:
    """What is known of the arms under every protocol that they share; and what was left out, with the reason.

    Refuses runs of other suites, other versions of one, or without any metric of a headline in common.
    """
    runs = list({id(part.run): part.run for arm in arms for part in arm.parts}.values())
    _check_suites(runs)
    protocols, left_out = _shared_protocols(runs)
    tasks, other = _shared_tasks(runs)
    scores = pl.concat(
        [part.scores.with_columns(system=pl.lit(arm.name)) for arm in arms for part in arm.parts],
        how="vertical_relaxed",
    )
    kept, unread = _shared_readings(runs, protocols)
    left_out |= other | unread
    if not any(_has_headline(protocol, kept) for protocol in protocols):
        told = "; ".join(f"{what}: {why}" for what, why in left_out.items())
        raise UsageError(f"nothing to compare: {told or 'the protocols have no headline'}")
    scores = scores.join(kept, on=READING, how="semi", maintain_order="left")
    systems = [arm.system.model_copy(update={"row": arm.name}) for arm in arms]
    return findings_of(protocols, tasks, systems, scores, metric_scales()), left_out


def _check_suites(runs: Sequence[ComparedRun]) -> None:
    first = runs[0]
    for run in runs[1:]:
        if run.plan.suite != first.plan.suite:
            raise UsageError(
                f"{first.name} is a run of {first.plan.suite}, {run.name} of {run.plan.suite}: two suites have no "
                "task in common; compare runs of one"
            )
        if run.plan.suite_version != first.plan.suite_version:
            raise UsageError(
                f"{first.name} is of version {first.plan.suite_version} of {first.plan.suite}, {run.name} of version "
                f"{run.plan.suite_version}: their tasks differ; run one of them again"
            )


def _shared_protocols(runs: Sequence[ComparedRun]) -> tuple[list[Protocol], dict[str, str]]:
    shared, left_out = [], {}
    known = [{protocol.name: protocol for protocol in run.plan.protocols} for run in runs]
    for name in dict.fromkeys(name for some in known for name in some):
        without = [run.name for run, some in zip(runs, known, strict=True) if name not in some]
        if without:
            left_out[f"protocol {name}"] = f"not in {', '.join(without)}"
            continue
        one, *others = (some[name] for some in known)
        differ = [field for field in COUNTS if any(getattr(one, field) != getattr(other, field) for other in others)]
        if differ:
            left_out[f"protocol {name}"] = f"another {' and '.join(differ)} in some of the runs"
        else:
            shared.append(one)
    return shared, left_out


def _shared_tasks(runs: Sequence[ComparedRun]) -> tuple[dict[str, Task], dict[str, str]]:
    """Tasks by id; those that are something else under the same id in another run are left out."""
    tasks: dict[str, Task] = {}
    other: set[str] = set()
    for run in runs:
        for name, task in run.tasks.items():
            if tasks.setdefault(name, task).instance != task.instance:
                other.add(name)
    told = (
        {f"{len(other)} tasks": f"another first frame or prompt under the same id, such as {min(other)}"}
        if other
        else {}
    )
    return {name: task for name, task in tasks.items() if name not in other}, told


def _shared_readings(runs: Sequence[ComparedRun], protocols: Sequence[Protocol]) -> tuple[pl.DataFrame, dict[str, str]]:
    """What every run read in the same way; of the headlines, what some read otherwise, and how."""
    each = [run.scores.select(*READING, "instrument", "ask").unique(READING) for run in runs]
    kept = each[0].select(READING)
    for known in each[1:]:
        kept = kept.join(known, on=READING, how="semi")
    left_out = {}
    for protocol in protocols:
        for ref in protocol.headline:
            place = (
                (pl.col("protocol") == protocol.name)
                & (pl.col("metric") == ref.name)
                & (pl.col("variant") == ref.variant)
            )
            lone = [known.filter(place).join(kept, on=READING, how="anti") for known in each]
            if kept.filter(place).is_empty() or any(part.height for part in lone):
                told = [f"{run.name}: {_readers(known.filter(place))}" for run, known in zip(runs, each, strict=True)]
                if len(set(told)) > 1 or kept.filter(place).is_empty():
                    left_out[f"{protocol.name}: {ref}"] = f"not read alike ({'; '.join(told)})"
    return kept, left_out


def _readers(known: pl.DataFrame) -> str:
    """`replay@2 (version 1)`, or that nobody did."""
    rows = known.select("instrument", "ask", "version").unique().sort(pl.all()).rows()
    told = [f"{', '.join(filter(None, (who, ask)))} (version {version} of the metric)" for who, ask, version in rows]
    return " and ".join(told) or "not scored"


def _has_headline(protocol: Protocol, kept: pl.DataFrame) -> bool:
    ours = kept.filter(pl.col("protocol") == protocol.name).select("metric", "variant").rows()
    return any((ref.name, ref.variant) in ours for ref in protocol.headline)
