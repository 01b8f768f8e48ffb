"""Boxes of subjects that were drawn or found: kept in the run folder, so that nobody is asked twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from lookaway.errors import UsageError, problems
from lookaway.looking.brought import BroughtVideo, Wishes, is_box
from lookaway.names import unprintable
from lookaway.records import Box, Record
from lookaway.store import file_sha256

FILE = "boxes.json"
NAME_LENGTH = 80


class SubjectBox(Record):
    """Where the subject is in the first frame of a video, and what it is called."""

    box: Box | None = Field(description="None: somebody said that there is nothing to follow")
    name: str = Field(max_length=NAME_LENGTH)

    @field_validator("box")
    @classmethod
    def _is_box(cls, box: Box | None) -> Box | None:
        if box is not None and not is_box(box):
            raise ValueError("left < right and top < bottom, all from 0 to 1")
        return box

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        if unprintable(name):
            raise ValueError("a few words, such as 'the cat'")
        return name.strip()


class KeptBox(SubjectBox):
    """The same, as it is kept."""

    video_sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of the video's file")


_KEPT = TypeAdapter(dict[str, KeptBox])


def read_boxes(root: Path) -> dict[str, KeptBox]:
    """By id of the video; none where none were kept."""
    path = root / FILE
    try:
        return _KEPT.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        why = problems(error) if isinstance(error, ValidationError) else error
        raise UsageError(f"{path}: cannot be read ({why}); mend it, or delete it and draw again") from error


def keep_boxes(root: Path, videos: Iterable[BroughtVideo], answers: Mapping[str, SubjectBox]) -> None:
    """Written down beside those that were kept before."""
    new = {
        video.id: KeptBox(**dict(answers[video.id]), video_sha256=file_sha256(video.path))
        for video in videos
        if video.id in answers
    }
    kept = {name: box.model_dump(mode="json") for name, box in (read_boxes(root) | new).items()}
    root.mkdir(parents=True, exist_ok=True)
    temporary = root / f".{FILE}-{os.getpid()}"
    temporary.write_text(json.dumps(kept, indent=1) + "\n")
    temporary.replace(root / FILE)


class KnownBoxes(NamedTuple):
    wishes: Wishes  # with the boxes that are kept
    unanswered: list[BroughtVideo]  # of which nobody has said anything


def with_kept(videos: Iterable[BroughtVideo], wishes: Wishes, root: Path) -> KnownBoxes:
    """What was wished for goes before what was kept; a box of a file that is another one by now is not used."""
    boxes, subjects, unanswered, kept = dict(wishes.boxes), dict(wishes.subjects), [], read_boxes(root)
    for video in videos:
        known = kept.get(video.id)
        if video.id in boxes or "" in boxes:
            continue
        if known is None or known.video_sha256 != file_sha256(video.path):
            unanswered.append(video)
        elif known.box is not None:
            boxes[video.id], subjects[video.id] = known.box, known.name
    return KnownBoxes(replace(wishes, boxes=boxes, subjects=subjects), unanswered)
