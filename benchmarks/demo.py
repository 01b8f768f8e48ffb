"""How long `lookaway demo` takes from an empty folder to its report."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory


def measure() -> dict[str, float]:
    """`wall_s`, at most 120, and `cpu_s` of the command and its workers."""
    command = Path(sys.executable).with_name("lookaway")
    with TemporaryDirectory() as folder:
        started = time.monotonic()
        child = subprocess.Popen(
            [command, "demo", "--out", f"{folder}/demo", "--workers", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"lookaway demo ended with {child.returncode}: {said.decode()[-500:]}")
        return {"wall_s": time.monotonic() - started, "cpu_s": usage.ru_utime + usage.ru_stime}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
