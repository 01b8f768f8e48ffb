"""Prompt files: how they are written, loaded and filled in.

A file `NAME.VARIANT.txt` begins with its declaration in TOML between two lines `+++`. Then follows the wording, with
context fields in braces, and further wordings of the same question, each under a line `=== b`, `=== c`, …
"""

from __future__ import annotations

import hashlib
import re
import string
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import ValidationError, model_validator

from lookaway.errors import UnknownName, UsageError, problems
from lookaway.judges.frames import SentFrame
from lookaway.judges.prompting.context import FIELDS, ContextField, Topic, fields_in_words, row_ids
from lookaway.judges.prompting.files import chosen_variant, prompt_files
from lookaway.judges.prompting.forms import Field, Form, Rows, instructions
from lookaway.records import Record

FIRST_WORDING = "a"


class Declaration(Record):
    """What stands before the words: what is asked, which answer speaks for the video, and what the judge may know.

    `may_be_none` lists fields that a task can leave empty, because the words say what `none` means there. `reference`
    says that the words speak of the video's first frame, which must then be shown ahead of the others. `poses` says of
    which tasks the words hold: of those that hide the subject, or of twins in which the same seconds are observed.
    """

    version: int
    asks: str
    polarity: Literal["positive", "negative", "none"]
    variant: str
    sees: tuple[ContextField, ...]
    may_be_none: tuple[ContextField, ...] = ()
    reference: bool = False
    poses: Literal["any", "hidden", "observed"] = "any"
    rubric: str = ""
    form: Literal["yes_no", "structured"] = "yes_no"
    fields: tuple[Field, ...] = ()
    rows: Rows | None = None
    decided_by: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _only_what_is_seen_may_be_none(self) -> Self:
        if unseen := set(self.may_be_none) - set(self.sees):
            raise ValueError(f"{', '.join(sorted(unseen))} may be none, but is not seen")
        return self


class Prompt(Record):
    """A prompt file, read."""

    name: str
    declared: Declaration
    wordings: dict[str, str]

    @property
    def variant(self) -> str:
        return self.declared.variant

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


def render(
    prompt: Prompt,
    topic: Topic,
    frames: Sequence[SentFrame],
    wording: str = FIRST_WORDING,
    *,
    reference: bool = False,
    first_row: int = 1,
) -> Rendered:
    """The prompt with its declared fields filled in; frames are told by their count and seconds only.

    With `reference`, the first of the frames is the video's first, shown to compare with and not to be judged. Rows
    about frames are counted from `first_row` on.
    """
    check_wording(prompt, wording)
    if prompt.declared.reference and not reference:
        raise UsageError(f"prompt {prompt.name}:{prompt.variant} needs the first frame shown ahead, for reference")
    judged = frames[1:] if reference else frames
    form = _with_rows(prompt, topic, judged, first_row)
    words = fields_in_words(topic, prompt.declared.sees, prompt.declared.may_be_none)
    body = prompt.wordings[wording].format_map(words)
    parts = [_shown(judged, reference), body, prompt.declared.rubric, instructions(form)]
    text = "\n".join(part for part in parts if part)
    origin = f"{prompt.name}@{prompt.declared.version}:{prompt.variant}:{wording}"
    return Rendered(text, hashlib.sha256(text.encode()).hexdigest(), origin, form)


def check_wording(prompt: Prompt, wording: str) -> str:
    if wording not in prompt.wordings:
        raise UnknownName(f"wording of prompt {prompt.name}", wording, prompt.wordings)
    return wording


def _shown(frames: Sequence[SentFrame], reference: bool) -> str:
    """A frame from before the one ahead of it begins another video."""
    if reference:
        return _after_reference(frames)
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


def _after_reference(frames: Sequence[SentFrame]) -> str:
    if not frames:
        return "You see the first frame of a video."
    follow = "one frame" if len(frames) == 1 else f"{len(frames)} frames in order"
    return (
        "The first picture is the first frame of a video. It is there to compare with and is not counted. "
        f"Then you see {follow} of the same video, taken at {_seconds(frames)} seconds."
    )


def _seconds(frames: Sequence[SentFrame]) -> str:
    return ", ".join(f"{frame.seconds:g}" for frame in frames)


def _with_rows(prompt: Prompt, topic: Topic, frames: Sequence[SentFrame], first_row: int) -> Form:
    form = prompt.form
    if form.rows is None or form.rows.of == "ids":
        return form
    if form.rows.of == "questions":
        return form.with_ids(row_ids(len(topic.questions)))
    return form.with_ids(row_ids(len(frames), first_row))


def load(name: str, variant: str = "", folder: Path | None = None) -> Prompt:
    """The prompt of a name such as `stevo/progress`; without a variant, the only one or `sound`.

    `folder` holds prompts of one's own, such as `prompts/` beside the file of a protocol.
    """
    return _ours(name, variant) if folder is None else _read(name, variant, folder)


@cache
def _ours(name: str, variant: str) -> Prompt:
    return _read(name, variant, None)


def _read(name: str, variant: str, folder: Path | None) -> Prompt:
    files = prompt_files(folder)
    if name not in files:
        raise UnknownName("prompt", name, files)
    variant = chosen_variant(name, files[name], variant)
    try:
        prompt = parsed(name, files[name][variant].read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"prompt {name}:{variant}: cannot read its file: {error}") from error
    if prompt.variant != variant:
        raise UsageError(f"prompt {name}: its file is called {variant}, but declares the variant '{prompt.variant}'")
    return prompt


def names(folder: Path | None = None) -> tuple[str, ...]:
    """Every prompt, by protocol."""
    return tuple(sorted(prompt_files(folder)))


def variants(name: str, folder: Path | None = None) -> tuple[str, ...]:
    """Every variant of a prompt."""
    files = prompt_files(folder)
    if name not in files:
        raise UnknownName("prompt", name, files)
    return tuple(sorted(files[name]))


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
