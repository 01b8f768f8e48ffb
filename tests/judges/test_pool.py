"""Many calls to one service: paced, tried again where that helps, stopped where it does not. All on a virtual clock."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import pickle
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lookaway.errors import ASK_AGAIN, CallFailed, CallProblem
from lookaway.judges.calls.pacing import Limits, backoff, retry_after_s
from lookaway.judges.calls.pool import Pool, as_finished, streamed
from tests.judges.virtual import now, run

LIMITS = Limits(attempts=4, attempt_s=10, call_s=100, backoff_s=1, failures_to_open=1000)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def pool(limits: Limits = LIMITS) -> Pool:
    return Pool(limits, random.Random(0))


def failing(
    times: int, problem: CallProblem = "server", wait_s: float | None = None
) -> tuple[Callable[[], Awaitable[str]], list[float]]:
    """An attempt that fails so many times and then answers, and when it was made."""
    made: list[float] = []

    async def attempt() -> str:
        made.append(now())
        if len(made) <= times:
            raise CallFailed(problem, f"no {len(made)}", wait_s)
        return "Yes"

    return attempt, made


# ---------------------------------------------------------------- trying again


@pytest.mark.parametrize("problem", sorted(ASK_AGAIN))
def test_what_may_pass_is_tried_again(problem: CallProblem) -> None:
    attempt, made = failing(3, problem)
    assert run(pool().call(attempt)) == "Yes"
    assert len(made) == 4


@pytest.mark.parametrize("problem", ["incomplete", "rejected", "refused", "barred", "over_budget", "unavailable"])
def test_what_cannot_pass_is_asked_once(problem: CallProblem) -> None:
    attempt, made = failing(3, problem)
    with pytest.raises(CallFailed, match="no 1"):
        run(pool().call(attempt))
    assert len(made) == 1


def test_a_try_that_cannot_be_paid_for_does_not_hide_why_it_was_needed() -> None:
    tries = iter([CallFailed("malformed", "no JSON"), CallFailed("over_budget", "not asked: 6 calls are spent")])

    async def attempt() -> str:
        raise next(tries)

    with pytest.raises(CallFailed, match="malformed: no JSON; there is no budget for another try") as failure:
        run(pool().call(attempt))
    assert failure.value.problem == "malformed"


def test_the_last_attempt_is_the_last() -> None:
    attempt, made = failing(99)
    with pytest.raises(CallFailed, match="no 4"):
        run(pool().call(attempt))
    assert len(made) == 4


def test_waits_are_spread_from_nothing_to_twice_as_much_each_time() -> None:
    rng = random.Random(1)
    for attempt, widest in ((1, 1), (2, 2), (3, 4), (10, 60)):
        waits = [backoff(attempt, None, LIMITS, rng) for _ in range(2000)]
        assert 0 <= min(waits) < 0.01 * widest
        assert 0.99 * widest < max(waits) <= widest
        assert sum(waits) / 2000 == pytest.approx(widest / 2, rel=0.05)


def test_nobody_asks_sooner_than_the_service_said() -> None:
    attempt, made = failing(2, "rate_limited", 20)
    run(pool().call(attempt))
    gaps = [later - earlier for earlier, later in itertools.pairwise(made)]
    assert all(20 <= gap <= 21 for gap in gaps)


def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    attempt, made = failing(1, "rate_limited", 3600)

    async def main() -> float:
        with pytest.raises(CallFailed, match="rate limited"):
            await pool().call(attempt)
        return now()

    assert run(main()) == 0
    assert len(made) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30.0),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0.0),
        ("Thu, 01 Jan 2026 12:00:30 -0000", 30.0),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOON) == seconds


# ---------------------------------------------------------------- deadlines


def test_a_slow_attempt_is_cut_and_tried_again() -> None:
    made: list[float] = []

    async def attempt() -> str:
        made.append(now())
        await asyncio.sleep(1000 if len(made) == 1 else 1)
        return "Yes"

    assert run(pool().call(attempt)) == "Yes"
    assert 10 <= made[1] <= 11


def test_a_call_ends_at_its_deadline_whatever_its_attempts_do() -> None:
    async def attempt() -> str:
        await asyncio.sleep(1000)
        return "never"

    async def main() -> float:
        with pytest.raises(
            CallFailed, match=r"no reply within 25 s; before that: timed out: no whole reply within 10 s"
        ):
            await pool(replace(LIMITS, call_s=25, backoff_s=0.1)).call(attempt)
        return now()

    assert run(main()) == 25


# ---------------------------------------------------------------- pace


def test_no_minute_holds_more_requests_or_tokens_than_allowed() -> None:
    limits = replace(LIMITS, concurrency=50, requests_per_minute=120, tokens_per_minute=6000)
    rng = random.Random(3)
    sizes = [rng.choice([10, 40, 100]) for _ in range(600)]
    made: list[tuple[float, int]] = []

    async def main() -> None:
        service = pool(limits)

        async def work(size: int) -> None:
            async def attempt() -> None:
                made.append((now(), size))
                await asyncio.sleep(5)

            await service.call(attempt, size)

        async for _ in as_finished(sizes, work, limits.concurrency):
            pass

    run(main())
    for start, _ in made:
        minute = [size for at, size in made if start <= at < start + 60 - 1e-6]
        assert len(minute) <= 120
        assert sum(minute) <= 6000 + 100
    assert made[-1][0] <= sum(max(60 / 120, size / 100) for size in sizes), "and no slower than it must"


def test_waiting_for_a_turn_does_not_use_up_the_deadline() -> None:
    limits = replace(LIMITS, concurrency=10, requests_per_minute=1, call_s=30)

    async def main() -> list[str]:
        service = pool(limits)
        return [said async for said in as_finished(range(10), lambda _: service.call(failing(0)[0]), 10)]

    assert run(main()) == ["Yes"] * 10


def test_a_slow_call_never_holds_up_the_others() -> None:
    """Six hundred calls, a hundred at a time, end when a greedy scheduler would have ended them."""
    rng = random.Random(0)
    seconds = [rng.lognormvariate(0, 1) for _ in range(600)]
    free = [0.0] * 100
    for each in seconds:
        heapq.heappush(free, heapq.heappop(free) + each)

    async def main() -> float:
        service = pool(replace(LIMITS, attempt_s=1e6, call_s=1e6))

        async def work(each: float) -> None:
            await service.call(lambda: asyncio.sleep(each))

        async for _ in as_finished(seconds, work, 100):
            pass
        return now()

    assert run(main()) == pytest.approx(max(free), rel=1e-6)


# ---------------------------------------------------------------- a service that is down

DOWN = replace(LIMITS, attempts=1, failures_to_open=5, rest_s=10, probes=3)


def asked_of(down_until: float, limits: Limits, calls: int = 50) -> tuple[list[float], list[CallFailed | str]]:
    """When a service that is down at first was asked, and how each call ended."""
    made: list[float] = []

    async def attempt() -> str:
        made.append(now())
        await asyncio.sleep(0.1)
        if now() < down_until:
            raise CallFailed("server", "500")
        return "Yes"

    async def main() -> list[CallFailed | str]:
        service = pool(limits)

        async def work(_: int) -> CallFailed | str:
            try:
                return await service.call(attempt)
            except CallFailed as failure:
                return failure

        return [end async for end in as_finished(range(calls), work, 1)]

    return made, run(main())


def test_a_service_that_fails_all_calls_is_left_alone_and_found_again() -> None:
    made, ends = asked_of(25, DOWN)
    down = [at for at in made if at < 25]
    assert len(down) == 5 + 1, "five failures open the circuit; one probe failed"
    assert 10 <= down[5] - down[4] <= 10.2
    assert ends.count("Yes") == 50 - 6


def test_while_a_probe_is_out_nobody_else_asks() -> None:
    made: list[float] = []

    async def attempt() -> None:
        made.append(now())
        await asyncio.sleep(1)
        raise CallFailed("server", "500")

    async def main() -> list[CallFailed]:
        service = pool(replace(DOWN, attempts=99, call_s=1e6))

        async def work(_: int) -> CallFailed:
            with pytest.raises(CallFailed) as failure:
                await service.call(attempt)
            return failure.value

        return [end async for end in as_finished(range(20), work, 20)]

    ends = run(main())
    rests = [at for at in made if at > 5]
    assert len([at for at in made if at <= 5]) == 20
    assert len(rests) == 3, "three probes, alone, each later than the one before"
    assert rests[2] - rests[1] > 1.9 * (rests[1] - rests[0])
    assert {end.problem for end in ends} == {"unavailable"}
    assert all("last said: server: 500" in str(end) for end in ends)


def test_a_service_given_up_is_asked_no_more() -> None:
    made, ends = asked_of(float("inf"), DOWN, calls=1000)
    assert len(made) == 5 + 3
    assert len(ends) == 1000
    assert [end.problem for end in ends[8:] if isinstance(end, CallFailed)] == ["unavailable"] * 992


def test_a_refused_key_ends_it_all_at_once() -> None:
    attempt, made = failing(99, "barred")

    async def main() -> list[str]:
        service = pool()

        async def work(_: int) -> str:
            with pytest.raises(CallFailed) as failure:
                await service.call(attempt)
            return failure.value.problem

        return [end async for end in as_finished(range(100), work, 1)]

    assert run(main()) == ["barred"] + ["unavailable"] * 99
    assert len(made) == 1


def test_a_probe_that_was_called_off_lets_another_one_through() -> None:
    async def main() -> str:
        service = pool(replace(DOWN, failures_to_open=1))
        with pytest.raises(CallFailed):
            await service.call(failing(1)[0])
        probe = asyncio.create_task(service.call(lambda: asyncio.sleep(1000)))
        other = asyncio.create_task(service.call(failing(0)[0]))
        await asyncio.sleep(11)
        probe.cancel()
        return await other

    assert run(main()) == "Yes"


# ---------------------------------------------------------------- results


def test_results_come_as_they_are_done() -> None:
    async def work(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    async def main() -> list[float]:
        return [seconds async for seconds in as_finished([3, 1, 2, 0.5], work, 2)]

    assert run(main()) == [1, 3, 2, 0.5]


def test_a_bug_in_our_code_is_not_swallowed_and_stops_the_others() -> None:
    stopped: list[int] = []

    async def work(number: int) -> int:
        try:
            await asyncio.sleep(number)
        except asyncio.CancelledError:
            stopped.append(number)
            raise
        return 1 // (number - 2)

    async def main() -> None:
        async for _ in as_finished([9, 8, 2], work, 3):
            pass

    with pytest.raises(ZeroDivisionError):
        run(main())
    assert sorted(stopped) == [8, 9]


def test_a_caller_without_a_loop_gets_the_same_results() -> None:
    async def work(number: int) -> int:
        await asyncio.sleep(0)
        return number * number

    assert sorted(streamed(lambda: as_finished(range(1, 5), work, 2))) == [1, 4, 9, 16]
    first = streamed(lambda: as_finished(range(1, 5), work, 2))
    assert next(first) == 1
    first.close()


def test_a_failure_travels_between_processes() -> None:
    failure = pickle.loads(pickle.dumps(CallFailed("rate_limited", "slow down", 3.0)))
    assert (failure.problem, failure.retry_after_s, str(failure)) == ("rate_limited", 3.0, "rate limited: slow down")
