"""Judging that is killed in the middle of its work: what was safe by then, and what was bought again after it."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from lookaway.store import Run


class KeptReplies(NamedTuple):
    """Ids of the replies that were safe when a process was killed."""

    at_s: float
    ids: set[str]


@contextmanager
def server_process(manner: Mapping[str, object]) -> Iterator[str]:
    """The address of a chat server in a process of its own."""
    program = Path(__file__).parents[1] / "judges" / "server.py"
    child = subprocess.Popen([sys.executable, program, json.dumps(manner)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child:
        try:
            yield f"http://127.0.0.1:{int(child.stdout.readline())}/v1"
        finally:
            child.kill()


def served_by(url: str) -> list[dict[str, Any]]:
    """Everything that the server was asked, and what became of it."""
    log: list[dict[str, Any]] = json.loads(subprocess.check_output(["curl", "-s", url.replace("/v1", "/log")]))
    return log


def killed(process: subprocess.Popen[str], run: Run, wanted: int) -> KeptReplies:
    """Kill -9 as soon as so many replies are safe."""
    patience = time.monotonic() + 60
    while len(safe_replies(run)) < wanted and process.poll() is None and time.monotonic() < patience:
        time.sleep(0.02)
    assert process.poll() is None, "it was killed in the middle of its work"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return KeptReplies(time.monotonic(), safe_replies(run))


def safe_replies(run: Run) -> set[str]:
    """Ids of the replies in the cache."""
    path = run.root / "judge.sqlite"
    if not path.exists():
        return set()
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        try:
            return {json.loads(raw)["id"] for (raw,) in connection.execute("SELECT raw FROM replies")}
        except sqlite3.OperationalError:
            return set()


def bought_again(log: Sequence[Mapping[str, Any]], kept: Sequence[KeptReplies]) -> list[str]:
    """Requests that were made after a kill although their reply was safe by then."""
    bodies = {served["id"]: served["body"] for served in log if served["fate"] == "ok"}
    return [
        served["key"]
        for at_s, ids in kept
        for served in log
        if served["start_s"] > at_s and served["body"] in {bodies[each] for each in ids if each in bodies}
    ]
