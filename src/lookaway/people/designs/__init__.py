"""Designs of studies that come with lookaway: those of the three papers, and one of our own."""

from __future__ import annotations

from pathlib import Path

from lookaway.errors import UnknownName, UsageError
from lookaway.records import Study
from lookaway.tomls import read_record

HERE = Path(__file__).parent


def names() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.toml"))


def design_file(name: str) -> Path:
    """Where a design lies, by its name or by the path of a TOML file."""
    if name in names():
        return HERE / f"{name}.toml"
    if name.endswith(".toml"):
        return Path(name)
    raise UnknownName("design", name, names())


def load(name: str) -> Study:
    return read_record(design_file(name), Study, "study")


def text(name: str) -> str:
    """The design as it is written, to be copied into a study and changed there."""
    try:
        return design_file(name).read_text()
    except OSError as error:
        raise UsageError(f"{name}: cannot read this design: {error.strerror}") from error
