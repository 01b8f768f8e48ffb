"""Two systems on the same tasks: planted differences are found, in words that a paper could print."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lookaway.analyses import Findings, Scale
from lookaway.analyses.ledger_changes import ledger_changes
from lookaway.analyses.system_contrasts import coverage_table, difference_table, p_text, sentence, system_contrasts
from lookaway.analyses.training_curve import training_curves, training_step
from lookaway.analyses.worst_pairs import worst_pairs
from lookaway.outcomes import Abstain
from lookaway.records import ModelCard, Protocol, Score, Step, System
from tests.analyses.score_tables import row, table
from tests.builders import task

PROTOCOL = Protocol(
    name="diorama",
    summary="",
    metrics=("return_identity:sound", "world_clock:sound", "left_view:sound"),
    headline=("return_identity:sound", "world_clock:sound", "left_view:sound"),
    ledger=(
        Step(name="hidden", metric="left_view:sound", at_least=0.5),
        Step(name="same", metric="return_identity:sound", at_least=0.5),
    ),
)
SCENES, PER_SCENE = 12, 3
TASKS = [task(id=f"t{n:02}", scene=f"s{n % SCENES:02}") for n in range(SCENES * PER_SCENE)]
SCALES = {("return_identity", "sound"): Scale(-1, 1, -1), ("left_view", "sound"): Scale(0, 1, 0)}


def known(scores: list[Score], *names: str, checkpoints: tuple[str, ...] = ()) -> Findings:
    cards = [ModelCard(name=name, summary="", control="none", generator="x") for name in names]
    steps = checkpoints or ("unknown",) * len(names)
    systems = [
        System(name=c.name, card=c, checkpoint=step, row=f"{c.name}@{step}" if checkpoints else c.name)
        for c, step in zip(cards, steps, strict=True)
    ]
    return Findings(table(scores), {one.id: one for one in TASKS}, systems, PROTOCOL, SCALES)


def simulated(system: str, identity: float, clock: float, seed: int) -> list[Score]:
    """Scenes are alike for all systems; the noise is each one's own."""
    scenes, rng = np.random.default_rng(0).normal(0, 0.05, SCENES), np.random.default_rng(seed)
    scores = []
    for number, one in enumerate(TASKS):
        common = scenes[number % SCENES]
        values = {"return_identity": identity + common + rng.normal(0, 0.05), "left_view": 1.0}
        values["world_clock"] = clock + rng.normal(0, 0.02)
        scores += [row(one.id, name, float(value), system=system) for name, value in values.items()]
    return scores


def test_a_planted_difference_is_found_and_said_as_a_paper_prints_it() -> None:
    findings = known([*simulated("a", 0.5, 1.0, 1), *simulated("b", 0.7, 1.0, 2)], "a", "b")
    identity, clock, view = system_contrasts(findings)
    assert identity.contrast.low < 0.2 < identity.contrast.high
    assert identity.contrast.p_corrected < 0.01
    assert identity.contrast.correction == "Holm over 2 metrics of the headline"
    assert view.contrast.p is None, "both always left the view: there is nothing to test"
    told = sentence([identity, clock, view])
    assert told.startswith("b remembers better than a: return_identity +0.")
    assert "over 36 paired tasks in 12 scenes, p " in told
    assert told.endswith("after Holm over 2 metrics of the headline.")


def test_the_p_is_scipys_sign_flip_over_scenes() -> None:
    findings = known([*simulated("a", 0.5, 1.0, 1), *simulated("b", 0.52, 1.0, 2)], "a", "b")
    identity, *_ = system_contrasts(findings)
    scenes = identity.pairs.partition_by("scene")
    sums = np.array([(part["second"] - part["first"]).sum() for part in scenes])
    assert len(sums) == SCENES
    test = stats.permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert identity.contrast.p == pytest.approx(test.pvalue)


@pytest.mark.parametrize(("clocks", "word"), [((1.0, 0.6), "worse"), ((0.6, 1.0), "better"), ((0.6, 1.4), None)])
def test_what_is_best_at_one_is_compared_by_its_distance_from_one(clocks: tuple[float, float], word: str) -> None:
    scores = [*simulated("a", 0.5, clocks[0], 1), *simulated("b", 0.5, clocks[1], 2)]
    found = system_contrasts(known(scores, "a", "b"))
    told = sentence(found)
    assert (f"b remembers {word} than a: distance of world_clock from 1" in told) == (word is not None)


def test_better_and_worse_are_both_said() -> None:
    told = sentence(system_contrasts(known([*simulated("a", 0.5, 0.6, 1), *simulated("b", 0.2, 1.0, 2)], "a", "b")))
    assert "b remembers better than a: distance of world_clock" in told
    assert ", but remembers worse than a: return_identity -0." in told


