"""Whatever others write is taken or refused with a reason of ours, in time, and never for something it does not say.

`make test` spoils some hundred files for each target, the same ones every time. `make test-long` spoils thousands, from
another seed each day; `LOOKAWAY_FUZZ_SEED` and `LOOKAWAY_FUZZ_INPUTS` say otherwise.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.fuzz.driving import CORPUS, Tally, Target, drive, take
from tests.fuzz.targets import TARGETS

FEW, FEWEST = 300, 40  # the latter where one takes milliseconds
MANY = int(os.environ.get("LOOKAWAY_FUZZ_INPUTS", "5000"))
SEED = int(os.environ.get("LOOKAWAY_FUZZ_SEED", str(int(time.time() // 86_400))))


def told(tally: Tally) -> str:
    return "\n\n".join(f"{why}\n{data[:2000]!r}" for why, data in zip(tally.failures, tally.spoilt, strict=True))


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_the_corpus_is_read_as_it_is_meant(target: Target, tmp_path: Path) -> None:
    attempt = target.opens(tmp_path)
    assert target.corpus("good")
    assert target.corpus("bad")
    for kind in ("good", "bad"):
        for name, data in target.corpus(kind).items():
            tally = Tally()
            take(attempt, data, tally)
            assert not tally.failures, f"{name}: {told(tally)}"
            assert tally.accepted == (kind == "good"), name


def test_every_corpus_has_a_target() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_spoilt_files_are_taken_or_refused_with_a_reason(target: Target, tmp_path: Path) -> None:
    tally = drive(target, 0, FEWEST if target.share < 2 else FEW, tmp_path)
    assert not tally.failures, told(tally)
    assert tally.refused


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_thousands_of_spoilt_files_are_taken_or_refused_with_a_reason(target: Target, tmp_path: Path) -> None:
    tally = drive(target, SEED, MANY, tmp_path)
    assert not tally.failures, f"seed {SEED}: {told(tally)}"
