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
from lookaway.executors.ray.crew import LEASE_S, PULSE_S, START_S, Crew, Hand, why
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
        self._free: asyncio.Queue[Hand] = asyncio.Queue()
        self._joining: set[asyncio.Task[None]] = set()
        for hand in list(crew.hands.values()):
            if hand.device:
                crew.dismiss(hand)  # its device is a judge's now
        self._hire()

    def _hire(self) -> None:
        known = set(self._crew.hands)
        first = not self._joining and self._free.empty()
        self._crew.recruit(self._crew.site.workers or max(1, room(self._crew.ray)["CPU"]))
        for name, hand in self._crew.hands.items():
            if first or name not in known:
                task = asyncio.create_task(self._join(hand))
                self._joining.add(task)
                task.add_done_callback(self._joining.discard)

    async def _join(self, hand: Hand) -> None:
        if hand.place is None:
            await asyncio.wait([asyncio.ensure_future(_fetched(hand.starting))], timeout=START_S)
            self._crew.started(hand)
        if hand.place is not None:
            self._free.put_nowait(hand)

    async def call(self, function: Callable[..., T], *given: Any) -> T:
        last = ""
        pickled = pickle.dumps((function, given))
        for _ in range(STRIKES):
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
            self._crew.dismiss(hand)
            self._hire()
        raise LookawayError(f"{STRIKES} workers died over it, the last one so: {last}")

    async def _next_free(self) -> Hand:
        async with asyncio.timeout(START_S):
            return await self._free.get()

    async def opened(self, opens: Callable[[], Backend]) -> Backend:
        return Seats(self._crew, opens)

    def close(self) -> None:
        for task in self._joining:
            task.cancel()


async def _fetched(ref: Any) -> Any:
    return await ref


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
        self._load: dict[int, int] = {}

    def estimate(self, probe: Probe) -> Cost:
        return self._here.estimate(probe)

    def read(self, raw: str, probe: Probe) -> Said:
        return self._here.read(raw, probe)

    async def send(self, probe: Probe) -> Received:
        pickled, last = pickle.dumps(probe), ""
        for _ in range(STRIKES):
            place = self._chosen(probe)
            actor = self._actors[place]
            self._load[place] += 1
            try:
                said = pickle.loads(await actor.send.remote(pickled))
            except self._crew.ray.exceptions.RayError as error:
                last = why(error)
                await self._replace(place, actor)
                continue
            finally:
                self._load[place] -= 1
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

    async def _replace(self, place: int, dead: Any) -> None:
        if self._actors[place] is dead:
            self._actors[place] = self._seated()
            await self._open(place)

    async def _open(self, place: int) -> tuple[Whereabouts, str, Limits]:
        opened: tuple[Whereabouts, str, Limits] = pickle.loads(await self._actors[place].open.remote())
        return opened

    async def __aenter__(self) -> Self:
        has = room(self._crew.ray)
        count = has["GPU"] or self._crew.site.workers or max(1, has["CPU"])
        self._actors = [self._seated() for _ in range(count)]
        self._load = dict.fromkeys(range(count), 0)
        opened = await asyncio.gather(*map(self._open, range(count)))
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
        for actor in self._actors:
            with contextlib.suppress(self._crew.ray.exceptions.RayError):
                self._crew.ray.kill(actor)
