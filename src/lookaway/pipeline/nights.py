"""Nights of evidence: by how much each scene got worse with each seed, and the folder in which nights add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.populations import counts_task
from lookaway.analyses.system_pairs import CASE, paired_systems, system_readings, with_worsening
from lookaway.phrasing import ReadBy, commonest, titled, with_reader
from lookaway.pipeline.arms import JoinedArm
from lookaway.pipeline.check_rules import WorseningRule
from lookaway.pipeline.same_inputs import listed
from lookaway.records import SceneEvidence, content_key
from lookaway.store import Run

LOG = "evidence"


class CheckQuestion(NamedTuple):
    """One rule, as one instrument read its metric, under one protocol."""

    rule: WorseningRule
    by: ReadBy
    findings: Findings

    @property
    def title(self) -> str:
        return with_reader(titled(self.rule.metric.ref), self.by.label)


class SceneNights(NamedTuple):
    """What scenes add up to: the scenes that came, night after night in their seeded order; and what is still open."""

    lines: list[SceneEvidence]
    waiting: dict[int, list[str]]  # by seed: scenes that are not whole yet
    missing: dict[str, int]  # why pairs lack a number

    @property
    def first_is_whole(self) -> bool:
        """Whether every scene of the first night has come."""
        first = [one for one in self.lines if one.seed == self.lines[0].seed]
        return bool(first) and len(first) == first[0].of_scenes


def nights_so_far(
    question: CheckQuestion, base: JoinedArm, checked: JoinedArm, kept: Run | None
) -> tuple[SceneNights, list[str]]:
    """The evidence of these runs and of the nights before them; what is new is written down."""
    findings, plan = question.findings, checked.parts[0].run.plan
    about = f"{checked.system.label} against {base.system.label} in {question.title} on {plan.suite}"
    version = int(_mine(findings.once(system_readings_with_version), question)["version"].max() or 0)  # type: ignore[arg-type]
    key = content_key(
        "check",
        plan.suite,
        plan.suite_version,
        findings.protocol.name,
        str(question.rule.metric.ref),
        version,
        *question.by[:2],
        checked.system.label,
        base.system.key,
        question.rule.span,
    )
    fresh = scene_nights(question, base.name, checked.name, key, about)
    if kept is None:
        return fresh, _told(question, fresh)
    before = {(one.seed, one.scene): one for one in kept.latest(LOG, SceneEvidence).values() if one.question == key}
    new = [one for one in fresh.lines if (one.seed, one.scene) not in before]
    if new:
        with kept.writer(LOG) as writer:
            for one in new:
                writer.append(content_key("scene", key, one.seed, one.scene), key, one)
    return fresh._replace(lines=_in_order([*before.values(), *new])), [
        *_told(question, fresh),
        *(_already(question, before, fresh.lines) if not new and before else []),
    ]


def _already(
    question: CheckQuestion, before: Mapping[tuple[int, str], SceneEvidence], lines: Sequence[SceneEvidence]
) -> list[str]:
    moved = [one for one in lines if one.worsening != before[one.seed, one.scene].worsening]
    seeds = listed(sorted({seed for seed, _ in before}))
    other = f"; {len(moved)} of their scenes read otherwise now, which counts for nothing" if moved else ""
    return [f"{question.title}: nothing new, seeds {seeds} counted before; a night needs a new seed{other}"]


def system_readings_with_version(findings: Findings) -> pl.DataFrame:
    """Which versions of metrics the protocol's scores are of."""
    ours = findings.scores.filter(pl.col("protocol") == findings.protocol.name)
    return ours.select("metric", "variant", "instrument_key", "ask_key", "version").unique()


def _mine(rows: pl.DataFrame, question: CheckQuestion) -> pl.DataFrame:
    ref, by = question.rule.metric.ref, question.by
    return rows.filter(
        (pl.col("metric") == ref.name)
        & (pl.col("variant") == ref.variant)
        & (pl.col("instrument_key") == by.instrument_key)
        & (pl.col("ask_key") == by.ask_key)
    )


def scene_nights(question: CheckQuestion, base: str, checked: str, key: str, about: str) -> SceneNights:
    """Every seed that both have, scene by scene in a seeded order, up to the first scene that is not whole yet."""
    findings, rule = question.findings, question.rule
    readings = _mine(findings.once(system_readings), question)
    pairs = paired_systems(readings, findings.tasks, checked, base)
    whole = with_worsening(pairs, rule.metric.better)
    lacking = pairs.filter(pl.col("first").is_null() | pl.col("second").is_null())
    wanted = _tasks_by_scene(question)
    lines: list[SceneEvidence] = []
    waiting: dict[int, list[str]] = {}
    made = {(task, seed) for task, seed in pairs.select(CASE).rows()}
    for seed in sorted({seed for _, seed in made}):
        open_ = [scene for scene, tasks in wanted.items() if any((task, seed) not in made for task in tasks)]
        if open_:
            waiting[seed] = open_
        for scene in sorted(wanted, key=lambda name: content_key("scene order", key, seed, name)):
            if scene in open_:
                break
            mine = whole.filter((pl.col("seed") == seed) & (pl.col("scene") == scene))["worsening"]
            values = np.clip(mine.to_numpy(), -rule.span, rule.span)
            lines.append(
                SceneEvidence(
                    question=key,
                    about=about,
                    rule=question.title,
                    seed=seed,
                    scene=scene,
                    worsening=float(np.sort(values).mean()) if len(values) else None,
                    pairs=len(values),
                    of_scenes=len(wanted),
                )
            )
    reasons = lacking.select(pl.coalesce("first_reason", "second_reason").alias("why"))["why"].value_counts()
    missing = dict(reasons.sort(["count", "why"], descending=[True, False]).iter_rows())
    return SceneNights(lines, waiting, missing)


def _tasks_by_scene(question: CheckQuestion) -> dict[str, list[str]]:
    findings, ref = question.findings, question.rule.metric.ref
    population = findings.protocol.population_of(ref.name, ref.variant)
    found: dict[str, list[str]] = {}
    for name, task in findings.tasks.items():
        if counts_task(population, task):
            found.setdefault(task.scene, []).append(name)
    return found


def _in_order(lines: Sequence[SceneEvidence]) -> list[SceneEvidence]:
    return sorted(lines, key=lambda one: (one.seed, content_key("scene order", one.question, one.seed, one.scene)))


def _told(question: CheckQuestion, nights: SceneNights) -> list[str]:
    told = [
        f"{question.title}, seed {seed}: {len(scenes)} scenes are not whole yet, such as {scenes[0]}"
        for seed, scenes in nights.waiting.items()
    ]
    lacking = sum(nights.missing.values())
    return told + ([f"{question.title}: {lacking} pairs lack a number: {commonest(nights.missing)}"] if lacking else [])
