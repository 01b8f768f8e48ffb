"""Kill -9 rounds on real commands: `run`, `calibrate`, judging and `people serve`.

One process has everything imported and forks a command a round, so that a round costs what the command costs. Each
round goes on in the folder where the last one was killed, at a random moment, until the command is done. Then the
folder must hold what an undisturbed run holds. Half of the kills hit the process alone, half its whole group.

    python benchmarks/kills.py run 250        adds a line to kills.jsonl; faults.py makes the table of all lines
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.generators.test_baselines import suite_of
from tests.people.load import Load, answer_all, free_port, many_pairs
from tests.people.load import found as found_in_book
from tests.people.studies import Visitor
from tests.walk.killing import KeptReplies, bought_again, safe_replies, served_by, server_process
from tests.walk.toy import PROTOCOL

from lookaway.people.folder import read_study
from lookaway.store import Run, json_lines

RESULTS = Path(__file__).with_name("kills.jsonl")
PATIENCE_S = 1800.0
MODELS = "held-first-frame,panned-first-frame,looped-first-half,other-task"
MUST_BE_ZERO = ("lost", "doubled", "different", "unreadable", "damaged", "orphans", "paid_again")
COUNTS = ("kills", "folders", "lines", "redone", *MUST_BE_ZERO)
VOLATILE = {"seconds", "provenance", "usage", "elapsed_s", "attempt", "text", "key", "spent", "replies"}
OWN_LINES = {
    "tasks",
    "requests",
    "clips",
    "observations",
    "scores",
    "answers",
}  # a job's own line: once, or it was done twice

Found = Counter[str]


@dataclass
class Command:
    """What is killed, again and again."""

    words: Callable[[Path], list[str]]  # of the command line, for a run folder
    prepare: Callable[[Path], None] = lambda root: None
    window_s: float = 3.0  # a kill comes within so many CPU seconds of the start
    same_files: tuple[str, ...] = ("board.json", "tables.csv", "report.md")
    after_kill: Callable[[Path], None] = lambda root: None
    paid_again: Callable[[], int] = lambda: 0  # in the folder that was finished last
    environment: dict[str, str] = field(default_factory=dict)


# ---------------------------------------------------------------- forking


def begin(words: list[str], said: Path, before: Callable[[], object] = lambda: None) -> int:
    """A command in a forked process, in a session of its own, after `before`; its words go to a file."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        os.setsid()
        fd = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(fd, 1), os.dup2(fd, 2)
        before()
        code = lookaway(words)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)


def lookaway(words: list[str]) -> int:
    """The command line with the toy protocol's metrics, as tests judge with it."""
    from tests.walk import toy

    from lookaway.cli import main

    sys.argv = ["lookaway", *words]
    try:
        with toy.installed():
            main()
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    return 0


def ended(pid: int, until: float, cpu_s: float = float("inf")) -> int | None:
    """The exit code of a process that ends in time, and before it has used so much CPU; else None."""
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if used_s(pid) >= cpu_s:
            return None
        time.sleep(0.004)
    return None


def used_s(pid: int) -> float:
    """CPU seconds of a running process: moments by them are as far apart on a busy machine as on an idle one."""
    used, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(used) + int(system)) / os.sysconf("SC_CLK_TCK")


def undisturbed(words: list[str], said: Path) -> float:
    """Seconds that the command takes when nobody kills it."""
    started = time.monotonic()
    code = ended(begin(words, said), started + PATIENCE_S)
    if code:
        raise SystemExit(f"lookaway {' '.join(words)} ended with {code}: {said.read_text()[-1500:]}")
    return time.monotonic() - started


def warm(command: Command, folder: Path) -> None:
    """Import here what the command imports, in a process that has no threads to lose when it forks."""
    said, names = folder / "warm.txt", folder / "modules.json"
    root = folder / "warm"
    command.prepare(root)
    pid = os.fork()
    if not pid:
        fd = os.open(said, os.O_WRONLY | os.O_CREAT)
        os.dup2(fd, 1), os.dup2(fd, 2)
        code = lookaway(command.words(root))
        names.write_text(json.dumps(sorted(sys.modules)))
        os._exit(code)
    if ended(pid, time.monotonic() + PATIENCE_S) != 0:
        raise SystemExit(f"the first {command.words(root)[0]} failed: {said.read_text()[-1500:]}")
    for name in json.loads(names.read_text()):
        if not name.startswith(("_", "multiprocessing", "OpenGL")):  # which picks its platform when it is imported
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


