"""Spoilt files, a million of them: what every parser of strangers' files makes of them.

    python benchmarks/fuzz.py --inputs 1000000 --seed 1

Slices run in processes of their own, with 4 GB of memory each, so that a library that takes its process down is counted
as well. The table goes to benchmarks/fuzz.md; inputs that fail are kept in the folder of --keep.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.fuzz.driving import LONGEST_S, Tally, drive
from tests.fuzz.targets import TARGETS

PAGE = Path(__file__).with_name("fuzz.md")
SLICE = 1000
MEMORY = 4 << 30
PATIENCE_S = 900.0  # for a slice; one of 1000 inputs takes seconds
CONTAINERS = ("container", "keyframes_xlsx")
TOP = """\
# Spoilt files

{done:,} inputs, by `python benchmarks/fuzz.py --inputs {inputs} --seed {seed}`: files of `tests/fuzz/corpus` with bits,
words, parts of JSON trees and files in archives changed, lost, doubled or moved, given to what reads them. Taken: it
reads and says nothing that the file does not (checked by a plainer reading in `tests/fuzz/targets`). Refused: with a
reason of ours. Failures are errors of other libraries, more than {longest:g} s for one input, more than {memory} GB,
a dead process, or a verdict that the input does not hold. The slowest is by the clock of a machine that was
busy besides.

| what | inputs | taken | refused | failures | ms each | slowest, s |
|---|---:|---:|---:|---:|---:|---:|
"""


def counts(inputs: int, names: Sequence[str]) -> dict[str, int]:
    total = sum(TARGETS[name].share for name in names)
    return {name: max(1, round(inputs * TARGETS[name].share / total)) for name in names}


def slices(wanted: dict[str, int], seed: int) -> Iterator[tuple[str, int, int]]:
    """Name, seed and size of each, all targets by turns; a seed of its own for every slice."""
    turns = [
        ((number + 0.5) * SLICE / count, name, number)
        for name, count in wanted.items()
        for number in range(-(-count // SLICE))
    ]
    for _, name, number in sorted(turns):
        yield name, seed * 100_000 + number, min(SLICE, wanted[name] - number * SLICE)


def child(name: str, seed: int, count: int, to: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # codecs complain about every spoilt file
    with TemporaryDirectory() as folder:
        to.send(drive(TARGETS[name], seed, count, Path(folder)))


def one_slice(name: str, seed: int, count: int) -> tuple[str, Tally]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fuzz.targets"])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(name, seed, count, there))
    process.start()
    there.close()
    try:
        found: Tally = here.recv() if here.poll(PATIENCE_S) else Tally(failures=[f"slice {seed} hangs"], spoilt=[b""])
    except EOFError:
        process.join()
        found = Tally(failures=[f"slice {seed}: its process ended with {process.exitcode}"], spoilt=[b""])
    process.kill()
    process.join()
    return name, found


def run(inputs: int, seed: int, workers: int, names: Sequence[str], keep: Path) -> dict[str, Tally]:
    found = {name: Tally() for name in names}
    begun, done = time.monotonic(), 0
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(one_slice, *each) for each in slices(counts(inputs, names), seed)]
        for future in as_completed(waiting):
            name, tally = future.result()
            found[name].add(tally)
            done += tally.inputs
            for number, (why, data) in enumerate(zip(tally.failures, tally.spoilt, strict=True)):
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{name}-{done}-{number}").write_bytes(data)
                print(f"{name}: {why.strip()[-300:]}")
            print(f"{done:,} of {inputs:,} after {time.monotonic() - begun:.0f} s", flush=True)
            if set(names) == set(TARGETS):
                PAGE.write_text(page(found, inputs, seed))  # so far: a run that is stopped leaves what it found
    return found


def page(found: dict[str, Tally], inputs: int, seed: int) -> str:
    whole = Tally()
    for tally in found.values():
        whole.add(tally)
    special = sum(found[name].inputs for name in CONTAINERS if name in found)
    rows = [row(name, tally) for name, tally in sorted(found.items())] + [row("**all**", whole)]
    head = TOP.format(done=whole.inputs, inputs=inputs, seed=seed, longest=LONGEST_S, memory=MEMORY >> 30)
    tail = f"{special:,} of them are containers of video and workbooks. {whole.seconds / 60:.0f} minutes of one core.\n"
    return head + "\n".join(rows) + "\n\n" + tail


def row(name: str, tally: Tally) -> str:
    each = 1000 * tally.seconds / max(tally.inputs, 1)
    parts = (tally.inputs, tally.accepted, tally.refused, len(tally.failures))
    return f"| {name} | {' | '.join(f'{part:,}' for part in parts)} | {each:.2f} | {tally.worst_s:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("spoilt"), help="folder for inputs that fail")
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    asked = parser.parse_args()
    found = run(asked.inputs, asked.seed, asked.workers, asked.targets, asked.keep)
    print(page(found, asked.inputs, asked.seed))
    sys.exit(any(tally.failures for tally in found.values()))


if __name__ == "__main__":
    main()
