"""Nothing is spent beyond the budget, however many spend at once and whoever dies meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lookaway.errors import CallFailed, UsageError
from lookaway.judges.calls.budget import Budget, Ceiling, Cost, Price
from lookaway.judges.calls.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "cache.sqlite", "") as database:
        yield database


@pytest.mark.parametrize("ceiling", [Ceiling(calls=3), Ceiling(tokens=300), Ceiling(usd=0.3)])
def test_the_fourth_call_of_three_is_refused(database: Database, ceiling: Ceiling) -> None:
    budget = Budget(database, "run", ceiling)
    for _ in range(3):
        budget.reserve(Cost(1, 100, 0.1))
    with pytest.raises(CallFailed, match=r"over budget: not asked: spent are 3 calls, 300 tokens, 0\.30 USD"):
        budget.reserve(Cost(1, 100, 0.1))
    assert budget.spent == Cost(3, 300, 0.3)


def test_what_a_call_did_not_use_is_free_for_the_next(database: Database) -> None:
    budget = Budget(database, "run", Ceiling(usd=1.0))
    budget.reserve(Cost(1, 1000, 1.0))
    budget.settle(Cost(1, 1000, 1.0), Cost(1, 400, 0.4))
    budget.reserve(Cost(1, 600, 0.6))
    assert budget.spent == Cost(2, 1000, 1.0)


def test_a_cent_is_a_cent_after_a_million_of_them(database: Database) -> None:
    budget = Budget(database, "run", Ceiling(usd=1.0))
    for _ in range(1000):
        budget.reserve(Cost(1, 1, 0.001))
    assert budget.spent.usd == 1.0


def test_threads_and_processes_draw_on_one_budget(database: Database, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from lookaway.errors import CallFailed\n"
        "from lookaway.judges.calls.budget import *; from lookaway.judges.calls.database import Database\n"
        "budget, bought = Budget(Database(Path(sys.argv[1]), ''), 'run', Ceiling(calls=500)), 0\n"
        "try:\n"
        "    while True: budget.reserve(Cost(1)); bought += 1\n"
        "except CallFailed: print(bought)"
    )
    path = str(tmp_path / "cache.sqlite")
    others = [subprocess.Popen([sys.executable, "-c", program, path], stdout=subprocess.PIPE) for _ in range(2)]
    budget, bought = Budget(database, "run", Ceiling(calls=500)), []

    def buy() -> None:
        for _ in range(100):
            budget.reserve(Cost(1))
            bought.append(1)

    threads = [threading.Thread(target=buy) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elsewhere = [int(other.communicate()[0]) for other in others]
    assert len(bought) + sum(elsewhere) == 500 == budget.spent.calls


def test_a_killed_process_leaves_its_reservation_standing(database: Database, tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from lookaway.judges.calls.budget import *; from lookaway.judges.calls.database import Database\n"
        "Budget(Database(Path(sys.argv[1]), ''), 'run', Ceiling()).reserve(Cost(1, 50, 0.2)); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path / "cache.sqlite")], check=False).returncode == -9
    assert Budget(database, "run", Ceiling()).spent == Cost(1, 50, 0.2)
    assert Budget(database, "another", Ceiling()).spent == Cost()


def test_a_forecast_says_what_it_will_cost_before_anything_is_asked(database: Database) -> None:
    price = Price(usd_in=0.5, usd_out=2.0)
    assert price.of(1_000_000, 500_000) == 1.5
    one = Cost(1, 2000, price.of(1900, 100))
    budget = Budget(database, "run", Ceiling(usd=0.5))
    assert budget.forecast([one] * 400).fits
    told = budget.forecast([one] * 600)
    assert not told.fits
    assert str(told) == (
        "at most 600 calls, 1,200,000 tokens, 0.69 USD, more only where a call must be tried again; "
        "spent before: 0 calls, 0 tokens, 0.00 USD; "
        "more than the budget allows: some would not be made"
    )
    assert budget.spent == Cost()


def test_a_limit_in_money_needs_a_price(database: Database) -> None:
    with pytest.raises(UsageError, match="needs the judge's prices"):
        Budget(database, "run", Ceiling(usd=1.0)).reserve(Cost(1, 10, None))
    Budget(database, "run", Ceiling(calls=1)).reserve(Cost(1, 10, None))
