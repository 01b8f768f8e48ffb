"""What WRBench's gate judge says of single frames."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Strict

from lookaway.readings.told import FrameRow, Told


class JudgeableFrame(FrameRow):
    identifiable: bool  # it is the very subject of the first frame
    place: bool  # and one can tell where it is
    state: bool  # and in which state


class Judgeable(Told):
    prompts: ClassVar = ("wrbench/judgeable:paper",)
    frames: Annotated[tuple[JudgeableFrame, ...], Strict(False)]


class ExplainedFrame(JudgeableFrame):
    seen: Literal["in view", "out of the picture", "covered", "dark", "unclear"]  # what keeps it from being made out


class Explained(Told):
    prompts: ClassVar = ("wrbench/judgeable:sound", "wrbench/judgeable:frame")
    frames: Annotated[tuple[ExplainedFrame, ...], Strict(False)]


class SupportedFrame(FrameRow):
    judgeable: bool


class Supported(Told):
    prompts: ClassVar = ("wrbench/judgeable:released", "wrbench/judgeable_rescue:released")
    frames: Annotated[tuple[SupportedFrame, ...], Strict(False)]
