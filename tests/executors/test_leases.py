"""The lease queue: every job is done once, whoever dies, and a job that kills is given up."""

from __future__ import annotations

import random

from lookaway.executors import Group
from lookaway.executors.ray.leases import MOST_JOBS, STRIKES, Leases

LEASE_S, SLICE_S = 60.0, 1.0


def leases(*groups: list[str], device: bool = False) -> Leases:
    return Leases([Group(jobs, device) for jobs in groups], LEASE_S, SLICE_S)


def test_a_group_stays_with_its_worker_and_short_jobs_go_out_together() -> None:
    queue = leases([f"a{k}" for k in range(200)], ["b"])
    assert queue.take("one", False, 0.0) == ["a0"], "nobody knows yet how long they take"
    assert queue.take("two", False, 0.0) == ["b"]
    queue.done("one", 1, 0.1)
    assert queue.take("one", False, 0.1) == [f"a{k}" for k in range(1, 11)], "a second's worth"
    queue.done("one", 10, 0.11)
    assert len(queue.take("one", False, 0.2)) == MOST_JOBS
    queue.done("two", 1, 1.0)
    assert queue.take("two", False, 1.0) == [], "the rest of a group is its worker's"


def test_what_a_dead_worker_had_goes_to_others_and_what_it_reported_does_not() -> None:
    queue = leases(["a", "b", "c", "d"])
    queue.take("one", False, 0.0)
    queue.done("one", 1, 0.5)
    assert queue.take("one", False, 0.5) == ["b", "c"]
    assert queue.lose("one", "killed") == []
    taken = []
    while jobs := queue.take("two", False, 2.0):
        taken += jobs
        queue.done("two", len(jobs), 2.1)
    assert taken == ["b", "c", "d"]
    assert queue.left == 0


def test_a_job_that_kills_its_workers_is_given_up_and_costs_no_other() -> None:
    queue = leases(["a", "bad", "c"], ["d", "e"])
    done, lost, number = [], [], 0
    while queue.left:
        number += 1
        while jobs := queue.take(f"w{number}", False, 0.0):
            if "bad" in jobs:
                lost += queue.lose(f"w{number}", "killed")
                break
            done += jobs
            queue.done(f"w{number}", len(jobs), 0.001)
    assert sorted(done) == ["a", "c", "d", "e"]
    (given_up,) = lost
    assert given_up.job == "bad"
    assert given_up.reason.startswith(f"{STRIKES} workers died over it")
    assert number <= STRIKES + 1


def test_a_lease_ends_when_its_worker_is_not_heard_and_not_before() -> None:
    queue = leases(["a"], ["b"])
    queue.take("one", False, 0.0)
    queue.take("two", False, 0.0)
    queue.heard("two", 50.0)
    assert queue.expired(59.0) == []
    assert queue.expired(61.0) == ["one"]
    queue.done("two", 1, 70.0)
    assert queue.expired(1000.0) == ["one"], "who has nothing to do need not be heard"


def test_a_worker_that_did_less_than_it_was_sent_goes_on_with_the_rest() -> None:
    queue = leases(["a", "b", "c"])
    queue.take("one", False, 0.0)
    queue.done("one", 1, 0.01)
    assert queue.take("one", False, 0.1) == ["b", "c"]
    queue.done("one", 1, 9.0)
    assert queue.take("one", False, 9.0) == ["c"]
    assert queue.left == 1


def test_only_workers_with_a_device_get_what_wants_one() -> None:
    queue = Leases([Group(["fast"], device=True), Group(["plain"])], LEASE_S, SLICE_S)
    assert (queue.wanted(False), queue.wanted(True)) == (1, 1)
    assert queue.take("cpu", False, 0.0) == ["plain"]
    assert queue.take("gpu", True, 0.0) == ["fast"]
    queue.lose("gpu", "killed")
    queue.done("cpu", 1, 1.0)
    assert queue.take("cpu", False, 1.0) == []
    assert queue.take("other gpu", True, 1.0) == ["fast"]


def test_whoever_dies_whenever_every_job_ends_once() -> None:
    rng = random.Random(4)
    for _ in range(200):
        groups = [[(g, k) for k in range(rng.randint(1, 6))] for g in range(rng.randint(1, 8))]
        queue = Leases([Group(jobs, rng.random() < 0.3) for jobs in groups], LEASE_S, SLICE_S)
        workers = {f"w{k}": bool(k % 2) for k in range(4)}
        ended, now = [], 0.0
        while queue.left:
            now += rng.random()
            name = rng.choice(sorted(workers))
            jobs = queue.take(name, workers[name], now)
            if jobs and rng.random() < 0.2:
                ended += [lost.job for lost in queue.lose(name, "killed")]
                workers[f"{name}'"] = workers.pop(name)
            elif jobs:
                count = rng.randint(1, len(jobs))
                ended += jobs[:count]
                queue.done(name, count, now + rng.random())
        assert sorted(ended) == sorted(job for jobs in groups for job in jobs)
