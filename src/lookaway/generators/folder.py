"""Videos that exist already; `lookaway ingest` brings them in."""

from __future__ import annotations

from lookaway.errors import GenerationError
from lookaway.generators import Commission, Made, generator


@generator(version=2, can_make=lambda system: False)
def folder(commission: Commission) -> Made:
    """Makes nothing: its clips come from `lookaway ingest`."""
    raise GenerationError(f"{commission.request.case}: bring this video with: lookaway ingest FOLDER")
