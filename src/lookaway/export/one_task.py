"""One task as files: what a model may know, and the truth."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookaway.controls import Shape, asked_path
from lookaway.export import memobench
from lookaway.export.folder import Finished, Folder
from lookaway.export.shaping import Shaped, shaped
from lookaway.export.words import words
from lookaway.geometry.trajectory import Trajectory
from lookaway.names import file_name
from lookaway.pipeline.stage import Failure, Outcome, attempt
from lookaway.records import ModelCard, Task, content_key
from lookaway.store import Blobs
from lookaway.suites import Draft
from lookaway.suites.folder import TruthFiles

CONVENTION = "camera-to-world, first frame identity; metres; x right, y down, z forward (OpenCV)"
DIGITS = 9

Files = dict[str, bytes | Path]


@dataclass(frozen=True)
class Order:
    """How the tasks of one export are written."""

    full: Folder
    public: Folder | None  # gets what a model may know, if that is kept apart
    card: ModelCard | None
    places: Mapping[str, memobench.Place]  # in the MemoBench layout; empty where it is not wanted


def inputs_of(order: Order, draft: Draft) -> str:
    return content_key(draft.content(), order.card)


def export_group(order: Order, drafts: list[Draft]) -> list[Outcome]:
    return [_outcome(order, draft) for draft in drafts]


def _outcome(order: Order, draft: Draft) -> Outcome:
    done = attempt(export_task, order, draft)
    return Outcome(draft.id, "failed", done.reason) if isinstance(done, Failure) else Outcome(draft.id, "ok")


def export_task(order: Order, draft: Draft) -> None:
    """Write the task's files, then the marker that says so."""
    with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
        blobs = Blobs(Path(folder))
        made = shaped(draft, order.card, blobs)
        given, row = _given(made, blobs), _row(made.task, blobs)
        if made.bank is not None:
            row["questions"] = [question.model_dump(mode="json") for question in made.bank.questions]
        files = dict(given)
        if made.reference is not None:
            truth, row["reference"] = _truth(made, blobs)
            files |= truth
        place = order.places.get(draft.id)
        clip = None if place is None else memobench.clip_files(made, place, blobs)
        if clip is not None:
            files |= clip[1]
        order.full.write(files)
        if order.public is not None:
            order.public.write(given)
    finished = Finished(
        inputs=inputs_of(order, draft),
        row=row,
        size=made.size,
        files=tuple(files),
        given=tuple(given),
        memobench=place is not None,
        clip=None if clip is None else clip[0],
    )
    order.full.finish(draft.id, finished)


def _given(made: Shaped, blobs: Blobs) -> Files:
    """What a model may know."""
    task = made.task
    path, name = camera_path(task, made.size), file_name(task.id)
    files: Files = {
        _frame_name(task, blobs): blobs.path(task.first_frame),
        f"prompts/{name}.txt": f"{words(task)}\n".encode(),
        f"cameras/{name}.json": _camera_json(task, made.size, path),
        f"cameras/{name}.npz": path.to_bytes(),
    }
    return files if task.prefix is None else files | _video_files("prefixes", task, blobs.path(task.prefix))


def camera_path(task: Task, size: tuple[int, int]) -> Trajectory:
    """The asked camera under pictures of that size; where they are stretched, pixels are no longer square."""
    path = asked_path(task, Shape(task.width, task.height, task.frames, task.fps))
    intrinsics = path.intrinsics.copy()
    intrinsics[:, 0] *= size[0] / task.width
    intrinsics[:, 1] *= size[1] / task.height
    return Trajectory(path.camera_to_world, intrinsics, path.seconds)


def _camera_json(task: Task, size: tuple[int, int], path: Trajectory) -> bytes:
    facts = {
        "task": task.id,
        "convention": CONVENTION,
        "script": task.camera,
        "cover": task.cover,
        "width": size[0],
        "height": size[1],
        "fps": task.fps,
        "frames": len(path),
        "intrinsics": path.intrinsics[0].round(DIGITS).tolist(),
        "seconds": path.seconds.round(DIGITS).tolist(),
        "camera_to_world": path.camera_to_world.round(DIGITS).tolist(),
    }
    return f"{json.dumps(facts, ensure_ascii=False)}\n".encode()


def _row(task: Task, blobs: Blobs) -> dict[str, Any]:
    """The task's line in tasks.jsonl, media as paths."""
    row = task.model_dump(mode="json", exclude_defaults=True, exclude={"suite", "version"})
    row["first_frame"] = _frame_name(task, blobs)
    return row if task.prefix is None else row | {"prefix": _video_name("prefixes", task, blobs.path(task.prefix))}


def _frame_name(task: Task, blobs: Blobs) -> str:
    return f"first_frames/{file_name(task.id)}{blobs.path(task.first_frame).suffix}"


def _video_name(folder: str, task: Task, video: Path) -> str:
    return f"{folder}/{file_name(task.id)}{video.suffix or '.frames'}"


def _video_files(folder: str, task: Task, video: Path) -> Files:
    """A video file as it is; a folder of frames file by file."""
    name = _video_name(folder, task, video)
    return {f"{name}/{file.name}": file for file in sorted(video.iterdir())} if video.is_dir() else {name: video}


def _truth(made: Shaped, blobs: Blobs) -> tuple[Files, dict[str, Any]]:
    """The truth's files, and what tasks.jsonl says of them."""
    reference, name = made.reference, f"truth/{file_name(made.task.id)}"
    assert reference is not None
    video = blobs.path(reference.video) if reference.video is not None else None
    files = _video_files("truth", made.task, video) if video is not None else {}
    if reference.arrays is not None:
        files[f"{name}.npz"] = blobs.path(reference.arrays)
    if reference.depth is not None:
        files[f"{name}.depth.npz"] = blobs.path(reference.depth)
    said = TruthFiles(
        video=_video_name("truth", made.task, video) if video is not None else None,
        arrays=f"{name}.npz" if reference.arrays is not None else None,
        depth=f"{name}.depth.npz" if reference.depth is not None else None,
        phases=reference.phases,
        phase_source=reference.phase_source,
        state_names=reference.state_names,
    )
    return files, said.model_dump(mode="json", exclude_none=True)
