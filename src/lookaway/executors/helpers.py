"""Whom a stage that runs in one process hands single calls to: threads, unless its executor has something better."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol, TypeVar

from lookaway.judges import Backend

T = TypeVar("T")


class Helpers(Protocol):
    """Takes calls off the hands of the one process that owns cache, budget and pace of the judges."""

    apart: bool  # in other processes: what is kept here from call to call does not reach them

    async def call(self, function: Callable[..., T], *given: Any) -> T:
        """What the function returns, wherever it ran; function, arguments and result can be pickled."""

    async def opened(self, opens: Callable[[], Backend]) -> Backend:
        """A model in memory, open for questions and still to be entered: here, or once per device elsewhere."""


class Threads:
    """Helpers in this process."""

    apart = False

    async def call(self, function: Callable[..., T], *given: Any) -> T:
        return await asyncio.to_thread(function, *given)

    async def opened(self, opens: Callable[[], Backend]) -> Backend:
        return opens()


@contextlib.asynccontextmanager
async def in_threads(site: Any) -> AsyncIterator[Helpers]:
    yield Threads()
