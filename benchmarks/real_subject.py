"""How well the subject is followed without truth: tasks of the known world with their truth withheld.

    python benchmarks/real_subject.py --half tune|test --out DIR [--tasks 24] [--models truth,vanished,...]

Exact masks are used for the grading alone. Layouts are parted by name: constants were set on one half, `tune`, and on
the real clips of benchmarks/real_subject_clips.py; the other half was looked at once, afterwards. Every clip is a row
of DIR/rows.jsonl, and a run that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import cv2
import numpy as np
from numpy.typing import NDArray
from real_subject_summary import FAULTS, HARMLESS, WITH_LARGER_BOX, Row, summary

from lookaway import suites
from lookaway.cache import cached_files
from lookaway.calibration.sample import spread
from lookaway.gates import GATES
from lookaway.images import read_image
from lookaway.metrics import Case, Metric, find
from lookaway.observers import Look
from lookaway.observers.following import follow
from lookaway.observers.subject_track import SubjectTrack, hidden_runs, subject_track
from lookaway.outcomes import Abstain
from lookaway.readings.track import absences
from lookaway.records import Box, Task
from lookaway.store import Blobs
from lookaway.suites import Draft
from lookaway.suites.known_world import Shot
from lookaway.video import SharedFrames, encode
from lookaway.worlds import world_of
from lookaway.worlds.reference import parsed
from lookaway.worlds.reference.filming import StoryFrame
from lookaway.worlds.reference.story import PaintableFrame, Story

TUNE = ("beach", "classroom", "kitchen", "parlour", "workshop")
TEST = ("bedroom", "garden", "market", "street")
LARGER = 1.3  # a box drawn by hand
VISIBLE, LEFT_OUT = 0.05, (0.005, 0.15)  # of the first area; in between nobody would be blamed
SCORED = ("refound", "dragged", "doubled", "replaced", "place_shift", "size_change", "shape_change")
SCORED += ("colour_change", "texture_change", "identity")
CLIP_CRF = 18

Masks = NDArray[np.bool_]


@dataclass(frozen=True)
class Filmed:
    """A clip of a task, and which of its pixels show the subject."""

    look: Look
    masks: Masks

    @property
    def share(self) -> NDArray[np.float64]:
        return np.asarray(self.masks.sum((1, 2)) / self.masks[0].sum())


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--half", choices=("tune", "test"), required=True)
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--tasks", type=int, default=24)
    options.add_argument("--models", default=",".join((*HARMLESS, *FAULTS)))
    options.add_argument("--from", type=int, default=0, dest="first", help="leave out so many tasks")
    options.add_argument("--secret", default="", help="worlds drawn from this text instead of the suite's own")
    given = options.parse_args()
    cv2.setNumThreads(1)
    given.out.mkdir(parents=True, exist_ok=True)
    rows = graded(
        chosen(given.half, given.tasks, given.secret)[given.first :], given.models.split(","), given.out / "rows.jsonl"
    )
    for name, value in summary(rows).items():
        print(f"{name} {value}")


def chosen(half: str, most: int, secret: str = "") -> list[Draft]:
    """Tasks that hide their subject, spread over ways of looking away, layouts and processes."""
    suite = suites.find("diorama")
    suite = suites.secret.secret_suite(suite, secret.encode()) if secret else suite
    layouts = TUNE if half == "tune" else TEST
    drafts = [d for d in suite.drafts() if d.hides and Shot.of(d).twin is None and Shot.of(d).world.layout in layouts]

    def strata(draft: Draft) -> tuple[str, ...]:
        made = Shot.of(draft)
        return f"look {made.look}", f"layout {made.world.layout}", f"process {made.world.process}"

    return spread(drafts, strata, lambda draft: draft.id, most)


def graded(drafts: Sequence[Draft], models: Sequence[str], path: Path) -> list[Row]:
    """A row per clip; those that are in the file already are not looked at again."""
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    rows = {(row["task"], row["model"], row["box"]): row for row in known}
    with TemporaryDirectory() as folder, path.open("a") as out:
        for draft, model in product(drafts, models):
            boxes = ("drawn", "larger") if model in WITH_LARGER_BOX else ("drawn",)
            missing = [box for box in boxes if (draft.id, model, box) not in rows]
            clip = filmed(draft, model, Blobs(Path(folder))) if missing else ""
            for box in missing:
                row = {"task": draft.id, "model": model, "box": box} | _row(clip, box == "larger")
                rows[draft.id, model, box] = row
                out.write(json.dumps(row) + "\n")
                out.flush()
    wanted = {draft.id for draft in drafts}
    return [row for row in rows.values() if row["task"] in wanted and row["model"] in models]


def _row(clip: Filmed | str, larger: bool) -> Row:
    if isinstance(clip, str):
        return {"skipped": clip}
    look = replace(clip.look, task=with_larger_box(clip.look.task)) if larger else clip.look
    follow(look)
    started = time.process_time()
    seen = subject_track(look)
    cost = (time.process_time() - started) / len(look.frames)
    if isinstance(seen, Abstain):
        return {"abstained": seen.reason}
    return {
        "ms": 1000 * cost,
        **facts(clip, seen),
        "scores": scores(Case(look.task, None, {seen.observer: seen.arrays()}, {})),
    }


# ---------------------------------------------------------------- clips


def filmed(draft: Draft, model: str, blobs: Blobs) -> Filmed | str:
    """A task's clip as a reference model tells it, encoded and decoded, or why it cannot tell it."""
    task, *_ = draft.built(blobs)
    if why_not := parsed(model)[0].applies(task):
        return why_not
    video, masks = blobs.root / f"{task.id}-{model}.mp4", blobs.root / f"{task.id}-{model}.npy"
    cached_files(["real_subject", 1, task.instance, model], (video, masks), lambda: _film(task, model, video, masks))
    look = Look(SharedFrames.load(video), task, read_image(blobs.path(task.first_frame)), None)
    return Filmed(look, np.unpackbits(np.load(masks), axis=-1, count=task.width).astype(bool))


