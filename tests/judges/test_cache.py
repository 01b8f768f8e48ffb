"""Replies are bought once, whoever asks, however often processes die."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from lookaway.errors import CallFailed, StoreError
from lookaway.judges.calls.asking import Asker, Inquiry, Reached, Received
from lookaway.judges.calls.budget import Budget, Ceiling, Cost
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import Claim, Kept, ReplyCache

KEPT = Kept('{"text": "Yes"}', Cost(1, 900, 0.002))


def test_a_reply_is_kept_whole_with_its_cost(tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        claim = cache.claim("a")
        assert isinstance(claim, Claim)
        cache.keep(claim, KEPT)
        assert cache.get("b") is None
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        assert cache.get("a") == cache.claim("a") == KEPT


def test_the_first_reply_stays(tmp_path: Path) -> None:
    with ReplyCache(tmp_path / "cache.sqlite", lease_s=-1) as cache:
        first, second = cache.claim("a"), cache.claim("a")
        assert isinstance(first, Claim)
        assert isinstance(second, Claim), "the first claim had run out"
        cache.keep(second, KEPT)
        assert cache.keep(first, Kept("{}", Cost())) == KEPT


def test_a_claim_ends_when_it_is_given_back_or_runs_out(tmp_path: Path) -> None:
    clock = [0.0]
    with (
        ReplyCache(tmp_path / "c", 60, lambda: clock[0]) as cache,
        ReplyCache(tmp_path / "c", 60, lambda: clock[0]) as other,
    ):
        claim = cache.claim("a")
        assert isinstance(claim, Claim)
        assert other.claim("a") is None
        assert cache.claim("a") is None, "nor twice in one process"
        cache.release(claim)
        late = other.claim("a")
        assert isinstance(late, Claim)
        clock[0] = 61
        again = cache.claim("a")
        assert isinstance(again, Claim)
        other.release(late)
        assert other.claim("a") is None, "who came too late gives back nothing that is not theirs"


def test_a_claim_dies_with_its_process(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from lookaway.judges.calls.reply_cache import ReplyCache\n"
        "cache = ReplyCache(Path(sys.argv[1])); print(cache.claim('a') is not None, flush=True); time.sleep(600)"
    )
    path = tmp_path / "cache.sqlite"
    child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child, ReplyCache(path) as cache:
        assert child.stdout.readline() == "True\n"
        assert cache.claim("a") is None
        child.kill()
        child.wait()
        assert isinstance(cache.claim("a"), Claim)
        assert len(list((tmp_path / "cache.sqlite.owners").iterdir())) == 1, "the dead leave nothing behind"


def race(path: Path, out: Path) -> None:
    """Claim forty keys at once with everybody else, and write down those that were won."""
    with ReplyCache(path) as cache:
        won = []

        def each() -> None:
            for number in range(40):
                right = cache.claim(f"key {number}")
                if isinstance(right, Claim):
                    won.append(number)
                    time.sleep(0.002)
                    cache.keep(right, KEPT)

        threads = [threading.Thread(target=each) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    out.write_text(json.dumps(won))


def test_of_all_threads_and_processes_one_asks(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    outs = [tmp_path / f"{n}.json" for n in range(2)]
    racers = [spawn.Process(target=race, args=(tmp_path / "cache.sqlite", out)) for out in outs]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(60)
    won = Counter(number for out in outs for number in json.loads(out.read_text()))
    assert won == Counter(range(40))


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from lookaway.judges.calls.reply_cache import *\n"
        "cache = ReplyCache(Path(sys.argv[1]))\n"
        "for number in range(10**9):\n"
        "    key = f'{sys.argv[2]}/{number}'\n"
        "    cache.keep(cache.claim(key), Kept('{}', Cost(1, 2, None))); print(key, flush=True)"
    )
    path, said = tmp_path / "cache.sqlite", []
    for generation in range(2):
        command = [sys.executable, "-c", program, str(path), str(generation)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            said += [child.stdout.readline().strip() for _ in range(200)]
            os.kill(child.pid, signal.SIGKILL)
            said += child.stdout.read().splitlines()[:-1]  # the last line may be cut
    assert len(said) >= 400
    with ReplyCache(path) as cache:
        assert all(cache.get(key) == Kept("{}", Cost(1, 2, None)) for key in said)


def test_a_file_that_is_no_cache_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").write_text("something else entirely, and long enough to have a header of its own")
    with pytest.raises(StoreError, match=r"cache\.sqlite: file is not a database"):
        ReplyCache(tmp_path / "cache.sqlite")


# ---------------------------------------------------------------- asking


def asked(cache: ReplyCache, inquiries: list[Inquiry], ceiling: Ceiling) -> list[Reached]:
    async def main() -> list[Reached]:
        pool = Pool(Limits(concurrency=8, attempts=3, backoff_s=0.001))
        asker = Asker(pool, cache, Budget(cache.database, "run", ceiling))
        return [reached async for reached in asker.ask_all(inquiries)]

    return asyncio.run(main())


def inquiry(key: str, sent: list[str], failures: int = 0) -> Inquiry:
    left = [failures]

    async def send() -> Received:
        sent.append(key)
        await asyncio.sleep(0.01)
        if left[0]:
            left[0] -= 1
            raise CallFailed("truncated", "cut")
        return Received('{"said": "Yes"}', Cost(1, 10, 0.5))

    return Inquiry(key, Cost(1, 20, 1.0), send)


def test_equal_questions_are_asked_once_and_again_for_free(tmp_path: Path) -> None:
    sent: list[str] = []
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        ends = asked(cache, [inquiry("same", sent) for _ in range(5)], Ceiling())
        assert sent == ["same"]
        assert [end.kept for end in ends] == [Kept('{"said": "Yes"}', Cost(1, 10, 0.5))] * 5
        assert sorted(end.cached for end in ends) == [False, True, True, True, True]
        again = asked(cache, [inquiry("same", sent)], Ceiling(calls=0))
        assert sent == ["same"]
        assert again[0].cached


def test_an_answer_costs_all_that_was_paid_for_it(tmp_path: Path) -> None:
    """Two replies that were cut off may have been charged in full; the third is charged as told."""
    sent: list[str] = []
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        (end,) = asked(cache, [inquiry("a", sent, failures=2)], Ceiling())
        assert end.attempts == 3
        assert end.cost == Cost(3, 50, 2.5)
        kept = cache.get("a")
        assert kept is not None
        assert kept.cost == end.cost == Budget(cache.database, "run", Ceiling()).spent


def test_a_failure_is_told_and_not_kept(tmp_path: Path) -> None:
    sent: list[str] = []
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        (end,) = asked(cache, [inquiry("a", sent, failures=3)], Ceiling())
        assert end.kept is None
        assert str(end.failure) == "truncated: cut"
        (end,) = asked(cache, [inquiry("a", sent)], Ceiling())
        assert end.kept is not None
        assert len(sent) == 4


def test_a_bug_gives_the_claim_back(tmp_path: Path) -> None:
    async def send() -> Received:
        raise ZeroDivisionError

    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        with pytest.raises(ZeroDivisionError):
            asked(cache, [Inquiry("a", Cost(1), send)], Ceiling())
        assert isinstance(cache.claim("a"), Claim)


def test_the_budget_stops_further_calls_and_says_so(tmp_path: Path) -> None:
    """A call may cost 1 USD and costs 0.50: of 6 USD eleven calls are paid, since the twelfth could cost too much."""
    sent: list[str] = []
    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        ends = asked(cache, [inquiry(str(n), sent) for n in range(50)], Ceiling(usd=6.0))
        assert Budget(cache.database, "run", Ceiling()).spent == Cost(11, 110, 5.5)
    assert len(sent) == 11
    assert [end.failure.problem for end in ends if end.failure] == ["over_budget"] * 39


def test_a_call_that_is_never_made_gives_its_reservation_back(tmp_path: Path) -> None:
    async def send() -> Received:
        raise CallFailed("barred", "no such key")

    with ReplyCache(tmp_path / "cache.sqlite") as cache:
        ends = asked(cache, [Inquiry(str(n), Cost(1, 20, 1.0), send) for n in range(20)], Ceiling(usd=100.0))
        assert {end.failure.problem for end in ends if end.failure} == {"barred", "unavailable"}
        assert Budget(cache.database, "run", Ceiling()).spent == Cost()