# ---------------------------------------------------------------- killing


def kill_often(command: Command, rounds: int, seed: int) -> tuple[Found, float, float]:
    """Counts over so many kills, the seconds of the command undisturbed, and of it all."""
    found, rng, started = Counter(dict.fromkeys(COUNTS, 0)), random.Random(seed), time.monotonic()
    with TemporaryDirectory() as name, contextlib.chdir(name):
        folder = Path(name)
        os.environ.update(command.environment)
        warm(command, folder)
        said, whole = folder / "said.txt", folder / "whole"
        command.prepare(whole)
        lasts_s = undisturbed(command.words(whole), said)
        expected = results(whole, command)
        while found["kills"] < rounds:
            root = folder / f"run_{found['folders']}"
            command.prepare(root)
            known: set[tuple[str, str]] = set()
            while found["kills"] < rounds and killed(command, root, said, found, rng):
                known = check(root, known, found)
                command.after_kill(root)
            undisturbed(command.words(root), said)
            check(root, known, found)
            found["folders"] += 1
            found["different"] += results(root, command) != expected
            found["lines"] += len(keys(root))
            twice = Counter(keys(root))
            found["redone"] += sum(times - 1 for times in twice.values())
            found["doubled"] += sum(times - 1 for (log, _), times in twice.items() if log in OWN_LINES)
            found["paid_again"] += command.paid_again()
            shutil.rmtree(root)
    return found, lasts_s, time.monotonic() - started


def killed(command: Command, root: Path, said: Path, found: Found, rng: random.Random) -> bool:
    """Whether it was killed before it was done."""
    pid = begin(command.words(root), said)
    code = ended(pid, time.monotonic() + PATIENCE_S, rng.uniform(0, command.window_s))
    if code is not None:
        if code:
            raise SystemExit(f"after a kill the command ended with {code}: {said.read_text()[-1500:]}")
        return False
    if found["kills"] % 2:
        with contextlib.suppress(ProcessLookupError):  # so early that it has no group yet
            os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    found["kills"] += 1
    found["orphans"] += not gone(pid)
    return True


