"""StEvo's release: processes that go on while cardboard, a curtain, darkness or a camera that turns away hides them.

Tasks are called as the release calls them; for models that steer a camera that is the id without its occluder. What
cannot be read costs itself: a task without a picture is not posed, every other field may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lookaway.errors import SuiteError
from lookaway.records import Box
from lookaway.suites.releases.reading import Boxes, Release
from lookaway.suites.releases.stevo.files import FoundTask, read_tasks
from lookaway.suites.releases.stevo.naming import OCCLUDERS, TaskName, task_name, without_occluder
from lookaway.suites.releases.stevo.report import ASSUMED_HFOV_DEG, ASSUMED_SECONDS, report_lines
from lookaway.suites.releases.stevo.wording import (
    FPS,
    INTERFACES,
    camera_script,
    hiding_of,
    latents,
    process_of,
    seconds_of,
)

NAME = "stevo"
SUMMARY = "StEvo-Bench: processes that go on while cardboard, a curtain, darkness or a turned camera hides them"
LEVELS: dict[int, tuple[str, bool, bool]] = {  # category; does it move, does it change in place
    0: ("object permanence", False, False),
    1: ("continuous process", False, True),
    2: ("kinematics", True, False),
    3: ("relational change", True, False),
    4: ("state transformation", False, True),
    5: ("causal change", False, True),
    6: ("expected behaviour", True, False),
}
CAUSAL = 5
SUBJECT = "the main subject"  # the release has no name for it
HIDDEN_START = "it is set off while the subject is out of sight: judge it by its effect once that is seen again"
IN_WORDS = {
    "cardboard": "a sheet of cardboard hides the subject",
    "curtain": "a curtain hides the subject",
    "lights-off": "the lights go out",
}
_TELLTALE = {"cardboard": "cardboard", "curtain": "curtain", "light": "lights-off", "dark": "lights-off"}

Row = dict[str, Any]


@dataclass(frozen=True)
class PosedTask:
    """A task file as one task: in words, or by the camera of an interface."""

    id: str
    source: FoundTask
    name: TaskName
    interface: str = ""  # empty: in words
    steps: str = ""

    @property
    def hiding(self) -> str:
        """What the prompt says hides the subject; by the ending of its id where the prompt does not."""
        if self.interface or self.name.observed:
            return ""
        told = hiding_of(self.source.file.texts.video_WM or "")
        return told or IN_WORDS.get(OCCLUDERS.get(self.name.occluder, ""), "")

    @property
    def control(self) -> str:
        if self.interface:
            return "look_away"
        if self.name.occluder and not self.name.observed:
            return OCCLUDERS[self.name.occluder]
        words = self.hiding.lower()
        return next((kind for word, kind in _TELLTALE.items() if word in words), "other") if words else "none"


def read(folder: Path, boxes: Boxes) -> Release:
    """The tasks that the release can pose here, and a report of what is missing, unverified or contradictory."""
    found, notes = read_tasks(folder)
    if not found:
        why = f" ({notes[0]})" if notes else ""
        raise SuiteError(f"{folder}: has no ID/ID.yaml; give the folder of StEvo's tasks{why}")
    posed = _posed(found, notes)
    rows = [_row(folder, task, boxes) | kinship for task, kinship in _with_kin(posed, notes)]
    unposed = [{"id": task.id, "scene": task_name(task.id).base} for task in found.values() if task.picture is None]
    report = report_lines(found, rows, notes, boxes)
    return Release(NAME, SUMMARY, folder, rows, report, unposed, _beside(found))


def _posed(found: Mapping[str, FoundTask], notes: list[str]) -> list[PosedTask]:
    """Each file in words, and each process once for cameras."""
    pictured = [task for task in found.values() if task.picture is not None]
    cameras = dict[str, PosedTask]()
    for task in pictured:
        name = task_name(task.id)
        steering = None if name.observed else _steering(task, notes)
        if steering is not None:
            id = without_occluder(task.id)
            cameras.setdefault(id, PosedTask(id, task, replace(name, occluder=""), *steering))
    words = [PosedTask(task.id, task, task_name(task.id)) for task in pictured]
    spoken = [task for task in words if task.id not in cameras or task.hiding]
    taken = {task.id for task in spoken}
    for id in sorted(taken & set(cameras)):
        notes.append(f"contradictory: {id} hides in words and by camera; for cameras it is called {id}__camera")
        cameras[id] = replace(cameras[id], id=f"{id}__camera")
    return [*spoken, *cameras.values()]


def _steering(task: FoundTask, notes: list[str]) -> tuple[str, str] | None:
    """The first interface whose camera string can be read, and the string."""
    told = task.file.camera_control or {}
    for interface in (*INTERFACES, *sorted(set(told) - set(INTERFACES))):
        steps = told.get(interface)
        if not steps:
            continue
        try:
            latents(steps)
        except SuiteError as error:
            notes.append(f"not readable: {task.id}: {interface}: {error}")
            continue
        return interface, steps
    return None


def _row(folder: Path, task: PosedTask, boxes: Boxes) -> Row:
    file, texts, picture = task.source.file, task.source.file.texts, task.source.picture
    assert picture is not None
    category, moves, changes = LEVELS.get(-1 if file.level is None else file.level, (file.category or "", False, True))
    box = boxes.get(task.id) or boxes.get(task.name.base)
    video, action, edit = texts.video_WM or "", texts.camera_WM or "", file.judged.init2final_edit_prompt or ""
    seen = task.control == "none"
    return {
        "id": task.id,
        "scene": task.name.base,
        "category": category or "not told",
        "moves": moves,
        "changes_in_place": changes,
        "prompt": (action or process_of(video)) if task.interface else (video or action),
        "first_frame": picture.relative_to(folder).as_posix(),
        "subjects": [] if box is None else [{"name": SUBJECT, "box": box, "side": _side(box)}],
        "expected_end": edit,
        "end_edit": edit,
        "action_control": action or "none",
        "observation_controls": [task.control],
        "visibility": "always_visible" if seen else "leaves_and_returns",
        "hiding": task.hiding,
        "camera": camera_script(task.steps) if task.interface else "",
        "hfov_deg": ASSUMED_HFOV_DEG,
        "hfov_declared": False,
        "width": task.source.size[0],
        "height": task.source.size[1],
        "fps": FPS,
        "seconds": seconds_of(latents(task.steps)) if task.interface else ASSUMED_SECONDS,
        "trigger": HIDDEN_START if file.level == CAUSAL and action and not seen else "",
        "family": task.name.base,
        "level": file.level,
        "tags": _tags(task),
    }


def _tags(task: PosedTask) -> list[str]:
    tags = [f"start:{task.source.group}"] if task.source.group else []
    if task.interface:
        return [*tags, f"steps:{task.interface}: {task.steps}"]
    return [*tags, "prompt:tells-the-hiding"] if task.hiding else tags


def _with_kin(posed: list[PosedTask], notes: list[str]) -> list[tuple[PosedTask, Row]]:
    """Each task with what it is to others: twin or variant of one that is there."""
    ids = {task.id for task in posed}
    by_name: dict[tuple[TaskName, bool], str] = {}
    for task in posed:
        by_name.setdefault((task.name, bool(task.interface)), task.id)
    return [(task, _twin(task, posed, by_name, notes) | _variant(task, by_name, ids, notes)) for task in posed]


def _twin(
    task: PosedTask, posed: list[PosedTask], by_name: Mapping[tuple[TaskName, bool], str], notes: list[str]
) -> Row:
    if task.name.observed:
        alike = [
            one
            for one in posed
            if (one.name.base, one.name.opposite) == (task.name.base, task.name.opposite) and one.control != "none"
        ]
        first = min(alike, key=lambda one: (one.name.number is not None, bool(one.interface)), default=None)
        if first is not None:
            return {"twin": "observed", "twin_of": first.id}
        notes.append(f"missing: a hidden task beside the observed {task.id}")
    elif task.name.opposite:
        other = by_name.get((task.name.plain, bool(task.interface)))
        if other is not None:
            return {"twin": "opposite", "twin_of": other}
        notes.append(f"missing: the task whose opposite {task.id} is")
    return {}


def _variant(task: PosedTask, by_name: Mapping[tuple[TaskName, bool], str], ids: set[str], notes: list[str]) -> Row:
    """By what the file tells, else by the number in the id."""
    told = task.source.file.variant_of
    of = (without_occluder(told) if task.interface else told) if told else None
    if told and of not in ids:
        notes.append(f"missing: {told}, of which {task.id} is a variant")
    if of not in ids and task.name.number and not task.name.observed:
        of = by_name.get((replace(task.name, number=None), bool(task.interface)))
    return {"variant_of": of, "changes": _changes(task)} if of in ids and of != task.id else {}


def _changes(task: PosedTask) -> str:
    file = task.source.file
    told = [] if file.changes is None else [text for text in file.changes.model_dump().values() if text]
    return file.variation_description or "; ".join(told)


def _side(box: Box) -> str:
    middle = (box[0] + box[2]) / 2
    return "left" if middle < 0.4 else "right" if middle > 0.6 else "centre"


def _beside(found: Mapping[str, FoundTask]) -> dict[str, Path]:
    """The files as they are, and pictures of ends: for whoever wants what a task has no place for."""
    files = {f"stevo/{task.id}.yaml": task.path for task in found.values()}
    ends = {f"stevo/{task.id}{task.last.suffix}": task.last for task in found.values() if task.last is not None}
    return files | ends
