"""One judge heard for a whole run: probes go in, what was said and what it cost comes out, none is bought twice."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lookaway.errors import CallFailed
from lookaway.judges import Backend, Probe, Said
from lookaway.judges.calls.asking import Asker, Inquiry
from lookaway.judges.calls.budget import Budget, Cost
from lookaway.judges.calls.functions import Functions
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.records import content_key


@dataclass(frozen=True)
class Heard:
    """What was said to a probe, or why nothing was; with the cost of all attempts."""

    said: Said | None
    failure: CallFailed | None
    cost: Cost


class Hearing:
    """An entered backend with its pool, cache and budgets. `over` says why nothing more is asked, once that is so.

    Replies are kept by the judge's fingerprint, so that one that has moved does not answer with what it said before.
    """

    def __init__(
        self,
        backend: Backend,
        cache: ReplyCache,
        budget: Budget,
        roles: Mapping[str, Budget] = MappingProxyType({}),
        passport: str = "",
    ) -> None:
        self._backend, self._roles, self._passport = backend, roles, passport
        self._asker = Asker(Pool(backend.limits), cache, budget)
        self._room = asyncio.Semaphore(backend.limits.concurrency)
        self.concurrency = backend.limits.concurrency
        self.over: CallFailed | None = None

    def estimate(self, probe: Probe) -> Cost:
        """The most that this probe can cost."""
        return self._backend.estimate(probe)

    async def hear(self, probe: Probe, role: str = "") -> Heard:
        backend = self._backend
        inquiry = Inquiry(
            probe_key(backend, probe, self._passport), backend.estimate(probe), lambda: backend.send(probe)
        )
        async with self._room:
            reached = await self._asker.ask(inquiry, self._roles.get(role))
        if reached.kept is None:
            if reached.failure is not None and _ends(reached.failure, role in self._roles):
                self.over = reached.failure
            return Heard(None, reached.failure, reached.cost)
        return Heard(backend.read(reached.kept.raw, probe), None, reached.cost)


def _ends(failure: CallFailed, by_role: bool) -> bool:
    """Whether nothing more can be asked; where a role has a budget of its own, others may go on without it."""
    return failure.problem == "unavailable" or (failure.problem == "over_budget" and not by_role)


def probe_key(backend: Backend, probe: Probe, passport: str = "") -> str:
    """Equal for probes to which the same judge would see and read the same.

    A function may look its reply up by what the probe is about, which a model never learns.
    """
    seen: list[object] = [[frame.sha256 for frame in probe.frames], [frame.seconds for frame in probe.frames]]
    if probe.video is not None:
        seen.append(probe.about.media)
    if isinstance(backend, Functions):
        seen += [probe.about.media, probe.about.question]
    who = [backend.identity, passport] if passport else backend.identity
    return content_key("probe", who, probe.prompt, seen, probe.form, probe.sample)
