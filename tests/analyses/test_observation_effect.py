"""The observation effect: a planted one is found, with its sign and size; where there is none, none is."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from lookaway.analyses import Findings
from lookaway.analyses.observation_effect import Effect, effects, observation_effect
from lookaway.metrics import find
from lookaway.outcomes import Abstain
from lookaway.records import Contrast, Interval, Population, Protocol, Score, Step, Table, Task
from tests.analyses.score_tables import findings, of, row, table
from tests.builders import task

PROTOCOL = Protocol(
    name="diorama",
    summary="",
    metrics=("object_return:sound", "world_clock:sound", "turned_away:sound", "cut:sound"),
    headline=("object_return:sound", "world_clock:sound"),
    ledger=(
        Step(name="delivered", metric="turned_away:sound", at_least=1.0),
        Step(name="right", metric="object_return:sound", at_least=0.5),
    ),
)
SCENES, PER_SCENE = 12, 2
AWAY = tuple(
    Interval(phase=phase, start_s=start, end_s=end)
    for phase, start, end in (("visible", 0.0, 1.5), ("hidden", 1.5, 2.5), ("returned", 2.5, 3.0))
)
DRAWS = 400
METRICS = ("object_return", "world_clock", "cut", "turned_away")


def twins(scenes: int = SCENES) -> list[Task]:
    made = []
    for number in range(scenes * PER_SCENE):
        name, scene = f"t{number:02}", f"s{number % scenes:02}"
        made += [task(id=name, scene=scene), task(id=f"{name}_observed", scene=scene, twin="observed", twin_of=name)]
    return made


TASKS = twins()


def simulated(
    rng: np.random.Generator, effect: float, system: str = "truth", metrics: tuple[str, ...] = METRICS
) -> list[Score]:
    """Scenes that differ, and noise; metrics of the headline are shifted by the effect where the subject was hidden."""
    scores = []
    of_scene = dict(zip(sorted({one.scene for one in TASKS}), rng.normal(0.5, 0.1, SCENES), strict=True))
    for one, metric in itertools.product(TASKS, metrics):
        shift = effect if one.twin is None and metric != "cut" else 0.0
        value = of_scene[one.scene] + rng.normal(0, 0.1) + shift
        scores.append(row(one.id, metric, 1.0 if metric == "turned_away" else float(value), system=system))
    return scores


def known(
    scores: list[Score] | pl.DataFrame, tasks: list[Task] = TASKS, names: tuple[str, ...] = ("truth",), **changes: Any
) -> Findings:
    scores = scores if isinstance(scores, pl.DataFrame) else table(scores)
    return findings(scores, tasks, names, PROTOCOL.model_copy(update=changes))


def one(found: list[Effect], metric: str, system: str = "truth") -> Effect:
    (effect,) = [e for e in found if (e.metric.name, e.system) == (metric, system)]
    return effect


@pytest.mark.parametrize("effect", [-0.3, 0.2])
def test_a_planted_effect_is_found_with_its_sign_and_size(effect: float) -> None:
    found = effects(known(simulated(np.random.default_rng(0), effect)))
    for metric in ("object_return", "world_clock"):
        made = one(found, metric).contrast
        assert made.n_pairs == SCENES * PER_SCENE
        assert made.n_scenes == SCENES
        assert made.low < effect < made.high
        assert made.low * made.high > 0, "the interval leaves no doubt about the sign"
        assert made.p_corrected < 0.01
    step = one(found, "right").contrast
    assert np.sign(step.estimate) == np.sign(effect)
    assert step.p_beside["exact McNemar"] < 0.05
    assert not one(found, "cut").contrast.correction, "it was not planted there, and nothing corrects it"


def drawn_again(effect: float, seed: int) -> list[Contrast]:
    """The effect on one metric in so many draws."""
    names = tuple(f"draw {n}" for n in range(DRAWS))
    rngs = [np.random.default_rng([seed, n]) for n in range(DRAWS)]
    metrics = ("object_return",)
    scores = [s for name, rng in zip(names, rngs, strict=True) for s in simulated(rng, effect, name, metrics)]
    alone = {"metrics": PROTOCOL.headline[:1], "headline": PROTOCOL.headline[:1], "ledger": ()}
    return [found.contrast for found in effects(known(scores, names=names, **alone))]


def test_the_interval_holds_the_planted_effect_as_often_as_it_says() -> None:
    made = drawn_again(-0.1, seed=1)
    assert len(made) == DRAWS
    assert sum(one.low <= -0.1 <= one.high for one in made) >= stats.binom.ppf(0.001, DRAWS, 0.95)


def test_a_null_effect_is_not_found() -> None:
    alarms = sum(one.p < 0.05 for one in drawn_again(0.0, seed=2))
    assert stats.binom.ppf(0.001, DRAWS, 0.05) <= alarms <= stats.binom.ppf(0.999, DRAWS, 0.05)


def test_each_system_has_its_own_effect_and_one_correction() -> None:
    rng = np.random.default_rng(3)
    scores = [*simulated(rng, -0.3, "forgets"), *simulated(rng, 0.0, "remembers")]
    overview, tests, further = tables_of(known(scores, names=("forgets", "remembers")))
    assert [row.title for row in overview.rows] == ["forgets", "remembers"]
    forgets, remembers = (row.cells[0] for row in overview.rows)
    assert "significant" in forgets.marks
    assert forgets.value < forgets.high < 0
    assert "significant" not in remembers.marks
    assert remembers.low < 0 < remembers.high
    titles = [row.title for row in tests.rows if row.group == "forgets"]
    assert titles[0] == f"object_return ({find(PROTOCOL.headline[0]).unit}, higher is better)"
    assert "step: right (rate, higher is better)" in titles
    assert {row.title.split()[0] for row in further.rows} == {"cut", "turned_away"}
    assert {row.cells[2].reason for row in further.rows} == {"not corrected", "no p"}


def tables_of(what: Findings) -> list[Table]:
    found = observation_effect(what)
    assert not isinstance(found, Abstain)
    return found


def test_pairs_with_a_missing_side_are_counted_and_not_imputed() -> None:
    scores = simulated(np.random.default_rng(4), -0.3)
    hidden = [score for score in scores if (score.task, score.metric) == ("t00", "object_return")]
    whole = one(effects(known(scores)), "object_return").contrast
    some = [score for score in scores if score not in hidden] + [of("t00", "avoided", "object_return")]
    found = one(effects(known(some)), "object_return").contrast
    assert found.n_pairs == whole.n_pairs - 1
    assert found.missing == {"hidden: why": 1}
    assert found.estimate != whole.estimate
    overview, *_ = tables_of(known(some))
    assert (overview.rows[0].cells[0].n, overview.rows[0].cells[0].total) == (whole.n_pairs - 1, whole.n_pairs)
    assert "truth: 1 pairs of readings lack a number: 1× hidden: why" in overview.notes


def test_the_table_tells_who_borrows_an_observed_clip_and_who_has_none() -> None:
    cover = {"camera": "hold@3s", "phases": AWAY, "scene": "s"}
    own = task(id="a", cover="hold@1s, curtain:close@1s, hold@1s").model_copy(update=cover)
    tasks = [
        own,
        own.model_copy(update={"id": "seen", "twin": "observed", "twin_of": "a", "cover": ""}),
        own.model_copy(update={"id": "b", "cover": "hold@1s, lights:off@1s, hold@1s"}),
        own.model_copy(update={"id": "breeze", "prompt": "A breeze.", "variant_of": "a"}),
        own.model_copy(update={"id": "back", "prompt": "Back.", "twin": "opposite", "twin_of": "a"}),
    ]
    scores = [row(one.id, "object_return", 0.5) for one in tasks]
    overview, *_ = tables_of(known(scores, tasks, ledger=(), population=Population(twins=("opposite",))))
    assert overview.rows[0].cells[0].n == 2
    notes = " ".join(overview.notes)
    assert "1 tasks are set against the observed clip of another cover" in notes
    assert "2 hidden tasks have no observed arm" in notes
    assert "the opposite act is never watched throughout" in notes
    assert "no observed task has the same condition" in notes


def test_an_unknown_clip_is_never_counted_as_reached() -> None:
    scores = [score for score in simulated(np.random.default_rng(5), 0.0) if score.metric != "turned_away"]
    found = effects(known([*scores, *(of(each.id, "abstained") for each in TASKS)]))
    for step in ("delivered", "right"):
        assert one(found, step).contrast.estimate is None
        assert one(found, step).contrast.n_pairs == 0
    assert one(found, "object_return").contrast.n_pairs == SCENES * PER_SCENE


def test_the_order_of_rows_does_not_matter() -> None:
    scores = table(simulated(np.random.default_rng(6), -0.1))
    first = observation_effect(known(scores))
    for seed in range(3):
        assert observation_effect(known(scores.sample(fraction=1, shuffle=True, seed=seed))) == first


def test_two_instruments_are_two_columns() -> None:
    rng = np.random.default_rng(7)
    scores: list[Score] = []
    for name, effect in (("A", -0.3), ("B", 0.0)):
        for score in simulated(rng, effect):
            if score.metric == "object_return":
                scores.append(score.model_copy(update={"instrument": name, "instrument_key": name.lower()}))
    overview, *_ = tables_of(known(scores))
    titles = [column.title for column in overview.columns if column.group == "metrics"]
    assert titles == ["object_return, by A", "object_return, by B"]
    assert overview.rows[0].cells[0].value == pytest.approx(-0.3, abs=0.1)
    assert overview.rows[0].cells[1].value == pytest.approx(0.0, abs=0.1)


def test_only_pairs_of_the_population_count() -> None:
    tasks = [each.model_copy(update={"family": "x" if each.scene < "s06" else "y"}) for each in TASKS]
    protocol = PROTOCOL.model_copy(update={"population": Population(tasks={"family": ("x",)}, opportunity=False)})
    what = findings(table(simulated(np.random.default_rng(8), -0.3)), tasks, ("truth",), protocol)
    assert one(effects(what), "object_return").contrast.n_pairs == SCENES * PER_SCENE // 2


@pytest.mark.parametrize(
    ("tasks", "reason"),
    [
        ([each for each in TASKS if each.twin is None], "no task has an observed twin"),
        (TASKS, "no task and its observed twin have a number in the same metric"),
    ],
)
def test_without_pairs_it_abstains(tasks: list[Task], reason: str) -> None:
    scores = [score for score in simulated(np.random.default_rng(9), 0.0) if "observed" not in score.task]
    assert observation_effect(known(scores, tasks)) == Abstain(reason)


def test_a_metric_that_is_best_at_one_says_so_and_points_nowhere() -> None:
    overview, tests, _ = tables_of(known(simulated(np.random.default_rng(10), -0.1)))
    (clock,) = [column for column in overview.columns if "world_clock" in column.title]
    assert (clock.title, clock.better) == ("world_clock (best at 1)", "none")
    assert any("best at 1" in row.title for row in tests.rows)


def test_an_interval_ends_where_no_difference_can_be_larger() -> None:
    """One step of two scenes turns: mean 0.5, and its t interval alone would reach far beyond 1."""
    scores = [row(each.id, "turned_away", 1.0) for each in twins(2)]
    scores += [row(each.id, "object_return", float(each.twin is not None or each.scene == "s00")) for each in twins(2)]
    step = one(effects(known(scores, twins(2))), "right").contrast
    assert (step.estimate, step.low, step.high) == (-0.5, -1.0, 1.0)