def gone(group: int, patience_s: float = 20.0) -> bool:
    """Whether every process of a killed command leaves by itself."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.005)
    os.killpg(group, signal.SIGKILL)
    return False


# ---------------------------------------------------------------- checking


def logs(root: Path) -> list[Path]:
    return sorted((root / "logs").glob("*/*.jsonl"))


def keys(root: Path) -> list[tuple[str, str]]:
    return [(path.parent.name, line["key"]) for path in logs(root) for line in json_lines(path)]


def check(root: Path, known: set[tuple[str, str]], found: Found) -> set[tuple[str, str]]:
    """What is known now: all that was known before, every line readable, every blob whole."""
    try:
        now = set(keys(root))
    except Exception as error:  # noqa: BLE001
        print(f"unreadable: {error}", file=sys.stderr)
        found["unreadable"] += 1
        return known
    found["lost"] += len(known - now)
    blobs = Run(root).blobs
    names = {path.name.partition(".")[0] for path in (root / "blobs").glob("??/*")}
    found["damaged"] += sum(not blobs.has(name) for name in names)
    return now


def results(root: Path, command: Command) -> dict[str, Any]:
    """What a reader finds: the newest record of each key without times, and the tables as files."""
    records: dict[str, Any] = {}
    for path in logs(root):
        for line in json_lines(path):
            key = f"{path.parent.name} {line['key']}"
            if key not in records or line["attempt"] >= records[key][0]:
                kept = {name: value for name, value in line.items() if name not in VOLATILE}
                records[key] = (line["attempt"], json.dumps(kept, sort_keys=True))
    files = {name: (root / name).read_bytes().hex() for name in command.same_files if (root / name).exists()}
    return {key: text for key, (_, text) in records.items()} | files


# ---------------------------------------------------------------- the commands


@contextlib.contextmanager
def run_command(folder: Path) -> Iterator[Command]:
    """Three grey tasks, four baselines, two observers, reports."""
    suite, protocol = tiny_suite(folder)

    def words(root: Path) -> list[str]:
        two = ["--workers", "2"] if root.name.endswith("7") else []  # one folder in ten
        asked = ["--suite", str(suite), "--models", MODELS, "--protocols", str(protocol)]
        return ["run", *asked, "--out", str(root), *two]

    yield Command(words, window_s=1.6)


@contextlib.contextmanager
def calibrate_command(folder: Path) -> Iterator[Command]:
    """The known world: one fault, the harmless variations, one metric; what was rendered once is kept beside it."""
    few = "--tasks 2 --faults frozen --metrics psnr_all:sound --per-fault 1 --per-rung 0 --per-harmless 2"

    def words(root: Path) -> list[str]:
        return ["calibrate", "--world", "diorama-mini", *few.split(), "--out", str(root)]

    kept = os.environ.get("LOOKAWAY_CACHE", str(folder / "cache"))
    yield Command(words, same_files=("detection.json", "detection.md"), environment={"LOOKAWAY_CACHE": kept})


@contextlib.contextmanager
def judging_command(folder: Path) -> Iterator[Command]:
    """Gate, scorer and three verifiers behind a server over real sockets that fails one request in ten."""
    suite, _ = tiny_suite(folder)
    made = folder / "made"
    run = ["run", "--suite", str(suite), "--models", "held-first-frame,panned-first-frame", "--out", str(made)]
    undisturbed([*run, "--protocols", str(PROTOCOL)], folder / "made.txt")
    manner = {"says_true": True, "unseen": [4, 5], "fault_rate": 0.1, "median_s": 0.05, "retry_after": "0.05"}
    with server_process(manner | {"faults": ["busy", "error", "reset", "cut_json", "cut_body"]}) as url:

        def words(root: Path) -> list[str]:
            asked = ["stage", "judge", str(root), "--set", "openai.attempt_s=2"]
            asked += ["--judge", f"gate=openai:{url}#watcher", "--judge", f"scorer=openai:{url}#scorer"]
            return [*asked, "--judge", f"verifier=openai:{url}#a,openai:{url}#b,openai:{url}#c"]

        bench = Bench(url)
        yield Command(words, bench.prepare(made), 0.8, (), bench.after_kill, bench.paid_again)


class Bench:
    """The judges' server, and which of its replies were safe at each kill of one folder."""

    def __init__(self, url: str) -> None:
        self.url, self.since_s, self.kept = url, 0.0, list[KeptReplies]()

    def prepare(self, made: Path) -> Callable[[Path], None]:
        def copied(root: Path) -> None:
            shutil.copytree(made, root)
            self.since_s, self.kept = time.monotonic(), []

        return copied

    def after_kill(self, root: Path) -> None:
        self.kept.append(KeptReplies(time.monotonic(), safe_replies(Run(root))))

    def paid_again(self) -> int:
        """Requests that were made after a kill although their reply was safe by then."""
        return len(bought_again([one for one in served_by(self.url) if one["start_s"] >= self.since_s], self.kept))


def tiny_suite(folder: Path) -> tuple[Path, Path]:
    protocol = folder / "small.toml"
    protocol.write_text(
        'summary = "small"\nmetrics = ["psnr_all:sound", "turned_away"]\nheadline = ["psnr_all:sound"]\n'
    )
    return suite_of(folder / "suite", "abc"), protocol


# ---------------------------------------------------------------- people

RATERS = 6


def kill_server(rounds: int, seed: int, items: int) -> tuple[Found, float, float]:
    """Raters answer everything, over real sockets, while their server is killed: each answer is kept once."""
    found, rng, started = Counter(dict.fromkeys(COUNTS, 0)), random.Random(seed), time.monotonic()
    for module in ("fastapi", "uvicorn", "lookaway.people.server", "lookaway.people.serving", "uvicorn.protocols"):
        importlib.import_module(module)
    while found["kills"] < rounds:
        with TemporaryDirectory() as name:
            one_study(Path(name), items, rounds, found, rng)
        found["folders"] += 1
    return found, 0.0, time.monotonic() - started


def one_study(folder: Path, items: int, rounds: int, found: Found, rng: random.Random) -> None:
    """One study, its server killed until every rater has answered everything, from when all have sat down.

    Before that, a kill between an invite's use and the answer to it leaves somebody who sends no key, as a browser
    does, with an invite that is used up.
    """
    study, port = folder / "study", free_port()
    many = forked(lambda: many_pairs(study, items))  # encodes clips, with threads of its own
    if ended(many, time.monotonic() + PATIENCE_S):
        raise SystemExit("the study could not be made")
    said = folder / "said.txt"
    server = begin(["people", "serve", str(study), "--invite", str(RATERS), "--port", str(port)], said)
    links = wait_for_links(said, 1 + RATERS)
    kept, seated = folder / "kept.json", folder / "seated"
    raters = forked(lambda: answer(study, links, seated, kept))
    again = ["people", "serve", str(study), "--invite", "0", "--port", str(port)]
    if not finished(seated, PATIENCE_S):
        raise SystemExit(f"the raters never sat down: {said.read_text()[-1500:]}")
    while found["kills"] < rounds and works_until(server, rng.uniform(0, 0.8), kept):
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
        found["kills"] += 1
        server = begin(again, said)
    if not finished(kept, PATIENCE_S):
        raise SystemExit(f"the raters never finished: {said.read_text()[-1500:]}")
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    os.waitpid(raters, 0)
    counted = forked(lambda: count_book(study, folder))
    ended(counted, time.monotonic() + PATIENCE_S)
    for count, number in json.loads((folder / "book.json").read_text()).items():
        found[count] += number


