"""A stranger's interactive model: it counts, and misbehaves when told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from lookaway.errors import GenerationError
from lookaway.sessions import Action, Opening, Picture


@dataclass
class Counting:
    """A session whose frame n is all of grey n; forks count on by themselves, marked in the first row."""

    model: Model
    opening: Opening
    shown: int = 1
    mark: int = 0

    @property
    def first(self) -> Picture:
        return self.opening.first_frame.repeat(self.model.scale, axis=0).repeat(self.model.scale, axis=1)

    @property
    def prompt(self) -> str | None:
        return self.model.prompt

    def step(self, action: Action, text: str, frames: int) -> list[Picture]:
        self.model.asked.append((dict(action), text, frames))
        self.model.before_step(self)
        numbers = range(self.shown, self.shown + frames)
        self.shown += frames
        return [self.grey(number) for number in numbers]

    def grey(self, number: int) -> Picture:
        picture = np.full(self.first.shape, (number * 7 + self.opening.seed * 3) % 256, np.uint8)
        picture[0] = self.mark
        return picture

    def fork(self) -> Counting:
        return Counting(self.model, self.opening, self.shown, self.mark + 50)

    def close(self) -> None:
        self.model.closed += 1


@dataclass
class Model:
    prompt: str | None = None
    before_step: Callable[[Counting], None] = lambda session: None
    openings: list[Opening] = field(default_factory=list)
    asked: list[tuple[dict[str, object], str, int]] = field(default_factory=list)
    closed: int = 0
    scale: int = 1  # its pictures are so many times as large as asked for

    def __call__(self, opening: Opening) -> Counting:
        self.openings.append(opening)
        return Counting(self, opening)


def refuse(session: Counting) -> None:
    raise GenerationError("not such a world", "refused")


def too_slow(session: Counting) -> None:
    time.sleep(1.0)


@contextmanager
def gate(model: Model, at_step: int) -> Iterator[threading.Event]:
    """The model stops at that step until the block ends; the event tells when it got there."""
    reached, go_on = threading.Event(), threading.Event()

    def wait(session: Counting) -> None:
        if len(model.asked) == at_step + 1:
            reached.set()
            go_on.wait(60)

    model.before_step = wait
    try:
        yield reached
    finally:
        go_on.set()
        model.before_step = lambda session: None
