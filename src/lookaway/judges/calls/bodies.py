"""A service's reply as a model of it, or the failure that says what is wrong with it."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from lookaway.errors import CallFailed, problems

B = TypeVar("B", bound=BaseModel)


def read_body(raw: str | bytes, kind: type[B]) -> B:
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        cut = any(each["type"] == "json_invalid" for each in error.errors())
        raise CallFailed("truncated" if cut else "malformed", f"the reply does not read: {problems(error)}") from None
