"""Arms inside one world: a fork that kept watching, and true frames that were not given."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from lookaway.analyses import Findings
from lookaway.analyses.fork_effect import WATCHING, fork_effect
from lookaway.analyses.observation_effect import effects
from lookaway.analyses.pairs import HIDDEN, branch_tasks
from lookaway.analyses.prefix_effect import OUTCOMES, prefix_effect
from lookaway.outcomes import Abstain
from lookaway.records import Contrast, Score, Table, Task
from tests.analyses.score_tables import LEDGER, findings, in_scenes, of, row, table
from tests.builders import task

SCENES, PER_SCENE, DRAWS = 12, 2, 200
PROTOCOL = LEDGER.model_copy(update={"headline": LEDGER.metrics[1:]})
TASKS = in_scenes(*(f"s{number % SCENES:02}" for number in range(SCENES * PER_SCENE)))


def forked(rng: np.random.Generator, effect: float, system: str = "truth") -> list[Score]:
    """The same world in both branches, and noise; who looked away is off by the effect."""
    scores = []
    for one, branch in itertools.product(TASKS, ("", "watching")):
        value = rng.normal(0.6, 0.05) + (0.0 if branch else effect)
        scores.append(row(one.id, "object_return", float(value), system=system, branch=branch))
        scores.append(row(one.id, "turned_away", 1.0, system=system, branch=branch))
    return scores


def known(scores: list[Score], tasks: list[Task] = TASKS, names: tuple[str, ...] = ("truth",)) -> Findings:
    return findings(table(scores), tasks, names, PROTOCOL)


def made(found: list[Table] | Abstain) -> Table:
    assert not isinstance(found, Abstain), found.reason
    (only,) = found
    return only


def test_a_planted_effect_of_looking_away_is_found_inside_one_world() -> None:
    cell = made(fork_effect(known(forked(np.random.default_rng(0), -0.3)))).rows[0].cells[0]
    assert (cell.n, cell.total) == (len(TASKS), len(TASKS))
    assert cell.low is not None
    assert cell.high is not None
    assert cell.low < cell.high < 0
    assert "significant" in cell.marks


def drawn(effect: float) -> list[Contrast]:
    names = tuple(f"draw {number}" for number in range(DRAWS))
    scores = [score for n, name in enumerate(names) for score in forked(np.random.default_rng([1, n]), effect, name)]
    what = known(scores, names=names)
    found = effects(what, HIDDEN, WATCHING, branch_tasks(what, "watching"))
    return [one.contrast for one in found if one.metric.name == "object_return"]


def test_the_interval_holds_the_planted_effect_as_often_as_it_says() -> None:
    held = sum(one.low <= -0.3 <= one.high for one in drawn(-0.3) if one.low is not None and one.high is not None)
    assert held >= stats.binom.ppf(0.001, DRAWS, 0.95)


def test_a_null_effect_is_not_found() -> None:
    alarms = sum(one.p < 0.05 for one in drawn(0.0) if one.p is not None)
    assert stats.binom.ppf(0.001, DRAWS, 0.05) <= alarms <= stats.binom.ppf(0.999, DRAWS, 0.05)


def test_only_tasks_that_have_the_branch_are_in_pairs() -> None:
    scores = [*forked(np.random.default_rng(2), 0.0), row("covered", "object_return", 0.5)]
    cell = made(fork_effect(known(scores, [*TASKS, task(id="covered", scene="z")]))).rows[0].cells[0]
    assert cell.total == len(TASKS)
    without = fork_effect(known([score for score in scores if not score.branch]))
    assert isinstance(without, Abstain)
    assert "--branches watching" in without.reason


def given(counts: dict[str, int], system: str = "truth") -> tuple[list[Task], list[Score]]:
    """So many pairs of each outcome."""
    tasks, scores = [], []
    outcomes = [name for name, count in counts.items() for _ in range(count)]
    for number, name in enumerate(outcomes):
        one = task(id=f"p{number}", scene=f"s{number}", prefix="f" * 64, prefix_s=3.0)
        tasks.append(one)
        for branch, value in zip(("", "without-prefix"), OUTCOMES[name], strict=True):
            scores.append(row(one.id, "turned_away", 1.0, system=system, branch=branch))
            scores.append(row(one.id, "object_return", value, system=system, branch=branch))
    return tasks, scores


def test_who_fails_with_the_way_out_given_forgot_and_who_fails_only_without_could_not_steer() -> None:
    tasks, scores = given({"both": 2, "could not steer": 5, "forgot": 3})
    cells = made(prefix_effect(known(scores, tasks))).rows[0].cells
    assert [cell.value for cell in cells] == pytest.approx([0.2, 0.5, 0.3, 0.0, 0.5])
    assert {cell.n for cell in cells} == {10}
    assert cells[-1].low is not None
    assert cells[-1].low > 0


def test_what_is_unknown_on_one_side_is_left_out_and_counted() -> None:
    tasks, scores = given({"both": 3, "forgot": 3})
    unknown = [s for s in scores if (s.task, s.branch, s.metric) != ("p0", "", "turned_away")]
    cells = made(prefix_effect(known([*unknown, of("p0", "abstained")], tasks))).rows[0].cells
    assert (cells[0].n, cells[0].total) == (5, 6)
    assert cells[0].value == pytest.approx(2 / 5)


def test_prefix_and_no_prefix_need_both_branches_and_a_ledger() -> None:
    tasks, scores = given({"both": 2})
    alone = prefix_effect(known([score for score in scores if not score.branch], tasks))
    assert isinstance(alone, Abstain)
    assert "--branches without-prefix" in alone.reason
    bare = findings(table(scores), tasks, ("truth",), PROTOCOL.model_copy(update={"ledger": ()}))
    assert isinstance(prefix_effect(bare), Abstain)
