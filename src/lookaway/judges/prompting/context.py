"""What a prompt may be told of a task, in words. A prompt names its fields; nothing else is handed to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lookaway.geometry.asked import asked_in_words
from lookaway.geometry.cover import cover_in_words
from lookaway.records import Question, Task

ContextField = Literal["scene", "event", "target", "camera", "visibility", "end", "action", "question", "questions"]
FIELDS: tuple[ContextField, ...] = get_args(ContextField)

_VISIBILITY = {
    "leaves_and_returns": "it goes out of sight and comes back into sight",
    "always_visible": "it stays in sight all the time",
}


@dataclass(frozen=True)
class Topic:
    """A task and the questions at hand: one, or several that are answered together."""

    task: Task
    questions: tuple[Question, ...] = ()


def row_ids(count: int) -> tuple[str, ...]:
    """What rows are called before a judge: numbers, because an id can tell what a question is after."""
    return tuple(str(number) for number in range(1, count + 1))


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


def _action(topic: Topic) -> str:
    return "nothing: it goes by itself" if topic.task.action_control == "none" else topic.task.action_control


def _question(topic: Topic) -> str:
    (question,) = topic.questions
    return question.text


def _questions(topic: Topic) -> str:
    ids = row_ids(len(topic.questions))
    return "\n".join(f"{number}. {question.text}" for number, question in zip(ids, topic.questions, strict=True))


_TELL: dict[ContextField, Callable[[Topic], str]] = {
    "scene": _scene,
    "event": lambda topic: topic.task.prompt,
    "target": lambda topic: topic.task.subjects[0].name,
    "camera": _camera,
    "visibility": _visibility,
    "end": lambda topic: topic.task.expected_end,
    "action": _action,
    "question": _question,
    "questions": _questions,
}


def fields_in_words(topic: Topic, fields: Sequence[ContextField]) -> dict[str, str]:
    """Exactly these fields, as words."""
    return {field: _TELL[field](topic) for field in fields}
