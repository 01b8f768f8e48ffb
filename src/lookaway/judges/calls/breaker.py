"""A circuit breaker: stops asking a service that is down, looks now and then, and gives up in the end."""

from __future__ import annotations

import asyncio

from lookaway.errors import CallFailed
from lookaway.judges.calls.pacing import Limits

SICK = frozenset({"unreachable", "network", "timed_out", "server", "truncated"})  # 429 is a sign of life


class Breaker:
    """Closed: calls pass. Open: they wait. Half open: one passes as a probe, and its fate decides."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._failures = self._failed_probes = 0
        self._open_until: float | None = None
        self._probing = False
        self._last: CallFailed | None = None
        self._given_up = ""
        self._news = asyncio.Event()

    async def admit(self) -> bool:
        """Return when a call may be made: True if it is the probe. `report` must follow."""
        while True:
            if self._given_up:
                raise CallFailed("unavailable", f"not asked: {self._given_up}; last said: {self._last}")
            if self._open_until is None:
                return False
            rest_s = self._open_until - asyncio.get_running_loop().time()
            if self._probing:
                await self._news.wait()
            elif rest_s > 0:
                await asyncio.sleep(rest_s)
            else:
                self._probing = True
                return True

    def report(self, probe: bool, failure: CallFailed | None = None) -> None:
        """Tell how an admitted call ended."""
        if failure is not None and failure.problem == "barred":
            self._last, self._given_up = failure, "the service takes no call of ours"
        elif failure is not None and failure.problem in SICK:
            self._sick(probe, failure)
        else:
            self._failures = self._failed_probes = 0
            self._open_until = None
        self._spread(probe)

    def withdraw(self, probe: bool) -> None:
        """An admitted call was not made, or nobody knows how it ended."""
        self._spread(probe)

    def _sick(self, probe: bool, failure: CallFailed) -> None:
        self._last = failure
        self._failures += 1
        if probe:
            self._failed_probes += 1
            if self._failed_probes >= self._limits.probes:
                self._given_up = f"{self._failures} calls in a row failed"
        if probe or (self._open_until is None and self._failures >= self._limits.failures_to_open):
            rest_s = self._limits.rest_s * 2**self._failed_probes
            self._open_until = asyncio.get_running_loop().time() + rest_s

    def _spread(self, probe: bool) -> None:
        if probe:
            self._probing = False
            self._news.set()
            self._news = asyncio.Event()
