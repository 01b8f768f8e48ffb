"""A bad day for `lookaway run`: each fault in turn, then the same command again, then a look at what is left.

`lost`: lines that were written and are gone. `doubled`: jobs that were done twice though their line was safe. `same`:
records and tables are those of a run that nothing disturbed. Writes faults.md, with the kills of kills.jsonl.

    python benchmarks/faults.py               all of them; needs leave to mount a small disk, libfaketime, Ray
    python benchmarks/faults.py torn_log      some, printed only
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import kills
from tests.judges import virtual

from lookaway.errors import CallFailed
from lookaway.judges.calls.asking import Asker, Inquiry, Received
from lookaway.judges.calls.budget import Budget, Ceiling, Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.store import Run

PAGE = Path(__file__).with_name("faults.md")
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
LOOKAWAY = "from lookaway.cli import main; main()"
PATIENCE_S = 1800.0


@dataclass(frozen=True)
class Outcome:
    """One row of the table."""

    fault: str
    said: str  # the last line of what was said, or what became of it
    lost: int
    doubled: int | None  # None: the way on was --fresh, which does everything again
    same: bool
    note: str = ""
    may_double: bool = False  # two commands at once may both do a job

    @property
    def fine(self) -> bool:
        return not self.lost and (self.may_double or not self.doubled) and self.same


class Bed:
    """A tiny suite, the command, and what it gives when nothing disturbs it."""

    def __init__(self, folder: Path, command: kills.Command) -> None:
        self.folder, self.command = folder, command
        self.said = folder / "said.txt"
        self.whole = folder / "whole"
        self.lasts_s = kills.undisturbed(self.words(self.whole), self.said)
        self.expected = kills.results(self.whole, command)

    def words(self, root: Path, *more: str) -> list[str]:
        return [*self.command.words(root), *more]

    def tried(self, words: list[str], before: Callable[[], object] = lambda: None) -> tuple[int, str]:
        """Exit code and last line of the command."""
        return self.outcome(self.begin(words, before))

    def begin(self, words: list[str], before: Callable[[], object] = lambda: None) -> int:
        self.said.write_text("")
        return kills.begin(words, self.said, before)

    def outcome(self, pid: int) -> tuple[int, str]:
        code = kills.ended(pid, time.monotonic() + PATIENCE_S)
        if code is None:
            raise SystemExit(f"the command hangs: {self.said.read_text()[-1500:]}")
        return code, self.last_line()

    def last_line(self) -> str:
        """Without this machine's folders."""
        lines = [line for line in self.said.read_text().splitlines() if line.strip()] or [""]
        text = " ".join(lines[-3:]) if len(lines[-1]) < 40 else lines[-1]
        text = re.sub(r"\b([0-9a-f]{12})[0-9a-f]{20,}", r"\1…", text.removeprefix("error: "))
        return text.replace(f"{self.folder}/", "")[:300]

    def halfway(self, root: Path, rng: random.Random | None = None) -> set[tuple[str, str]]:
        """Kill it in the middle; what was written by then."""
        for _ in range(50):
            pid = self.begin(self.words(root))
            share = (rng or random.Random(0)).uniform(0.3, 0.6)
            if kills.ended(pid, time.monotonic() + PATIENCE_S, share * self.cpu_s) is None:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return set(kills.keys(root))
            shutil.rmtree(root)
        raise SystemExit("the command is never caught in the middle")

    @property
    def cpu_s(self) -> float:
        return 1.0

    def again(self, fault: str, root: Path, known: set[tuple[str, str]], said: str, *more: str) -> Outcome:
        """The same command again, and what came of it."""
        code, last = self.tried(self.words(root, *more))
        if code:
            return Outcome(fault, f"{said}; and again: {last}", 0, 0, False)
        return self.judged(fault, root, known, said)

    def judged(self, fault: str, root: Path, known: set[tuple[str, str]], said: str) -> Outcome:
        every = Counter(kills.keys(root))
        doubled = sum(times - 1 for (log, _), times in every.items() if log in kills.OWN_LINES)
        same = kills.results(root, self.command) == self.expected
        return Outcome(fault, said, len(known - set(every)), doubled, same)


