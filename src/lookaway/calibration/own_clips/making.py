"""The made clips as files of a run folder: each is made once, and what cannot be made says why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from lookaway.calibration.observable import UNOBSERVABLE_BELOW, lasting
from lookaway.calibration.own_clips.relations import Relation
from lookaway.calibration.own_clips.seen_clip import Image, SeenClip, seen_clip
from lookaway.errors import StoreError, VideoError
from lookaway.images import read_image
from lookaway.observers.difference import GREY_LEVELS
from lookaway.pipeline.sheets import Sheet, case_of, readable
from lookaway.records import Box, content_key
from lookaway.records.base import Record
from lookaway.store import Run
from lookaway.video import SharedFrames, encode

FOLDER = "made"
SOME_PLACE = 0.05  # of the picture: as good as a subject's area, where nobody named one
HARDLY = "the change can hardly be seen in it"
COARSE = np.uint8(32)  # levels of a colour that count as one
KEPT = 2  # clips in memory: one, and the one that follows


class Making(Record):
    """What became of one relation of one clip."""

    relation: str
    clip: str  # id of its task
    key: str  # of all that it was made from
    reason: str = ""  # why it was not made; empty where it was
    box: Box | None = None  # of the subject in its first frame


def video_of(run: Run, made: Making) -> Path:
    return run.root / FOLDER / made.relation / f"{made.clip}-{made.key[:6]}.mp4"


def makings(run: Run, sheets: Iterable[Sheet], relations: Iterable[Relation]) -> Iterator[Making]:
    """Every relation of every clip, made as a video or with a reason; what is made already is not made again."""
    clips, wanted = SeenClips(run, sheets), list(relations)
    for name in clips.sheets:
        for relation in wanted:
            yield _known(run, clips, name, relation) or _made(run, clips, name, relation)


class SeenClips:
    """Clips as they were seen, by the id of their task; each is decoded when it is asked for."""

    def __init__(self, run: Run, sheets: Iterable[Sheet]) -> None:
        whole = {sheet.task.id: sheet for sheet in sheets if sheet.clip.video}
        self.run, self.sheets = run, dict(sorted(whole.items()))
        self.kept: dict[str, SeenClip | str] = {}

    def get(self, name: str) -> SeenClip | str:
        """The clip, or why it cannot be changed at all."""
        if name not in self.kept:
            while len(self.kept) >= KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[name] = self._read(readable(self.run, self.sheets[name]))
        return self.kept[name]

    def _read(self, sheet: Sheet) -> SeenClip | str:
        try:
            frames = SharedFrames.load(self.run.blobs.path(sheet.clip.video or ""), long_side=None)
        except VideoError as error:
            return str(error)
        return seen_clip(frames, case_of(self.run, sheet))

    def other(self, name: str) -> SeenClip | None:
        """Of the other clips that look away, the one whose first frame has the least of this one's colours."""
        names = [each for each in self.sheets if each != name]
        alike = {each: float((self.colours(each) @ self.colours(name)).item()) for each in names}
        found = (self.get(each) for each in sorted(names, key=lambda each: (alike[each], each)))
        return next((clip for clip in found if not isinstance(clip, str) and clip.away is not None), None)

    def colours(self, name: str) -> NDArray[np.float64]:
        """Square roots of the shares of coarse colours in a clip's first frame."""
        first = read_image(self.run.blobs.path(self.sheets[name].task.first_frame)) // COARSE
        counts = np.bincount(np.ravel(first @ np.array([64, 8, 1])), minlength=512)
        return np.asarray(np.sqrt(counts / counts.sum()))

    def key(self, name: str, relation: Relation) -> str:
        """Of all that a made clip depends on."""
        sheet = self.sheets[name]
        seen = {looker: sheet.observations[looker].arrays for looker in sorted(sheet.observations)}
        others = [each.clip.video for each in self.sheets.values()] if "another" in relation.needs else []
        return content_key(relation.name, relation.version, sheet.clip.video, sheet.task.instance, seen, others)


def _note(run: Run, made: Making) -> Path:
    return video_of(run, made).with_suffix(".json")


def _known(run: Run, clips: SeenClips, name: str, relation: Relation) -> Making | None:
    """What an earlier call left behind, if it is whole."""
    asked = Making(relation=relation.name, clip=name, key=clips.key(name, relation))
    try:
        found = Making.model_validate_json(_note(run, asked).read_text())
    except (FileNotFoundError, ValidationError):
        return None
    return found if found.key == asked.key and (found.reason or video_of(run, found).exists()) else None


def _made(run: Run, clips: SeenClips, name: str, relation: Relation) -> Making:
    clip, made = clips.get(name), Making(relation=relation.name, clip=name, key=clips.key(name, relation))
    if isinstance(clip, str):
        return made.model_copy(update={"reason": clip})
    other = clips.other(name) if "another" in relation.needs else None
    reason = relation.why_not(clip, other)
    try:
        video_of(run, made).parent.mkdir(parents=True, exist_ok=True)
        if not reason:
            reason = _encoded(clip, other or clip, relation, video_of(run, made))
        made = made.model_copy(update={"reason": reason, "box": None if reason else relation.box(clip)})
        _note(run, made).write_text(made.model_dump_json() + "\n")
    except OSError as error:
        raise StoreError(
            f"{video_of(run, made)}: {error.strerror}; make room, then run the same command again"
        ) from None
    return made


def _encoded(clip: SeenClip, other: SeenClip, relation: Relation, path: Path) -> str:
    """Writes the video; why it is no use where a fault leaves hardly a trace."""
    areas: list[float] = []
    frames = relation.frames(clip, other)
    if relation.kind == "fault" and relation.same_start:
        frames = _compared(clip, frames, areas)
    encode(frames, path, clip.fps * relation.fps_factor, crf=relation.crf)
    if areas and lasting(np.array(areas)) < UNOBSERVABLE_BELOW:
        path.unlink()
        return HARDLY
    return ""


def _compared(clip: SeenClip, frames: Iterator[Image], areas: list[float]) -> Iterator[Image]:
    """The frames, and how much of each differs from the clip's own, in areas of the subject."""
    subject = float(clip.masks[0].mean()) or SOME_PLACE
    for own, frame in zip(clip.rgb, frames, strict=True):
        apart = cv2.absdiff(cv2.blur(own, (3, 3)), cv2.blur(frame, (3, 3))) > GREY_LEVELS
        areas.append(float(apart.any(2).mean()) / subject)
        yield frame
