"""What an estimator makes of a judge's replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lookaway.records import Choice, Estimator


@dataclass(frozen=True)
class Verdict:
    """What replies come to; the fields of an `Answer` that an estimator knows."""

    estimator: Estimator
    status: Literal["ok", "abstained", "invalid"]
    choice: Choice | None = None
    reason: str = ""
    p_yes: float | None = None
    p_yes_low: float | None = None
    p_yes_high: float | None = None
    answer_mass: float | None = None
    tally: dict[str, int] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
