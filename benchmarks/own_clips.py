"""Are faults that are put into finished clips as good as rendered ones? Clips of the known world, truth withheld.

    python benchmarks/own_clips.py --half tune|test --out DIR [--tasks 8] [--known FILE]

True clips of tasks are taken as somebody's own: changed by every relation of `lookaway calibrate --clips`, looked at
and graded. Rendered clips of the same faults, of the same tasks, are looked at beside them. Layouts are parted by name
as in benchmarks/real_subject.py. A run that was stopped goes on where it was. --known writes the rendered clips'
detection table, which comes with the package.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from real_subject import CLIP_CRF, _shown, chosen, filmed

from lookaway.api import Silent
from lookaway.cache import cached_files
from lookaway.calibration.detection import detect
from lookaway.calibration.own_clips.grades import graded
from lookaway.calibration.own_clips.page import write
from lookaway.calibration.own_clips.relations import RELATIONS
from lookaway.calibration.own_clips.walk import BROUGHT, ClipsRun, ClipsWish, calibrate_clips
from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import FALSE_ALARMS, halves, layout_of
from lookaway.looking.brought import BroughtVideo, Wishes, brought_videos, mapping_of
from lookaway.metrics import find
from lookaway.models import ingested
from lookaway.pipeline import counted_scores, plans, walk
from lookaway.pipeline.ingest import stage as ingest_stage
from lookaway.pipeline.stage import Options, run_stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.protocols import load
from lookaway.records import Box, Detection, DetectionTable, Task
from lookaway.store import Blobs, Run, make_run
from lookaway.suites import Draft
from lookaway.video import encode
from lookaway.worlds import world_of
from lookaway.worlds.reference.story import Story

RUN_BACK = "run-back"  # the process runs back after the turning point, and is seen to; `undone` goes on from earlier
HARMLESS = ("brighter",)
FAULTS = ("vanished", "wrong-colour", "other-room", RUN_BACK, "undone", "teleported")
BESIDE = {"undone": (RUN_BACK, "undone"), "forgot": ("other-room",), "vanished": ("vanished",)}
BESIDE |= {"recoloured": ("wrong-colour",), "shifted": ("teleported",)}
HFOV_DEG = 60.0


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--half", choices=("tune", "test"), required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--tasks", type=int, default=8)
    options.add_argument("--known", type=Path)
    given = options.parse_args()
    cv2.setNumThreads(1)
    started = time.process_time()
    films = Films(chosen(given.half, given.tasks), given.out)
    run = make_run(given.out / "run")
    found = calibrate_clips(run, films.wish(), Options(), Silent(), print)
    for path in write(run, graded(run, found, None)):
        print(path)
    table = rendered_table(run, found, films)
    told = [*orders(run, found), *beside(run, found, table)]
    (given.out / "summary.txt").write_text("\n".join(told) + "\n")
    print("\n".join(told))
    print(f"{time.process_time() - started:.0f} s of process time")
    if given.known:
        given.known.write_text(table.model_dump_json() + "\n")


# ---------------------------------------------------------------- clips


@dataclass(frozen=True)
class Films:
    """Clips of tasks, as the world is or as a reference model tells it."""

    drafts: Sequence[Draft]
    root: Path

    @property
    def blobs(self) -> Blobs:
        return Blobs(self.root / "blobs")

    def wish(self) -> ClipsWish:
        boxes: dict[str, Box] = {}
        for draft in self.drafts:
            task, *_ = draft.built(self.blobs)
            boxes[task.id] = task.subjects[0].box
        self.videos("truth")
        return ClipsWish(brought_videos([self.root / "truth"]), Wishes(boxes=boxes, hfov_deg=HFOV_DEG))

    def videos(self, model: str) -> list[BroughtVideo]:
        found = [(draft.id, self.film(draft, model)) for draft in self.drafts]
        return [BroughtVideo(name, path) for name, path in found if path is not None]

    def film(self, draft: Draft, model: str) -> Path | None:
        """A clip of the model, encoded; nothing where the task cannot show it."""
        video = self.root / model / f"{draft.id}.mp4"
        video.parent.mkdir(parents=True, exist_ok=True)
        if model == RUN_BACK and not video.exists():
            task, *_ = draft.built(self.blobs)
            cached_files(["own_clips", 1, task.instance, model], (video,), lambda: _film_back(task, video))
        elif not video.exists():
            if isinstance(filmed(draft, model, self.blobs), str):
                return None
            shutil.copy(self.blobs.root / f"{draft.id}-{model}.mp4", video)
        return video


def _film_back(task: Task, video: Path) -> None:
    assert task.world is not None
    world = world_of(task.world, (task.width, task.height))
    story = _run_back(Story.true(task, world, np.arange(task.frames) / task.fps))
    encode((_shown(story, i)[0] for i in range(len(story.seconds))), video, task.fps, crf=CLIP_CRF)


def _run_back(story: Story) -> Story:
    """Process and camera as on the way out, after the middle of the first look-away."""
    away = story.hidden_times[0]
    turn = (away.start_s + away.end_s) / 2
    back = turn * (story.seconds[-1] - story.seconds) / (story.seconds[-1] - turn)
    return story.with_process(np.where(story.seconds > turn, back, story.process_s))


# ---------------------------------------------------------------- rendered faults


def rendered_table(run: Run, found: ClipsRun, films: Films) -> DetectionTable:
    """The rendered clips of the same tasks, taken into the same run as further systems, and graded."""
    videos = {model: films.videos(model) for model in (*HARMLESS, *FAULTS)}
    videos = {f"rendered-{model}": those for model, those in videos.items() if those}
    plan = plans.extend(run, str(run.root / "suite"), [ingested(name) for name in videos], chosen=["real"])
    for system, those in videos.items():
        run_stage(ingest_stage(mapping_of(those, {}, run.root), system, add=True), run, plan, Options(), Silent())
    walk(run, plan, Options(), Silent())
    tasks = [task for task in built_tasks(run, plan).values() if task.id == task.scene]
    rungs = {BROUGHT: Rung(BROUGHT, "harmless", "truth")}
    rungs |= {f"rendered-{name}": Rung(f"rendered-{name}", "harmless", name) for name in HARMLESS}
    rungs |= {f"rendered-{name}": Rung(f"rendered-{name}", "fault", name) for name in FAULTS}
    metrics = [find(ref) for ref in load("real").metrics]
    rows = detect(counted_scores(run, plan), rungs, tasks, metrics)
    return DetectionTable(
        suite="diorama",
        version=str(plan.suite_version),
        tasks=tuple(task.id for task in tasks),
        halves=halves(map(layout_of, tasks)),
        n_clips=sum(map(len, videos.values())) + len(tasks),
        n_harmless=len(tasks) * (1 + len(HARMLESS)),
        false_alarms=FALSE_ALARMS,
        unobservable_below=0.0,
        rows=tuple(row for row in rows if row.n),
    )


# ---------------------------------------------------------------- what it comes to


def orders(run: Run, found: ClipsRun) -> Iterator[str]:
    for order in graded(run, found, None).orders:
        name = f"{order.relation}: {' or '.join(order.metrics)} {order.direction}"
        yield f"order {name:90} {order.held:3} of {order.n:3}"
    for each in found.makings:
        if each.reason:
            yield f"not made: {each.relation} of {each.clip}: {each.reason}"


def beside(run: Run, found: ClipsRun, rendered: DetectionTable) -> Iterator[str]:
    """AUC of the metrics that must notice, on spliced and on rendered faults, against the same harmless clips."""
    made = graded(run, found, None)
    spliced = {(g.here.fault, g.here.metric): g.here for g in made.grades}
    rungs = {BROUGHT: Rung(BROUGHT, "harmless", BROUGHT)}
    rungs |= {r.name: Rung(r.name, "harmless", r.name) for r in RELATIONS.values() if r.kind == "harmless"}
    rungs |= {f"rendered-{name}": Rung(f"rendered-{name}", "fault", name) for name in FAULTS}
    plan = plans.load(run)
    tasks = built_tasks(run, plan).values()
    same = detect(counted_scores(run, plan), rungs, tasks, [find(ref) for ref in load("real").metrics])
    beside = {(row.fault, row.metric): row for row in same}
    for name, models in BESIDE.items():
        for metric in (find(ref).name for ref in load("real").metrics):
            for model in models:
                yield from _line(spliced.get((name, metric)), beside.get((model, metric)))


def _line(one: Detection | None, other: Detection | None) -> Iterator[str]:
    if one is None or other is None or one.auc is None or other.auc is None:
        return
    shown = f"{one.fault} / {other.fault}, {one.metric}"
    yield (
        f"auc {shown:60} spliced {one.auc:.2f} ({one.n}, {one.n_abstained + one.n_gated} silent), "
        f"rendered {other.auc:.2f} ({other.n}, {other.n_abstained + other.n_gated} silent), "
        f"apart {abs(one.auc - other.auc):.2f}"
    )


if __name__ == "__main__":
    main()
