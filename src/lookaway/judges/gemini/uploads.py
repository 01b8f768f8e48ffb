"""Clips that lie at a service while questions are asked: sent once, deleted afterwards, also by whoever comes next.

A name is written down before its file goes out, and struck out once the file is gone. What a killed process wrote down
is found by the next one, because the kernel took back its lock.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lookaway.errors import CallFailed
from lookaway.judges.frames.native_video import NativeVideo

DELETE_TRIES, DELETE_WAIT_S, CLOSE_S = 3, 0.5, 60.0
FIRST_LOOK_S, LONGEST_LOOK_S = 0.2, 5.0  # between looks at a file that the service is still preparing
AT_A_TIME = 8

T = TypeVar("T")

log = logging.getLogger(__name__)


class Ledger:
    """The names that one process wrote down; its folder exists only while there are some."""

    def __init__(self, folder: Path, owner: str | None = None) -> None:
        self._parent, self._owner = folder, owner or uuid.uuid4().hex
        self._folder = folder / self._owner
        self._lock_file = folder / f"{self._owner}.lock"
        self._lock: int | None = None

    @classmethod
    def left_behind(cls, folder: Path) -> list[Ledger]:
        """The ledgers of processes that are gone, ours to finish."""
        found = [cls(folder, path.name) for path in sorted(folder.glob("*")) if path.is_dir()]
        return [ledger for ledger in found if ledger._locked()]

    def names(self) -> list[str]:
        return sorted(path.name for path in self._folder.glob("*"))

    def write(self, name: str) -> None:
        self._parent.mkdir(parents=True, exist_ok=True)
        if not self._locked():  # before the folder is there to be found
            raise CallFailed("unavailable", f"{self._lock_file}: somebody else holds this lock")
        self._folder.mkdir(exist_ok=True)
        (self._folder / name).touch()

    def strike(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def close(self) -> None:
        """Let go; what is still written down is left to the next process."""
        if self._lock is None:
            return
        if not self.names():
            if self._folder.exists():
                self._folder.rmdir()
            self._lock_file.unlink(missing_ok=True)
        os.close(self._lock)
        self._lock = None

    def _locked(self) -> bool:
        if self._lock is None:
            lock = os.open(self._lock_file, os.O_RDWR | os.O_CREAT, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return False
            self._lock = lock
        return True


@dataclass(frozen=True)
class Held:
    """A file as the service holds it."""

    uri: str
    state: str  # PROCESSING, ACTIVE or FAILED


class Files(Protocol):
    """What a service offers; each call is one attempt and may raise CallFailed."""

    async def put(self, name: str, video: NativeVideo) -> Held: ...

    async def look(self, name: str) -> Held: ...

    async def delete(self, name: str) -> None:
        """Deletes it; a file that is not there is no failure."""


@dataclass(frozen=True)
class _Sent:
    name: str
    held: Held


class Uploads:
    """The files of one process at one service."""

    def __init__(self, files: Files, folder: Path) -> None:
        self._files, self._folder = files, folder
        self._ledger = Ledger(folder)
        self._sending: dict[str, asyncio.Task[_Sent]] = {}
        self._readying: dict[str, asyncio.Task[str]] = {}

    async def uri(self, video: NativeVideo) -> str:
        """Where the service finds the clip. All who ask at once wait for one upload; a caller who leaves stops none."""
        sent = await _shared(self._sending, video.sha256, lambda: self._send(video))
        return await _shared(self._readying, video.sha256, lambda: self._ready(sent))

    async def _send(self, video: NativeVideo) -> _Sent:
        name = f"lookaway-{uuid.uuid4().hex[:24]}"  # says nothing of the clip
        self._ledger.write(name)
        return _Sent(name, await self._files.put(name, video))

    async def _ready(self, sent: _Sent) -> str:
        held, look_s = sent.held, FIRST_LOOK_S
        while held.state == "PROCESSING":
            await asyncio.sleep(look_s)
            look_s = min(2 * look_s, LONGEST_LOOK_S)
            held = await self._files.look(sent.name)
        if held.state != "ACTIVE":
            raise CallFailed("rejected", f"the service could not prepare the video: it is {held.state}")
        return held.uri

    async def delete_left_behind(self) -> int:
        """Delete what killed processes left at the service; returns how many files that were."""
        ledgers = Ledger.left_behind(self._folder)
        return sum([await self._emptied(ledger) for ledger in ledgers])

    async def close(self) -> None:
        for task in (*self._sending.values(), *self._readying.values()):
            task.cancel()
        await asyncio.gather(*self._sending.values(), *self._readying.values(), return_exceptions=True)
        await self._emptied(self._ledger)

    async def _emptied(self, ledger: Ledger) -> int:
        names = ledger.names()
        turns = asyncio.Semaphore(AT_A_TIME)

        async def delete(name: str) -> None:
            async with turns:
                await self._deleted(ledger, name)

        try:
            async with asyncio.timeout(CLOSE_S):
                await asyncio.gather(*map(delete, names))
        except TimeoutError:
            pass  # what is left stays written down
        left = len(ledger.names())
        if left:
            log.warning("%d of %d uploaded clips are not deleted yet; the next start tries again", left, len(names))
        ledger.close()
        return len(names) - left

    async def _deleted(self, ledger: Ledger, name: str) -> None:
        for number in range(DELETE_TRIES):
            try:
                await self._files.delete(name)
            except CallFailed as failure:
                if not failure.again:
                    return
                await asyncio.sleep(DELETE_WAIT_S * 2**number)
            else:
                ledger.strike(name)
                return


async def _shared(tasks: dict[str, asyncio.Task[T]], key: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of the one task under this key; a task that failed makes room for another."""
    task = tasks.get(key)
    if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
        task = tasks[key] = asyncio.create_task(start())
    return await asyncio.shield(task)
