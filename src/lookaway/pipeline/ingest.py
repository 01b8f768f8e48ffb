"""Stage `ingest`: videos that exist become Clips; tasks without one become Clips that say so."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lookaway.generators import GENERATORS
from lookaway.models import ingested
from lookaway.pipeline.brought_camera import brought_camera, brought_request
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.controls import request_key
from lookaway.pipeline.generate import clip_key, no_clip, recorded
from lookaway.pipeline.mapping import Mapping
from lookaway.pipeline.sidecars import Sidecars, read_sidecars, sidecar_paths
from lookaway.pipeline.stage import Entry, Failure, Job, Stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import CaseId, Clip, Plan, System, Task, content_key
from lookaway.store import Run


def stage(mapping: Mapping, system: str, add: bool = False) -> Stage:
    """The ingest stage for one folder, as `mapping` reads it.

    The folder stands for all of the system's videos: tasks without one are missing, and clips taken in before that
    it no longer holds are withdrawn. With `add` it only adds to what is there.
    """

    def jobs(run: Run, plan: Plan) -> list[Job]:
        tasks = built_tasks(run, plan)
        maker = next((one for one in plan.systems if one.label == system), ingested(system))
        slots = {slot for slot in mapping.slots(with_missing=not add) if slot[0] in tasks}
        old = [c.case for c in current_clips(run, plan) if c.case.system == system]
        gone = [] if add else [case for case in old if (case.task, case.seed) not in slots]
        return [
            *(
                _job(mapping, tasks[task], CaseId(task=task, system=system, seed=seed), maker)
                for task, seed in sorted(slots)
            ),
            *(_job(mapping, tasks[case.task], case, maker, withdrawn=True) for case in gone),
        ]

    return Stage("ingest", "clips", jobs, work)


def _job(mapping: Mapping, task: Task, case: CaseId, maker: System, withdrawn: bool = False) -> Job:
    video = None if withdrawn else mapping.matched.get((task.id, case.seed))
    why = mapping.why_missing(task.id, case.seed)
    read_by = GENERATORS.get("folder").version
    beside = [] if video is None else sidecar_paths(video)
    told = [*(_stamp(path) for path in beside), maker.key, maker.card.input_policy] if beside else []
    stamp = "" if video is None else _stamp(video)
    inputs = content_key("ingest", read_by, task.instance, stamp, why, withdrawn, *told)
    return Job(str(case), task.id, (case, task, video, why, withdrawn, maker), {clip_key(case): inputs})


def work(run: Run, job: Job) -> list[Entry] | Failure:
    case, task, video, why, withdrawn, maker = job.payload
    plugin = GENERATORS.get("folder")
    if withdrawn:
        clip = no_clip(case, "", task, "withdrawn", "no longer in the folder it came from", plugin)
    elif video is None:
        clip = no_clip(case, "", task, "missing", why, plugin)
    else:
        with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
            clip = recorded(run, case, None, task, video, plugin, None, Path(folder))
        return _with_camera(run, clip, task, video, maker)
    return [Entry(clip_key(case), clip)]


def _with_camera(run: Run, clip: Clip, task: Task, video: Path, maker: System) -> list[Entry]:
    """The clip with what the files beside its video tell of the camera, and that as the request it answers."""
    sidecars = read_sidecars(video) if clip.video is not None else Sidecars()
    camera = brought_camera(sidecars, clip, task)
    request = brought_request(camera, sidecars, clip, task, maker, run.blobs)
    note = "; ".join(filter(None, [clip.provenance.note, *camera.notes]))
    asked = request.control.asked if request is not None and not task.camera_asked else None
    told = {
        "request_key": "" if request is None else request.key,
        "pace": camera.pace,
        "asked": asked,
        "provenance": clip.provenance.model_copy(update={"note": note}),
    }
    said = [] if request is None else [Entry(request_key(clip.case), request, log="requests")]
    return [*said, Entry(clip_key(clip.case), clip.model_copy(update=told))]


def _stamp(path: Path) -> str:
    """Changes whenever the file does; the content itself is hashed when it is copied."""
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return content_key(*[(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files])
    except OSError as error:
        return str(error.strerror)
