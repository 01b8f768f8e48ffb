"""How often a service may be asked, and how long to wait before asking again."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Limits:
    """What one service bears, and our patience with it."""

    concurrency: int = 16
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    attempts: int = 6
    attempt_s: float = 120.0
    call_s: float = 900.0  # all attempts of one call and the waits between them, from its first attempt on
    backoff_s: float = 1.0
    longest_backoff_s: float = 60.0
    failures_to_open: int = 10  # in a row, of whatever calls
    rest_s: float = 15.0  # of an open circuit before its first probe; doubles with each probe that fails
    probes: int = 4  # that may fail before the service is given up


class Pace:
    """Spaces calls evenly, so that no minute holds more than its requests, or than its tokens and one call."""

    def __init__(self, limits: Limits) -> None:
        per_minute = (limits.requests_per_minute, limits.tokens_per_minute)
        self._per_s = tuple(rate / 60 if rate else float("inf") for rate in per_minute)
        self._free_at = float("-inf")

    def take(self, tokens: int, now: float) -> float:
        """Take the next turn and return the seconds until it comes."""
        start = max(now, self._free_at)
        self._free_at = start + max(1 / self._per_s[0], tokens / self._per_s[1])
        return start - now


def backoff(attempt: int, retry_after_s: float | None, limits: Limits, rng: random.Random) -> float:
    """Seconds to wait after failed attempt 1, 2, …: full jitter, and never sooner than the service asked for."""
    widest = min(limits.longest_backoff_s, limits.backoff_s * 2 ** (attempt - 1))
    jitter = rng.uniform(0, widest)
    return jitter if retry_after_s is None else retry_after_s + min(jitter, limits.backoff_s)


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for, given as a number or as a date; None when it says neither."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = parsedate_to_datetime(header)
        except ValueError:
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = (when - now).total_seconds()
    return max(0.0, seconds) if seconds < float("inf") else None
