"""Clips as people are shown them: every frame by itself, at a constant rate, under no name but their content's."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from lookaway.limits import STUDY_SIDE
from lookaway.store import Blobs
from lookaway.video import decode, encode, probe

CRF = 16


class ReadyClip(NamedTuple):
    media: str  # sha256
    frames: int
    fps: float


class ReadyClips:
    """Makes clips ready, each once; frame k shows what frame k of the source does."""

    def __init__(self, root: Path) -> None:
        self.blobs, self._made = Blobs(root), dict[Path, ReadyClip]()

    def of(self, path: Path) -> ReadyClip:
        if path not in self._made:
            self._made[path] = self._make(path)
        return self._made[path]

    def _make(self, path: Path) -> ReadyClip:
        fps = round(probe(path).fps, 3)
        with tempfile.TemporaryDirectory(prefix="lookaway-") as folder:
            target = Path(folder) / "clip.mp4"
            encode((frame.rgb for frame in decode(path, long_side=STUDY_SIDE)), target, fps, CRF, intra=True)
            frames = probe(target).frames
            return ReadyClip(self.blobs.put_file(target, move=True), frames, fps)
