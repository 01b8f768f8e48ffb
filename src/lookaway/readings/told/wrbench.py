"""What WRBench's gate judge says of single frames."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Strict

from lookaway.readings.told import FrameRow, Told


class JudgeableFrame(FrameRow):
    identifiable: bool  # it is the very subject of the first frame
    place: bool  # and one can tell where it is
    state: bool  # and in which state


class Judgeable(Told):
    prompts: ClassVar = ("wrbench/judgeable:paper", "wrbench/judgeable:sound")
    frames: Annotated[tuple[JudgeableFrame, ...], Strict(False)]


class SupportedFrame(FrameRow):
    judgeable: bool


class Supported(Told):
    prompts: ClassVar = ("wrbench/judgeable:released", "wrbench/judgeable_rescue:released")
    frames: Annotated[tuple[SupportedFrame, ...], Strict(False)]
