"""The clips that count now: those of the plan's systems and the suite's tasks, not taken back."""

from __future__ import annotations

from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Clip, Plan
from lookaway.store import Run


def current_clips(run: Run, plan: Plan) -> list[Clip]:
    tasks = built_tasks(run, plan)
    systems = {system.label for system in plan.systems}
    named = set(plan.cases)
    known = [c for c in run.latest("clips", Clip).values() if c.status != "withdrawn"]
    known = [c for c in known if c.case in named] if named else known
    clips = [c for c in known if c.case.system in systems and c.case.task in tasks]
    return sorted(clips, key=lambda c: (c.case.task, c.case.system, c.case.seed, c.case.branch))


def told_memory(run: Run, plan: Plan) -> dict[str, int]:
    """By system, the most bytes of the past that its sessions told to keep; systems that tell nothing are absent."""
    found: dict[str, int] = {}
    systems = {system.label for system in plan.systems}
    for clip in run.latest("clips", Clip).values():
        if clip.provenance.memory_bytes and clip.case.system in systems:
            found[clip.case.system] = max(clip.provenance.memory_bytes, found.get(clip.case.system, 0))
    return found
