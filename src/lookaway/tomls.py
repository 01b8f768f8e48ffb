"""Records that people write by hand, as TOML files named after them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from lookaway.errors import UsageError, problems
from lookaway.records import Record

R = TypeVar("R", bound=Record)


def read_record(path: Path, kind: type[R], called: str, name: str | None = None) -> R:
    """The record in a file; its name is the file's unless another is given."""
    try:
        facts = tomllib.loads(path.read_text())
        if "name" in facts:
            raise UsageError(f"{path}: leave `name` out; a {called} is called after its file")
        return kind.model_validate(facts | {"name": name or path.stem})
    except OSError as error:
        raise UsageError(f"{path}: cannot read this {called}: {error.strerror}") from error
    except ValidationError as error:
        raise UsageError(f"{path}: not a {called}: {problems(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
