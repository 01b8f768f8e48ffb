"""Boxes of subjects that were drawn or found: kept in the run folder, so that nobody is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from lookaway.errors import UsageError, problems
from lookaway.looking.brought import BroughtVideo, Wishes, is_box
from lookaway.names import unprintable
from lookaway.records import Box, Record
from lookaway.store import file_sha256, write_whole

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
    """The same, as it is kept; found by a model where a person did not draw it."""

    video_sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of the video's file")
    found_by: str = Field("", description="the model's instrument")
    score: float | None = None


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


def drawn_boxes(videos: Iterable[BroughtVideo], answers: Mapping[str, SubjectBox]) -> dict[str, KeptBox]:
    """What somebody drew, by id of the video, to be kept."""
    return {
        video.id: KeptBox(**dict(answers[video.id]), video_sha256=file_sha256(video.path))
        for video in videos
        if video.id in answers
    }


def keep_boxes(root: Path, new: Mapping[str, KeptBox]) -> None:
    """Written down beside those that were kept before."""
    kept = {name: box.model_dump(mode="json") for name, box in (read_boxes(root) | dict(new)).items()}
    root.mkdir(parents=True, exist_ok=True)
    write_whole(root / FILE, json.dumps(kept, indent=1) + "\n")


class KnownBoxes(NamedTuple):
    wishes: Wishes  # with the boxes that are kept
    undrawn: list[BroughtVideo]  # of which nobody has said anything
    boxless: list[BroughtVideo]  # of which no model has found anything either
    notes: dict[str, str]  # about boxes that a model found, by id of the video


def with_kept(videos: Iterable[BroughtVideo], wishes: Wishes, root: Path) -> KnownBoxes:
    """What was wished for goes before what was kept; a box of a file that is another one by now is not used."""
    known = KnownBoxes(wishes, [], [], {})
    boxes, subjects, kept = dict(wishes.boxes), dict(wishes.subjects), read_boxes(root)
    for video in videos:
        if video.id in boxes or "" in boxes:
            continue
        box = _of_this_file(kept.get(video.id), video)
        if box is None or box.found_by:
            known.undrawn.append(video)
        if box is None or (box.found_by and box.name != wishes.subject):
            known.boxless.append(video)
        elif box.box is not None:
            boxes[video.id], subjects[video.id] = box.box, box.name
            if box.found_by:
                known.notes[video.id] = f"The box of {box.name} was found by {box.found_by}, score {box.score:.2f}."
    return known._replace(wishes=replace(wishes, boxes=boxes, subjects=subjects))


def _of_this_file(kept: KeptBox | None, video: BroughtVideo) -> KeptBox | None:
    return kept if kept is not None and kept.video_sha256 == file_sha256(video.path) else None
