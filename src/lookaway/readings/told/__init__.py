"""Told: the fields of structured answers, declared once as frozen classes, as observers declare their arrays.

    class Progression(Told):
        progressed: bool

    case.told("progress", Progression).progressed

A class names the prompts whose answers it reads: every variant listed has these fields, of these kinds. An answer may
have more; they are left out.
"""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from lookaway.errors import ReadingError
from lookaway.records import Answer


class Told(BaseModel):
    """The fields of one structured answer, or of one of its rows."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")
    prompts: ClassVar[tuple[str, ...]] = ()  # `name:variant`; those of rows are named by the class that holds them

    @classmethod
    def read(cls, answer: Answer) -> Self:
        """The fields of an answer that is `ok`."""
        try:
            return cls.model_validate(answer.fields)
        except ValidationError as error:
            what = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3])
            raise ReadingError(f"the answer to '{answer.ask}' cannot be read as {cls.__name__}: {what}") from None


class FrameRow(Told):
    """A row about one frame."""

    id: str
    seconds: float
