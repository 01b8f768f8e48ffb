"""What an observer saw is declared once, stored by name, and read by attribute; whatever is not there says so."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lookaway
from lookaway.errors import LookawayError, ObserveError, ReadingError
from lookaway.metrics import Case
from lookaway.observers import OBSERVERS, Flags, Floats, Indices, Look, ObservedArrays, observer
from lookaway.outcomes import Abstain
from tests.builders import task

PACKAGE = Path(lookaway.__file__).parent


class Grey(ObservedArrays):
    """Declared by hand."""

    seconds: Floats
    dark: Flags
    darkest: int


class SharpGrey(Grey):
    """All of that, and one more."""

    edges: NDArray[np.float32]


Grey.observer, SharpGrey.observer = "grey", "sharp_grey"
SECONDS = np.array([0.0, 0.5, 1.0])
ARRAYS = {"seconds": SECONDS, "dark": np.array([False, True, False]), "darkest": np.array(1)}


def case(**seen: Any) -> Case:
    return Case(task(), None, seen, {})


def test_a_reading_has_what_was_stored() -> None:
    seen = case(grey=ARRAYS | {"more": SECONDS}).saw(Grey)
    assert seen.seconds is ARRAYS["seconds"]
    assert seen.dark.tolist() == [False, True, False]
    assert seen.darkest == 1
    assert isinstance(seen.darkest, int)


def test_what_was_seen_is_stored_under_the_names_of_its_fields() -> None:
    stored = Grey.from_arrays(ARRAYS).arrays()
    assert stored.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert np.array_equal(stored[name], array)
        assert (stored[name].dtype, stored[name].shape) == (array.dtype, array.shape)


def test_a_class_has_the_arrays_of_the_one_that_it_extends_first() -> None:
    assert list(SharpGrey.kinds) == [*Grey.kinds, "edges"]
    seen = case(sharp_grey=ARRAYS | {"edges": np.zeros(3, np.float32)})
    assert seen.saw(SharpGrey).dark.sum() == 1


def test_a_case_reads_what_was_seen_once() -> None:
    given = case(grey=ARRAYS)
    assert given.saw(Grey) is given.saw(Grey)
    other = dataclasses.replace(given, seen={"grey": ARRAYS | {"darkest": np.array(2)}})
    assert other.saw(Grey).darkest == 2


def test_nothing_that_was_seen_can_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        case(grey=ARRAYS).saw(Grey).darkest = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"seconds": None}, "what 'grey' saw cannot be read as Grey: there is no array 'seconds'"),
        ({"dark": np.array([0, 1, 0])}, "'dark' holds int64, declared is bool"),
        ({"darkest": np.array([1])}, r"'darkest' is of shape \(1,\), declared is a single number"),
    ],
)
def test_arrays_that_are_not_the_declared_ones_are_refused(changed: dict[str, Any], reason: str) -> None:
    arrays = {name: array for name, array in (ARRAYS | changed).items() if array is not None}
    with pytest.raises(ReadingError, match=reason):
        case(grey=arrays).saw(Grey)


def test_single_precision_is_read_as_it_is() -> None:
    """A number that is turned into another precision on its way to a metric would be another number."""
    short = SECONDS.astype(np.float32)
    assert case(grey=ARRAYS | {"seconds": short}).saw(Grey).seconds is short


def test_an_observer_that_sees_something_else_than_it_declares_says_so() -> None:
    with pytest.raises(ObserveError, match="observer grey: 'dark' holds float64, declared is bool"):
        Grey(seconds=SECONDS, dark=SECONDS, darkest=1).arrays()  # type: ignore[arg-type]


def test_what_nobody_said_to_need_cannot_be_read() -> None:
    with pytest.raises(ReadingError, match=r"nothing that 'sharp_grey' saw is here; say needs=\[\"sharp_grey\"\]"):
        case(grey=ARRAYS).saw(SharpGrey)
    with pytest.raises(ReadingError, match="nothing that 'grey' saw"):
        case(grey=ARRAYS, other=ARRAYS).only(["other"]).saw(Grey)


def test_a_field_is_an_array_or_a_number() -> None:
    with pytest.raises(LookawayError, match=r"Wordy\.name: an array is declared as Floats"):

        class Wordy(ObservedArrays):
            name: str


def test_two_observers_never_share_a_class() -> None:
    with pytest.raises(LookawayError, match="Grey is what 'grey' sees; declare a class of its own for 'other_grey'"):

        @observer(version=1, saw=Grey)
        def other_grey(look: Look) -> Grey | Abstain:
            return Abstain("not a real one")

    assert "other_grey" not in OBSERVERS.all()


def test_each_observer_says_what_it_sees() -> None:
    for name, found in OBSERVERS.all().items():
        assert found.saw.observer == name
        assert found.saw.kinds["seconds"].dtype == float
        assert found.saw.__doc__


def string_keys(folder: Path) -> float:
    """Subscripts and `.get` with a literal text, per 1,000 lines: what no type checker can hold to a declaration."""
    keys = lines = 0
    for path in folder.rglob("*.py"):
        source = path.read_text()
        lines += len(source.splitlines())
        keys += sum(map(_is_string_key, ast.walk(ast.parse(source))))
    return 1000 * keys / lines


def _is_string_key(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        key: ast.expr | None = node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        key = node.args[0] if node.args else None
    else:
        return False
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def test_string_keys_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a['b']\na.get('b')\na[0]\na.get(b)\na: dict[str, int]\n")
    assert string_keys(tmp_path) == 400


@pytest.mark.parametrize("room", ["metrics", "gates", "readings"])
def test_hardly_anything_is_read_by_a_string_key(room: str) -> None:
    assert string_keys(PACKAGE / room) < 10


def test_indices_are_whole_numbers() -> None:
    class Found(ObservedArrays):
        frames: Indices

    assert Found.kinds["frames"].dtype == np.int64
