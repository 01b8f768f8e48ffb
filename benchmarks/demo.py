"""How long `lookaway demo` takes from an empty folder to its report."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from descendants import taken_by


def measure() -> dict[str, float]:
    """`wall_s`, at most 120, and `cpu_s` of the command and its workers."""
    command = Path(sys.executable).with_name("lookaway")
    with TemporaryDirectory() as folder:
        log = Path(folder) / "said.txt"
        taken = taken_by([command, "demo", "--out", f"{folder}/demo", "--workers", "2"], log)
        if taken.code:
            raise SystemExit(f"lookaway demo ended with {taken.code}: {log.read_text()[-500:]}")
        return {"wall_s": taken.wall_s, "cpu_s": taken.cpu_s}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name} {value:.1f}")
