"""Judge calls over real sockets: how close to the best schedule, at what cost in CPU, and whether faults and kills lose
or double anything.

In the soak two client processes ask the same questions of a server that fails one request in five, and are killed with
kill -9 and started again. What a client acknowledged is known from a file that it appends to after each answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from lookaway.judges.calls.asking import Asker, Reached
from lookaway.judges.calls.budget import Budget, Ceiling
from lookaway.judges.calls.pacing import Limits
from lookaway.judges.calls.pool import Pool
from lookaway.judges.calls.reply_cache import ReplyCache
from lookaway.judges.openai.chat import ChatRequest, Media, frames_media
from lookaway.judges.openai.client import Client, Server

SERVER = Path(__file__).parents[1] / "tests" / "judges" / "server.py"
MUST_BE_ZERO = ("unended", "ended_twice", "paid_again", "different_answers", "uncounted_calls")
FREE = ("busy", "error", "reset", "rejected")  # what a service does not charge for
SOAK_LIMITS = Limits(concurrency=32, attempt_s=5.0, backoff_s=0.05)
PATIENCE_S = 120.0


def measure() -> dict[str, float]:
    """`of_floor` is 1 where no scheduler could be faster; everything that must be zero says so in run.py."""
    return schedule() | overhead() | soak()


# ---------------------------------------------------------------- time and CPU


def schedule(calls: int = 600, at_once: int = 100, median_s: float = 2.0) -> dict[str, float]:
    """600 calls of lognormal latency, 100 at a time, against a greedy scheduler that costs nothing."""
    manner = {"median_s": median_s, "sigma": 0.6}
    server = server_module()
    free = [0.0] * at_once
    for number in range(calls):
        heapq.heappush(free, heapq.heappop(free) + server.latency_s(prompt(number), server.Manner(**manner)))
    with serving(manner) as url, TemporaryDirectory() as folder:
        started = time.monotonic()
        ends = asyncio.run(asked(url, Path(folder) / "cache.sqlite", calls, Limits(concurrency=at_once), frames(0)))
        wall_s = time.monotonic() - started
    if any(end.failure for end in ends):
        raise SystemExit(f"a call failed: {next(end.failure for end in ends if end.failure)}")
    return {"of_floor": max(free) / wall_s, "floor_s": max(free)}


def overhead(calls: int = 600) -> dict[str, float]:
    """CPU of this process for a call with twelve frames of 30 kB: all of it but encoding them."""
    found = {}
    for name, media in (("", frames(12)), ("text_", frames(0))):
        with serving({}) as url, TemporaryDirectory() as folder:
            before = time.process_time()
            asyncio.run(asked(url, Path(folder) / "cache.sqlite", calls, Limits(concurrency=32), media))
            found[f"{name}cpu_ms_per_call"] = 1000 * (time.process_time() - before) / calls
    return found


def frames(count: int) -> Media:
    rng = random.Random(0)
    return frames_media([rng.randbytes(30_000) for _ in range(count)], [n / 4 for n in range(count)])


async def asked(url: str, cache: Path, calls: int, limits: Limits, media: Media) -> list[Reached]:
    with ReplyCache(cache) as kept:
        asker = Asker(Pool(limits), kept, Budget(kept.database, "bench", Ceiling()))
        async with Client(Server(url=url, model="bench", revision="1")) as client:
            questions = (ChatRequest(prompt(number), media, top_logprobs=2) for number in range(calls))
            return [end async for end in asker.ask_all(client.inquiry(each, 1000) for each in questions)]


def prompt(number: int) -> str:
    return f"question {number}"


# ---------------------------------------------------------------- the soak


def soaked(number: int) -> str:
    """The service rejects every hundredth question, however often it is asked."""
    return prompt(number) + (" [rejected]" if number % 100 == 99 else "")


def soak(calls: int = 5000, kills: int = 12) -> dict[str, float]:
    """Counts; everything in MUST_BE_ZERO must be 0."""
    manner = {"fault_rate": 0.2, "median_s": 0.03, "slow_s": 30.0}
    started = time.monotonic()
    with serving(manner) as url, TemporaryDirectory() as name:
        folder = Path(name)
        kill_often(url, folder, calls, kills)
        ends = finish(url, folder, "last", calls)
        with urllib.request.urlopen(url.replace("/v1", "/log")) as told:
            log = json.load(told)
        with ReplyCache(folder / "cache.sqlite") as cache:
            spent = Budget(cache.database, "bench", Ceiling()).spent
        found = counted(log, acknowledged(folder), ends, calls)
    charged = sum(served["fate"] not in FREE for served in log)
    found |= {"uncounted_calls": max(0, charged - spent.calls), "kills": kills}
    return {name: float(value) for name, value in found.items()} | {"soak_s": time.monotonic() - started}


def kill_often(url: str, folder: Path, calls: int, kills: int) -> None:
    """Two clients at work; one or both are killed whenever the next share of the answers is there."""
    rng = random.Random(0)
    clients = {name: begin(url, folder, name, calls) for name in ("forward", "backward")}
    with ReplyCache(folder / "cache.sqlite") as cache:
        for number in range(kills):
            wanted, patience = calls * (number + 1) / (kills + 2), time.monotonic() + PATIENCE_S
            while (cache.database.row("SELECT count(*) FROM replies") or (0,))[0] < wanted:
                if time.monotonic() > patience:
                    raise SystemExit("the soak makes no progress")
                time.sleep(0.02)
            time.sleep(rng.uniform(0, 0.2))
            for name in rng.choice([["forward"], ["backward"], ["forward", "backward"]]):
                clients[name].kill()
                clients[name].wait()
                clients[name] = begin(url, folder, name, calls)
    for client in clients.values():
        if client.wait(PATIENCE_S + calls / 10):
            raise SystemExit(f"a client of the soak ended with {client.returncode}")


def begin(url: str, folder: Path, name: str, calls: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, url, str(folder), name, str(calls)])


def finish(url: str, folder: Path, name: str, calls: int) -> list[dict[str, Any]]:
    """One more client, after all the others: how every question ends."""
    if begin(url, folder, name, calls).wait(PATIENCE_S + calls / 10):
        raise SystemExit("the last client of the soak failed")
    return lines(folder / f"{name}.jsonl")


def acknowledged(folder: Path) -> list[dict[str, Any]]:
    return [line for path in folder.glob("*.jsonl") for line in lines(path)]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def counted(
    log: list[dict[str, Any]], told: list[dict[str, Any]], ends: list[dict[str, Any]], calls: int
) -> dict[str, int]:
    ended = Counter(end["prompt"] for end in ends)
    first: dict[str, float] = {}
    replies: dict[str, set[str]] = {}
    for line in told:
        if line["reply"]:
            first[line["prompt"]] = min(line["at_s"], first.get(line["prompt"], line["at_s"]))
            replies.setdefault(line["prompt"], set()).add(line["reply"])
    answers = Counter(served["key"] for served in log if served["fate"] == "ok")
    return {
        "calls": calls,
        "answered": sum(bool(end["reply"]) for end in ends),
        "failed": sum(bool(end["problem"]) for end in ends),
        "requests": len(log),
        "faults": sum(served["fate"] != "ok" for served in log),
        "unended": sum(ended[soaked(number)] == 0 for number in range(calls)),
        "ended_twice": sum(times > 1 for times in ended.values()),
        "paid_again": sum(served["start_s"] > first.get(served["key"], float("inf")) for served in log),
        "different_answers": sum(len(each) > 1 for each in replies.values()),
        "answered_to_the_dead": sum(times - 1 for times in answers.values()),
    }


async def client(url: str, folder: Path, name: str, calls: int) -> None:
    """What a client process does: ask everything, and write down each end once it is safe."""
    numbers = range(calls) if name != "backward" else reversed(range(calls))
    told = os.open(folder / f"{name}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    media = frames(1)
    with ReplyCache(folder / "cache.sqlite") as cache:
        asker = Asker(Pool(SOAK_LIMITS), cache, Budget(cache.database, "bench", Ceiling()))
        async with Client(Server(url=url, model="bench", revision="1")) as service:
            questions = [ChatRequest(soaked(number), media, top_logprobs=2) for number in numbers]
            inquiries = {(each := service.inquiry(q, 1000)).key: (q.prompt, each) for q in questions}
            async for end in asker.ask_all(each for _, each in inquiries.values()):
                line = {
                    "prompt": inquiries[end.key][0],
                    "reply": json.loads(end.kept.raw)["id"] if end.kept else "",
                    "problem": end.failure.problem if end.failure else "",
                    "at_s": time.monotonic(),
                }
                os.write(told, json.dumps(line).encode() + b"\n")


# ---------------------------------------------------------------- the server


@contextlib.contextmanager
def serving(manner: dict[str, float]) -> Iterator[str]:
    """The tests' server in a process of its own, so that its CPU is not the client's."""
    child = subprocess.Popen([sys.executable, str(SERVER), json.dumps(manner)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child:
        try:
            yield f"http://127.0.0.1:{int(child.stdout.readline())}/v1"
        finally:
            child.kill()


def server_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("judging_server", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    if len(sys.argv) == 5:
        asyncio.run(client(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        for part, value in measure().items():
            print(f"{part} {value:.3f}")
