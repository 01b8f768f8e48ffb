"""What two runs say of each other: a comparison for people, and the verdict of a check for machines."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lookaway.records.base import Record
from lookaway.records.tables import Contrast, Table


class ComparedArm(Record):
    """One side of a comparison: a system, and the runs that its clips come from."""

    name: str  # unique in the comparison: the system's label, with the run where two have the same
    system: str  # label of the system
    checkpoint: str  # as the run names it
    runs: tuple[str, ...]  # names of the run folders that hold its clips
    tasks: int = Field(ge=0, description="with a score")
    clips: int = Field(ge=0, description="tasks by seeds with a score")


class SystemComparison(Record):
    """How systems differ on tasks that both were asked; the first arm is what the others are held against."""

    suite: str
    suite_version: str
    arms: tuple[ComparedArm, ...]
    contrasts: tuple[Contrast, ...]  # of the headline: an arm minus the first one
    tables: tuple[Table, ...]  # coverage, differences, ledger, worst pairs, and a curve where there are checkpoints
    sentences: tuple[str, ...]  # what a paper could print, one for each protocol and arm
    left_out: dict[str, str] = Field({}, description="what could not be compared, and why")
    alarms: tuple[str, ...] = ()  # names of the contrasts that are significant


CheckWord = Literal["pass", "fail", "too early"]


class CheckedRule(Record):
    """What is known of one rule so far."""

    rule: str  # as it was given: `world_clock worsens 0.1`
    metric: str  # name and variant, and who read it where there are several
    verdict: CheckWord
    reason: str  # in words, with the numbers
    margin: float  # worsening that is still allowed
    span: float  # no worsening counts for more
    worsening: float | None  # mean over scenes and nights, so far; None without any
    nights: int  # seeds that count, the last one perhaps in parts
    scenes: int  # that came by now, over all nights
    evidence_worse: float  # e-value against "worse by at most the margin"
    evidence_fine: float  # e-value against "worse by at least the margin"
    needed: float  # of either, for a verdict


class CheckReport(Record):
    """The verdict of a check: the worst of its rules."""

    suite: str
    suite_version: str
    arm: str  # the system that is checked
    against: str  # the system that it is held against
    level: float  # chance of ever failing without cause, over all rules and nights
    rules: tuple[CheckedRule, ...]
    notes: tuple[str, ...] = ()  # what did not count, and why

    @property
    def verdict(self) -> CheckWord:
        words = {rule.verdict for rule in self.rules}
        return "fail" if "fail" in words else "too early" if "too early" in words else "pass"


class SceneEvidence(Record):
    """By how much one metric got worse in one scene and night; one line of the evidence that nights add up to."""

    question: str  # key of what is compared: suite, systems, protocol, metric and who read it
    about: str  # the same in words
    rule: str  # metric and its reader
    seed: int  # the night
    scene: str
    worsening: float | None  # mean over the scene's pairs; None where none has two numbers
    pairs: int = Field(ge=0, description="with two numbers")
    of_scenes: int = Field(ge=1, description="scenes that the whole night has")
