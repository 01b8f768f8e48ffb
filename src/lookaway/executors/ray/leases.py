"""Who does which job: groups go out on leases, and what a dead or silent worker held goes out again.

Nothing here knows Ray, processes or a clock: workers are any names, and time is told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lookaway.executors import Group, Lost

STRIKES = 3  # deaths over one job before it is given up: a crash of its own, not somebody else's
MOST_JOBS = 64  # on one lease


@dataclass(eq=False)
class _Item:
    job: Any
    strikes: int = 0


@dataclass(eq=False)
class _Part:
    """What is left of a group."""

    items: deque[_Item]
    device: bool


@dataclass(eq=False)
class _Held:
    """What one worker has: the rest of a group, kept for it, and what it was sent."""

    part: _Part | None = None
    sent: list[_Item] = field(default_factory=list)
    sent_at: float = 0.0
    heard_at: float = 0.0
    job_s: float | None = None  # as long as its jobs take


class Leases:
    """Every job of a stage, until it is done or given up."""

    def __init__(self, groups: Iterable[Group], lease_s: float, slice_s: float) -> None:
        self._lease_s, self._slice_s = lease_s, slice_s
        parts = [_Part(deque(map(_Item, group.jobs)), group.device) for group in groups]
        self._waiting = {device: deque(p for p in parts if p.device == device and p.items) for device in (False, True)}
        self._held: dict[str, _Held] = {}
        self.left = sum(len(part.items) for part in parts)

    def wanted(self, device: bool) -> int:
        """As many workers as could have something to do."""
        busy = sum(1 for h in self._held.values() if h.part is not None and h.part.device == device and _has_work(h))
        return len(self._waiting[device]) + busy

    def take(self, worker: str, device: bool, now: float) -> list[Any]:
        """The next jobs for an idle worker: of its own group first, as many as it does in a slice of time.

        A job over which a worker died goes out alone, so that the next death says whose fault it is.
        """
        held = self._held.setdefault(worker, _Held())
        assert not held.sent, f"{worker} is busy"
        most = 1 if not held.job_s else max(1, min(MOST_JOBS, int(self._slice_s / held.job_s)))
        while len(held.sent) < most and (item := self._next(held, device)) is not None:
            held.sent.append(item)
            if item.strikes or (held.part and held.part.items and held.part.items[0].strikes):
                break
        held.sent_at = held.heard_at = now
        return [item.job for item in held.sent]

    def _next(self, held: _Held, device: bool) -> _Item | None:
        if held.part is None or not held.part.items:
            if not self._waiting[device]:
                return None
            if held.sent and self._waiting[device][0].items[0].strikes:
                return None
            held.part = self._waiting[device].popleft()
        return held.part.items.popleft()

    def done(self, worker: str, count: int, now: float) -> None:
        """The worker has done the first jobs of its lease; the rest stays its own."""
        held = self._held[worker]
        finished, rest = held.sent[:count], held.sent[count:]
        self.left -= len(finished)
        held.job_s = (now - held.sent_at) / max(1, len(finished))
        held.sent, held.heard_at = [], now
        if rest:
            later = held.part.items if held.part is not None else deque[_Item]()
            held.part = _Part(deque([*rest, *later]), held.part.device if held.part is not None else False)

    def heard(self, worker: str, now: float) -> None:
        """The worker lives: its lease is renewed."""
        if worker in self._held:
            self._held[worker].heard_at = now

    def expired(self, now: float) -> list[str]:
        """Workers that have something to do and were not heard for too long."""
        return [name for name, held in self._held.items() if held.sent and now - held.heard_at > self._lease_s]

    def sent_to(self, worker: str) -> Sequence[Any]:
        return [item.job for item in self._held[worker].sent] if worker in self._held else []

    def lose(self, worker: str, why: str) -> list[Lost]:
        """Take back all that a dead worker had. Only what it was sent can have killed it."""
        held = self._held.pop(worker, None)
        if held is None:
            return []
        for item in held.sent:
            item.strikes += 1
        given_up = [item for item in held.sent if item.strikes >= STRIKES]
        again = [item for item in held.sent if item.strikes < STRIKES]
        device = held.part.device if held.part is not None else False
        items = deque([*again, *(held.part.items if held.part is not None else ())])
        if items:
            self._waiting[device].appendleft(_Part(items, device))
        self.left -= len(given_up)
        reason = f"{STRIKES} workers died over it, the last one so: {why}; the same command tries it again"
        return [Lost(item.job, reason) for item in given_up]


def _has_work(held: _Held) -> bool:
    return bool(held.sent) or bool(held.part and held.part.items)
