"""Helpers of the judge stage on a cluster: workers that decode and encode frames, models on devices that answer.

Cache, budget, pace and patience stay with the one process that asks: no node opens the judge's database, and what may
not be spent is not sent to any of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from lookaway.errors import CallFailed, LookawayError
from lookaway.executors.helpers import Helpers
from lookaway.executors.ray.cluster import room
from lookaway.executors.ray.crew import LEASE_S, NODE_GONE, PULSE_S, START_S, Crew, Hand, why
from lookaway.executors.ray.leases import STRIKES
from lookaway.executors.ray.worker import DeviceSeat, Raised, Whereabouts
from lookaway.judges import Backend, Probe, Said
from lookaway.judges.calls.asking import Received
from lookaway.judges.calls.budget import Cost
from lookaway.judges.calls.pacing import Limits

T = TypeVar("T")


@contextlib.asynccontextmanager
async def on_cluster(crew: Crew) -> AsyncIterator[Helpers]:
    helpers = ClusterHelpers(crew)
    try:
        yield helpers
    finally:
        helpers.close()


class ClusterHelpers:
    """Single calls go to whichever worker is free."""

    apart = True

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._free: asyncio.Queue[Hand | LookawayError] = asyncio.Queue()
        self._called: set[str] = set()  # by name: they are free, busy, or on their way
        self._joining: set[asyncio.Task[None]] = set()
        for hand in list(crew.hands.values()):
            if hand.device:
                crew.dismiss(hand)  # its device is a judge's now
        self._hire()

    def _hire(self) -> None:
        self._crew.recruit(self._crew.site.workers or max(1, room(self._crew.ray)["CPU"]))
        for name, hand in self._crew.hands.items():
            if name not in self._called:
                self._called.add(name)
                task = asyncio.create_task(self._join(hand))
                self._joining.add(task)
                task.add_done_callback(self._joining.discard)

    async def _join(self, hand: Hand) -> None:
        if hand.place is None:
            there, _ = await asyncio.wait([asyncio.ensure_future(_fetched(hand.starting))], timeout=START_S)
            try:
                self._crew.started(hand) if there else self._crew.dismiss(hand)
            except LookawayError as error:
                self._free.put_nowait(error)
                return
        if hand.place is not None:
            self._free.put_nowait(hand)
        else:
            self._hire()  # it died before it was there, as with its node

    async def call(self, function: Callable[..., T], *given: Any) -> T:
        strikes, last = 0, ""
        pickled = pickle.dumps((function, given))
        while strikes < STRIKES:
            hand = await self._next_free()
            try:
                result = pickle.loads(await _watched(hand, hand.actor.call, pickled))
            except self._crew.ray.exceptions.RayError as error:
                last = why(error)
            except TimeoutError:
                last = f"it was not heard for {LEASE_S:g} s"
            else:
                self._free.put_nowait(hand)
                if isinstance(result, Raised):
                    raise result.error
                return cast(T, result)
            strikes += last != NODE_GONE
            self._crew.dismiss(hand)
            self._hire()
        raise LookawayError(f"{STRIKES} workers died over it, the last one so: {last}")

    async def _next_free(self) -> Hand:
        try:
            async with asyncio.timeout(START_S):
                hand = await self._free.get()
        except TimeoutError:
            raise LookawayError(f"no worker was free for {START_S:g} s; see docs/cluster.md") from None
        if isinstance(hand, LookawayError):
            self._free.put_nowait(hand)  # whoever waits beside is told as well
            raise hand
        return hand

    async def opened(self, opens: Callable[[], Backend]) -> Backend:
        return Seats(self._crew, opens)

    def close(self) -> None:
        for task in self._joining:
            task.cancel()


async def _fetched(ref: Any) -> Any:
    return await ref


async def _opened(actor: Any) -> tuple[Whereabouts, str, Limits]:
    opened: tuple[Whereabouts, str, Limits] = pickle.loads(await actor.open.remote())
    return opened


async def _watched(hand: Hand, method: Any, *given: Any) -> bytes:
    """The method's result; raises TimeoutError when the worker is not heard any more."""
    doing = asyncio.ensure_future(_fetched(method.options(concurrency_group="work").remote(*given)))
    while True:
        finished, _ = await asyncio.wait([doing], timeout=PULSE_S)
        if finished:
            return cast(bytes, doing.result())
        pulse = _fetched(hand.actor.pulse.options(concurrency_group="pulse").remote())
        await asyncio.wait_for(pulse, LEASE_S)


class Seats:
    """One judge's model on every device, as one backend. Questions about one clip go to one device, which batches."""

    def __init__(self, crew: Crew, opens: Callable[[], Backend]) -> None:
        self._crew, self._opens = crew, opens
        self._here = opens()  # it estimates and reads; its weights are never loaded
        self.limits, self.identity = self._here.limits, self._here.identity
        self._actors: list[Any] = []
        self._opened: list[asyncio.Future[tuple[Whereabouts, str, Limits]]] = []

    def estimate(self, probe: Probe) -> Cost:
        return self._here.estimate(probe)

    def read(self, raw: str, probe: Probe) -> Said:
        return self._here.read(raw, probe)

    async def send(self, probe: Probe) -> Received:
        pickled, place, strikes, last = pickle.dumps(probe), self._chosen(probe), 0, ""
        while strikes < STRIKES:
            actor = self._actors[place]
            try:
                await asyncio.shield(self._opened[place])
                said = pickle.loads(await actor.send.remote(pickled))
            except self._crew.ray.exceptions.RayError as error:
                last = why(error)
                strikes += last != NODE_GONE
                self._replace(place, actor)
                continue
            if isinstance(said, Raised):
                raise said.error
            return cast(Received, said)
        raise CallFailed("rejected", f"{STRIKES} times the model's process died over this, the last time so: {last}")

    def _chosen(self, probe: Probe) -> int:
        """By the clip, so that its questions meet; no load is shifted, since clips are many and devices few."""
        return int(probe.about.media[:8] or "0", 16) % len(self._actors)

    def _seated(self) -> Any:
        gpus = room(self._crew.ray)["GPU"]
        kind = self._crew.ray.remote(
            num_cpus=0, num_gpus=1 if gpus else 0, max_concurrency=1000, scheduling_strategy="SPREAD"
        )(DeviceSeat)
        return kind.remote(str(Path.cwd()), pickle.dumps(self._opens))

    def _replace(self, place: int, dead: Any) -> None:
        if self._actors[place] is dead:
            self._actors[place] = self._seated()
            self._opened[place] = asyncio.ensure_future(_opened(self._actors[place]))

    async def __aenter__(self) -> Self:
        has = room(self._crew.ray)
        count = has["GPU"] or self._crew.site.workers or max(1, has["CPU"])
        self._actors = [self._seated() for _ in range(count)]
        self._opened = [asyncio.ensure_future(_opened(actor)) for actor in self._actors]
        opened = await asyncio.gather(*self._opened)
        identities = {identity for _, identity, _ in opened}
        if len(identities) > 1:
            raise LookawayError("the cluster's devices do not compute alike; give the judge's dtype, such as float32")
        self.identity = identities.pop()
        one = opened[0][2]
        self.limits = replace(one, concurrency=one.concurrency * count)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        for actor, opened in zip(self._actors, self._opened, strict=True):
            opened.cancel()
            with contextlib.suppress(self._crew.ray.exceptions.RayError):
                self._crew.ray.kill(actor)
