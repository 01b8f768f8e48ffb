"""What runs on the nodes: a worker for jobs and single calls, and a seat for a judge's model on one device."""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import lookaway
from lookaway.errors import LookawayError
from lookaway.judges import Backend


@dataclass(frozen=True)
class Whereabouts:
    """Where a worker runs, and with which code."""

    node: str
    pid: int
    devices: tuple[str, ...]
    code: str
    version: str


@functools.cache
def code_sha256() -> str:
    """The content of this package: two nodes with the same write the same rows."""
    root = Path(lookaway.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Raised:
    """An error of a call, on its way to the one who made it."""

    error: BaseException


def answered(call: Callable[[], Any]) -> bytes:
    """What a call returns or raises, as bytes."""
    try:
        return pickle.dumps(call())
    except Exception as error:  # noqa: BLE001 - it is raised again where it can be handled
        return _dumped(error)


def _dumped(error: Exception) -> bytes:
    try:
        data = pickle.dumps(Raised(error))
        pickle.loads(data)
    except Exception:  # noqa: BLE001 - an error of somebody's own making that cannot travel
        return pickle.dumps(Raised(LookawayError(f"{type(error).__name__}: {error}")))
    return data


def settle(folder: str, devices: tuple[str, ...]) -> None:
    """Be like a worker on the driver's machine: same folder, one thread, and no device but its own."""
    import cv2

    cv2.setNumThreads(1)
    if Path(folder).is_dir():
        os.chdir(folder)
    if not devices:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


def _here() -> tuple[str, tuple[str, ...]]:
    import ray

    context = ray.get_runtime_context()
    return context.get_node_id(), tuple(map(str, context.get_accelerator_ids().get("GPU", [])))


def _place(node: str, devices: tuple[str, ...]) -> Whereabouts:
    return Whereabouts(node, os.getpid(), devices, code_sha256(), metadata.version("lookaway"))


class ClusterWorker:
    """Does jobs, one lease at a time; holds its models and caches as long as it lives."""

    def __init__(self, folder: str) -> None:
        self._node, self._devices = _here()
        settle(folder, self._devices)
        self._perform: Any = None
        self._pickled = b""

    def place(self) -> Whereabouts:
        return _place(self._node, self._devices)

    def do(self, perform: bytes, jobs: bytes, slice_s: float) -> bytes:
        """What became of the first jobs: as many as fit into the time, and at least one."""
        return answered(functools.partial(self._done, perform, jobs, slice_s))

    def _done(self, perform: bytes, jobs: bytes, slice_s: float) -> list[Any]:
        if perform != self._pickled:
            self.end()
            self._perform, self._pickled = pickle.loads(perform), perform
        until, outcomes = time.monotonic() + slice_s, []
        for job in pickle.loads(jobs):
            outcomes.append(self._perform([job]))
            if time.monotonic() >= until:
                break
        return outcomes

    def call(self, call: bytes) -> bytes:
        """A single call of a function with its arguments."""
        function, given = pickle.loads(call)
        return answered(functools.partial(function, *given))

    def end(self) -> None:
        """Close what the last stage left open."""
        if self._perform is not None:
            self._perform.end()
        self._perform, self._pickled = None, b""

    def pulse(self) -> None:
        """Answers while a job runs, in a thread of its own."""


class DeviceSeat:
    """One judge's model on one device. It batches what waits for it, so questions come many at a time."""

    def __init__(self, folder: str, opens: bytes) -> None:
        self._node, self._devices = _here()
        settle(folder, self._devices)
        self._backend: Backend = pickle.loads(opens)()

    async def open(self) -> bytes:
        await self._backend.__aenter__()
        place = _place(self._node, self._devices)
        return pickle.dumps((place, self._backend.identity, self._backend.limits))

    async def send(self, probe: bytes) -> bytes:
        try:
            return pickle.dumps(await self._backend.send(pickle.loads(probe)))
        except Exception as error:  # noqa: BLE001 - it is raised again by the one who asks
            return _dumped(error)
