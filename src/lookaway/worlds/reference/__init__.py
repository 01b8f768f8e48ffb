"""Reference models: the known world told rightly, with a named fault, or with a harmless or stressful variation.

    @fault("teleported", ladder=(0.1, 0.2, 0.4), unit="share of the frame's width", fails=("return_place",))
    def teleported(story: Story, severity: float, rng: np.random.Generator) -> Story:
        "On return the subject stands aside of where it should be."

A ladder runs from mild to severe, its middle is a fault that a person would notice. `fails` are the metrics that must
notice, the declared one first; `keeps` those that have nothing to notice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from lookaway.errors import UsageError
from lookaway.records import Task
from lookaway.worlds.catalogue import Catalogue
from lookaway.worlds.reference.story import Story

Kind = Literal["truth", "fault", "harmless", "stress"]
Condition = Callable[[Task], str]  # "" or why the task cannot show it


class Change(Protocol):
    """How a model tells the true story otherwise."""

    def __call__(self, story: Story, severity: float, rng: np.random.Generator, /) -> Story: ...


@dataclass(frozen=True)
class ClipShape:
    """Size and rate of a model's clips, where they are not the task's."""

    width: int | None = None
    height: int | None = None
    fps: float | None = None


@dataclass(frozen=True)
class ReferenceModel:
    """One way to tell the story of a task."""

    name: str
    kind: Kind
    version: int
    summary: str
    change: Change
    ladder: tuple[float, ...] = ()  # mild to severe, an odd number of rungs; empty without a severity
    plain: float | None = None  # severity of the bare name
    unit: str = ""  # what a severity means
    fails: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    unobservable: str = ""  # declared limits, in words
    where: tuple[Condition, ...] = ()
    shape: ClipShape = ClipShape()
    context: bool = False  # its severity is a context window in seconds

    @property
    def middle(self) -> float | None:
        return self.ladder[len(self.ladder) // 2] if self.ladder else None

    def applies(self, task: Task) -> str:
        """Empty, or why the task cannot show it."""
        if task.world is None:
            return "not a task of the known world"
        return next(filter(None, (condition(task) for condition in self.where)), "")

    def severity(self, given: float | None) -> float:
        """The severity to tell it with; that of the bare name where none is given."""
        if given is None:
            return self.plain or 0.0
        if not self.ladder:
            raise UsageError(f"'{self.name}' has no severity; write the name alone")
        return given

    def told(self, story: Story, severity: float | None, rng: np.random.Generator) -> Story:
        """The story as this model has it; frames that are given to it stay true."""
        changed = self.change(story, self.severity(severity), rng)
        return changed.with_given_frames_of(story) if self.kind == "fault" else changed


REFERENCE: Catalogue[ReferenceModel] = Catalogue("reference model", "lookaway.worlds.reference")


def fault(
    name: str,
    *,
    fails: tuple[str, ...],
    keeps: tuple[str, ...] = (),
    ladder: tuple[float, ...] = (),
    plain: float | None = None,
    unit: str = "",
    unobservable: str = "",
    where: tuple[Condition, ...] = (),
    context: bool = False,
    version: int = 1,
) -> Callable[[Change], Change]:
    """Register a fault; its bare name means the middle of the ladder unless `plain` says otherwise."""

    def register(change: Change) -> Change:
        severity = ladder[len(ladder) // 2] if ladder and plain is None else plain
        about = summary(change)
        REFERENCE.add(name)(
            ReferenceModel(
                name,
                "fault",
                version,
                about,
                change,
                ladder,
                severity,
                unit,
                fails,
                keeps,
                unobservable,
                where,
                context=context,
            )
        )
        return change

    return register


AS_ASKED = ClipShape()


def variation(
    name: str,
    *,
    kind: Literal["truth", "harmless", "stress"] = "harmless",
    where: tuple[Condition, ...] = (),
    shape: ClipShape = AS_ASKED,
    version: int = 1,
) -> Callable[[Change], Change]:
    """Register a telling that is not wrong: harmless, or a stress that is not meant to be seen through."""

    def register(change: Change) -> Change:
        REFERENCE.add(name)(ReferenceModel(name, kind, version, summary(change), change, where=where, shape=shape))
        return change

    return register


def summary(change: Change) -> str:
    """The first sentence of the docstring, as a card has it."""
    return (change.__doc__ or "").strip().splitlines()[0].rstrip(".")


def parsed(name: str) -> tuple[ReferenceModel, float | None]:
    """`NAME` or `NAME@SEVERITY` as a model and the severity that was given."""
    plain, at, text = name.partition("@")
    model = REFERENCE.find(plain)
    if not at:
        return model, None
    try:
        given = float(text)
    except ValueError:
        given = np.nan
    if not np.isfinite(given):
        rungs = ", ".join(f"{plain}@{rung:g}" for rung in model.ladder)
        raise UsageError(f"'{name}': '{text}' is not a number; {f'write {rungs}' if rungs else f'write {plain}'}")
    return model, model.severity(given)
