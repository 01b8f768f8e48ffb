"""The files that speak of all tasks: tasks.jsonl, prompts.csv, phases.csv, README.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from lookaway.export import memobench
from lookaway.export.folder import Finished, Folder
from lookaway.export.readme import canary, readme
from lookaway.export.words import csv_bytes, words
from lookaway.names import file_name
from lookaway.records import Task
from lookaway.suites import Suite
from lookaway.suites.folder import BESIDE

# What a model's owner may read of a task. The rest is truth, or leads to it.
GIVEN = {
    "id",
    "scene",
    "category",
    "moves",
    "changes_in_place",
    "prompt",
    "prompt_variant",
    "first_frame",
    "subjects",
    "action_control",
    "observation_controls",
    "camera",
    "cover",
    "hfov_deg",
    "pitch_deg",
    "width",
    "height",
    "fps",
    "seconds",
    "prefix",
    "prefix_s",
}


def tasks_of(suite: Suite, finished: Sequence[Finished]) -> list[tuple[Finished, Task]]:
    """Finished tasks with their records; media are paths in the folder."""
    head = {"suite": suite.name, "version": str(suite.version)}
    return [(f, Task.model_validate({k: v for k, v in f.row.items() if k not in BESIDE} | head)) for f in finished]


def write_pages(suite: Suite, tasks: Sequence[tuple[Finished, Task]], full: Folder, public: Folder | None) -> None:
    rows = [finished.row for finished, _ in tasks]
    names = [task.id for _, task in tasks]
    prompts = {"prompts.csv": _prompts(tasks), "CANARY.txt": f"{canary(suite, names)}\n".encode()}
    full.write(prompts | {"tasks.jsonl": _lines(rows), "README.md": readme(suite, names, truth=True)})
    if any("reference" in row for row in rows):
        full.write({"truth/phases.csv": _phases(rows)})
    if clips := [(finished.clip, task) for finished, task in tasks if finished.clip is not None]:
        full.write(memobench.tables(clips))
    if public is not None:
        lines = _lines([withheld(row) for row in rows])
        public.write(prompts | {"tasks.jsonl": lines, "README.md": readme(suite, names, truth=False)})


def withheld(row: dict[str, Any]) -> dict[str, Any]:
    """The row without anything that a model must not know; the end of the story is left blank."""
    return {key: value for key, value in row.items() if key in GIVEN} | {"expected_end": ""}


def _lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _prompts(tasks: Sequence[tuple[Finished, Task]]) -> bytes:
    head = ("task", "prompt", "first_frame", "camera", "prefix", "width", "height", "frames", "fps", "seconds")
    return csv_bytes(
        [
            head,
            *(
                (
                    task.id,
                    words(task),
                    task.first_frame,
                    f"cameras/{file_name(task.id)}.json",
                    task.prefix or "",
                    *finished.size,
                    task.frames,
                    f"{task.fps:g}",
                    f"{task.seconds:g}",
                )
                for finished, task in tasks
            ),
        ]
    )


def _phases(rows: Sequence[dict[str, Any]]) -> bytes:
    found = [
        (row["id"], phase["phase"], phase["start_s"], phase["end_s"], row["reference"]["phase_source"])
        for row in rows
        for phase in row.get("reference", {}).get("phases", ())
    ]
    return csv_bytes([("task", "phase", "start_s", "end_s", "phase_source"), *found])
