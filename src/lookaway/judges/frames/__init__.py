"""Frames for judges: which ones, as what bytes, and whether they arrived."""

from lookaway.judges.frames.rules import FrameRule, frame_rule
from lookaway.judges.frames.sent import (
    Encoding,
    Pixels,
    SentFrame,
    ShownFrames,
    black_frames,
    encoded,
    looked_over,
    pixels_sha256,
    repeated_frames,
    sent_frames,
    shown_frames,
)
from lookaway.judges.frames.tokens import TokenRule, dropped_media

__all__ = [
    "Encoding",
    "FrameRule",
    "Pixels",
    "SentFrame",
    "ShownFrames",
    "TokenRule",
    "black_frames",
    "dropped_media",
    "encoded",
    "frame_rule",
    "looked_over",
    "pixels_sha256",
    "repeated_frames",
    "sent_frames",
    "shown_frames",
]
