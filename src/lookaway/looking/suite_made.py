"""A suite as a folder, made of videos that were looked at: first frames, boxes, and phases as they were measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from lookaway.errors import UsageError
from lookaway.pipeline import plans
from lookaway.pipeline.sheets import case_of, readable, sheets
from lookaway.pipeline.tasks import suite_place
from lookaway.readings import Case
from lookaway.readings.track import track_phases
from lookaway.store import Run


def make_suite(run: Run, folder: Path, name: str) -> list[str]:
    """Writes the folder; says of each task what is left to fill in."""
    plan = plans.load(run)
    source = Path(suite_place(plan))
    if not (source / "tasks.jsonl").is_file():
        raise UsageError(f"{run.root}: not a run of `lookaway look`; its suite {plan.suite} is made already")
    if (folder / "suite.toml").exists():
        raise UsageError(f"{folder}: holds a suite already; give another folder")
    cases = {s.task.id: case_of(run, readable(run, s)) for s in sheets(run, plan, ["subject_track"]) if s.clip.video}
    rows = [json.loads(line) for line in (source / "tasks.jsonl").read_text().splitlines()]
    shutil.copytree(source / "first_frames", folder / "first_frames", dirs_exist_ok=True)
    made = [row | {"phases": _phases(cases.get(row["id"]))} for row in rows]
    head = f'name = {json.dumps(name)}\nversion = 1\nsummary = "Made of videos that were looked at"\n'
    (folder / "suite.toml").write_text(head)
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in made))
    return [f"{row['id']}: {_told(row)}" for row in made]


def _phases(case: Case | None) -> list[dict[str, Any]]:
    if case is None or "subject_track" not in case.seen:
        return []
    return [phase.model_dump(mode="json") for phase in track_phases(case)]


def _told(row: dict[str, Any]) -> str:
    """What a task has, and what only a person can add."""
    phases = ", ".join(f"{p['phase']} {p['start_s']:.1f}-{p['end_s']:.1f} s" for p in row["phases"])
    missing = [name for name in ("prompt", "expected_end") if not row[name]] + ([] if row["subjects"] else ["subjects"])
    return f"{phases or 'no phases measured'}; still to be said: {', '.join([*missing, 'questions'])}"
