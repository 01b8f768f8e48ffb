"""What judging may cost: reserved before a call, settled after it, never exceeded by calls made at the same time.

The sums live in the database. A process that is killed leaves its reservations standing, since its calls may have been
charged. A reservation must be the most that a call can cost; should a call cost more, the excess counts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lookaway.errors import CallFailed, UsageError
from lookaway.judges.calls.database import Database

NANO = 1_000_000_000  # money is summed in whole billionths, since sums of fractions drift
SCHEMA = """
CREATE TABLE IF NOT EXISTS spending (
    budget TEXT PRIMARY KEY, calls INTEGER NOT NULL, tokens INTEGER NOT NULL, nano_usd INTEGER NOT NULL
) WITHOUT ROWID
"""
ADD = "UPDATE spending SET calls = calls + ?, tokens = tokens + ?, nano_usd = nano_usd + ? WHERE budget = ?"
ROOM = """
 AND (?1 + calls <= ?5 OR ?5 IS NULL) AND (?2 + tokens <= ?6 OR ?6 IS NULL) AND (?3 + nano_usd <= ?7 OR ?7 IS NULL)
"""


@dataclass(frozen=True)
class Cost:
    """Calls that the service took, tokens in and out, and money; None where no price is known."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Cost) -> Cost:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Cost(self.calls + other.calls, self.tokens + other.tokens, usd)

    def __str__(self) -> str:
        money = "at a price nobody told" if self.usd is None else f"{self.usd:.2f} USD"
        return f"{self.calls:,} calls, {self.tokens:,} tokens, {money}"


def told_cost(tokens_in: int | None, tokens_out: int | None, price: Price | None) -> Cost | None:
    """Of one call, where its service told both counts."""
    if tokens_in is None or tokens_out is None:
        return None
    return Cost(1, tokens_in + tokens_out, price.of(tokens_in, tokens_out) if price else None)


def told_count(tokens: int) -> int | None:
    """A count of tokens as a service tells it; one below 0 tells nothing, and must not lower what was spent."""
    return tokens if tokens >= 0 else None


@dataclass(frozen=True)
class Price:
    """Of a million tokens."""

    usd_in: float
    usd_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.usd_in + tokens_out * self.usd_out) / 1e6


@dataclass(frozen=True)
class Ceiling:
    """The most that may be spent; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


NO_LIMIT = Ceiling()


@dataclass(frozen=True)
class Forecast:
    """The most that a set of calls can cost, beside what is spent."""

    total: Cost
    spent: Cost
    fits: bool

    def __str__(self) -> str:
        verdict = "within the budget" if self.fits else "more than the budget allows: some would not be made"
        most = f"at most {self.total}, more only where a call must be tried again"
        return f"{most}; spent before: {self.spent}; {verdict}"


class Budget:
    """One named budget; every process that opens it draws on the same sums."""

    def __init__(self, database: Database, name: str, ceiling: Ceiling) -> None:
        self._database, self._name, self._ceiling = database, name, ceiling
        with database.transaction() as connection:
            connection.execute(SCHEMA)
            connection.execute("INSERT OR IGNORE INTO spending VALUES (?, 0, 0, 0)", (name,))

    @property
    def spent(self) -> Cost:
        """What calls have cost, and what those in flight may."""
        row = self._database.row("SELECT calls, tokens, nano_usd FROM spending WHERE budget = ?", self._name)
        assert row is not None
        return Cost(row[0], row[1], row[2] / NANO)

    def forecast(self, estimates: Iterable[Cost]) -> Forecast:
        """Whether calls of these costs would all be made."""
        total = sum(estimates, Cost())
        spent = self.spent
        return Forecast(total, spent, self._holds(spent + total))

    def reserve(self, estimate: Cost) -> None:
        """Set aside the most that a call can cost, or raise; of calls made at once, only those that fit go through."""
        self._priced(estimate)
        most = self._ceiling
        usd = None if most.usd is None else round(most.usd * NANO)
        with self._database.transaction() as connection:
            changed = connection.execute(ADD + ROOM, (*self._sums(estimate), self._name, most.calls, most.tokens, usd))
            if changed.rowcount != 1:
                raise self._exceeded(estimate)

    def settle(self, estimate: Cost, actual: Cost) -> None:
        """Put what a call did cost in the place of its reservation."""
        difference = (a - e for a, e in zip(self._sums(actual), self._sums(estimate), strict=True))
        with self._database.transaction() as connection:
            connection.execute(ADD, (*difference, self._name))

    def _holds(self, cost: Cost) -> bool:
        self._priced(cost)
        most = self._ceiling
        return (
            (most.calls is None or cost.calls <= most.calls)
            and (most.tokens is None or cost.tokens <= most.tokens)
            and (most.usd is None or cost.usd is None or round(cost.usd * NANO) <= round(most.usd * NANO))
        )

    def _priced(self, cost: Cost) -> None:
        if self._ceiling.usd is not None and cost.usd is None:
            raise UsageError(
                "a budget in USD needs the judge's prices, or nobody knows when it is reached: "
                "--set JUDGE.usd_in=… --set JUDGE.usd_out=…, of a million tokens"
            )

    def _exceeded(self, estimate: Cost) -> CallFailed:
        return CallFailed("over_budget", f"not asked: spent are {self.spent}, and {estimate} more would go beyond it")

    @staticmethod
    def _sums(cost: Cost) -> tuple[int, int, int]:
        return cost.calls, cost.tokens, round((cost.usd or 0.0) * NANO)


class Budgets:
    """Several budgets that a call draws on at once: that of the run, and that of the judge's role."""

    def __init__(self, each: Sequence[Budget]) -> None:
        self._each = tuple(each)

    def reserve(self, estimate: Cost) -> None:
        """Set aside in all of them, or in none and raise."""
        for number, budget in enumerate(self._each):
            try:
                budget.reserve(estimate)
            except BaseException:
                for before in self._each[:number]:
                    before.settle(estimate, Cost())
                raise

    def settle(self, estimate: Cost, actual: Cost) -> None:
        for budget in self._each:
            budget.settle(estimate, actual)
