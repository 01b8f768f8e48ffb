"""Give a target one spoilt input after the other: every one is accepted, or refused with a reason of ours, in time."""

from __future__ import annotations

import random
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from lookaway.errors import LookawayError
from lookaway.images import BadImage
from tests.fuzz.mutation import Mutate

CORPUS = Path(__file__).parent / "corpus"
LONGEST_S = 10.0  # of one input, on a machine that does other things besides
KEPT = 5  # failures of a slice that are told in full
Attempt = Callable[[bytes], bool]  # True: taken; False: taken with a reason that says what is wrong with it


class FalseVerdict(Exception):
    """What was read is not what the input says."""


class TookTooLong(BaseException):
    """No `except Exception` of a parser may swallow it."""


@dataclass(frozen=True)
class Target:
    """A parser: how to call it, and how its inputs are spoilt. Its corpus is the folder of its name."""

    name: str
    opens: Callable[[Path], Attempt]  # in a folder of its own
    mutate: Mutate
    share: float = 1.0  # of the inputs of a long run, against other targets
    alone: bool = False  # reads with a library that may take its process down

    def corpus(self, kind: str) -> dict[str, bytes]:
        """Files by name: `good` ones are taken, `bad` ones are refused."""
        folder = CORPUS / self.name / kind
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


@dataclass
class Tally:
    """What became of a slice of inputs."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0  # of the processor
    worst_s: float = 0.0  # of the clock
    failures: list[str] = field(default_factory=list)
    spoilt: list[bytes] = field(default_factory=list)  # that failed

    def add(self, other: Tally) -> None:
        self.inputs += other.inputs
        self.accepted += other.accepted
        self.refused += other.refused
        self.seconds += other.seconds
        self.worst_s = max(self.worst_s, other.worst_s)
        self.failures += other.failures
        self.spoilt += other.spoilt


def inputs(target: Target, seed: int, count: int) -> Iterator[bytes]:
    """Spoilt files of the corpus, mostly of good ones; each from its own seed, so that any can be made again."""
    good, bad = list(target.corpus("good").values()), list(target.corpus("bad").values())
    for number in range(count):
        rng = random.Random(f"{target.name} {seed} {number}")
        yield target.mutate(rng, rng.choice(bad) if bad and rng.random() < 0.1 else rng.choice(good))


def drive(target: Target, seed: int, count: int, folder: Path, longest_s: float = LONGEST_S) -> Tally:
    """A slice of inputs; nothing they do ends it."""
    attempt, tally = target.opens(folder), Tally()
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in inputs(target, seed, count):
            take(attempt, data, tally, longest_s)
    tally.seconds = time.process_time() - begun
    return tally


def take(attempt: Attempt, data: bytes, tally: Tally, longest_s: float = LONGEST_S) -> None:
    """One input, counted."""
    began, failure = time.perf_counter(), ""
    try:
        with _at_most(longest_s):
            accepted = attempt(data)
    except (LookawayError, BadImage) as error:
        accepted = False
        failure = "" if str(error).strip() else f"{type(error).__name__} without a reason"
    except TookTooLong:
        accepted, failure = False, f"took more than {longest_s:g} s"
    # whatever else comes out of a parser is what is looked for
    except Exception as error:  # noqa: BLE001
        accepted, failure = False, "".join(traceback.format_exception(error)[-4:])
    took = time.perf_counter() - began
    failure = failure or (f"took {took:.1f} s" if took > longest_s else "")
    tally.inputs += 1
    tally.worst_s = max(tally.worst_s, took)
    if failure:
        tally.failures.append(failure)
        tally.spoilt.append(data)
    elif accepted:
        tally.accepted += 1
    else:
        tally.refused += 1


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
