"""Many raters at once against a server that is killed while they answer; what it acknowledged is looked up after."""

from __future__ import annotations

import http.client
import json
import random
import socket
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lookaway.people.desk import StudyDesk
from lookaway.people.folder import StudyFolder
from tests.people.studies import Visitor, served

WORDS = ("left", "right", "tie", "not_judgeable")
RETRY_S = 0.2


@dataclass
class Load:
    """What the raters saw: acknowledged submissions with what was said, and how long each acknowledgement took."""

    kept: dict[str, tuple[int, str, str]] = field(default_factory=dict)  # submission: showing, axis, word
    seconds: list[float] = field(default_factory=list)
    sent_again: int = 0
    told_to_wait: int = 0
    kills: int = 0
    lasted_s: float = 0.0


@dataclass(frozen=True)
class Found:
    """What the book holds afterwards."""

    lost: int  # acknowledged, and not there or other than was said
    doubled: int  # submissions, or questions of a rater, that are there twice
    rows: int


def loaded(study: StudyFolder, raters: int, kills: int, pause_s: float = 0.0) -> Load:
    """Every rater answers everything, with a pause before each answer; the server is killed so many times meanwhile."""
    load, lock, port = Load(), threading.Lock(), free_port()
    with ExitStack() as stack:
        server = stack.enter_context(served(study.root, raters, port))
        visitors = [Visitor(server.home) for _ in range(raters)]
        for visitor, link in zip(visitors, server.raters, strict=True):
            assert visitor.join(link).code == 200
        begun = time.perf_counter()
        with ThreadPoolExecutor(raters) as pool:
            jobs = [
                pool.submit(answer_all, visitor, study, number, load, lock, pause_s)
                for number, visitor in enumerate(visitors)
            ]
            every = raters * len(study.items) * len(study.study.criteria)
            for kill in range(kills):
                while len(load.kept) < every * (kill + 1) // (kills + 1):
                    time.sleep(0.005)
                server.process.kill()
                server.process.wait()
                load.kills += 1
                server = stack.enter_context(served(study.root, 0, port))
            for job in jobs:
                job.result()
        load.lasted_s = time.perf_counter() - begun
    return load


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answer_all(
    visitor: Visitor, study: StudyFolder, who: int, load: Load, lock: threading.Lock, pause_s: float
) -> None:
    chance = random.Random(who)
    wire = Wire(visitor)
    for number in range(len(study.items)):
        for place, criterion in enumerate(study.study.criteria):
            word = WORDS[(who + number + place) % 4]
            said = {"number": number, "axis": criterion.name, "word": word, "submission": uuid.uuid4().hex}
            time.sleep(chance.uniform(0.5, 1.5) * pause_s)
            took = wire.insist(said, load, lock)
            with lock:
                load.kept[str(said["submission"])] = (number, criterion.name, word)
                load.seconds.append(took)
    wire.close()


class Wire:
    """A connection that stays open, as a browser's does, and is made anew when the server dies."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.place = visitor.home.removeprefix("http://")
        self.wire: http.client.HTTPConnection | None = None

    def insist(self, said: dict[str, Any], load: Load, lock: threading.Lock) -> float:
        """Send until it is acknowledged; the seconds that the acknowledged attempt took."""
        while True:
            begun = time.perf_counter()
            try:
                code = self.send(said)
            except (OSError, http.client.HTTPException):
                code = self.close()
            if code == 200:
                return time.perf_counter() - begun
            assert code in (0, 429), code
            with lock:
                load.sent_again += code == 0
                load.told_to_wait += code == 429
            time.sleep(RETRY_S)

    def close(self) -> int:
        if self.wire is not None:
            self.wire.close()
        self.wire = None
        return 0

    def send(self, said: dict[str, Any]) -> int:
        if self.wire is None:
            self.wire = http.client.HTTPConnection(self.place, timeout=60)
        headers = {
            "Content-Type": "application/json",
            "Origin": self.visitor.home,
            "Cookie": self.visitor.cookie,
            "X-Lookaway-Word": self.visitor.word,
        }
        self.wire.request("POST", "/answer", json.dumps(said), headers)
        answer = self.wire.getresponse()
        answer.read()
        return answer.status


def found(study: StudyFolder, load: Load) -> Found:
    book = StudyDesk(study).book
    rows = book.rows("SELECT rater, number, axis, submission, content FROM answers")
    there = {row["submission"]: (row["number"], row["axis"], json.loads(row["content"])["word"]) for row in rows}
    asked = Counter((row["rater"], row["number"], row["axis"]) for row in rows)
    sent = Counter(row["submission"] for row in rows)
    return Found(
        lost=sum(there.get(submission) != said for submission, said in load.kept.items()),
        doubled=sum(count > 1 for count in asked.values()) + sum(count > 1 for count in sent.values()),
        rows=len(rows),
    )


def many_pairs(root: Path, items: int) -> StudyFolder:
    from tests.people.studies import pair_study

    return pair_study(root, items=items, head="raters = 100000\n")
