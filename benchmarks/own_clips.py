"""Are faults that are put into finished clips as good as rendered ones? Clips of the known world, truth withheld.

    python benchmarks/own_clips.py --half tune|test --out DIR [--tasks 8] [--after 0] [--subjects 24] [--known FILE]
        [--relations shifted,repeated] [--secret TEXT]

True clips of tasks are taken as somebody's own: changed by every relation of `lookaway calibrate --clips`, looked at
and graded. Rendered clips of the same faults, of the same tasks, are looked at beside them. Layouts are parted by name
as in benchmarks/real_subject.py. A run that was stopped goes on where it was. --known writes the rendered clips'
detection table, which comes with the package. With --relations only these are made, and no rendered clip.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import polars as pl
from real_subject import CLIP_CRF, SCORED, _score, _shown, chosen, filmed
from real_subject import graded as graded_subject
from real_subject_summary import Row

from lookaway import suites
from lookaway.api import Silent
from lookaway.cache import cached_files
from lookaway.calibration.detection import detect
from lookaway.calibration.own_clips.grades import OwnClipsTable, graded
from lookaway.calibration.own_clips.page import write
from lookaway.calibration.own_clips.walk import ClipsWish, calibrate_clips
from lookaway.calibration.systems import Rung
from lookaway.calibration.thresholds import FALSE_ALARMS, halves, layout_of
from lookaway.looking.brought import Wishes, brought_videos
from lookaway.metrics import Case, find
from lookaway.observers import Look
from lookaway.observers.same_place import same_place
from lookaway.observers.signals import signals
from lookaway.outcomes import Abstain
from lookaway.pipeline.stage import Options
from lookaway.protocols import load
from lookaway.records import Box, Detection, DetectionTable, Task
from lookaway.store import Blobs, make_run
from lookaway.suites import Draft
from lookaway.video import SharedFrames, encode
from lookaway.worlds import world_of
from lookaway.worlds.reference.story import Story

RUN_BACK = "run-back"  # the process runs back after the turning point, and is seen to; `undone` goes on from earlier
HARMLESS = ("truth", "brighter")
SUBJECT_FAULTS, FILM_FAULTS = ("vanished", "wrong-colour"), ("other-room", RUN_BACK, "undone")
FILM_METRICS = ("time_undone", "cut_count", "jump_count", "place_tied", "place_likeness")
BESIDE = {"undone": (RUN_BACK, "undone"), "forgot": ("other-room",), "vanished": ("vanished",)}
BESIDE |= {"recoloured": ("wrong-colour",)}
HFOV_DEG = 60.0


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--half", choices=("tune", "test"), required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--tasks", type=int, default=8)
    options.add_argument("--after", type=int, default=0, help="tasks that are left out: they were looked at before")
    options.add_argument("--known", type=Path)
    options.add_argument("--relations", help="only these, and nothing beside them")
    options.add_argument("--secret", default="", help="worlds drawn from this text instead of the suite's own")
    options.add_argument("--subjects", type=int, default=24, help="tasks whose rendered subjects are followed")
    given = options.parse_args()
    cv2.setNumThreads(1)
    started = time.process_time()
    films = Films(chosen(given.half, given.after + given.tasks, given.secret)[given.after :], given.out)
    run = make_run(given.out / "run")
    wish = replace(films.wish(), relations=given.relations and given.relations.split(","))
    found = calibrate_clips(run, wish, Options(), Silent(), print)
    table = None if given.relations else rendered_table(films, chosen(given.half, given.subjects, given.secret))
    made = graded(run, found, table)
    write(run, made)
    told = [*orders(made), *(beside(made, table) if table else ())]
    (given.out / "summary.txt").write_text("\n".join(told) + "\n")
    print("\n".join(told))
    print(f"{time.process_time() - started:.0f} s of process time")
    if given.known and table:
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
            self.film(draft, "truth")
        return ClipsWish(brought_videos([self.root / "truth"]), Wishes(boxes=boxes, hfov_deg=HFOV_DEG))

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
    """The process runs back after the middle of the first look-away; the camera goes as it is asked to."""
    away = story.hidden_times[0]
    turn = (away.start_s + away.end_s) / 2
    back = turn * (story.seconds[-1] - story.seconds) / (story.seconds[-1] - turn)
    return story.with_process(np.where(story.seconds > turn, back, story.process_s))


# ---------------------------------------------------------------- rendered faults


def rendered_table(films: Films, drafts: Sequence[Draft]) -> DetectionTable:
    """How well the metrics of `real` notice rendered faults of the same tasks, against the truth and a harmless one."""
    subject = graded_subject(drafts, (*HARMLESS, *SUBJECT_FAULTS), films.root / "subject.jsonl")
    rows = [(row["task"], row["model"], f"subject_{name}", value) for row, name, value in _scored(subject)]
    rows += list(film_numbers(films, films.root / "films.jsonl"))
    facts = [_facts(*row) for row in rows]
    tasks = [draft.built(films.blobs)[0] for draft in drafts]
    rungs = {name: Rung(name, "harmless", name) for name in HARMLESS}
    rungs |= {name: Rung(name, "fault", name) for name in (*SUBJECT_FAULTS, *FILM_FAULTS)}
    metrics = [find(name) for name in sorted({row[2] for row in rows})]
    found = detect(pl.DataFrame(facts, schema=SCHEMA, orient="row"), rungs, tasks, metrics)
    clips = {(row[0], row[1]) for row in rows}
    return DetectionTable(
        suite="diorama",
        version=str(suites.find("diorama").version),
        tasks=tuple(task.id for task in tasks),
        halves=halves(map(layout_of, tasks)),
        n_clips=len(clips),
        n_harmless=sum(model in HARMLESS for _, model in clips),
        false_alarms=FALSE_ALARMS,
        unobservable_below=0.0,  # nobody looked whether a fault can be seen: it counts whatever it shows
        rows=tuple(row for row in found if row.n),
    )


def _scored(rows: Sequence[Row]) -> Iterator[tuple[Row, str, float | str]]:
    for row in rows:
        for name, value in row.get("scores", {}).items():
            if row["box"] == "drawn" and name in SCORED:
                yield row, name, value


def film_numbers(films: Films, path: Path) -> Iterator[tuple[str, str, str, float | str]]:
    """Task, model, metric and its number or why there is none; films that were looked at before are not again."""
    lines = path.read_text().splitlines() if path.exists() else []
    known = {(row["task"], row["model"]): row["numbers"] for row in map(json.loads, lines)}
    with path.open("a") as out:
        for model in (HARMLESS[0], *FILM_FAULTS):
            for draft in films.drafts:
                if (draft.id, model) not in known and (video := films.film(draft, model)) is not None:
                    known[draft.id, model] = _looked(draft.built(films.blobs)[0], video)
                    row = {"task": draft.id, "model": model, "numbers": known[draft.id, model]}
                    out.write(json.dumps(row) + "\n")
                    out.flush()
    wanted = {draft.id for draft in films.drafts}
    for (task, model), numbers in known.items():
        if task in wanted:
            yield from ((task, model, name, value) for name, value in numbers.items())


def _looked(task: Task, video: Path) -> dict[str, float | str]:
    asked = task.model_copy(update={"camera": "", "cover": "", "world": None, "phases": ()})
    frames = SharedFrames.load(video)
    look = Look(frames, asked, frames.rgb[0], None)
    seen = {}
    for observer in (signals, same_place):
        arrays = observer(look)
        assert not isinstance(arrays, Abstain), arrays.reason
        seen[arrays.observer] = arrays.arrays()
    case = Case(asked, None, seen, {})
    return {name: _score(find(name), case) for name in FILM_METRICS}


SCHEMA = dict.fromkeys(("task", "system", "metric", "variant", "status", "reason"), pl.String) | {
    **{"seed": pl.Int64, "version": pl.Int64, "value": pl.Float64},
    **dict.fromkeys(("instrument", "instrument_key", "ask", "ask_key"), pl.String),
}


def _facts(task: str, model: str, metric: str, value: float | str) -> dict[str, object]:
    told = find(metric)
    number = {"status": "ok", "value": value, "reason": ""}
    silent = {"status": "abstained", "value": None, "reason": str(value)}
    return {
        **{"task": task, "system": model, "seed": 0, "metric": metric, "variant": told.variant},
        **{"version": told.version, "instrument": "", "instrument_key": "", "ask": "", "ask_key": ""},
        **(silent if isinstance(value, str) else number),
    }


# ---------------------------------------------------------------- what it comes to


def orders(made: OwnClipsTable) -> Iterator[str]:
    for order in made.orders:
        name = f"{order.relation}: {' or '.join(order.metrics)} {order.direction}"
        yield f"order {name:90} {order.held:3} of {order.n:3}"
    for relation, reasons in made.not_made.items():
        yield from (f"not made: {relation} of {clip}: {why}" for clip, why in reasons.items())


def beside(made: OwnClipsTable, rendered: DetectionTable) -> Iterator[str]:
    """AUC of each metric on made and on rendered faults, each against harmless clips of its own kind."""
    here = {(g.here.fault, g.here.metric): g.here for g in made.grades}
    there = {(row.fault, row.metric): row for row in rendered.rows}
    for name, models in BESIDE.items():
        for metric in (find(ref).name for ref in load("real").metrics):
            for model in models:
                yield from _line(here.get((name, metric)), there.get((model, metric)))


def _line(one: Detection | None, other: Detection | None) -> Iterator[str]:
    if one is None or other is None or one.auc is None or other.auc is None:
        return
    shown = f"{one.fault} / {other.fault}, {one.metric}"
    yield (
        f"auc {shown:60} made {one.auc:.2f} ({one.n}, {one.n_abstained + one.n_gated} silent), "
        f"rendered {other.auc:.2f} ({other.n}, {other.n_abstained + other.n_gated} silent), "
        f"apart {abs(one.auc - other.auc):.2f}"
    )


if __name__ == "__main__":
    main()
