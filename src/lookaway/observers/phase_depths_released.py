"""Depths as MemoBench's release compares them: by the Small model, phases by its own rule."""

from __future__ import annotations

from lookaway.observers import Look, observer
from lookaway.observers.phase_depths import DepthCosines, DepthSettings, compared_depths
from lookaway.outcomes import Abstain

MODEL = "depth-anything/Depth-Anything-V2-Small-hf"


class PhaseDepthsReleased(DepthCosines):
    """By the Small model, phases by the release's rule."""


class SmallDepthSettings(DepthSettings):
    """What `--set phase_depths_released.NAME=VALUE` may say."""

    model: str = MODEL


@observer(version=1, saw=PhaseDepthsReleased, extra="torch", weights=MODEL, unverified=True)
def phase_depths_released(look: Look) -> PhaseDepthsReleased | Abstain:
    """Cosines between the depth maps of three frames of the visible phase and three of the returned one."""
    return compared_depths(PhaseDepthsReleased, look, "released", SmallDepthSettings)
