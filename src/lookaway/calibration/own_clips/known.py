"""The known world's detection table of protocol `real`: one that comes with the package, or a calibration's own."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import UsageError, problems
from lookaway.metrics import METRICS
from lookaway.pipeline.exhibits import DETECTION_FILE
from lookaway.records import DetectionTable

FILE = "known_world.json"


def known_world(place: Path | None) -> DetectionTable:
    """The table of a run folder of `lookaway calibrate --world`; without one, the table that comes along."""
    if place is None:
        return DetectionTable.model_validate_json((resources.files(__package__ or "") / FILE).read_text())
    path = place / DETECTION_FILE if place.is_dir() else place
    try:
        table = DetectionTable.model_validate_json(path.read_text())
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}; "
            "make one with: lookaway calibrate --world diorama-mini --protocols real --out RUN"
        ) from error
    except ValidationError as error:
        raise UsageError(f"{path}: not a detection table ({problems(error)})") from error
    return table.model_copy(update={"rows": tuple(row for row in table.rows if _is_measured(row.metric, row.variant))})


def _is_measured(metric: str, variant: str) -> bool:
    return f"{metric}:{variant}" in METRICS.all()
