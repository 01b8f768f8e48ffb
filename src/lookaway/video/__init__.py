"""Video in and out: probe, decode once and share, sample by time, encode, show as a strip.

Files (mp4, mov, webm, mkv, gif, avi) and folders of numbered png or jpg frames read alike. Timestamps come
from the file, so a variable frame rate is handled everywhere. Every failure is a `VideoError`.
"""

from __future__ import annotations

from lookaway.video.decode import Frame, decode, decode_some
from lookaway.video.encode import encode
from lookaway.video.filmstrip import filmstrip
from lookaway.video.probe import VideoInfo, probe
from lookaway.video.resize import resize
from lookaway.video.sample import RATE_RULES, indices_as_released, indices_at_rate, indices_uniform, nearest_index
from lookaway.video.shared import SharedFrames

__all__ = [
    "RATE_RULES",
    "Frame",
    "SharedFrames",
    "VideoInfo",
    "decode",
    "decode_some",
    "encode",
    "filmstrip",
    "indices_as_released",
    "indices_at_rate",
    "indices_uniform",
    "nearest_index",
    "probe",
    "resize",
]
