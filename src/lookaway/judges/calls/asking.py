"""From a question to its reply: out of the cache, or claimed, paid for within the budget, asked and kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from lookaway.errors import CallFailed
from lookaway.judges.calls.budget import Budget, Budgets, Cost
from lookaway.judges.calls.pool import Pool, as_finished
from lookaway.judges.calls.reply_cache import Claim, Kept, ReplyCache

FIRST_LOOK_S, LONGEST_LOOK_S = 0.05, 1.0  # between looks at a question that somebody else is asking


@dataclass(frozen=True)
class Received:
    """A service's whole reply as JSON, and its cost; None where the service did not tell."""

    raw: str
    cost: Cost | None


@dataclass(frozen=True)
class Inquiry:
    """One question as one request: what names it, the most it can cost, and one attempt at asking it."""

    key: str
    estimate: Cost
    send: Callable[[], Awaitable[Received]]


@dataclass(frozen=True)
class Reached:
    """How an inquiry ended: a reply or a failure, with the cost of all attempts at it."""

    key: str
    kept: Kept | None
    failure: CallFailed | None
    cost: Cost
    attempts: int  # 0 out of the cache

    @property
    def cached(self) -> bool:
        return self.kept is not None and self.attempts == 0


class Asker:
    """Asks one service; several may share a cache and a budget, in any number of processes."""

    def __init__(self, pool: Pool, cache: ReplyCache, budget: Budget) -> None:
        self._pool, self._cache, self._budget = pool, cache, budget
        self._purchases = 0
        self._settled = asyncio.Event()

    def ask_all(self, inquiries: Iterable[Inquiry]) -> AsyncIterator[Reached]:
        """Every inquiry's end, each as soon as it is there and, if it is a reply, safe."""
        return as_finished(inquiries, self.ask, self._pool.limits.concurrency)

    async def ask(self, inquiry: Inquiry, role: Budget | None = None) -> Reached:
        """The inquiry's end; where the judge's role has a budget of its own, it is paid from both."""
        right = await self._claimed(inquiry.key)
        if isinstance(right, Kept):
            return Reached(inquiry.key, right, None, right.cost, 0)
        purchase = _Purchase(inquiry, Budgets([self._budget, *([role] if role is not None else [])]))
        try:
            received = await self._bought(purchase)
        except BaseException as error:
            self._cache.release(right)
            if not isinstance(error, CallFailed):
                raise
            return Reached(inquiry.key, None, error, purchase.cost, purchase.attempts)
        kept = self._cache.keep(right, Kept(received.raw, purchase.cost))
        return Reached(inquiry.key, kept, None, purchase.cost, purchase.attempts)

    async def _claimed(self, key: str) -> Kept | Claim:
        look_s = FIRST_LOOK_S
        while (right := self._cache.claim(key)) is None:
            await asyncio.sleep(look_s)
            look_s = min(2 * look_s, LONGEST_LOOK_S)
        return right

    async def _bought(self, purchase: _Purchase) -> Received:
        await self._afforded(purchase)
        self._purchases += 1
        try:
            return await self._pool.call(purchase.attempt, purchase.inquiry.estimate.tokens)
        finally:
            purchase.end()
            self._purchases -= 1
            self._settled.set()
            self._settled = asyncio.Event()

    async def _afforded(self, purchase: _Purchase) -> None:
        """Reserve; while calls in flight may yet turn out cheaper than reserved for, wait for them."""
        while True:
            try:
                return purchase.reserve()
            except CallFailed:
                if not self._purchases:
                    raise
            await self._settled.wait()


class _Purchase:
    """The attempts at one inquiry and what they cost; each is reserved for before and settled after it."""

    def __init__(self, inquiry: Inquiry, budget: Budgets) -> None:
        self.inquiry, self._budget = inquiry, budget
        self._reserved = False
        self.cost, self.attempts = Cost(), 0

    def reserve(self) -> None:
        if not self._reserved:
            self._budget.reserve(self.inquiry.estimate)
            self._reserved = True

    async def attempt(self) -> Received:
        self.reserve()
        actual = self.inquiry.estimate  # what is cut off may have been charged
        self.attempts += 1
        try:
            received = await self.inquiry.send()
            actual = received.cost or actual
            return received
        except CallFailed as failure:
            actual = actual if failure.may_have_cost else Cost()
            raise
        finally:
            self._settle(actual)

    def end(self) -> None:
        """Give back what was reserved for an attempt that was never made."""
        if self._reserved:
            self._settle(Cost())

    def _settle(self, actual: Cost) -> None:
        self._budget.settle(self.inquiry.estimate, actual)
        self._reserved = False
        self.cost += actual