def test_the_same_numbers_twice_are_no_difference() -> None:
    once = simulated("a", 0.5, 1.0, 1)
    again = [score.model_copy(update={"system": "b"}) for score in once]
    found = system_contrasts(known([*once, *again], "a", "b"))
    assert all(one.contrast.p is None for one in found)
    assert "b and a cannot be told apart: both arms are equal in all 36 pairs" in sentence(found)


def test_noise_alone_hardly_ever_makes_a_sentence() -> None:
    names = [f"n{number}" for number in range(60)]
    scores = [score for n, name in enumerate(names) for score in simulated(name, 0.5, 1.0, n + 1)]
    alarms = 0
    for one in names[1:]:
        mine = [score for score in scores if score.system in (names[0], one)]
        alarms += sentence(system_contrasts(known(mine, names[0], one))).startswith(f"{one} ")
    assert alarms <= 8


def test_only_what_both_were_asked_is_compared_and_the_rest_is_counted() -> None:
    scores = [*simulated("a", 0.5, 1.0, 1), *simulated("b", 0.7, 1.0, 2)]
    gone = {"t00", "t01"}
    scores = [score for score in scores if score.system == "a" or score.task not in gone]
    scores += [score.model_copy(update={"seed": 1}) for score in scores if score.system == "b" and score.task == "t05"]
    lost = [row("t02", "return_identity", None, "never turned", system="b")]
    scores = [s for s in scores if (s.system, s.task, s.metric) != ("b", "t02", "return_identity")] + lost
    findings = known(scores, "a", "b")
    identity, *_ = system_contrasts(findings)
    assert (identity.contrast.n_pairs, identity.tasks) == (33, 33)
    assert identity.contrast.missing == {"b: never turned": 1}
    coverage = coverage_table(findings)
    counts = {row.title: [cell.value for cell in row.cells] for row in coverage.rows}
    assert counts == {"b": [34, 35, 34, 34], "a": [36, 36, 34, 34]}
    assert coverage.notes == ("b: 1× seed not made by a", "a: 2× task not made by b")
    assert difference_table([identity], findings).rows[0].cells[2].n == 33


def test_clips_that_are_lost_anew_are_told_with_step_and_reason() -> None:
    scores = [*simulated("a", 0.8, 1.0, 1), *simulated("b", 0.8, 1.0, 2)]
    changed = {("b", "t03", "return_identity"): 0.1, ("b", "t04", "left_view"): 0.2, ("a", "t05", "left_view"): 0.0}
    changed |= {("a", "t06", "left_view"): 0.0, ("b", "t06", "left_view"): 0.0}  # lost by both: no change
    scores = [
        score.model_copy(update={"value": changed.get((score.system, score.task, score.metric), score.value)})
        for score in scores
    ]
    (made,) = ledger_changes(known(scores, "a", "b"))
    found = {row.title: [cell.value for cell in row.cells] for row in made.rows}
    assert found == {"hidden": [34, 34, 1, 1], "same": [34, 33, 1, 0]}
    assert "newly lost at same: 1× return_identity below 0.5; such as t03/b/0" in "\n".join(made.notes)


def test_the_worst_pairs_are_those_that_fell_furthest() -> None:
    scores = [*simulated("a", 0.8, 1.0, 1), *simulated("b", 0.8, 1.0, 2)]
    falls = {"t07": -0.5, "t11": -0.3, "t20": 0.0, "t30": 0.2}
    scores = [
        score.model_copy(update={"value": falls[score.task]})
        if score.system == "b" and score.metric == "return_identity" and score.task in falls
        else score
        for score in scores
    ]
    findings = known(scores, "a", "b")
    assert [pair.task for pair in worst_pairs(system_contrasts(findings), findings)] == ["t07", "t11", "t20"]


def test_checkpoints_are_a_curve_in_the_order_of_training() -> None:
    steps = ("step-2000", "step-500", "step-10000")
    scores = [
        score.model_copy(update={"system": f"m@{step}"})
        for number, step in enumerate(steps)
        for score in simulated("m", (0.4, 0.2, 0.6)[number], 1.0, number)
    ]
    (curve,) = training_curves(known(scores, "m", "m", "m", checkpoints=steps))
    assert [row.title for row in curve.rows] == ["500", "2000", "10000"]
    values = [row.cells[0].value for row in curve.rows]
    assert values == sorted(values)
    assert (curve.shape, curve.rows[0].cells[0].n) == ("curve", 36)
    assert isinstance(training_curves(known(scores, "m", checkpoints=("final",))), Abstain)


@pytest.mark.parametrize(
    ("name", "step"),
    [("a/b/step_2000", 2000), ("12k", 12000), ("epoch 3 step 1,500", 1500), ("final", None), ("unnamed 12", None)],
)
def test_a_training_step_is_the_last_number_of_a_name(name: str, step: float | None) -> None:
    assert training_step(name) == step


@pytest.mark.parametrize(("p", "told"), [(0.0004, "< .001"), (0.0021, "= .002"), (1.0, "= 1"), (0.25, "= .250")])
def test_a_p_reads_as_papers_print_it(p: float, told: str) -> None:
    assert p_text(p) == told