# ---------------------------------------------------------------- disks


@contextlib.contextmanager
def disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of its own of that size."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def disk_full(bed: Bed) -> Outcome:
    """The disk fills up at three moments, one after the other; then there is room."""
    need = int(subprocess.check_output(["du", "-sk", bed.whole]).split()[0])
    known: set[tuple[str, str]] = set()
    with disk(bed.folder / "disk", max(need // 8, 40)) as place:
        root, said = place / "run", ""
        for share in (0.25, 0.5):
            code, said = bed.tried(bed.words(root))
            if not code:
                return Outcome("disk full", "it fitted", 0, 0, False)
            now = set(kills.keys(root))
            if not known <= now:
                return Outcome("disk full", said, len(known - now), 0, False)
            known = now
            subprocess.run(["mount", "-o", f"remount,size={int(need * share)}k", place], check=True)
        subprocess.run(["mount", "-o", f"remount,size={need * 4}k", place], check=True)
        return bed.again("disk full, twice", root, known, said)


def read_only(bed: Bed) -> Outcome:
    """Somebody makes the folder read-only in the middle."""
    with disk(bed.folder / "disk_ro", 200_000) as place:
        root = place / "run"
        known = bed.halfway(root)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        _, said = bed.tried(bed.words(root))
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        return bed.again("folder read-only", root, known, said)


# ---------------------------------------------------------------- processes


def workers_of(group: int) -> list[int]:
    """Processes that a command started and that do its work."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, gang = path.read_text().rpartition(")")[2].split()[:3]
            pid = int(path.parent.name)
            if int(gang) == group and pid != group and state != "Z":
                line = (path.parent / "cmdline").read_bytes()
                if b"forkserver" in line and b"resource_tracker" not in line:
                    found.append(pid)
    return sorted(found)[1:]  # the first is the server that forks them


def with_workers(bed: Bed, root: Path) -> tuple[int, list[int]]:
    """The command with two workers, caught when both are at work."""
    pid = bed.begin(bed.words(root, "--workers", "2"))
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if len(found := workers_of(pid)) >= 2 and kills.keys(root):
            return pid, found
        time.sleep(0.002)
    raise SystemExit(f"no workers: {bed.said.read_text()[-800:]}")


def worker_killed(bed: Bed) -> Outcome:
    """One worker is killed as the kernel does when memory runs out."""
    root = bed.folder / "run_oom"
    pid, found = with_workers(bed, root)
    known = set(kills.keys(root))
    os.kill(found[-1], signal.SIGKILL)
    _, said = bed.outcome(pid)
    return bed.again("worker out of memory (killed)", root, known, said)


def memory_limit(bed: Bed) -> Outcome:
    """A limit under which libraries abort, or hang, instead of saying that there is no memory."""
    root, most = bed.folder / "run_as", 1500 << 20
    _, said = bed.tried(bed.words(root), lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    return bed.again("memory limited (ulimit -v)", root, set(), said)


def stopped_worker(bed: Bed) -> Outcome:
    return stopped(bed, "worker stopped for 3 s (SIGSTOP)", "run_stop", lambda pid, found: found[-1])


def stopped_parent(bed: Bed) -> Outcome:
    return stopped(bed, "main process stopped for 3 s (SIGSTOP)", "run_stopped", lambda pid, found: pid)


def stopped(bed: Bed, fault: str, name: str, which: Callable[[int, list[int]], int]) -> Outcome:
    root = bed.folder / name
    pid, found = with_workers(bed, root)
    known = set(kills.keys(root))
    with contextlib.suppress(ProcessLookupError):
        os.kill(which(pid, found), signal.SIGSTOP)
        time.sleep(3)
        os.kill(which(pid, found), signal.SIGCONT)
    code, said = bed.outcome(pid)
    return bed.again(fault, root, known, "went on" if not code else said)


def two_at_once(bed: Bed) -> Outcome:
    """The same command twice at the same time, on one folder. A job may be done twice; no row may be there twice."""
    root = bed.folder / "two"
    pids = [kills.begin(bed.words(root), bed.folder / f"two_{n}.txt") for n in range(2)]
    codes = [kills.ended(pid, time.monotonic() + PATIENCE_S) for pid in pids]
    said = f"exit codes {codes}" if any(codes) else "both ended well"
    outcome = bed.again("two runs on one folder at once", root, set(), said)
    note = "jobs that both did; readers keep one row of each"
    return replace(outcome, note=note, may_double=True)


# ---------------------------------------------------------------- clocks


def clock_jumps(bed: Bed) -> Outcome:
    """Half of it five years from now, a second part ten years ago, the end today."""
    if not FAKETIME.exists():
        raise SystemExit(f"no {FAKETIME}, without which no clock jumps: apt-get install libfaketime")
    root = bed.folder / "run_clock"
    known: set[tuple[str, str]] = set()
    for jump in ("+1825d", "-3650d"):
        clock = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": jump, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        process = subprocess.Popen(
            [sys.executable, "-c", LOOKAWAY, *bed.words(root)],
            env=os.environ | clock,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before, until = len(known), time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < until and len(set(kills.keys(root))) < before + 12:
            time.sleep(0.01)
        process.kill()
        process.wait()
        now = set(kills.keys(root))
        if not known <= now:
            return Outcome("clock jumps", f"under {jump}", len(known - now), 0, False)
        known = now
    return bed.again("clock five years ahead, then ten back", root, known, "went on")


# ---------------------------------------------------------------- clusters


def node_lost(bed: Bed) -> Outcome:
    """One of two nodes of a Ray cluster is killed in the middle; the run goes on by itself and is judged as it ends."""
    root, written = bed.folder / "run_node", bed.folder / "written_by_then.json"
    # A process of its own: one that has talked to Ray has threads, and this one forks.
    aside = multiprocessing.get_context("spawn").Process(
        target=one_node_killed, args=(bed.words(root), root, bed.said, written)
    )
    bed.said.write_text("")
    aside.start()
    aside.join(PATIENCE_S)
    if aside.exitcode != 0:
        return Outcome("node lost (Ray)", bed.last_line() or f"exit code {aside.exitcode}", 0, 0, False)
    known = {(log, key) for log, key in json.loads(written.read_text())}
    outcome = bed.judged("node lost (Ray)", root, known, "went on")
    note = f"{len(known)} lines written by then"
    if not outcome.doubled:
        return replace(outcome, note=note)
    in_flight = f"{note}; in flight when the node died: its line was written, and nobody told of it"
    return replace(outcome, note=in_flight, may_double=outcome.doubled == 1)


def one_node_killed(words: list[str], root: Path, said: Path, written: Path) -> None:
    """Ends with 0 where the command did, though a node died under it; what had been written before goes into a file."""
    from ray_cluster import nodes

    with nodes(2) as (cluster, site), said.open("w") as out:
        command = [sys.executable, "-c", LOOKAWAY, *words, "--executor", f"ray:{site.address}"]
        process = subprocess.Popen(command, stdout=out, stderr=out)
        while process.poll() is None and len(set(kills.keys(root))) < 12:
            time.sleep(0.01)
        written.write_text(json.dumps(sorted(set(kills.keys(root)))))
        caught = process.poll() is None
        cluster.remove_node(cluster.list_all_nodes()[-1], allow_graceful=False)
        code = process.wait()
    sys.exit(code if caught else "the command was done before the node could be killed")


# ---------------------------------------------------------------- files


def copied(bed: Bed, name: str) -> Path:
    root = bed.folder / name
    shutil.copytree(bed.whole, root)
    return root


def blobs_corrupted(bed: Bed) -> Outcome:
    """A byte of every blob is flipped; `show` says it of a case, `--fresh` makes them again."""
    return blobs_harmed(bed, "every blob corrupted", "run_flipped", flipped)


def blobs_deleted(bed: Bed) -> Outcome:
    return blobs_harmed(bed, "every blob deleted", "run_bare", Path.unlink)


def flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


def blobs_harmed(bed: Bed, fault: str, name: str, harm: Callable[[Path], object]) -> Outcome:
    root = copied(bed, name)
    known = set(kills.keys(root))
    for path in (root / "blobs").glob("??/*"):
        harm(path)
    _, said = bed.tried(["stage", "score", str(root), "--fresh"])
    outcome = bed.again(fault, root, known, said, "--fresh")
    blobs = Run(root).blobs
    left = sum(not blobs.has(path.stem) for path in (root / "blobs").glob("??/*"))
    return replace(outcome, lost=outcome.lost + left, doubled=None, note="the way on was --fresh: all is done again")


def torn_log(bed: Bed) -> Outcome:
    """Every log loses its last half line."""
    root = copied(bed, "run_torn")
    for path in kills.logs(root):
        path.write_bytes(path.read_bytes()[:-7])
    known = set(kills.keys(root))
    return bed.again("last line of every log torn", root, known, "what was torn is done again")


def cut_log(bed: Bed) -> Outcome:
    """Every log is cut in the middle, whatever line that is."""
    root = copied(bed, "run_cut")
    for path in kills.logs(root):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
    known = set(kills.keys(root))
    return bed.again("every log cut in the middle", root, known, "what was cut is done again")


def garbage_line(bed: Bed) -> Outcome:
    """Zeros in the middle of the scores, as a power cut may leave; the message names file and line."""
    root = copied(bed, "run_zeros")
    (path, *_) = (root / "logs" / "scores").glob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:1], bytes(200) + b"\n", *lines[2:]]))
    _, said = bed.tried(bed.words(root))
    path.write_bytes(b"".join([*lines[:1], *lines[2:]]))
    return bed.again("zeros in a log", root, set(kills.keys(root)), said)


def torn_parquet(bed: Bed) -> Outcome:
    """The compacted scores are cut; the message names the file, and deleting it costs only work."""
    root = copied(bed, "run_parquet")
    code, said = bed.tried(["admin", "compact", str(root)])
    if code:
        return Outcome("truncated Parquet", said, 0, 0, False)
    (path,) = (root / "logs" / "scores").glob("*.parquet")
    path.write_bytes(path.read_bytes()[:-100])
    code, said = bed.tried(bed.words(root))
    if not code:
        return Outcome("truncated Parquet", "nobody noticed", 0, 0, False)
    path.unlink()
    return bed.again("truncated Parquet", root, set(kills.keys(root)), said)


# ---------------------------------------------------------------- judges


def judge_outage(bed: Bed) -> Outcome:
    """A service is down for an hour of a simulated clock; asked again after it, each question is paid for once."""
    paid: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    async def asked(cache: ReplyCache, starts_s: float) -> list[str]:
        asker = Asker(Pool(Limits(), random.Random(0)), cache, Budget(cache.database, "outage", Ceiling()))

        def inquiry(number: int) -> Inquiry:
            async def attempt() -> Received:
                await asyncio.sleep(1.0)
                if 5.0 <= starts_s + virtual.now() < 3605.0:
                    raise CallFailed("server", "503")
                paid[str(number)] += 1
                return Received(json.dumps({"id": number}), Cost(1, 10, 0.0))

            return Inquiry(str(number), Cost(1, 10, 0.0), attempt)

        ends = [end async for end in asker.ask_all(inquiry(n) for n in range(200))]
        answered.update(end.key for end in ends if end.kept)
        return [str(end.failure) for end in ends if end.failure]

    with ReplyCache(bed.folder / "outage.sqlite") as cache:
        during = virtual.run(asked(cache, 0.0))
        first = len(answered)
        after = virtual.run(asked(cache, 4000.0))
    lost = sum(str(number) not in paid for number in range(200)) + len(after)
    doubled = sum(times - 1 for times in paid.values())
    note = f"{first} of 200 answered before it, {len(during)} told as not asked, all after it"
    return Outcome("judge down for an hour", during[-1] if during else "", lost, doubled, not after, note)


# ---------------------------------------------------------------- all of it

FAULTS: dict[str, Callable[[Bed], Outcome]] = {
    one.__name__: one
    for one in (
        *(disk_full, read_only, worker_killed, memory_limit, stopped_worker, stopped_parent, two_at_once, clock_jumps),
        *(blobs_corrupted, blobs_deleted, torn_log, cut_log, garbage_line, torn_parquet, judge_outage, node_lost),
    )
}


def suffered(names: list[str]) -> list[Outcome]:
    """Every fault named, one after the other."""
    with TemporaryDirectory() as made, TemporaryDirectory() as name, kills.run_command(Path(made)) as command:
        folder = Path(name)
        with contextlib.chdir(folder):
            kills.warm(command, folder)
            bed = Bed(folder, command)
            found = []
            for each in names:
                found.append(FAULTS[each](bed))
                print(found[-1], flush=True)
            return found


def page(found: list[Outcome]) -> str:
    """faults.md."""
    rows = [
        f"| {one.fault} | {one.lost} | {'–' if one.doubled is None else one.doubled} | {'yes' if one.same else 'NO'} | "
        f"{cell(one.said)} | {cell(one.note)} |"
        for one in found
    ]
    lines = kills.RESULTS.read_text().splitlines() if kills.RESULTS.exists() else []
    killed = [json.loads(line) for line in lines]
    sums = {what: Counter[str]() for what in dict.fromkeys(line["what"] for line in killed)}
    for line in killed:
        sums[line["what"]].update({name: line[name] for name in (*kills.COUNTS, "cpu_s")})
    kill_rows = [
        f"| {what} | {one['kills']} | {one['folders']} | {one['lines']} | "
        + " | ".join(str(one[name]) for name in kills.MUST_BE_ZERO)
        + f" | {one['cpu_s']:.0f} |"
        for what, one in sums.items()
    ]
    total = sum(one["kills"] for one in sums.values())
    return "\n".join(
        [
            "# Faults",
            "",
            "Each fault hits `lookaway run` on a tiny suite (three tasks, four baselines); then the same command is",
            "run again. Written by `python benchmarks/faults.py`. What is promised stands in",
            "[what survives what](../docs/what-survives-what.md).",
            "",
            "| fault | lost | doubled | tables as undisturbed | what it said | note |",
            "|---|--:|--:|---|---|---|",
            *rows,
            "",
            "## kill -9",
            "",
            f"{total} kills, at random moments of CPU time; a folder is killed until its command is done, and must",
            "then equal an undisturbed one. Lines by `python benchmarks/kills.py WHAT ROUNDS --seed N`, summed from",
            "`kills.jsonl`.",
            "",
            "| command | kills | folders | lines | " + " | ".join(kills.MUST_BE_ZERO) + " | CPU s |",
            "|---|--:|--:|--:|" + "--:|" * len(kills.MUST_BE_ZERO) + "--:|",
            *kill_rows,
            "",
        ]
    )


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    names = sys.argv[1:] or list(FAULTS)
    if unknown := set(names) - set(FAULTS):
        raise SystemExit(f"no fault named {sorted(unknown)[0]}; known: {', '.join(FAULTS)}")
    found = suffered(names)
    if not sys.argv[1:]:
        PAGE.write_text(page(found))
    return int(not all(one.fine for one in found))


if __name__ == "__main__":
    sys.exit(main())
