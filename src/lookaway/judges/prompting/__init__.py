"""Prompt files: how they are written, loaded and filled in.

A file in `prompts/` begins with its declaration in TOML between two lines `+++`. Then follows the wording, with context
fields in braces, and further wordings of the same question, each under a line `=== b`, `=== c`, …
"""

from __future__ import annotations

import hashlib
import re
import string
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import ValidationError

from lookaway.errors import UnknownName, UsageError, problems
from lookaway.judges.frames import SentFrame
from lookaway.judges.prompting.context import FIELDS, ContextField, Topic, fields_in_words, row_ids
from lookaway.judges.prompting.forms import Field, Form, Rows, instructions
from lookaway.records import Record

FOLDER = "prompts"
FIRST_WORDING = "a"


class Declaration(Record):
    """What stands before the words: what is asked, which answer speaks for the video, and what the judge may know."""

    version: int
    asks: str
    polarity: Literal["positive", "negative", "none"]
    variant: Literal["paper", "released", "sound"]
    sees: tuple[ContextField, ...]
    rubric: str = ""
    form: Literal["yes_no", "structured"] = "yes_no"
    fields: tuple[Field, ...] = ()
    rows: Rows | None = None
    decided_by: tuple[str, ...] = ()


class Prompt(Record):
    """A prompt file, read."""

    name: str
    declared: Declaration
    wordings: dict[str, str]

    @property
    def form(self) -> Form:
        said = self.declared
        return Form(kind=said.form, fields=said.fields, rows=said.rows, decided_by=said.decided_by)


@dataclass(frozen=True)
class Rendered:
    """A prompt as it is put: the text, its hash, where it comes from, and the form its answer must have."""

    text: str
    sha256: str
    origin: str
    form: Form


def render(prompt: Prompt, topic: Topic, frames: Sequence[SentFrame], wording: str = FIRST_WORDING) -> Rendered:
    """The prompt with its declared fields filled in; frames are told by their count and seconds only."""
    check_wording(prompt, wording)
    form = _with_rows(prompt, topic, frames)
    body = prompt.wordings[wording].format_map(fields_in_words(topic, prompt.declared.sees))
    parts = [_shown(frames), body, prompt.declared.rubric, instructions(form)]
    text = "\n".join(part for part in parts if part)
    origin = f"{prompt.name}@{prompt.declared.version}:{wording}"
    return Rendered(text, hashlib.sha256(text.encode()).hexdigest(), origin, form)


def check_wording(prompt: Prompt, wording: str) -> str:
    if wording not in prompt.wordings:
        raise UnknownName(f"wording of prompt {prompt.name}", wording, prompt.wordings)
    return wording


def _shown(frames: Sequence[SentFrame]) -> str:
    """A frame from before the one ahead of it begins another video."""
    if not frames:
        return "You see one video."
    starts = [i for i, frame in enumerate(frames) if i == 0 or frame.seconds < frames[i - 1].seconds]
    videos = [frames[start:end] for start, end in zip(starts, [*starts[1:], len(frames)], strict=True)]
    if len(videos) > 1:
        counts = "; ".join(f"{len(video)} taken at {_seconds(video)} seconds" for video in videos)
        return f"You see frames of {len(videos)} videos, one video after the other, each in order: {counts}."
    if len(frames) == 1:
        return f"You see one frame of a video, taken at {_seconds(frames)} seconds."
    return f"You see {len(frames)} frames of one video in order, taken at {_seconds(frames)} seconds."


def _seconds(frames: Sequence[SentFrame]) -> str:
    return ", ".join(f"{frame.seconds:g}" for frame in frames)


def _with_rows(prompt: Prompt, topic: Topic, frames: Sequence[SentFrame]) -> Form:
    form = prompt.form
    if form.rows is None or form.rows.of == "ids":
        return form
    return form.with_ids(row_ids(len(topic.questions if form.rows.of == "questions" else frames)))


@cache
def load(name: str, variant: str = "") -> Prompt:
    """The prompt of a name such as `stevo/progress`."""
    if name not in names():
        raise UnknownName("prompt", name, names())
    path = resources.files("lookaway.judges") / FOLDER / f"{name}.txt"
    return parsed(name, path.read_text("utf-8"))


@cache
def names() -> tuple[str, ...]:
    """Every prompt, by protocol."""
    root = resources.files("lookaway.judges") / FOLDER
    found = [entry.name for entry in root.iterdir() if entry.is_file()]
    found += [f"{group.name}/{entry.name}" for group in root.iterdir() if group.is_dir() for entry in group.iterdir()]
    return tuple(sorted(name.removesuffix(".txt") for name in found if name.endswith(".txt")))


def parsed(name: str, text: str) -> Prompt:
    """A prompt from the text of its file; what it declares is what its words use."""
    opening, declaration, words = ([*text.split("+++\n", 2), "", ""])[:3]
    if opening.strip() or not words.strip():
        raise UsageError(f"prompt {name}: begin with TOML between two lines of +++, then the wording")
    try:
        declared = Declaration.model_validate(tomllib.loads(declaration))
    except (tomllib.TOMLDecodeError, ValidationError, RecursionError) as error:
        raise UsageError(f"prompt {name}: {problems(error)}") from error
    wordings = _wordings(words)
    for wording, body in wordings.items():
        _check(f"prompt {name}, wording {wording}", body, declared)
    return Prompt(name=name, declared=declared, wordings=wordings)


def _wordings(words: str) -> dict[str, str]:
    first, *others = re.split(r"^=== (\w+)\n", words, flags=re.MULTILINE)
    return {FIRST_WORDING: first.strip()} | {
        name: body.strip() for name, body in zip(others[::2], others[1::2], strict=True)
    }


def _check(where: str, body: str, declared: Declaration) -> None:
    used = {field for _, field, _, _ in string.Formatter().parse(body) if field is not None}
    if used != set(declared.sees):
        raise UsageError(f"{where}: declares {sorted(declared.sees)}, but uses {sorted(used)}; known: {list(FIELDS)}")