def works_until(server: int, cpu_s: float, kept: Path) -> bool:
    """Wait until the server has used so much CPU; whether there was so much to do before the raters finished."""
    while used_s(server) < cpu_s:
        if os.waitpid(server, os.WNOHANG)[0]:
            raise SystemExit("the server ended by itself")
        if finished(kept, 0.004):
            return False
    return True


def finished(told: Path, patience_s: float = 0.0) -> bool:
    """Whether the raters have told so, by a file."""
    until = time.monotonic() + patience_s
    while not told.exists() and time.monotonic() < until:
        time.sleep(0.002)
    return told.exists()


def forked(work: Callable[[], object]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        os._exit(code)


def wait_for_links(said: Path, wanted: int) -> list[str]:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        links = re.findall(r"https?://\S+/i/\S+", said.read_text() if said.exists() else "")
        if len(links) >= wanted:
            return links[1:]
        time.sleep(0.01)
    raise SystemExit(f"the server never came up: {said.read_text()[-1500:]}")


def answer(study: Path, links: list[str], seated: Path, kept: Path) -> None:
    """Every rater in a thread of this process; what was acknowledged is written down at the end."""
    folder, load, lock = read_study(study), Load(), threading.Lock()
    visitors = [Visitor(link.partition("/i/")[0]) for link in links]
    for visitor, link in zip(visitors, links, strict=True):
        if visitor.join(link).code != 200:
            raise SystemExit(f"nobody is let in by {link}")
    seated.touch()
    with ThreadPoolExecutor(len(links)) as pool:
        jobs = [pool.submit(answer_all, v, folder, n, load, lock, 0.05) for n, v in enumerate(visitors)]
        for job in jobs:
            job.result()
    temporary = kept.with_suffix(".part")
    temporary.write_text(json.dumps(load.kept))
    temporary.rename(kept)


def count_book(study: Path, folder: Path) -> None:
    kept = {key: tuple(said) for key, said in json.loads((folder / "kept.json").read_text()).items()}
    after = found_in_book(read_study(study), Load(kept=kept))
    counts = {"lost": after.lost, "doubled": after.doubled, "lines": after.rows}
    (folder / "book.json").write_text(json.dumps(counts | {"different": int(after.rows != len(kept))}))


# ---------------------------------------------------------------- all of it

COMMANDS = {"run": run_command, "calibrate": calibrate_command, "judging": judging_command}


def rounds_of(what: str, rounds: int, seed: int, items: int) -> dict[str, Any]:
    """A line of kills.jsonl."""
    if what == "people":
        found, lasts_s, took_s = kill_server(rounds, seed, items)
    else:
        with TemporaryDirectory() as name, COMMANDS[what](Path(name)) as command:
            found, lasts_s, took_s = kill_often(command, rounds, seed)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "what": what,
        "date": time.strftime("%Y-%m-%d"),
        "seed": seed,
        **{name: found[name] for name in COUNTS},
        "undisturbed_s": round(lasts_s, 2),
        "seconds": round(took_s, 1),
        "cpu_s": round(used.ru_utime + used.ru_stime, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*COMMANDS, "people"])
    parser.add_argument("rounds", type=int)
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    parser.add_argument("--items", type=int, default=30, help="pairs of clips in a study of `people`")
    parser.add_argument("--dry", action="store_true", help="print the line, add it to no file")
    given = parser.parse_args()
    line = json.dumps(rounds_of(given.what, given.rounds, given.seed, given.items))
    print(line)
    if not given.dry:
        with RESULTS.open("a") as file:
            file.write(line + "\n")
    return int(any(json.loads(line)[name] for name in MUST_BE_ZERO))


if __name__ == "__main__":
    sys.exit(main())
