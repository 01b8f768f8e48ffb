"""Many independent calls to one service: so many at a time, no faster than it allows, tried again where that helps.

Time is the event loop's, so that a test may run on a loop with a clock of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from typing import TypeVar

from lookaway.errors import CallFailed
from lookaway.judges.calls.breaker import Breaker
from lookaway.judges.calls.pacing import Limits, Pace, backoff

T = TypeVar("T")
R = TypeVar("R")

Attempt = Callable[[], Awaitable[T]]


class Pool:
    """The way to one service. A call that waits to be tried again keeps its place, so a busy service gets fewer."""

    def __init__(self, limits: Limits, rng: random.Random | None = None) -> None:
        self.limits = limits
        self._rng = rng or random.Random()
        self._breaker = Breaker(limits)
        self._pace = Pace(limits)

    async def call(self, attempt: Attempt[T], tokens: int = 0) -> T:
        """What `attempt` returns, after as many tries as it takes and the limits allow; else its last failure."""
        last: CallFailed | None = None
        try:
            async with asyncio.timeout(None) as deadline:
                for number in itertools.count(1):
                    try:
                        return await self._once(attempt, tokens, deadline)
                    except CallFailed as failure:
                        if failure.problem == "over_budget" and last is not None:
                            said = f"{last.message}; there is no budget for another try"
                            raise CallFailed(last.problem, said) from None
                        last = failure
                    wait_s = backoff(number, last.retry_after_s, self.limits, self._rng)
                    if not last.again or number == self.limits.attempts or _passes(deadline, wait_s):
                        raise last
                    await asyncio.sleep(wait_s)
        except TimeoutError:
            said = f"; before that: {last}" if last else ""
            raise CallFailed("timed_out", f"no reply within {self.limits.call_s:g} s{said}") from None
        raise AssertionError("the last try returns or raises")

    async def _once(self, attempt: Attempt[T], tokens: int, deadline: asyncio.Timeout) -> T:
        probe = await self._breaker.admit()
        told = False
        try:
            wait_s = self._pace.take(tokens, asyncio.get_running_loop().time())
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            if deadline.when() is None:
                deadline.reschedule(asyncio.get_running_loop().time() + self.limits.call_s)
            value = await self._timed(attempt)
            self._breaker.report(probe)
            told = True
            return value
        except CallFailed as failure:
            if failure.problem != "over_budget":
                self._breaker.report(probe, failure)
                told = True
            raise
        finally:
            if not told:
                self._breaker.withdraw(probe)

    async def _timed(self, attempt: Attempt[T]) -> T:
        try:
            async with asyncio.timeout(self.limits.attempt_s):
                return await attempt()
        except TimeoutError:
            raise CallFailed("timed_out", f"no whole reply within {self.limits.attempt_s:g} s") from None


def _passes(deadline: asyncio.Timeout, wait_s: float) -> bool:
    when = deadline.when()
    return when is not None and asyncio.get_running_loop().time() + wait_s >= when


async def as_finished(items: Iterable[T], work: Callable[[T], Awaitable[R]], concurrency: int) -> AsyncIterator[R]:
    """What `work` makes of each item, in the order in which it is done; items are taken only when there is room."""
    source = iter(items)
    done: asyncio.Queue[R | asyncio.Task[None]] = asyncio.Queue()

    async def worker() -> None:
        for item in source:
            done.put_nowait(await work(item))

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    for task in workers:
        task.add_done_callback(done.put_nowait)
    try:
        running = concurrency
        while running:
            result = await done.get()
            if isinstance(result, asyncio.Task):
                running -= 1
                result.result()
            else:
                yield result
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


def streamed(results: Callable[[], AsyncIterator[R]]) -> Iterator[R]:
    """The results of an asynchronous generator for a caller that is not; calls in flight go on while it waits."""
    with asyncio.Runner() as runner:
        source = results()

        async def following() -> R | None:
            return await anext(source, None)

        while (result := runner.run(following())) is not None:
            yield result
