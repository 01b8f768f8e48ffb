"""The workers of a cluster: started where there is room, replaced when they die, kept from stage to stage."""

from __future__ import annotations

import contextlib
import itertools
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lookaway.errors import LookawayError
from lookaway.executors import Group, Lost, Perform, Site
from lookaway.executors.ray.cluster import connected, room
from lookaway.executors.ray.leases import Leases
from lookaway.executors.ray.worker import ClusterWorker, Raised, Whereabouts, code_sha256

LEASE_S = 120.0  # a worker that is not heard for so long is taken for dead: stopped, cut off, or gone with its node
PULSE_S = 10.0  # between questions whether a worker lives
SLICE_S = 1.0  # of work between two reports: what a death may cost, where jobs are shorter than that
LOOK_S = 2.0  # between looks at the size of the cluster
START_S = 300.0  # without any worker, before the stage gives up
FAILED_STARTS = 3
END_S = 30.0
NODE_GONE = "its node is gone"


@dataclass(eq=False)
class Hand:
    """One worker as the driver knows it."""

    name: str
    actor: Any
    device: bool
    starting: Any  # reference to its place, until it is there
    place: Whereabouts | None = None
    doing: Any = None  # reference to what it does
    pulse: Any = None
    asked_at: float = 0.0


class Crew:
    """All workers on one site."""

    def __init__(self, site: Site) -> None:
        self.site, self.ray = site, connected(site)
        self.hands: dict[str, Hand] = {}
        self._numbers = itertools.count(1)
        self._failed_starts = 0
        self._looked_at = -LOOK_S
        self._room = {"CPU": 0, "GPU": 0}

    def run(self, perform: Perform, groups: Sequence[Group]) -> Iterator[list[Any] | Lost]:
        """What becomes of every job, as soon as a worker tells."""
        leases = Leases(groups, LEASE_S, SLICE_S)
        pickled = pickle.dumps(perform)
        alone_since = time.monotonic()
        while leases.left:
            now = time.monotonic()
            self._recruit(leases.wanted(False), leases.wanted(True), now)
            self._hand_out(leases, pickled, now)
            yield from self._reports(leases)
            if any(hand.place for hand in self.hands.values()):
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > START_S:
                raise LookawayError(
                    f"no worker has started for {START_S:g} s; the cluster has {self._room['CPU']} CPUs and "
                    f"{self._room['GPU']} GPUs; what was finished is kept, run the same command once it has some"
                )
        self._end()

    # ------------------------------------------------------------ who there is

    def recruit(self, cpus: int) -> None:
        """Workers without a device, up to that many, where there is room."""
        self._recruit(cpus, 0, time.monotonic())

    def _recruit(self, wanted: int, wanted_on_devices: int, now: float) -> None:
        if now - self._looked_at >= LOOK_S:
            self._room, self._looked_at = room(self.ray), now
        gpus = min(wanted_on_devices, self._room["GPU"])
        most = self.site.workers or max(1, self._room["CPU"] - gpus)
        for device, target in ((False, min(wanted, most)), (True, gpus)):
            mine = [hand for hand in self.hands.values() if hand.device == device]
            for hand in mine[target:]:
                if hand.place is None:
                    self.dismiss(hand)  # it waits for a node that is gone
            for _ in range(len(mine), target):
                self._hire(device)

    def _hire(self, device: bool) -> None:
        name = f"worker-{next(self._numbers)}"
        groups = {"work": 1, "pulse": 1}
        # One on a device takes no CPU: those without might have filled its node already.
        kind = self.ray.remote(
            num_cpus=int(not device), num_gpus=int(device), max_restarts=0, concurrency_groups=groups
        )(ClusterWorker)
        actor = kind.remote(str(Path.cwd()))
        starting = actor.place.options(concurrency_group="work").remote()
        self.hands[name] = Hand(name, actor, device, starting)

    def dismiss(self, hand: Hand) -> None:
        """End a worker at once; safe, since every line that it acknowledged is written."""
        self.hands.pop(hand.name, None)
        with contextlib.suppress(self.ray.exceptions.RayError):
            self.ray.kill(hand.actor)

    def started(self, hand: Hand) -> None:
        """Read where a worker has started, or why it has not."""
        try:
            place: Whereabouts = self.ray.get(hand.starting)
        except self.ray.exceptions.RayError as error:
            self.dismiss(hand)
            self._failed_starts += why(error) != NODE_GONE
            if self._failed_starts >= FAILED_STARTS:
                raise LookawayError(
                    f"workers do not start on this cluster; {why(error)}; see docs/cluster.md"
                ) from error
            return
        if place.code != code_sha256():
            raise LookawayError(
                f"node {place.node[:8]} of the cluster runs another lookaway ({place.version}) than this machine; "
                "install the same on all of them"
            )
        hand.place, hand.starting, self._failed_starts = place, None, 0

    # ------------------------------------------------------------ what they do

    def _hand_out(self, leases: Leases, perform: bytes, now: float) -> None:
        for hand in self.hands.values():
            if hand.place is None or hand.doing is not None:
                continue
            jobs = leases.take(hand.name, hand.device, now)
            if jobs:
                do = hand.actor.do.options(concurrency_group="work")
                hand.doing, hand.asked_at = do.remote(perform, pickle.dumps(jobs), SLICE_S), now

    def _reports(self, leases: Leases) -> Iterator[list[Any] | Lost]:
        """Whatever comes next: a start, a report, a sign of life, a death."""
        waited = {ref: hand for hand in self.hands.values() for ref in (hand.starting, hand.doing, hand.pulse) if ref}
        if not waited:
            time.sleep(LOOK_S)
            return
        ready, _ = self.ray.wait(list(waited), num_returns=1, timeout=LOOK_S)
        more, _ = self.ray.wait(list(waited), num_returns=len(waited), timeout=0) if ready else ([], [])
        for ref in more:
            hand = waited[ref]
            if hand.name not in self.hands:
                continue
            if ref is hand.starting:
                self.started(hand)
            elif ref is hand.doing:
                yield from self._report(hand, leases)
            else:
                self._heard(hand, leases)
        yield from self._check_pulses(leases)

    def _report(self, hand: Hand, leases: Leases) -> Iterator[list[Any] | Lost]:
        try:
            outcomes = pickle.loads(self.ray.get(hand.doing))
        except self.ray.exceptions.RayError as error:
            yield from self._lost(hand, leases, why(error))
            return
        if isinstance(outcomes, Raised):
            raise outcomes.error
        hand.doing = None
        leases.done(hand.name, len(outcomes), time.monotonic())
        yield from outcomes

    def _heard(self, hand: Hand, leases: Leases) -> None:
        try:
            self.ray.get(hand.pulse)
            leases.heard(hand.name, time.monotonic())
        except self.ray.exceptions.RayError:
            pass  # its death is told by what it does
        hand.pulse = None

    def _check_pulses(self, leases: Leases) -> Iterator[Lost]:
        now = time.monotonic()
        for name in leases.expired(now):
            yield from self._lost(self.hands[name], leases, f"it was not heard for {LEASE_S:g} s")
        for hand in self.hands.values():
            if hand.doing is not None and hand.pulse is None and now - hand.asked_at >= PULSE_S:
                hand.pulse, hand.asked_at = hand.actor.pulse.options(concurrency_group="pulse").remote(), now

    def _lost(self, hand: Hand, leases: Leases, reason: str) -> list[Lost]:
        self.dismiss(hand)
        return leases.lose(hand.name, reason)

    def _end(self) -> None:
        """Let every worker close its files; one that cannot has lost nothing that it acknowledged."""
        ending = [
            hand.actor.end.options(concurrency_group="work").remote() for hand in self.hands.values() if hand.place
        ]
        if ending:
            self.ray.wait(ending, num_returns=len(ending), timeout=END_S)

    def kill(self) -> None:
        """End all workers, whatever they do."""
        for hand in list(self.hands.values()):
            self.dismiss(hand)


def why(error: BaseException) -> str:
    """Ray's account of a death, in a line."""
    text = " ".join(str(error).split())
    if "OutOfMemory" in type(error).__name__ or "running low on memory" in text:
        return "its node ran out of memory"
    if "Node" in type(error).__name__ or "node has died" in text or "node was terminated" in text:
        return NODE_GONE
    return "the process ended (killed, out of memory, or crashed in a library)"
