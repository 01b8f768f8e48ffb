"""What `lookaway look` costs on one clip of 832x480 at 16 frames a second, by its length.

    python benchmarks/looking.py VIDEO --box L,T,R,B [--seconds 10,20,60]

The video is run forwards and backwards until it is long enough, so that nothing cuts. Everything without weights is
measured, the report too. A clip is one process: its observers share one follow, and a second core helps from the second
clip on.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cv2

from lookaway.video import decode, encode, resize

SIZE, FPS = (832, 480), 16


class Cost(NamedTuple):
    wall_s: float
    cpu_s: float
    peak_mb: float  # of its own; the frames of a long clip are in a file, and the system may keep them in memory or not
    scores: str  # digest of what was measured


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("video", type=Path)
    options.add_argument("--box", required=True)
    options.add_argument("--seconds", default="10,20,60")
    given = options.parse_args()
    frames = [resize(frame.rgb, SIZE) for frame in decode(given.video)]
    there_and_back = [*frames, *frames[-2:0:-1]]
    with TemporaryDirectory() as folder:
        for seconds in map(int, given.seconds.split(",")):
            count = seconds * FPS
            clip = Path(folder) / f"{seconds}s.mp4"
            encode(islice(cycle(there_and_back), count), clip, FPS, crf=12)
            first, again = (looked(clip, given.box, Path(folder) / f"{seconds}s-{turn}") for turn in ("one", "two"))
            same = "the same bytes again" if first.scores == again.scores else "OTHER BYTES AGAIN"
            print(
                f"{seconds} s, {count} frames: {first.wall_s:.1f} and {again.wall_s:.1f} s, "
                f"{1000 * min(first.cpu_s, again.cpu_s) / count:.1f} core-ms a frame, {first.peak_mb:.0f} MB, {same}",
                flush=True,
            )


def looked(clip: Path, box: str, run: Path) -> Cost:
    """A run of the command by itself."""
    command = [Path(sys.executable).with_name("lookaway"), "look", clip, "--box", box, "--out", run, "--workers", "1"]
    started = time.monotonic()
    with run.with_suffix(".log").open("w+") as said:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        peak, pid = 0.0, 0
        while not pid:
            peak = max(peak, own_mb(child.pid))
            time.sleep(0.1)
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        wall = time.monotonic() - started
        if os.waitstatus_to_exitcode(status):
            said.seek(0)
            raise SystemExit(said.read()[-500:])
    board = (run / "board.csv").read_bytes()
    return Cost(wall, usage.ru_utime + usage.ru_stime, peak, hashlib.sha256(board).hexdigest())


def own_mb(pid: int) -> float:
    """Memory that no file stands behind."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon:")), 0.0)


if __name__ == "__main__":
    cv2.setNumThreads(1)
    main()
