"""What is handed on: a sealed run, what an audit found of it, and the rows that a leaderboard has shown."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lookaway.records.base import Record

Sha256 = str  # 64 lower-case hexadecimal digits


class SealedFile(Record):
    """One file of a run, by content."""

    path: str  # inside the run folder
    sha256: Sha256
    size: int = Field(ge=0, description="in bytes")
    carried: bool = Field(True, description="it lies in the archive; False: only its hash is told")


class SealedJudge(Record):
    """Who judged, and how it stood in its last exam."""

    role: str  # empty: every role
    label: str  # of its Instrument
    instrument_key: str
    passport: str = ""  # fingerprint of its last exam; empty: it has sat none


class SealedSystem(Record):
    """A system of a sealed run."""

    label: str  # its row
    kind: str  # its condition type, such as baseline or prompt-only
    generator: str  # what made its clips, such as ingest
    checkpoint: str
    planned: int = Field(ge=0, description="clips that the plan asks for")
    clips: int = Field(ge=0, description="those that are there, or that its maker refused or failed to give")
    cost_usd: str = ""  # of its clips, as a decimal number, where all of them tell; empty: unknown


class Seal(Record):
    """What a sealed run holds. The sha256 of this record's canonical JSON names the bundle."""

    form: Literal[1] = 1
    suite: str
    suite_version: str
    tasks: dict[str, Sha256] = Field({}, description="task id to the hash of the task and of its truth")
    systems: tuple[SealedSystem, ...] = ()
    protocols: dict[str, Sha256] = Field({}, description="protocol to the hash of its definition")
    instruments: dict[str, str] = Field({}, description="observer to the key of its Instrument")
    judges: tuple[SealedJudge, ...] = ()
    plugins: dict[str, Sha256] = Field({}, description="`kind name@version` to the hash of its source")
    environment: dict[str, str] = Field({}, description="versions of what decoded and computed")
    generated_by: str = ""  # who made the clips, as the submitter says; empty: not told
    scored_by: str = ""  # who scored them, likewise
    scores: int = Field(ge=0)
    judging_usd: str = ""  # what judging cost, likewise; empty: unknown
    pixels: bool = True  # False: neither videos nor arrays are in the archive, and nothing can be scored again
    files: tuple[SealedFile, ...] = ()


class RunListing(Record):
    """What a run folder holds, as it travels. The sha256 of this record's canonical JSON names what was sent."""

    form: Literal[1] = 1
    files: tuple[SealedFile, ...] = ()


AuditVerdict = Literal["reproduced", "reproduced in part", "not reproduced", "other suite", "hashes only"]


class ScoreCheck(Record):
    """One score that an audit could not reproduce, or not compute."""

    case: str
    metric: str  # `protocol: name:variant`
    sealed: str  # as sealed, in words
    again: str  # as scored again, or why not


class Audit(Record):
    """What re-scoring some clips of a sealed run showed."""

    bundle: Sha256
    nonce: str  # picked by the auditor after the seal was received
    nonce_given: bool = Field(description="somebody chose the nonce; False: it was drawn for this audit")
    clips: int = Field(ge=0, description="that could be drawn")
    drawn: tuple[str, ...] = ()  # cases, in the order in which they were drawn
    equal: int = Field(0, ge=0, description="scores that came out the same to the last bit")
    within: int = Field(0, ge=0, description="further scores within the tolerance")
    outside: tuple[ScoreCheck, ...] = ()  # scores that did not reproduce
    unchecked: tuple[ScoreCheck, ...] = ()  # scores that could not be computed here
    largest_difference: float = Field(0.0, ge=0, description="among values that reproduced, as the tolerance counts it")
    on_answers: int = Field(0, ge=0, description="scores that rest on a judge's answers as they were sealed")
    tolerance: float = Field(ge=0, description="of a value v: this much times the larger of 1 and |v|")
    tolerance_reason: str = ""
    differences: dict[str, str] = Field({}, description="of this machine's environment, plugins and suite")
    verdict: AuditVerdict
    proves: str  # what follows from this verdict, and what does not


class SiteEvent(Record):
    """A line of a leaderboard's history; lines are only ever added, and each names the one before by its hash."""

    number: int = Field(ge=1)
    before: Sha256  # of the line before; of nothing for the first
    what: Literal["added", "replaced", "removed", "audited"]
    bundle: Sha256
    row: str  # system, or empty where the whole bundle is meant
    reason: str = Field(min_length=1)
    facts: dict[str, str] = Field({}, description="such as the audit's verdict and nonce")
