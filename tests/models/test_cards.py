"""Cards tell where each fact comes from, and every system that a paper evaluates has exactly one."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from lookaway import models
from lookaway.errors import UsageError
from lookaway.generators import maker_of
from lookaway.models.table import ordered, row
from lookaway.records import Evaluation, ModelCard

EVALUATED = models.evaluated()
CONTROLS = {"poses", "camera_rows", "plucker", "actions", "steps", "text", "source_video", "geometry", "given"}

# Names as the papers print them: WRBench's Table 2, MemoBench's Table S1, StEvo-Bench's section 4.1.
PRINTED = {
    "wrbench": [
        "ReCamMaster",
        "HyDRA",
        "InSpatio World 14B",
        "Gen3C",
        "Spatia",
        "VerseCrafter",
        "Wan-Fun 2.1-14B",
        "Wan-Fun 2.1-1.3B",
        "Wan-Fun 2.2-5B",
        "Wan-Fun 2.2-A14B",
        "Lingbot World Cam",
        "Lingbot World Act",
        "LiveWorld",
        "Hunyuan GameCraft",
        "Hunyuan WorldPlay",
        "MagicWorld",
        "Hailuo 2.3",
        "HappyHorse 1.0 I2V",
        "Kling v2.6",
        "Wan2.2 I2V Plus",
        "Wan2.6 I2V",
        "Wan2.7 I2V",
        "WanX2.1 I2V Turbo",
    ],
    "memobench": [
        "LingBot-World",
        "Wan2.2",
        "FantasyWorld",
        "HunyuanWorldPlay",
        "HunyuanGameCraft",
        "Matrix-Game 2.0",
        "Stable Virtual Camera",
        "Open-SoRA",
        "LTX-Video",
        "CogVideoX",
    ],
    "stevo": [
        "Veo 3",
        "Sora 2 Pro",
        "WAN 2.2",
        "CogVideoX 1.5",
        "HunyuanVideo 1.5",
        "Genie 3",
        "HunyuanWorld 1.0",
        "LingBot-World",
        "GEN3C",
        "VMem",
        "AETHER",
    ],
}


@pytest.mark.parametrize(("paper", "count"), [("wrbench", 23), ("memobench", 10), ("stevo", 11)])
def test_every_system_of_a_paper_has_one_card_and_no_card_is_left_over(paper: str, count: int) -> None:
    named = [models.called(paper, spelling).name for spelling in PRINTED[paper]]
    assert sorted(named) == [card.name for card in EVALUATED if paper in card.papers]
    assert len(set(named)) == count


def test_the_papers_evaluate_36_systems_in_all() -> None:
    assert len(EVALUATED) == 36


def test_a_spelling_names_one_system_within_all_papers() -> None:
    pairs = {(name, c.name) for c in EVALUATED for paper in c.papers.values() for name in paper.called}
    spelled = sorted(name for name, _ in pairs)
    assert spelled == sorted(set(spelled))


def test_an_unknown_spelling_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no system of memobench named 'Wan2\.1'; did you mean Wan2\.2"):
        models.called("memobench", "Wan2.1")


@pytest.mark.parametrize("name", models.names())
def test_a_card_in_the_package_gives_a_source_for_every_fact(name: str) -> None:
    models.check_sources(models.load(name))
    assert re.fullmatch(r"[a-z0-9.-]+", name)


@pytest.mark.parametrize("card", EVALUATED, ids=lambda card: card.name)
def test_a_card_of_an_evaluated_system_says_what_every_user_needs(card: ModelCard) -> None:
    assert card.condition_type in ("source-video", "geometry-cache", "model-inferred", "prompt-only")
    assert card.control in CONTROLS
    assert card.generator in ("command", "http", "session")
    assert (card.generator == "command") != (card.weights == "closed")
    assert card.input
    assert (card.input_policy == "source_only") == ("source-video" in card.input)
    assert all(paper.label for paper in card.papers.values())
    assert models.system(card.name).card == card


def sourced(**facts: object) -> ModelCard:
    return ModelCard.model_validate(
        {"name": "m", "summary": "s", "control": "text", "generator": "g", "sources": {"control": "a page"}} | facts
    )


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"frames": 81}, "no source for frames"),
        ({"can_step": False}, "no source for can_step"),
        ({"input": ("image",)}, "no source for input"),
        ({"control_settings": {"relative": True}}, "no source for control_settings.relative"),
        ({"sources": {"control": "a page", "fps": "a page"}}, "a source for fps, which the card does not state"),
        ({"sources": {"control": "a page", "fsp": "a page"}}, "a source for fsp, which the card does not state"),
    ],
)
def test_a_fact_without_a_source_and_a_source_without_a_fact_are_refused(facts: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=re.escape(named)):
        models.check_sources(sourced(**facts))


def test_one_source_may_stand_for_all_control_settings_and_one_setting_may_have_its_own() -> None:
    sources = {"control": "a page", "control_settings": "a file", "control_settings.relative": "another"}
    card = sourced(control_settings={"relative": True, "format": "npy"}, sources=sources)
    models.check_sources(card)
    assert card.source("control_settings.format") == "a file"
    assert card.source("control_settings.relative") == "another"
    assert card.source("fps") is None


def test_a_card_of_ones_own_may_leave_sources_out_but_not_tell_secrets(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('summary = "s"\ncontrol = "poses"\ngenerator = "g"\nframes = 81\n')
    assert models.load(str(own)).frames == 81
    own.write_text(own.read_text() + '[control_settings]\napi_key = "x"\n')
    with pytest.raises(UsageError, match=r"control_settings\.api_key looks like a secret"):
        models.load(str(own))


def test_a_card_whose_generator_is_not_there_says_what_to_do_instead() -> None:
    card = sourced(generator="no_such_thing")
    with pytest.raises(UsageError, match=r"m: its card needs the generator 'no_such_thing'.*bring its videos"):
        maker_of(card)


def test_rows_go_from_most_given_to_least_and_show_what_is_unknown() -> None:
    listed = [row(card)["condition"] for card in ordered(EVALUATED)]
    assert [condition for condition, _ in itertools.groupby(listed)] == [
        "source-video",
        "geometry-cache",
        "model-inferred",
        "prompt-only",
    ]
    half = sourced(height=720, fps=12.5, papers={"stevo": Evaluation(called=("M",))})
    assert row(half) == {
        "model": "m",
        "condition": "unknown",
        "control": "text",
        "size": "?x720",
        "frames@fps": "?@12.5",
        "papers": "stevo",
    }
