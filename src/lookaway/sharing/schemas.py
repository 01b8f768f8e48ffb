"""The shape of every record, as one JSON schema: what a line of a log, a table or a seal may hold."""

from __future__ import annotations

import inspect
from typing import Any

from pydantic.json_schema import models_json_schema

from lookaway import records
from lookaway.records import Record

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def record_types() -> dict[str, type[Record]]:
    """Every public record by its name."""
    found = {name: getattr(records, name) for name in records.__all__}
    return {
        name: kind
        for name, kind in sorted(found.items())
        if inspect.isclass(kind) and issubclass(kind, Record) and kind is not Record
    }


def record_schema() -> dict[str, Any]:
    """One schema whose `$defs` hold every record: `records.json#/$defs/Score` is that of a score."""
    _, made = models_json_schema([(kind, "serialization") for kind in record_types().values()])
    return {"$schema": DIALECT, "title": "records of lookaway", **made}
