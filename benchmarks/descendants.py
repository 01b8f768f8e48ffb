"""What a command takes with all that it leaves behind: the server that forks its workers outlives it by a moment."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

PR_SET_CHILD_SUBREAPER = 36  # orphans of our children become ours, and the kernel tells what they took


class Taken(NamedTuple):
    """By a command and its descendants; `peak_gb` by the largest of them."""

    code: int
    wall_s: float
    cpu_s: float
    peak_gb: float


def taken_by(words: Sequence[str | Path], log: Path, more: Mapping[str, str] | None = None) -> Taken:
    """Runs it to its end; what it says goes into `log`."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    started, cpu_s, peak_kb, code, wall_s = time.monotonic(), 0.0, 0, 0, 0.0
    with log.open("w") as said:
        child = subprocess.Popen(words, stdout=said, stderr=said, env={**os.environ, **(more or {})})
    while True:
        try:
            pid, status, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return Taken(code, wall_s, cpu_s, peak_kb / 2**20)
        cpu_s, peak_kb = cpu_s + usage.ru_utime + usage.ru_stime, max(peak_kb, usage.ru_maxrss)
        if pid == child.pid:
            code = child.returncode = os.waitstatus_to_exitcode(status)
            wall_s = time.monotonic() - started
