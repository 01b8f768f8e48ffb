"""Boxes found by the subject's name, with weights that are on this machine: nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from lookaway.errors import LookawayError, VideoError
from lookaway.geometry.framing import WHOLE
from lookaway.looking.boxes import KeptBox
from lookaway.looking.brought import ASSUMED_HFOV_DEG, SUITE, BroughtVideo
from lookaway.observers import OBSERVERS, Look
from lookaway.observers.box_finder import NAME, BoxFound
from lookaway.observers.elsewhere import seen_with
from lookaway.observers.pipe import end_all
from lookaway.outcomes import Abstain
from lookaway.pipeline.instruments import observer_here
from lookaway.places import safe_text
from lookaway.records import Setting, Subject, Task
from lookaway.store import file_sha256
from lookaway.video import SharedFrames, decode_some, probe
from lookaway.weights import HUB_NAME, found, how_to_get


class FoundBoxes(NamedTuple):
    kept: dict[str, KeptBox]  # by id of the video
    notes: dict[str, str]  # about videos without one


def finder_weights(settings: Mapping[str, Setting]) -> str:
    """By their name on the hub, or a folder."""
    return str(settings.get("model") or OBSERVERS.get(NAME).weights)


def finder_called(settings: Mapping[str, Setting]) -> str:
    """`google/owlv2-base-patch16-ensemble <weights 1f0a2b3c4d5e>`; a folder is not named."""
    weights = finder_weights(settings)
    return f"{weights if HUB_NAME.fullmatch(weights) else NAME} {observer_here(NAME, settings).model}"


def finder_is_here(settings: Mapping[str, Setting]) -> bool:
    return found(finder_weights(settings)) is not None


def how_to_find(settings: Mapping[str, Setting]) -> str:
    return f"--pick draws it, and weights find it: {how_to_get(finder_weights(settings))}"


def found_boxes(videos: Iterable[BroughtVideo], name: str, settings: Mapping[str, Setting]) -> FoundBoxes:
    """Where a subject of that name is in the first frame of each video, as far as it is found."""
    made = FoundBoxes({}, {})
    try:
        for video in videos:
            try:
                seen = seen_with(OBSERVERS.get(NAME), _first_look(video, name, settings))
            except VideoError:
                continue
            except LookawayError as error:
                seen = Abstain(str(error))
            if isinstance(seen, Abstain):
                made.notes[video.id] = f"No box of {name}: {safe_text(seen.reason)}."
            else:
                assert isinstance(seen, BoxFound)
                made.kept[video.id] = _kept(seen, name, video, finder_called(settings))
    finally:
        end_all()
    return made


def _kept(seen: BoxFound, name: str, video: BroughtVideo, finder: str) -> KeptBox:
    left, top, right, bottom = map(float, seen.box)
    box, score = (left, top, right, bottom), float(seen.score)
    return KeptBox(box=box, name=name, video_sha256=file_sha256(video.path), found_by=finder, score=score)


def _first_look(video: BroughtVideo, name: str, settings: Mapping[str, Setting]) -> Look:
    """A video's first frame, and a task that names the subject and nothing else."""
    info, (first,) = probe(video.path), decode_some(video.path, [0])
    frames = SharedFrames(info, np.zeros(1), first.rgb[None])
    task = Task(
        id=video.id,
        suite=SUITE,
        version="1",
        scene=video.id,
        category="",
        moves=True,
        changes_in_place=True,
        prompt="",
        expected_end="",
        first_frame="0" * 64,
        subjects=(Subject(name=name, box=WHOLE, side="centre"),),
        hfov_deg=ASSUMED_HFOV_DEG,
        hfov_declared=False,
        width=info.width,
        height=info.height,
        fps=info.fps,
        seconds=max(1, info.frames - 1) / info.fps,
    )
    return Look(frames, task, first.rgb, None, settings)
