"""Frames for all that is asked about a clip: decoded once, encoded once for each way in which judges take pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np

from lookaway.images import read_image
from lookaway.judges.frames import Encoding, FrameRule, SentFrame, ShownFrames, frame_rule, looked_over, sent_frames
from lookaway.judges.frames.showing import Showing, shown_as
from lookaway.pipeline.items import Item
from lookaway.pipeline.seats import Member
from lookaway.readings.windows import Spans
from lookaway.video import Frame, SharedFrames, decode_some, probe
from lookaway.video.resize import fitted_size

WHOLE_BYTES = 1 << 28  # of a clip's pictures; a longer one is rather decoded again than kept, with others, on the disk


@dataclass(frozen=True)
class Reel:
    """What a clip is, without its pictures; a picture is a clip of one frame."""

    path: Path
    frames: int
    fps: float
    width: int
    height: int
    still: bool = False

    @property
    def is_kept_whole(self) -> bool:
        return not self.still and self.frames * self.height * self.width * 3 <= WHOLE_BYTES

    def indices(self, rule: FrameRule, spans: Spans | None) -> list[int]:
        """The frames that a rule takes of the clip, or of those spans of it."""
        if spans is None:
            return rule.indices(self.frames, self.fps)
        seconds = np.arange(self.frames) / self.fps
        inside = np.zeros(self.frames, bool)
        for start_s, end_s in spans:
            inside |= (seconds >= start_s) & (seconds < end_s)
        within = np.flatnonzero(inside)
        return [int(within[i]) for i in rule.indices(len(within), self.fps)] if len(within) else []


@lru_cache(maxsize=64)
def reel_of(path: Path, still: bool = False) -> Reel:
    """The facts of a file; a picture's where it is one."""
    if still:
        height, width = read_image(path).shape[:2]
        return Reel(path, 1, 1.0, width, height, still=True)
    info = probe(path)
    return Reel(path, info.frames, info.fps, info.width, info.height)


class Footage:
    """The frames of some clips for the items about them. Blank ones do where only number and size count."""

    def __init__(self, blank: bool = False) -> None:
        self._blank = blank
        self._reels: dict[str, Reel] = {}
        self._frames: dict[str, dict[int, Frame]] = {}
        self._whole: dict[str, SharedFrames] = {}
        self._sent: dict[tuple[str, int, Encoding], SentFrame] = {}
        self._views: dict[tuple[str, tuple[int, ...], Encoding, str], ShownFrames] = {}

    def add(self, reels: Mapping[str, Reel], items: Iterable[Item], later: Collection[str] = ()) -> Footage:
        """The same with what more items need: each clip is decoded once for all of them.

        Of the media that more is shown of `later`, nobody knows yet what, all frames are kept in a temporary file.
        """
        self._reels |= reels
        wanted: dict[str, set[int]] = {}
        for item in items:
            for media in filter(None, (item.media, item.beside)):
                first = [0] if item.ask.reference and media == item.media else []
                wanted.setdefault(media, set()).update(first, self._indices(item, media))
        for media, indices in wanted.items() if not self._blank else ():
            known, reel = self._frames.setdefault(media, {}), self._reels[media]
            if media in later and media not in self._whole and reel.is_kept_whole:
                self._whole[media] = SharedFrames.load(reel.path, long_side=None, max_bytes=0)
            left = sorted(indices - known.keys())
            known |= (
                {index: self._whole[media][index] for index in left} if media in self._whole else _taken(reel, left)
            )
        return self

    def shown(self, item: Item, member: Member) -> ShownFrames:
        """What one member of a seat is shown: the clip as its ask says, and the clip beside it."""
        encoding = member.judge.encoding
        main = self._view(item, item.media, encoding)
        if item.beside is None and item.ask.showing == "filmed":
            return main
        beside = self._view(item, item.beside, encoding) if item.beside is not None else None
        return shown_as(cast(Showing, item.ask.showing), main, beside, encoding)

    def reference(self, item: Item, member: Member) -> SentFrame | None:
        """The first frame, where it is shown ahead."""
        return self._encoded(item.media, 0, member.judge.encoding) if item.ask.reference else None

    def video(self, item: Item) -> Path | None:
        """The clip itself, where the judge's server samples it."""
        reel = self._reels[item.media]
        return reel.path if frame_rule(item.ask.frames).kind == "native" and not reel.still else None

    def _view(self, item: Item, media: str, encoding: Encoding) -> ShownFrames:
        indices = tuple(self._indices(item, media))
        known = (media, indices, encoding, item.ask.frames)
        if known not in self._views:
            frames = [self._encoded(media, index, encoding) for index in indices]
            rule = frame_rule(item.ask.frames)
            self._views[known] = ShownFrames(rule, tuple(frames), (), ()) if self._blank else looked_over(frames, rule)
        return self._views[known]

    def _encoded(self, media: str, index: int, encoding: Encoding) -> SentFrame:
        known = (media, index, encoding)
        if known not in self._sent:
            self._sent[known] = (
                _unseen(self._reels[media], index, encoding)
                if self._blank
                else sent_frames([self._frames[media][index]], encoding)[0]
            )
        return self._sent[known]

    def _indices(self, item: Item, media: str) -> list[int]:
        reel = self._reels[media]
        rule = FrameRule("uniform", 1) if reel.still else frame_rule(item.ask.frames)
        return reel.indices(rule, item.shown_spans if media == item.media else None)


def _taken(reel: Reel, indices: list[int]) -> dict[int, Frame]:
    if reel.still:
        return {0: Frame(0, 0.0, read_image(reel.path))}
    return {frame.index: frame for frame in decode_some(reel.path, indices)} if indices else {}


def _unseen(reel: Reel, index: int, encoding: Encoding) -> SentFrame:
    width, height = fitted_size(reel.width, reel.height, encoding.long_side)
    blank = np.broadcast_to(np.uint8(0), (height, width, 3))
    return SentFrame(index, round(index / reel.fps, 3), blank, "")
