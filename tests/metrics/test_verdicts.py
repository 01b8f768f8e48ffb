"""What five verifiers come to: verdicts, and the successes that are made of them."""

from __future__ import annotations

import pytest

from lookaway.metrics import METRICS, Case
from lookaway.outcomes import Abstain
from lookaway.readings.verdicts import CONTROL, EVOLUTION, VERIFIERS, ask_of
from lookaway.records import Answer, Interval
from tests.builders import task
from tests.metrics.judged_cases import answer, heard, value

OF_EACH = {
    "observation": ("observation_control", ("paper_text", "paper_prompt", "released", "sound")),
    "action": ("action_control", ("paper_text", "paper_prompt", "released", "sound")),
    "progress": ("state_progress", ("paper", "released", "sound")),
    "physics": ("physical_plausibility", ("paper", "released", "sound")),
    "coherence": ("coherence", ("paper", "released", "sound")),
}
EACH = [(verifier, name, variant) for verifier, (name, variants) in OF_EACH.items() for variant in variants]
SILENT = answer(status="invalid", reason="no form")


def says(choice: str) -> Answer:
    return answer(estimator="structured", choice=choice)


def verdicts(variant: str, **good: bool | None) -> dict[str, Answer]:
    """Answers by ask, from whether each verifier speaks for the video; None: it gives no verdict."""
    found = {}
    for verifier, holds in good.items():
        speaks_for = VERIFIERS[verifier][1]
        found[ask_of(verifier, variant)] = SILENT if holds is None else says("yes" if holds == speaks_for else "no")
    return found


@pytest.mark.parametrize(("verifier", "name", "variant"), EACH)
def test_a_verdict_for_the_video_is_one_whichever_way_its_verifier_is_asked(
    verifier: str, name: str, variant: str
) -> None:
    for holds in (True, False):
        assert value(f"{name}:{variant}", heard(verdicts(variant, **{verifier: holds}))) == float(holds)
    assert METRICS.get(f"{name}:{variant}").asks == (ask_of(verifier, variant),)


@pytest.mark.parametrize(("verifier", "name", "variant"), EACH)
def test_no_verdict_is_no_failure(verifier: str, name: str, variant: str) -> None:
    found = value(f"{name}:{variant}", heard(verdicts(variant, **{verifier: None})))
    assert isinstance(found, Abstain)
    assert "no form" in found.reason


@pytest.mark.parametrize("variant", ["released", "sound"])
def test_a_task_succeeds_when_all_five_hold(variant: str) -> None:
    every = dict.fromkeys((*CONTROL, *EVOLUTION), True)
    assert value(f"task_success:{variant}", heard(verdicts(variant, **every))) == 1.0
    for verifier in every:
        broken = heard(verdicts(variant, **every | {verifier: False}))
        assert value(f"task_success:{variant}", broken) == 0.0
        group = "control_success" if verifier in CONTROL else "evolution_success"
        other = "evolution_success" if verifier in CONTROL else "control_success"
        assert value(f"{group}:{variant}", broken) == 0.0
        assert value(f"{other}:{variant}", broken) == 1.0


def test_one_verdict_against_decides_and_one_missing_does_not() -> None:
    known = {"progress": False, "physics": None, "coherence": True}
    assert value("evolution_success:sound", heard(verdicts("sound", **known))) == 0.0
    unknown = {"progress": True, "physics": None, "coherence": True}
    assert isinstance(value("evolution_success:sound", heard(verdicts("sound", **unknown))), Abstain)


def test_the_papers_task_success_takes_the_controls_as_its_printed_prompts_ask() -> None:
    controls = verdicts("paper_prompt", observation=True, action=True)
    assert value("task_success:paper", heard(controls | verdicts("paper", **dict.fromkeys(EVOLUTION, True)))) == 1.0


def test_an_observed_twin_is_asked_about_the_seconds_that_its_task_hides() -> None:
    yoked = (Interval(phase="hidden", start_s=1.0, end_s=2.0),)
    answers = {"progress_observed:yoked": {"a": says("yes")}}
    assert value("state_progress:yoked", Case(task(yoked=yoked), None, {}, answers)) == 1.0
    assert value("state_progress:yoked", heard({"progress:yoked": says("no")})) == 0.0
