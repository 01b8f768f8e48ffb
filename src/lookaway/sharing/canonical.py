"""One way to write a record down, byte for byte, so that its hash means its content (RFC 8785, without fractions)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from lookaway.records import Record


def canonical_json(value: Any) -> bytes:
    """Sorted names, no blanks, UTF-8; a number with a fraction is refused, for it has more than one spelling.

    >>> canonical_json({"b": [1, None], "a": "é"})
    b'{"a":"\\xc3\\xa9","b":[1,null]}'
    """
    plain = value.model_dump(mode="json") if isinstance(value, Record) else value
    _check(plain)
    return json.dumps(_sorted(plain), separators=(",", ":"), ensure_ascii=False).encode()


def canonical_sha256(value: Any) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def record_sha256(*records: Record | None) -> str:
    """Of records that may hold fractions: of the text that our logs have them in."""
    lines = ["null" if record is None else record.model_dump_json() for record in records]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _check(value: Any) -> None:
    if isinstance(value, float):
        raise ValueError(f"{value}: a number with a fraction has no place in a canonical text")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check(part)


def _sorted(value: Any) -> Any:
    """Names in the order of their UTF-16 letters, as RFC 8785 has it."""
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value, key=lambda text: text.encode("utf-16-be"))}
    return [_sorted(part) for part in value] if isinstance(value, list) else value
