"""What a release comes to: rows of tasks with pictures, and a report of what is missing, inferred or contradictory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from lookaway.errors import SuiteError, problems
from lookaway.records import Box
from lookaway.suites.sheets import text_of as text_of

Boxes = Mapping[str, Box]  # by scene family


class ReleaseLine(BaseModel):
    """A line of a release's file; what we do not know of it is left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)


L = TypeVar("L", bound=ReleaseLine)


@dataclass(frozen=True)
class Release:
    """Tasks as rows of a folder suite, whose `first_frame` is a path in the release's folder."""

    name: str
    summary: str
    folder: Path
    rows: list[dict[str, Any]]
    report: list[str]
    unposed: list[dict[str, Any]] = field(default_factory=list)  # what is known of those without a picture
    beside: dict[str, Path] = field(default_factory=dict)  # files kept in the suite as they are, by their name there


def lines_of(path: Path, kind: type[L]) -> Iterator[L]:
    """The lines of a JSON Lines file, each checked; the error names file and line."""
    for number, text in enumerate(text_of(path).split("\n"), 1):
        if not text.strip():
            continue
        try:
            yield kind.model_validate(json.loads(text))
        except (ValueError, RecursionError) as error:
            said = problems(error) if isinstance(error, ValidationError) else str(error)
            raise SuiteError(f"{path}:{number}: not as the release has it: {said}") from error
