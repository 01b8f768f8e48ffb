"""Generators make one video; the runner hashes, times and records it.

@generator(version=1)
def my_model(commission):
    "What it is."
    return frames        # an iterable of (height, width, 3) RGB arrays, or the path of a video file
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from lookaway.errors import GenerationError, UnknownName, UsageError, problems
from lookaway.generators import media
from lookaway.geometry.trajectory import Trajectory
from lookaway.records import ModelCard, Record, Request, Task
from lookaway.registry import Registry
from lookaway.store import Blobs


@dataclass(frozen=True)
class Movie:
    """A video file, and what its maker told about the making."""

    video: Path
    prompt: str | None = None  # the one really used, where it is told
    cost_usd: float | None = None
    note: str = ""
    log: str = ""
    memory_bytes: int | None = None  # what the model kept of the past at most, where it is told
    shown: Path | None = None  # of a clip of the known world: what its frames show (see shown.py), for the oracle alone


Made = Movie | Path | str | Iterable[NDArray[np.uint8]] | NDArray[np.uint8]


R = TypeVar("R", bound=Record)

YOURSELF = "run the model yourself and bring its videos, see docs/bring-your-videos.md"
CLIP_CRF = 18  # of clips that are encoded here


@dataclass(frozen=True)
class TrueClips:
    """The true clips of a suite, for baselines that replay them."""

    scenes: Mapping[str, str]  # of every task of the suite
    path: Callable[[str], Path | None]  # of a task's true clip; None where the suite has none


@dataclass(frozen=True)
class Commission:
    """What a generator gets. A model under test uses `request`, and what the methods load of it, alone."""

    request: Request
    blobs: Blobs
    task: Task
    card: ModelCard
    workdir: Path
    true_clips: Callable[[], TrueClips]
    spent_usd: Callable[[], float] = lambda: 0.0  # by this system in this run folder, as far as it is told

    def image(self) -> NDArray[np.uint8]:
        """First frame as (height, width, 3) RGB at the size asked for."""
        return media.first_image(self.request, self.blobs)

    def prefix_clip(self) -> Path | None:
        """The true clip that the video must begin with, or None where the model starts from the first frame."""
        return media.prefix_clip(self.request, self.blobs)

    def control_files(self) -> dict[str, Path]:
        """What says the camera in the model's language, by file name; empty where words say it."""
        return media.control_files(self.request, self.blobs)

    def trajectory(self) -> Trajectory | None:
        """The camera to follow: what the model can obey, or what was asked where that is unknown."""
        return media.camera_to_follow(self.request, self.blobs)


@dataclass(frozen=True)
class ForkPair:
    """Two videos of one world that agree up to the frame where they part."""

    away: Movie
    watching: Movie
    parts_at: int  # the first frame in which they may differ


Make = Callable[[Commission], Made]


@dataclass(frozen=True)
class Generator:
    name: str
    version: int
    function: Make
    extra: str | None
    seconds_per_frame: float | None  # measured; None where nobody has
    can_make: Callable[[str], bool]  # does it make clips for the system of that name, here and now?
    doc: str
    settings: type[Record] | None = None  # without these on the card nothing is begun
    needs: tuple[str, ...] = ()  # nor without these fields of the card itself
    pair: Callable[[Commission], ForkPair] | None = None  # the video and one that kept watching, from one session


GENERATORS: Registry[Generator] = Registry("generator", "lookaway.generators")


def generator(
    *,
    version: int,
    extra: str | None = None,
    seconds_per_frame: float | None = None,
    can_make: Callable[[str], bool] = lambda system: True,
    settings: type[Record] | None = None,
    needs: tuple[str, ...] = (),
    pair: Callable[[Commission], ForkPair] | None = None,
) -> Callable[[Make], Make]:
    """Register a generator under its function's name."""

    def register(function: Make) -> Make:
        name = function.__name__
        doc = (function.__doc__ or "").strip()
        made = Generator(name, version, function, extra, seconds_per_frame, can_make, doc, settings, needs, pair)
        GENERATORS.add(name, made)
        return function

    return register


def settings_of(card: ModelCard, kind: type[R]) -> R:
    """A card's settings as a generator's own record, or what is wrong with them."""
    try:
        return kind.model_validate(card.settings)
    except ValidationError as error:
        raise GenerationError(f"card '{card.name}', settings: {problems(error)}") from error


def maker_of(card: ModelCard) -> Generator:
    """The generator that a card names, or what to do where it cannot work."""
    try:
        made = GENERATORS.get(card.generator)
        if unset := _unset(card, made):
            raise UsageError(_what_to_write(card, made, unset))
        if made.settings is not None:
            settings_of(card, made.settings)
        if unsaid := [name for name in made.needs if getattr(card, name) is None]:
            raise GenerationError(f"card '{card.name}': the generator '{made.name}' needs {', '.join(unsaid)}")
    except UnknownName as error:
        raise UsageError(
            f"{card.name}: its card needs the generator '{card.generator}', which is not installed; {YOURSELF}"
        ) from error
    except GenerationError as error:
        raise UsageError(f"{error}; complete a copy of the card, or {YOURSELF}") from error
    return made


def _unset(card: ModelCard, made: Generator) -> list[str]:
    """Settings that the generator cannot do without, and that the card leaves out."""
    fields = made.settings.model_fields if made.settings is not None else {}
    return [name for name, field in fields.items() if field.is_required() and name not in card.settings]


def settings_example(made: Generator) -> str:
    """The `[settings]` of a card for this generator, as its file shows them at the top."""
    told = inspect.getdoc(inspect.getmodule(made.function)) or ""
    return "".join(told.partition("[settings]")[1:]).strip()


def _what_to_write(card: ModelCard, made: Generator, unset: list[str]) -> str:
    """What a card lacks before its model can run here, in steps that can be copied."""
    called, example = f"{card.name}.toml", textwrap.indent(settings_example(made), "       ")
    lacking = ", ".join(f"settings.{name}" for name in unset)
    return f"""{card.name}: how it is run on this machine is not told: its card has no {lacking}
  1. take a copy of its card:    lookaway model show {card.name} --toml > {called}
  2. write at its end (the places in braces are filled in for each video, see docs/run-a-model.md), such as:
{example}
  3. give the copy instead:     --models {called}
  or {YOURSELF}:
     lookaway ingest FOLDER --card {card.name} --suite SUITE --out RUN"""
