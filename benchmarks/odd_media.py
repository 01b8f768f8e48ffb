"""Odd media: what each kind comes to, and how much memory and time it takes to look through.

    python benchmarks/odd_media.py > benchmarks/odd_media.md

Each file is probed and decoded whole in a process of its own, whose largest memory is measured.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import av

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "video"))

from odd_media import KINDS, Refused, wrong_with

MB = 1 << 20
MOST_MB = 1024  # that any kind may take above what the libraries take
TOP = """\
# {count} kinds of odd media

Made by `python benchmarks/odd_media.py`. Each is made by PyAV or by hand, so what it must come to is known before:
{right} have right numbers (frames, size, rate, every frame decoded), {refused} a named reason, **{wrong} neither**.
Memory is what probing and decoding the whole file adds to the libraries' own {base:.0f} MB at its largest; the most is
**{most:.0f} MB** ({worst}). Times are of the clock of a machine that did other things besides; the longest is
{longest:.2f} s.

| kind | comes to | MB | s |
|---|---|---:|---:|
"""


class Look(NamedTuple):
    said: str
    wrong: str
    base_mb: float
    added_mb: float
    seconds: float


def status(name: str) -> int:
    """Bytes of a line of this process's status."""
    text = Path("/proc/self/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1]) * 1024


def child(number: int, path: Path, to: Any) -> None:
    av.logging.set_level(None)
    Path("/proc/self/clear_refs").write_text("5")  # the largest memory counts from here
    base, begun = status("VmRSS"), time.perf_counter()
    said, wrong = wrong_with(KINDS[number], path)
    seconds = time.perf_counter() - begun
    to.send(Look(said, wrong, base / MB, (status("VmHWM") - base) / MB, seconds))


def look(number: int) -> Look:
    context = multiprocessing.get_context("fork")
    with TemporaryDirectory() as folder:
        path = KINDS[number].make(Path(folder))
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=child, args=(number, path, there))
        process.start()
        there.close()
        try:
            found: Look = here.recv()
        except EOFError:
            process.join()
            found = Look("", f"the process ended with {process.exitcode}", 0, 0, 0)
        process.join()
        return found


def main() -> None:
    av.logging.set_level(None)
    looks = {kind.name: look(number) for number, kind in enumerate(KINDS)}
    most = max(looks, key=lambda name: looks[name].added_mb)
    wrong = [f"{name}: {one.wrong}" for name, one in looks.items() if one.wrong]
    refused = sum(isinstance(kind.comes_to, Refused) for kind in KINDS)
    facts = {"count": len(KINDS), "right": len(KINDS) - refused, "refused": refused, "wrong": len(wrong)}
    facts |= {"base": max(one.base_mb for one in looks.values()), "most": looks[most].added_mb, "worst": most}
    print(TOP.format(**facts, longest=max(one.seconds for one in looks.values())), end="")
    for name, one in looks.items():
        said = one.said.replace("|", "\\|").replace("<", "&lt;")
        print(f"| {name} | {said} | {one.added_mb:.0f} | {one.seconds:.2f} |")
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(bool(wrong) or looks[most].added_mb > MOST_MB)


if __name__ == "__main__":
    main()
