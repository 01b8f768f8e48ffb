"""Observers look at pixels once and write down what they saw; metrics never see a pixel.

An observer declares its arrays once, and is one function from a Look to them, or to an Abstain:

    class Brightness(ObservedArrays):
        grey: Floats

    @observer(version=1, saw=Brightness)
    def brightness(look):
        "Mean grey level per frame."
        return Brightness(grey=look.frames.rgb.mean((1, 2, 3)))

A Look holds the video, the task and the truth: never who made the video. A metric reads `case.saw(Brightness).grey`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from lookaway.errors import LookawayError, ObserveError, ReadingError
from lookaway.outcomes import Abstain
from lookaway.records import Setting, Task
from lookaway.registry import Registry
from lookaway.truth import Truth
from lookaway.video import SharedFrames

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Look:
    """All that an observer may know."""

    frames: SharedFrames
    task: Task
    first_frame: NDArray[np.uint8]
    truth: Truth | None
    settings: Mapping[str, Setting] = field(default_factory=dict)


class ArrayKind(NamedTuple):
    """What a field of ObservedArrays declares."""

    dtype: np.dtype[Any]
    single: bool  # one number, not an array of them


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
class ObservedArrays:
    """What one observer sees in a clip: a frozen class whose fields are the arrays, stored under the fields' names.

    A field is an array such as `Floats`, or a single `float` or `int`. The kind of number is held to: whole numbers
    where flags are declared are an error, single for double precision is not.
    """

    observer: ClassVar[str]  # the name of the one that sees this, set where it is registered
    kinds: ClassVar[Mapping[str, ArrayKind]]  # of the fields, by name

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True, eq=False)(cls)
        hints = {name: hint for name, hint in get_type_hints(cls).items() if get_origin(hint) is not ClassVar}
        cls.kinds = {name: _kind(f"{cls.__name__}.{name}", hint) for name, hint in hints.items()}

    def arrays(self) -> Arrays:
        """As they are stored."""
        made = {name: np.asarray(getattr(self, name)) for name in self.kinds}
        if wrong := _wrong(type(self), made):
            raise ObserveError(f"observer {self.observer}: {wrong}")
        return made

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The same again; arrays that are not declared are left out."""
        if wrong := _wrong(cls, arrays):
            raise ReadingError(f"what '{cls.observer}' saw cannot be read as {cls.__name__}: {wrong}")
        return cls(**{name: arrays[name].item() if kind.single else arrays[name] for name, kind in cls.kinds.items()})


def _kind(name: str, hint: Any) -> ArrayKind:
    if hint in (float, int):
        return ArrayKind(np.dtype(hint), single=True)
    parts = get_args(hint)
    if get_origin(hint) is NDArray:  # an alias of its own from numpy 2.5 on
        return ArrayKind(np.dtype(parts[0]), single=False)
    if len(parts) != 2 or not get_args(parts[1]):
        raise LookawayError(f"{name}: an array is declared as Floats, Flags, Indices or NDArray[…], not {hint}")
    return ArrayKind(np.dtype(get_args(parts[1])[0]), single=False)


def _wrong(cls: type[ObservedArrays], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Why these are not the arrays that a class declares, or nothing."""
    for name, (dtype, single) in cls.kinds.items():
        if name not in arrays:
            return f"there is no array '{name}'"
        if arrays[name].dtype.kind != dtype.kind:
            return f"'{name}' holds {arrays[name].dtype}, declared is {dtype}"
        if single and arrays[name].ndim:
            return f"'{name}' is of shape {arrays[name].shape}, declared is a single number"
    return ""


@dataclass(frozen=True)
class Observer:
    name: str
    version: int
    function: Callable[[Look], ObservedArrays | Abstain]
    saw: type[ObservedArrays]  # what it returns
    extra: str | None
    seconds_per_frame: float | None  # measured; None where nobody has
    doc: str
    weights: str = ""  # on the hub, that it looks with unless its setting `model` names others
    heads: Mapping[str, str] = field(
        default_factory=dict
    )  # further weights on the hub, by the setting that names others
    unverified: bool = False  # it has never looked here with the weights that it is meant for


OBSERVERS: Registry[Observer] = Registry("observer", "lookaway.observers")

S = TypeVar("S", bound=ObservedArrays)


def observer(
    *,
    version: int,
    saw: type[S],
    extra: str | None = None,
    seconds_per_frame: float | None = None,
    weights: str = "",
    heads: Mapping[str, str] | None = None,
    unverified: bool = False,
) -> Callable[[Callable[[Look], S | Abstain]], Callable[[Look], S | Abstain]]:
    """Register an observer under its function's name. `extra` names the dependency set it needs.

    `unverified` says that it has only ever looked with stand-ins for its weights: metrics that read it are marked so.
    """

    def register(function: Callable[[Look], S | Abstain]) -> Callable[[Look], S | Abstain]:
        name, doc = function.__name__, (function.__doc__ or "").strip()
        if (other := vars(saw).get("observer", name)) != name:
            raise LookawayError(f"{saw.__name__} is what '{other}' sees; declare a class of its own for '{name}'")
        saw.observer = name
        made = Observer(
            name, version, function, saw, extra, seconds_per_frame, doc, weights, dict(heads or {}), unverified
        )
        OBSERVERS.add(name, made)
        return function

    return register
