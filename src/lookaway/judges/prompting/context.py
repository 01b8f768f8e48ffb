"""What a prompt may be told of a task, in words. A prompt names its fields; nothing else is handed to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lookaway.errors import UsageError
from lookaway.geometry.asked import asked_in_words, stands_still
from lookaway.geometry.cover import cover_in_words
from lookaway.records import Question, Task

ContextField = Literal[
    "scene",  # the kind of place
    "event",  # the prompt of the task
    "target",  # the first subject
    "camera",  # the plan: camera and cover, as if they had been delivered
    "visibility",  # the plan: whether the subject leaves and returns
    "end",  # the expected end
    "end_edit",  # the expected end, as an edit of the first frame
    "action",  # what was asked to start the process
    "trigger",  # the task's own rule of how the start is judged
    "hiding",  # what was asked to hide the subject
    "hiding_kind",  # the same in one word
    "interval",  # of an observed twin: the seconds that its task hides
    "return_seconds",  # when the subject came back into sight, as measured
    "expected_change",  # what another ask expects to happen
    "hint",  # what is known to be wrong with a failure clip
    "question",
    "questions",
]
FIELDS: tuple[ContextField, ...] = get_args(ContextField)
NONE = "none"  # how a field without a value is told, by a prompt that says what this means

HidingKind = Literal["pan", "in-scene", "none"]

_VISIBILITY = {
    "leaves_and_returns": "it goes out of sight and comes back into sight",
    "always_visible": "it stays in sight all the time",
}
_ORIGIN: dict[ContextField, str] = {
    "return_seconds": "a return that was measured",
    "expected_change": "the answer of another ask",
    "hint": "what is known of a failure clip",
}
FROM_ELSEWHERE = frozenset(_ORIGIN)  # fields that no task has


@dataclass(frozen=True)
class Topic:
    """A task, the questions at hand, and what does not come from the task: other asks, measurements, a known failure.

    `interval` goes before the one that the task says. `returns` are seconds at which the subject came back into sight.
    """

    task: Task
    questions: tuple[Question, ...] = ()
    expected_change: str = ""
    hint: str = ""
    returns: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None


def row_ids(count: int, first: int = 1) -> tuple[str, ...]:
    """What rows are called before a judge: numbers, because an id can tell what a question is after."""
    return tuple(str(number) for number in range(first, first + count))


def hiding_kind(task: Task) -> HidingKind:
    """How the subject was asked to be hidden: by a turn of the camera, by something in the scene, or not at all."""
    if task.visibility == "always_visible" or set(task.observation_controls) <= {NONE}:
        return "none"
    return "in-scene" if task.cover or task.hiding or stands_still(task) else "pan"


def _scene(topic: Topic) -> str:
    """The kind of place; a scene's own name is an id, so that only its words are told."""
    world = topic.task.world
    return re.sub(r"[\d_\-]+", " ", topic.task.scene if world is None else world.layout).strip()


def _camera(topic: Topic) -> str:
    task = topic.task
    told = asked_in_words(task)
    return f"{told} {cover_in_words(task.cover)}" if task.cover else told


def _visibility(topic: Topic) -> str:
    return _VISIBILITY.get(topic.task.visibility, topic.task.visibility.replace("_", " "))


def _hiding(topic: Topic) -> str:
    task = topic.task
    if hiding_kind(task) == "none" or not (task.camera_asked or task.cover or task.hiding):
        return ""
    told = [] if stands_still(task) else [asked_in_words(task)]
    told += [cover_in_words(task.cover)] if task.cover else []
    told += [task.hiding] if task.hiding else []
    return " ".join(filter(None, told)) or "It goes out of the picture by itself and comes back."


def _hiding_kind(task: Task) -> str:
    return hiding_kind(task) if task.camera_asked or task.cover or task.hiding else ""


def _action(topic: Topic) -> str:
    return "" if topic.task.action_control == NONE else topic.task.action_control


def _interval(topic: Topic) -> str:
    hidden = [(part.start_s, part.end_s) for part in topic.task.yoked if part.phase == "hidden"]
    told = hidden if topic.interval is None else [topic.interval]
    return " and ".join(f"from {_number(start)} to {_number(end)} seconds" for start, end in told)


def _returns(topic: Topic) -> str:
    return f"{' and '.join(map(_number, topic.returns))} seconds" if topic.returns else ""


def _number(seconds: float) -> str:
    return f"{round(seconds, 2):g}"


def _question(topic: Topic) -> str:
    (question,) = topic.questions
    return question.text


def _questions(topic: Topic) -> str:
    ids = row_ids(len(topic.questions))
    return "\n".join(f"{number}. {question.text}" for number, question in zip(ids, topic.questions, strict=True))


_TELL: dict[ContextField, Callable[[Topic], str]] = {
    "scene": _scene,
    "event": lambda topic: topic.task.prompt,
    "target": lambda topic: topic.task.subject.name if topic.task.subject is not None else "",
    "camera": _camera,
    "visibility": _visibility,
    "end": lambda topic: topic.task.expected_end,
    "end_edit": lambda topic: topic.task.end_edit,
    "action": _action,
    "trigger": lambda topic: topic.task.trigger,
    "hiding": _hiding,
    "hiding_kind": lambda topic: _hiding_kind(topic.task),
    "interval": _interval,
    "return_seconds": _returns,
    "expected_change": lambda topic: topic.expected_change,
    "hint": lambda topic: topic.hint,
    "question": _question,
    "questions": _questions,
}


def fields_in_words(
    topic: Topic, fields: Sequence[ContextField], may_be_none: Collection[ContextField] = ()
) -> dict[str, str]:
    """Exactly these fields, as words; one without a value is `none` where that is allowed, and refused elsewhere."""
    return {field: _told(topic, field, field in may_be_none) for field in fields}


def _told(topic: Topic, field: ContextField, may_be_none: bool) -> str:
    told = _TELL[field](topic).strip()
    if told or may_be_none:
        return told or NONE
    origin = f"; it comes from {_ORIGIN[field]}" if field in _ORIGIN else ""
    raise UsageError(f"task {topic.task.id}: its {field} is empty, and this prompt needs it{origin}")
