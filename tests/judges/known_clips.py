"""Facts of clips made by hand: 4 s at 16 frames a second, out of sight from second 1.25 to second 2.75."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookaway.judges.oracle.evidence import Evidence
from lookaway.records import Question, Task
from lookaway.shown import FrameFacts, ShownFacts
from tests.builders import task

FPS, COUNT = 16, 65
SECONDS = np.arange(COUNT) / FPS
AWAY = (SECONDS >= 1.25) & (SECONDS < 2.75)
BACK = SECONDS >= 2.75
TURN = ((1.0, 1.5, 2.5, 3.0), (0.0, 60.0, 60.0, 0.0))  # seconds and degrees
ASKED = tuple(
    Question(id=name, text=f"{name}?", dimension="memory", polarity="positive", expected=expected)
    for name, expected in (("there", "yes"), ("ended", "yes"), ("as_before", "no"))
)
EVERY = tuple(range(COUNT))
TWELVE = tuple(int(i) for i in np.linspace(0, COUNT - 1, 12))


def facts(rests: bool = True, **changed: Any) -> ShownFacts:
    """The truth, but for the numbers that are given: the state goes evenly from 0 to 1."""
    frames = {name: np.zeros(COUNT) for name in FrameFacts._fields}
    visible = np.where(AWAY, 0.0, 1.0)
    frames |= {"seconds": SECONDS, "process_s": SECONDS, "visible": visible, "light": np.ones(COUNT)}
    frames |= {"turn_deg": np.interp(SECONDS, *TURN), "copies": visible}
    frames |= {name: np.broadcast_to(value, COUNT).astype(float) for name, value in changed.items()}
    frames |= {} if "due_visible" in changed else {"due_visible": frames["visible"]}
    if "process_s" in changed:
        frames["apart_m"] = np.abs(frames["process_s"] - SECONDS)
    state, due = (np.clip(seconds[:, None] / SECONDS[-1], 0, 1) for seconds in (frames["process_s"], SECONDS))
    return ShownFacts(FrameFacts(**frames), state, due, rests)


def evidence(
    clip: ShownFacts | None = None,
    rows: tuple[int | None, ...] = EVERY,
    variant: str = "sound",
    asked: Task | None = None,
    questions: tuple[Question, ...] = ASKED[:1],
) -> Evidence:
    known = asked or task(action_control="a hand pushes it")
    return Evidence(known, clip if clip is not None else facts(), rows, questions, variant, ("way_m",))
