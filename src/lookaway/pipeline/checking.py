"""Check a system against another: rules, nights of evidence, and a verdict that holds however often one looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from lookaway.analyses import Findings
from lookaway.analyses.dimensions import readers_in
from lookaway.analyses.system_pairs import system_readings
from lookaway.errors import UsageError
from lookaway.pipeline.arms import ArmPart, JoinedArm, comparable, joined_arms, named_parts
from lookaway.pipeline.check_rules import WorseningRule, needs_weights, serving_rules, worsening_rule
from lookaway.pipeline.nights import CheckQuestion, SceneNights, nights_so_far
from lookaway.pipeline.same_inputs import check_same_inputs
from lookaway.records import CheckedRule, CheckReport, SceneEvidence
from lookaway.stats.intervals import Floats
from lookaway.stats.sequential import LEVEL, NightlyEvidence, evidence_above_zero
from lookaway.store import make_run

PRESETS = ("serving",)


def check_runs(
    run: str | Path,
    against: str | Path,
    fail_if: Sequence[str] = (),
    *,
    level: float = LEVEL,
    evidence: str | Path | None = None,
    preset: str | None = None,
) -> CheckReport:
    """Whether a system got worse than another by more than the rules allow; arms are named `RUN` or `RUN:system`.

    Every seed is a night. With `evidence`, a folder, earlier nights count too, and this one is added to it.
    """
    if not 0 < level < 1:
        raise UsageError(f"the level must lie between 0 and 1, not {level:g}")
    rules = [worsening_rule(text) for text in fail_if]
    places = (str(run), str(against))
    arm, other = (_only(parts, place) for parts, place in zip(named_parts(places), places, strict=True))
    base, checked = _two_arms(other, arm)
    every, left_out = comparable([base, checked])
    if preset is not None:
        rules = _with_preset(preset, rules, every, base, checked)
    if not rules:
        raise UsageError("give at least one --fail-if METRIC worsens AMOUNT, or --preset serving")
    questions = [question for rule in rules for question in _questions(rule, every, left_out)]
    kept = None if evidence is None else make_run(evidence)
    notes = [f"left out: {what}: {why}" for what, why in left_out.items()]
    made = []
    for question in questions:
        nights, told = nights_so_far(question, base, checked, kept)
        made.append(_verdict(question, nights, level / len(questions)))
        notes += told
    plan = arm.run.plan
    return CheckReport(
        suite=plan.suite,
        suite_version=plan.suite_version,
        arm=checked.name,
        against=base.name,
        level=level,
        rules=tuple(made),
        notes=tuple(dict.fromkeys(notes)),
    )


def _only(parts: Sequence[ArmPart], text: str) -> ArmPart:
    if len(parts) != 1:
        names = ", ".join(part.system.label for part in parts)
        raise UsageError(f"{text} holds {len(parts)} systems; say which one is meant, such as {text}:SYSTEM ({names})")
    return parts[0]


def _two_arms(base: ArmPart, checked: ArmPart) -> list[JoinedArm]:
    if base.run is checked.run and base.system == checked.system:
        raise UsageError(f"{checked.system.label} cannot be checked against itself; name another system or run")
    return joined_arms([base, checked], apart=True)


def _with_preset(
    preset: str, rules: Sequence[WorseningRule], every: Sequence[Findings], base: JoinedArm, checked: JoinedArm
) -> list[WorseningRule]:
    """For changed serving: weight-free metrics alone, the same seeds, and the same inputs to the last byte."""
    if preset not in PRESETS:
        raise UsageError(f"no preset '{preset}'; there is: {', '.join(PRESETS)}")
    for rule in rules:
        if learned := needs_weights(rule.metric):
            raise UsageError(
                f"--preset serving: {rule.metric.name} looks with {learned}; choose a metric without weights"
            )
    check_same_inputs(base, checked)
    return list(rules) or serving_rules(ref for findings in every for ref in findings.protocol.headline)


def _questions(rule: WorseningRule, every: Sequence[Findings], left_out: Mapping[str, str]) -> list[CheckQuestion]:
    """The rule under the first protocol that has its metric, once for each who read it."""
    ref = rule.metric.ref
    for findings in every:
        readings = findings.once(system_readings)
        mine = readings.filter((pl.col("metric") == ref.name) & (pl.col("variant") == ref.variant))
        if mine.height:
            return [CheckQuestion(rule, by, findings) for by in readers_in(readings, ref)]
    why = [told for what, told in left_out.items() if what.endswith(f": {ref}")]
    raise UsageError(f"--fail-if '{rule.text}': {why[0] if why else f'{ref} was not scored in both runs'}")


def _verdict(question: CheckQuestion, nights: SceneNights, level: float) -> CheckedRule:
    rule = question.rule
    by_night = _numbers(nights.lines)
    every = np.concatenate([np.zeros(0), *by_night])
    worse = evidence_above_zero(
        [one - rule.margin for one in by_night], rule.span + rule.margin, level, nights.first_is_whole
    )
    fine = evidence_above_zero(
        [rule.margin - one for one in by_night], rule.span - rule.margin, level, nights.first_is_whole
    )
    verdict = "fail" if worse.alarm_at is not None else "pass" if fine.alarm_at is not None else "too early"
    mean = float(every.mean()) if len(every) else None
    return CheckedRule(
        rule=rule.text,
        metric=question.title,
        verdict=verdict,
        reason=_reason(rule, verdict, mean, len(by_night), len(every), worse, fine, level),
        margin=rule.margin,
        span=rule.span,
        worsening=mean,
        nights=len(by_night),
        scenes=len(every),
        evidence_worse=worse.highest,
        evidence_fine=fine.highest,
        needed=1 / level,
    )


def _numbers(lines: Sequence[SceneEvidence]) -> list[Floats]:
    by_night: dict[int, list[float]] = {}
    for one in lines:
        if one.worsening is not None:
            by_night.setdefault(one.seed, []).append(one.worsening)
    return [np.array(values) for values in by_night.values()]


def _reason(
    rule: WorseningRule,
    verdict: str,
    mean: float | None,
    nights: int,
    scenes: int,
    worse: NightlyEvidence,
    fine: NightlyEvidence,
    level: float,
) -> str:
    if mean is None:
        return "no scene has a number in both"
    over = (
        f"{rule.metric.name} worse by {mean:.3f} on average over {scenes} scenes in {nights} night{'s' * (nights != 1)}"
    )
    needed = f"{1 / level:g} needed"
    match verdict:
        case "fail":
            return f"{over}, more than {rule.margin:g}: evidence {worse.highest:.3g}, {needed}"
        case "pass":
            return f"{over}, less than {rule.margin:g}: evidence {fine.highest:.3g}, {needed}"
    return (
        f"{over}; whether it is more than {rule.margin:g} cannot be told yet: evidence {worse.highest:.3g} that it is, "
        f"{fine.highest:.3g} that it is not, {needed}"
    )
