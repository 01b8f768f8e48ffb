"""The form an answer must have: one word, or one JSON object with exactly these fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import model_validator

from lookaway.records import Record

FieldKind = Literal["boolean", "choice", "integer", "text"]


class Field(Record):
    """One value of a structured answer; `says` tells the judge what to put there."""

    name: str
    kind: FieldKind
    says: str
    options: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _a_choice_has_options(self) -> Self:
        if (self.kind == "choice") != bool(self.options):
            raise ValueError(f"field '{self.name}': exactly a choice has options")
        return self


class Rows(Record):
    """A list with one row per item, each known by its `id`; no row more, none less, none twice.

    Rows about frames get the `seconds` of their frame once they are read. `single_frames` are shown one by one: a call
    has a row about its frame, and the rows of all calls make the answer. Of the choice that is `balanced`, every option
    is taken by as many rows.
    """

    name: str
    of: Literal["questions", "frames", "single_frames", "ids"]
    fields: tuple[Field, ...]
    ids: tuple[str, ...] = ()
    balanced: str = ""

    @property
    def about_frames(self) -> bool:
        return self.of in ("frames", "single_frames")

    @model_validator(mode="after")
    def _rows_have_id_and_seconds_already(self) -> Self:
        if taken := {field.name for field in self.fields} & {"id", "seconds"}:
            raise ValueError(f"'{taken.pop()}' is no field of one's own: every row has it")
        return self

    @model_validator(mode="after")
    def _only_a_choice_is_balanced(self) -> Self:
        if self.balanced and self.balanced not in {field.name for field in self.fields if field.kind == "choice"}:
            raise ValueError(f"'{self.balanced}' is to be balanced, and is no choice of the rows")
        return self


class Form(Record):
    """`yes_no`, or `structured` with fields, rows, or both.

    A structured answer means yes when any field of `decided_by` is true: one verdict, or one of several faults.
    """

    kind: Literal["yes_no", "structured"] = "yes_no"
    fields: tuple[Field, ...] = ()
    rows: Rows | None = None
    decided_by: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _only_booleans_decide(self) -> Self:
        undecided = set(self.decided_by) - {field.name for field in self.fields if field.kind == "boolean"}
        if undecided:
            raise ValueError(f"decided by {', '.join(sorted(undecided))}, which is no boolean field")
        return self

    def with_ids(self, ids: Sequence[str]) -> Form:
        """The form with the ids that its rows must have."""
        if self.rows is None or self.rows.of == "ids":
            return self
        return self.model_copy(update={"rows": self.rows.model_copy(update={"ids": tuple(ids)})})


YES_NO = Form()


def json_schema(form: Form) -> dict[str, Any]:
    """The form as JSON Schema, for servers that can be held to one."""
    properties = {field.name: _schema_of(field) for field in form.fields}
    if form.rows is not None:
        row = {"id": {"type": "string", "enum": list(form.rows.ids)}}
        row |= {field.name: _schema_of(field) for field in form.rows.fields}
        count = len(form.rows.ids)
        properties[form.rows.name] = {"type": "array", "items": _object(row), "minItems": count, "maxItems": count}
    return _object(properties)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _schema_of(field: Field) -> dict[str, Any]:
    if field.kind == "choice":
        return {"type": "string", "enum": list(field.options)}
    return {"type": {"boolean": "boolean", "integer": "integer", "text": "string"}[field.kind]}


def instructions(form: Form) -> str:
    """How to answer, for the end of a prompt."""
    if form.kind == "yes_no":
        return "Answer with a single word, Yes or No."
    lines = ["Answer with one JSON object and nothing else. Give every field, in this order:"]
    lines += [_line(field) for field in form.fields]
    if form.rows is not None:
        ids = ", ".join(form.rows.ids)
        lines.append(f'- "{form.rows.name}": a list with one object for each of these ids, in this order: {ids}')
        lines.append('  - "id": the id')
        lines += [f"  {_line(field)}" for field in form.rows.fields]
    return "\n".join(lines)


def _line(field: Field) -> str:
    allowed = {
        "boolean": "true or false",
        "choice": "one of " + ", ".join(json.dumps(option) for option in field.options),
        "integer": "a whole number",
        "text": "text",
    }[field.kind]
    return f'- "{field.name}": {allowed}; {field.says}'
