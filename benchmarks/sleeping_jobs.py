"""Jobs that do nothing, to have workers started; in a file that workers can import."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Sleeping:
    """Sleeps the seconds that a job is."""

    def __call__(self, jobs: Sequence[float]) -> list[float]:
        for seconds in jobs:
            time.sleep(seconds)
        return list(jobs)

    def end(self) -> None:
        """Nothing is open."""