def _film(task: Task, model: str, video: Path, masks: Path) -> None:
    told, severity = parsed(model)
    assert task.world is not None
    world = world_of(task.world, (task.width, task.height))
    seconds = np.arange(task.frames) / task.fps
    story = told.told(Story.true(task, world, seconds), severity, np.random.default_rng(0))
    shown = [_shown(story, i) for i in range(len(seconds))]
    encode([rgb for rgb, _ in shown], video, task.fps, crf=CLIP_CRF)
    np.save(masks, np.packbits(np.stack([mask for _, mask in shown]), axis=-1))


def _shown(story: Story, i: int) -> tuple[NDArray[np.uint8], Masks]:
    shot = StoryFrame.of(story, i)
    view = shot.view()
    mask = shot.world.subject_mask(view.instances, shot.cover)
    frame = PaintableFrame(i, view.rgb, lambda: mask, shot.empty)
    for paint in story.paints[i]:
        frame = PaintableFrame(i, paint(frame), lambda: mask, shot.empty)
    return frame.rgb, mask


def with_larger_box(task: Task) -> Task:
    left, top, right, bottom = task.subjects[0].box
    across, down = (LARGER - 1) / 2 * (right - left), (LARGER - 1) / 2 * (bottom - top)
    box: Box = (max(0, left - across), max(0, top - down), min(1, right + across), min(1, bottom + down))
    return task.model_copy(update={"subjects": (task.subjects[0].model_copy(update={"box": box}),)})


# ---------------------------------------------------------------- one clip


def facts(clip: Filmed, seen: SubjectTrack) -> Row:
    """What was seen beside what was shown."""
    shown, hidden = clip.share > LEFT_OUT[1], clip.share < LEFT_OUT[0]
    fps = clip.look.task.fps
    true, mine = hidden_runs(clip.share > VISIBLE, fps), hidden_runs(seen.visible, fps)
    masks = seen.unpacked(np.arange(len(seen.masks)))
    later = np.arange(len(masks)) >= (mine[0][1] if mine else len(masks))
    both = np.flatnonzero(seen.visible & (clip.share > VISIBLE))
    return {
        "seen": [int((seen.visible & shown).sum()), int(shown.sum())],
        "unseen": [int((~seen.visible & hidden).sum()), int(hidden.sum())],
        "hides": bool(true),
        "returns": bool(true) and true[0][1] < len(masks),
        "found_hidden": bool(mine),
        "onset": mine[0][0] - true[0][0] if mine and true else None,
        "return": mine[0][1] - true[0][1] if mine and true and true[0][1] < len(masks) else None,
        "on_it": _on_it(masks[later & seen.visible], clip.masks[later & seen.visible]),
        "iou": float(np.mean([_iou(masks[i], clip.masks[i]) for i in both])) if len(both) else 0.0,
        "off_deg": [_off_deg(clip, masks, int(i)) for i in both if not seen.touches_border[i]],
        "turned_deg": float(seen.turned_deg.max()),
        "precision": seen.precision,
        "another": float((seen.another_share > 0).mean()) if len(seen.another_share) else 0.0,
        "new": float(np.median(seen.new_share)) if len(seen.new_share) else 0.0,
    }


def _iou(one: Masks, other: Masks) -> float:
    return float((one & other).sum() / max(1, (one | other).sum()))


def _on_it(mine: Masks, true: Masks) -> float:
    """The share of a mask's pixels that show the subject, in the median frame."""
    return float(np.median((mine & true).sum((1, 2)) / mine.sum((1, 2)))) if len(mine) else 0.0


def _off_deg(clip: Filmed, masks: Masks, i: int) -> float:
    """Angle between the middles of the seen and the shown mask."""
    height, width = masks.shape[1:]
    focal = width / 2 / np.tan(np.deg2rad(clip.look.task.hfov_deg) / 2)
    rays = []
    for mask in (masks[i], clip.masks[i]):
        rows, columns = np.nonzero(mask)
        ray = np.array([columns.mean() + 0.5 - width / 2, rows.mean() + 0.5 - height / 2, focal])
        rays.append(ray / np.linalg.norm(ray))
    return float(np.rad2deg(np.arccos(np.clip(rays[0] @ rays[1], -1, 1))))


def scores(case: Case) -> dict[str, float | str]:
    """Each metric's number, or the reason why there is none."""
    said: dict[str, float | str] = {"look_aways": float(len(absences(case)))}
    for name in SCORED:
        metric = find(f"subject_{name}")
        said[name] = _score(metric, case)
    return said


def _score(metric: Metric, case: Case) -> float | str:
    for name in metric.gates:
        if (closed := GATES.get(name)(case)) is not None:
            return closed.reason
    outcome = metric.function(case)
    return outcome if isinstance(outcome, float) else getattr(outcome, "reason", "bounds")


if __name__ == "__main__":
    main()
