"""Turns at a service: every process takes its own, and none before its time."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from lookaway.generators import Movie, turns
from lookaway.generators.http import http
from lookaway.generators.turns import wait_for_turn
from tests.generators.commissions import commission
from tests.generators.test_http import Service, settings
from tests.generators.test_http import service as service

APART_S = 0.2
TAKE = """
import time
from lookaway.generators.turns import wait_for_turn
time.sleep = lambda seconds: print(round(seconds / 60))
wait_for_turn("it", 1)
"""


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were to be slept."""
    seconds: list[float] = []
    monkeypatch.setattr(time, "sleep", seconds.append)
    return seconds


def test_no_more_requests_a_minute_than_the_card_allows(service: Service, tmp_path: Path) -> None:
    service.polls = [{"status": "running"}, {"status": "running"}, {"status": "succeeded"}]
    started = time.monotonic()
    assert isinstance(http(commission(tmp_path, "http", settings(service, requests_per_minute=60 / APART_S))), Movie)
    assert time.monotonic() - started >= 4 * APART_S, "five requests: submitted, asked for three times, fetched"


def test_processes_that_come_at_once_go_one_after_the_other() -> None:
    crowd = [subprocess.Popen([sys.executable, "-c", TAKE], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert sorted(int(one.communicate(timeout=60)[0]) for one in crowd) == [0, 1, 2, 3]


def test_each_service_has_turns_of_its_own_which_are_over_once_the_machine_is_started_anew(
    tmp_path: Path, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("it", "it", "another"):
        wait_for_turn(name, 1)
    monkeypatch.setattr(turns, "BOOT", tmp_path / "boot")
    (tmp_path / "boot").write_text("another\n")
    wait_for_turn("it", 1)
    assert [round(seconds) for seconds in slept] == [0, 60, 0, 0]
