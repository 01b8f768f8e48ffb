"""Stage `ingest`: videos that exist become Clips; tasks without one become Clips that say so."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from lookaway.generators import GENERATORS
from lookaway.pipeline.generate import clip_key, no_clip, recorded
from lookaway.pipeline.mapping import Mapping
from lookaway.pipeline.stage import Entry, Failure, Job, Stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Plan, content_key
from lookaway.store import Run


def stage(mapping: Mapping, system: str, seeds: Sequence[int]) -> Stage:
    """The ingest stage for one folder, as `mapping` reads it."""

    def jobs(run: Run, plan: Plan) -> list[Job]:
        found = []
        for task in built_tasks(run, plan).values():
            for seed in seeds:
                case = CaseId(task=task.id, system=system, seed=seed)
                video = mapping.matched.get((task.id, seed))
                why = mapping.why_missing(task.id, seed)
                stamp = "" if video is None else _stamp(video)
                inputs = content_key("ingest", task.instance, stamp, why)
                found.append(Job(str(case), task.id, (case, task, video, why), {clip_key(case): inputs}))
        return found

    return Stage("ingest", "clips", jobs, work)


def work(run: Run, job: Job) -> list[Entry] | Failure:
    case, task, video, why = job.payload
    plugin = GENERATORS.get("folder")
    if video is None:
        clip = no_clip(case, "", task, "missing", why, plugin)
    else:
        with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
            clip = recorded(run, case, "", task, video, plugin, None, Path(folder))
    return [Entry(clip_key(case), clip)]


def _stamp(path: Path) -> str:
    """Changes whenever the file does; the content itself is hashed when it is copied."""
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return content_key(*[(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files])
    except OSError as error:
        return str(error.strerror)
