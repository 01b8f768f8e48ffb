"""How good the metrics themselves are: a calibration on diorama-mini, the clocks' errors, and what looking costs.

`python benchmarks/graders.py DIR` reads the clocks off a calibration that exists already.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lookaway import truth
from lookaway.calibration.detection import known_rungs
from lookaway.gates import GATES
from lookaway.images import read_image
from lookaway.metrics import METRICS, Case, Metric
from lookaway.metrics import find as find_metric
from lookaway.observers import OBSERVERS, Look, features
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.plans import planned_observers
from lookaway.pipeline.score import jobs as score_jobs
from lookaway.pipeline.sheets import case_of
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.readings.clock import clock, look_away
from lookaway.records import DetectionTable, Score
from lookaway.store import Run, open_run
from lookaway.video import SharedFrames

OTHER_RENDERER = "other-renderer"
COSTED = ("compressed", "frozen", "static-camera")
SLACK = 0.02  # hidden durations: the step of the clock's own grid


def measure() -> dict[str, float]:
    """`wall_s`, at most 600; see `clocks`, `declared` and `costs`."""
    command = Path(sys.executable).with_name("lookaway")
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        subprocess.run(
            [
                command,
                "calibrate",
                "--world",
                "diorama-mini",
                "--protocols",
                "diorama",
                "--out",
                folder,
                "--workers",
                "2",
            ],
            check=True,
            capture_output=True,
        )
        wall_s = time.monotonic() - started
        run = open_run(Path(folder))
        return {"wall_s": wall_s, **declared(run), **clocks(run), **costs(run)}


def declared(run: Run) -> dict[str, float]:
    """How many faults are shown at their middle severity, and how many of them their declared metric misses."""
    table = DetectionTable.model_validate_json((run.root / "detection.json").read_text())
    middle = {(rung.name, rung.severity) for rung in known_rungs(plans.load(run)).values() if rung.middle}
    rows = [r for r in table.rows if r.declared and r.hit_rate is not None and (r.fault, r.severity) in middle]
    return {
        "clips": float(table.n_clips),
        "faults": float(len(rows)),
        "faults_hit_below_95": float(sum(row.hit_rate < 0.95 for row in rows if row.hit_rate is not None)),
    }


def clocks(run: Run) -> dict[str, float]:
    """Errors of the world clock in hidden durations, and the share of true clips whose interval clock holds 1."""
    plan = plans.load(run)
    kinds = {name: rung.kind for name, rung in known_rungs(plan).items()}
    read: dict[str, list[float]] = {"same": [], "other": [], "frozen": [], "undone": []}
    holds = []
    for system, case in _cases(run):
        value = find_metric("world_clock").function(case)
        if isinstance(value, float):
            if system == OTHER_RENDERER:
                read["other"].append(abs(value - 1))
            elif kinds.get(system) in ("truth", "harmless"):
                read["same"].append(abs(value - 1))
            elif system == "frozen@1":
                read["frozen"].append(abs(value))
            elif system.startswith("undone@"):
                read["undone"].append(value)
        if system == "truth":
            found = clock(case)
            if not isinstance(found, Abstain | NotApplicable):
                hidden = look_away(case)
                holds.append(found.slip <= SLACK * (hidden.end_s - hidden.start_s))
    return {
        "clock_same_n": float(len(read["same"])),
        "clock_same_median": _quantile(read["same"], 0.5),
        "clock_same_p95": _quantile(read["same"], 0.95),
        "clock_other_n": float(len(read["other"])),
        "clock_other_median": _quantile(read["other"], 0.5),
        "clock_other_p95": _quantile(read["other"], 0.95),
        "clock_frozen_n": float(len(read["frozen"])),
        "clock_frozen_furthest_from_0": _quantile(read["frozen"], 1.0),
        "clock_undone_n": float(len(read["undone"])),
        "clock_undone_largest": _quantile(read["undone"], 1.0),
        "clock_truth_n": float(len(holds)),
        "clock_truth_holds_1": float(np.mean(holds)) if holds else float("nan"),
    }


def _quantile(values: list[float], share: float) -> float:
    return float(np.quantile(values, share)) if values else float("nan")


def _cases(run: Run) -> Iterator[tuple[str, Case]]:
    """Every clip whose world clock got past its gates."""
    scores = run.latest("scores", Score).values()
    judged = {str(s.case) for s in scores if s.metric == "world_clock" and s.status in ("ok", "abstained")}
    for job in score_jobs(run, plans.load(run)):
        case = case_of(run, job.payload.sheet)
        if job.name in judged and "replay" in case.seen:
            yield job.payload.sheet.clip.case.system, case


def costs(run: Run) -> dict[str, float]:
    """CPU per clip of each observer and of all metrics together, over decoding the clip; a task's set-up apart."""
    plan = plans.load(run)
    tasks, references = built_tasks(run, plan), built_references(run)
    clips = [c for c in current_clips(run, plan) if c.case.system.split("@")[0] in COSTED and c.video is not None]
    spent: dict[str, float] = defaultdict(float)
    for clip in sorted(clips, key=lambda c: c.case.task):
        task = tasks[clip.case.task]
        known = truth.load(references[task.instance], run.blobs.root)
        path = run.blobs.path(str(clip.video))
        frames, spent["decode"] = _timed(spent["decode"], SharedFrames.load, path)
        look = Look(frames, task, read_image(run.blobs.path(task.first_frame)), known)
        seen = {}
        for name in planned_observers(plan):
            observer = OBSERVERS.get(name)
            observer.function(look)  # sets up what clips of one task share
            features._sift.cache_clear()  # each is charged for its features, though in a run they share them
            fresh = Look(SharedFrames.load(path), task, look.first_frame, known)
            found, spent[name] = _timed(spent[name], observer.function, fresh)
            if not isinstance(found, Abstain):
                seen[name] = found.arrays()
        able = [m for m in METRICS.all().values() if set(m.observers) <= seen.keys() and not m.all_asks]
        _, spent["all_metrics"] = _timed(spent["all_metrics"], _scored, able, Case(task, known, seen, {}))
    return {f"{name}_over_decode": cpu / spent["decode"] for name, cpu in spent.items() if name != "decode"}


def _scored(metrics: list[Metric], case: Case) -> None:
    for metric in metrics:
        if all(GATES.get(name)(case) is None for name in metric.gates):
            metric.function(case)


def _timed(before: float, call: Callable[..., Any], *given: Any) -> tuple[Any, float]:
    """The call's result, and its CPU seconds added to those before."""
    started = time.process_time()
    result = call(*given)
    return result, before + time.process_time() - started


if __name__ == "__main__":
    for name, value in (clocks(open_run(Path(sys.argv[1]))) if len(sys.argv) > 1 else measure()).items():
        print(f"{name} {value:.3f}")
