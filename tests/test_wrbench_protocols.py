"""WRBench as data: three ways to ask the same, and which rows each number is about."""

from __future__ import annotations

import pytest

from lookaway import protocols
from lookaway.metrics import METRICS
from lookaway.records import Population, Task
from tests.builders import task

VARIANTS = {"wrbench": "sound", "wrbench_paper": "paper", "wrbench_released": "released"}
JUDGED = ("visible_spatial", "visible_state", "judged_support", "reobserved_spatial", "reobserved_state")


@pytest.mark.parametrize(("name", "variant"), VARIANTS.items())
def test_a_protocol_asks_in_one_variant_and_no_more_than_its_metrics_need(name: str, variant: str) -> None:
    protocol = protocols.load(name)
    needed = {ask for ref in protocol.metrics for ask in METRICS.get(str(ref)).all_asks}
    assert set(protocol.asks) == needed
    for asked, ask in protocol.asks.items():
        assert asked == f"{ask.prompt.partition('@')[0].removeprefix('wrbench/')}:{variant}"
        assert ask.variant == variant
        assert ask.role == ("gate" if asked.startswith("judgeable") else "scorer")
    assert {ref.variant for ref in protocol.metrics if ref.name in JUDGED} == {variant}
    assert [ref.name for ref in protocol.headline if ref.name in JUDGED] == [*JUDGED]


def test_the_plan_is_told_as_if_it_had_happened_by_the_paper_alone() -> None:
    told = {name: {a.variant for a in protocols.load(name).asks.values()} for name in VARIANTS}
    assert [name for name, variants in told.items() if "paper" in variants] == ["wrbench_paper"]


def test_the_gate_looks_four_times_a_second_beside_the_first_frame_and_once_as_released() -> None:
    asks = {name: protocols.load(name).asks for name in VARIANTS}
    sound, paper = asks["wrbench"]["judgeable:sound"], asks["wrbench_paper"]["judgeable:paper"]
    assert (sound.frames, sound.reference) == (paper.frames, paper.reference) == ("rate:4:64", True)
    released = asks["wrbench_released"]
    assert {released[name].frames for name in released if name.startswith("judgeable")} == {"rate:1:64"}


@pytest.mark.parametrize("name", VARIANTS)
def test_support_counts_every_output_and_alignment_only_cameras_that_turn(name: str) -> None:
    protocol = protocols.load(name)
    turns, rests = task(), task(twin="static", twin_of="a_task")
    by_metric = {ref.name: protocol.population_of(ref.name, ref.variant) for ref in protocol.headline}
    assert counted(by_metric["judged_support"], turns, rests) == (True, True)
    assert counted(by_metric["visual_integrity"], turns, rests) == (True, True)
    assert counted(by_metric["requested_camera_precision"], turns, rests) == (True, True)
    assert counted(by_metric["prompt_camera_alignment"], turns, rests) == (True, False)
    assert by_metric["requested_camera_precision"].systems == {"condition_type": ("!prompt-only",)}
    assert any(part.fields == ("twin",) for part in protocol.slices), "support over turning cameras alone is a slice"


def counted(population: Population, *tasks: Task) -> tuple[bool, ...]:
    return tuple(population.counts_task(each) for each in tasks)


@pytest.mark.parametrize("name", VARIANTS)
def test_gate_and_scorer_are_to_be_two_models(name: str) -> None:
    assert protocols.load(name).roles["gate"].differs_from == ("scorer",)
