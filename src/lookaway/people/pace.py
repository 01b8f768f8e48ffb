"""How often somebody may ask: so many at once, and so many a second after that."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from lookaway.limits import ANSWERS_AT_ONCE, ANSWERS_PER_S, STRANGERS_AT_ONCE, STRANGERS_PER_S

MOST_NAMES = 10_000  # that are remembered; who is forgotten starts afresh


class RequestPace:
    def __init__(self, per_s: float, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_s, self.at_once, self._clock = per_s, at_once, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    @classmethod
    def of_raters(cls) -> RequestPace:
        return cls(ANSWERS_PER_S, ANSWERS_AT_ONCE)

    @classmethod
    def of_strangers(cls) -> RequestPace:
        return cls(STRANGERS_PER_S, STRANGERS_AT_ONCE)

    def may(self, name: str) -> bool:
        """Whether one more request of this name is let through."""
        with self._lock:
            at = self._clock()
            left, before = self._left.pop(name, (float(self.at_once), at))
            left = min(float(self.at_once), left + (at - before) * self.per_s)
            self._left[name] = (left - 1 if left >= 1 else left, at)
            if len(self._left) > MOST_NAMES:
                self._left.popitem(last=False)
            return left >= 1
