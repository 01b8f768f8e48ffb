"""Observers look at pixels once and write down what they saw; metrics never see a pixel.

An observer is one function from a Look to arrays, or an Abstain:

    @observer(version=1)
    def brightness(look):
        "Mean grey level per frame."
        return {"grey": look.frames.rgb.mean((1, 2, 3))}

A Look holds the video, the task and the truth: never who made the video.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookaway.outcomes import Abstain
from lookaway.records import Setting, Task
from lookaway.registry import Registry
from lookaway.truth import Truth
from lookaway.video import SharedFrames

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Look:
    """All that an observer may know."""

    frames: SharedFrames
    task: Task
    first_frame: NDArray[np.uint8]
    truth: Truth | None
    settings: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True)
class Observer:
    name: str
    version: int
    function: Callable[[Look], Arrays | Abstain]
    extra: str | None
    seconds_per_frame: float | None  # measured; None where nobody has
    doc: str
    weights: str = ""  # on the hub, that it looks with unless its setting `model` names others


OBSERVERS: Registry[Observer] = Registry("observer", "lookaway.observers")


def observer(
    *, version: int, extra: str | None = None, seconds_per_frame: float | None = None, weights: str = ""
) -> Callable[[Callable[[Look], Arrays | Abstain]], Callable[[Look], Arrays | Abstain]]:
    """Register an observer under its function's name. `extra` names the dependency set it needs."""

    def register(function: Callable[[Look], Arrays | Abstain]) -> Callable[[Look], Arrays | Abstain]:
        doc = (function.__doc__ or "").strip()
        OBSERVERS.add(
            function.__name__, Observer(function.__name__, version, function, extra, seconds_per_frame, doc, weights)
        )
        return function

    return register
