"""Seal a run: say what is in it by content, and put it into one file that somebody else can check."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from lookaway.errors import SealError, StoreError
from lookaway.limits import MB
from lookaway.pipeline import plans
from lookaway.pipeline.cases import planned_cases
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.tasks import built_references, built_tasks, planned_tasks
from lookaway.places import telltale
from lookaway.records import (
    Answer,
    Clip,
    Plan,
    PluginVersion,
    Score,
    Seal,
    SealedFile,
    SealedJudge,
    SealedSystem,
    System,
)
from lookaway.sharing.archives import is_kept, write_archive
from lookaway.sharing.canonical import canonical_sha256, record_sha256
from lookaway.sharing.environment import environment
from lookaway.store import Run, file_sha256

TEXT_BYTES = 256 * MB  # of one log, which is searched for places and secrets
WORDS_OF_OTHERS = {
    "tasks",
    "banks",
    "requests",
    "answers",
    "replies",
}  # a garden may be in them, and a machine called so
MOST_LETTERS = 200  # of what somebody says of themselves


def write_seal(run: Run, path: Path, *, pixels: bool = True, generated_by: str = "", scored_by: str = "") -> str:
    """Seal a run into a file, which appears whole or not at all; returns the bundle's name."""
    seal = sealed(run, pixels=pixels, generated_by=generated_by, scored_by=scored_by)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".sealing-", dir=path.parent) as folder:
            made = Path(folder) / "seal"
            write_archive(made, seal, run.root)
            made.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; make room, then run the same command") from error
    return canonical_sha256(seal)


def sealed(run: Run, *, pixels: bool = True, generated_by: str = "", scored_by: str = "") -> Seal:
    """What a run holds, as it may be passed on."""
    plan = plans.load(run)
    scores = run.latest("scores", Score)
    if not scores:
        raise SealError(f"{run.root.name}: nothing is scored yet; go on with: lookaway run --out {run.root}")
    tasks, references = built_tasks(run, plan), built_references(run)
    clips = current_clips(run, plan)
    versions = run.latest("plugins", PluginVersion).values()
    return Seal(
        suite=plan.suite,
        suite_version=plan.suite_version,
        tasks={name: record_sha256(task, references.get(task.instance)) for name, task in tasks.items()},
        systems=tuple(_system(system, plan, clips) for system in plan.systems),
        protocols={protocol.name: record_sha256(protocol) for protocol in plan.protocols},
        instruments={name: looker.key for name, looker in sorted(plan.instruments.items())},
        judges=tuple(_judges(plan)),
        plugins={f"{one.kind} {one.name}@{one.version}": one.source_sha256 for one in versions},
        environment=environment(),
        generated_by=_said("--generated-by", generated_by),
        scored_by=_said("--scored-by", scored_by),
        scores=len(scores),
        judging_usd=total_usd(answer.spent.usd for answer in run.latest("answers", Answer).values()),
        pixels=pixels,
        files=tuple(run_files(run.root, pixels)),
    )


def total_usd(costs: Iterable[float | None]) -> str:
    """The sum in US dollars to the cent's hundredth; empty where one is unknown, or there is nothing to pay for.

    >>> total_usd([0.1, 0.25]), total_usd([0.1, None]), total_usd([])
    ('0.3500', '', '')
    """
    known = list(costs)
    if not known or None in known:
        return ""
    return str(sum((Decimal(str(cost)) for cost in known), Decimal()).quantize(Decimal("0.0001")))


def _system(system: System, plan: Plan, clips: list[Clip]) -> SealedSystem:
    mine = [clip for clip in clips if clip.case.system == system.label]
    planned = [case for case in planned_cases(plan, sorted(planned_tasks(plan))) if case.system == system.label]
    brought = len(planned_tasks(plan)) * len(plan.seeds)  # of videos that nobody makes here, one a task and seed
    return SealedSystem(
        label=system.label,
        kind=system.card.condition_type,
        generator=system.card.generator,
        checkpoint=system.checkpoint,
        planned=len(planned) or brought,
        clips=sum(clip.status != "missing" for clip in mine),
        cost_usd=total_usd(clip.provenance.cost_usd for clip in mine),
    )


def _judges(plan: Plan) -> Iterable[SealedJudge]:
    for planned in plan.judges:
        looker = planned.instrument
        if looker is not None:
            members = looker.members or (looker,)
            passports = "+".join(member.passport[:12] or "none" for member in members)
            yield SealedJudge(
                role=planned.role or "",
                label=looker.label,
                instrument_key=looker.key,
                passport=passports if any(member.passport for member in members) else "",
            )


def _said(option: str, text: str) -> str:
    """What somebody says of themselves, in one short line."""
    line = " ".join(text.split())
    if len(line) > MOST_LETTERS:
        raise SealError(f"{option}: at most {MOST_LETTERS} letters")
    return line


def run_files(root: Path, pixels: bool = True) -> Iterable[SealedFile]:
    """The plan, logs and blobs of a run folder by content; a text that tells of this machine is refused."""
    for path in sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink()):
        name = path.relative_to(root).as_posix()
        if is_kept(name):
            is_blob = name.startswith("blobs/")
            if not is_blob:
                _check_text(path, name)
            size, sha256 = path.stat().st_size, file_sha256(path)
            yield SealedFile(path=name, sha256=sha256, size=size, carried=pixels or not is_blob)


def _check_text(path: Path, name: str) -> None:
    """Refuse a text that tells where this machine keeps things, whose it is, or a secret."""
    if path.suffix == ".parquet" or path.stat().st_size > TEXT_BYTES:
        return
    own_words = name.split("/")[1] in WORDS_OF_OTHERS if "/" in name else False
    text = path.read_text(errors="replace")
    if found := telltale(text, names=not own_words):
        lines = [number for number, line in enumerate(text.splitlines(), 1) if telltale(line, names=not own_words)]
        raise SealError(
            f"{name}, line {(lines or [1])[0]}: tells {found}, which a seal would pass on; redo that row with --fresh, "
            "or remove what it belongs to with: lookaway admin forget"
        )
