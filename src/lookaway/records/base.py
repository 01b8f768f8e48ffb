"""What every record is: frozen, one JSON line in a log, equal content giving equal keys."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


def content_key(*parts: object) -> str:
    """128 bits of sha256 over the canonical JSON of `parts`: equal content, equal key."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _plain(part: object) -> Any:
    if isinstance(part, BaseModel):
        return part.model_dump(mode="json")
    raise TypeError(f"{type(part).__name__} has no canonical JSON")


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
