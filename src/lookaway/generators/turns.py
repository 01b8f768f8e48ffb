"""Turns at a service: the requests of all of a user's processes on this machine, evenly apart."""

from __future__ import annotations

import fcntl
import hashlib
import time
from pathlib import Path
from typing import TextIO

import platformdirs

BOOT = Path("/proc/sys/kernel/random/boot_id")  # the clock that turns are told by begins anew with each


def wait_for_turn(service: str, per_minute: float) -> None:
    """Take the next free turn and sleep until it comes. A process that is killed meanwhile loses its turn alone."""
    folder = platformdirs.user_state_path("lookaway", appauthor=False) / "turns"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / hashlib.sha256(service.encode()).hexdigest()).open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        now = time.monotonic()
        turn = max(now, _free_at(file))
        file.truncate(0)
        file.write(f"{_boot()} {turn + 60 / per_minute}")
    time.sleep(turn - now)


def _free_at(file: TextIO) -> float:
    """When the turn after the last one taken begins; turns before the machine was started are over."""
    file.seek(0)
    boot, _, when = file.read().partition(" ")
    return float(when) if boot == _boot() and when else 0.0


def _boot() -> str:
    return BOOT.read_text().strip() if BOOT.exists() else "unknown"
