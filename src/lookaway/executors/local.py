"""Processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from typing import Any

from lookaway.errors import LookawayError
from lookaway.executors import Group, Lost, Perform, Site, executor

HEAVY = ("scipy.spatial.transform", "cv2", "mujoco", "embreex")  # imported once for all workers, where they are there


@executor(version=2)
def local(perform: Perform, groups: Sequence[Group], site: Site) -> Iterator[list[Any] | Lost]:
    """One worker runs in this process; more run in processes of their own, one group at a time each."""
    workers = min(site.workers or os.cpu_count() or 1, len(groups))
    if workers <= 1:
        yield from (perform(group.jobs) for group in groups)
        return
    for library in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(library, "1")  # one thread each: the workers fill the cores already
    with ProcessPoolExecutor(
        workers, _context(perform), initializer=_start_worker, initargs=(dict(os.environ),)
    ) as pool:
        try:
            with _interrupts_held():
                waiting = {pool.submit(perform, group.jobs) for group in groups}
            while waiting:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()
        except BrokenProcessPool as error:
            raise LookawayError(
                "a worker process died (out of memory?); what was finished is kept, run the same command again, "
                "perhaps with fewer --workers"
            ) from error
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()  # safe: every line they acknowledged is written
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """An interrupt waits until every worker that was begun is known and can be ended; workers are born deaf to it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where nobody is interrupted
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))  # another thread may be told of it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which the workers inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)  # None: it was not set by Python
    if came:
        signal.raise_signal(signal.SIGINT)


def _context(perform: Perform) -> BaseContext:
    """On Linux the workers of all stages are forked from one process that only imports: a short stage takes less time
    than its imports.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([perform.__module__, *HEAVY])
    return context


def _start_worker(environment: dict[str, str]) -> None:
    """The parent's environment, one thread, and a killed run must not leave workers writing into its folder."""
    import cv2

    os.environ.clear()
    os.environ.update(environment)
    cv2.setNumThreads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
