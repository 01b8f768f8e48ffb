"""Cards tell where each fact comes from, and every system that a paper evaluates has exactly one."""

from __future__ import annotations

import itertools
import pickle
import re
import tomllib
from pathlib import Path

import pytest

from lookaway import models
from lookaway.errors import UnknownName, UsageError
from lookaway.generators import GENERATORS, Generator, maker_of, settings_example
from lookaway.models.table import mechanism_row, ordered, row
from lookaway.records import Evaluation, ModelCard, System

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
    assert len(card.condition_reason.split()) >= 5, "why, in words"


# How the papers and their releases print one system elsewhere.
ALSO_PRINTED = {
    "hydra": ["Hydra"],
    "lingbot-world-cam": ["Lingbot World", "LingBot-World", "Lingbot", "LingBot World (cam)"],
    "lingbot-world-act": ["Lingbot Act", "LingBot World (act)"],
    "wan-fun-2.2-a14b": ["VideoX-Fun", "Wan-Fun 2.2-A14B camera"],
    "wan-fun-2.2-5b": ["Wan-Fun 2.2-5B", "wan22_fun_5b_cam", "WAN-FUN 2.2 5B"],
    "hunyuan-worldplay": ["HY-WorldPlay", "HY-World 1.5", "HunyuanWorld 1.0", "Hunyuan WorldPlay"],
    "hunyuanvideo-1.5": ["HY-Video 1.5"],
    "stable-virtual-camera": ["SVC"],
    "matrix-game-2.0": ["Matrix-Game2", "Matrix-Game"],
    "open-sora-2.0": ["Open-SoRA", "Open-Sora v2.0"],
    "gen3c": ["GEN3C"],
}


@pytest.mark.parametrize(("name", "printed"), [(n, p) for n, each in ALSO_PRINTED.items() for p in each])
def test_a_model_is_found_by_any_of_its_names(name: str, printed: str) -> None:
    assert models.load(printed).name == name
    assert models.system(printed).name == name, "its row is called as the card is"


def test_a_name_that_two_papers_give_to_two_systems_names_neither() -> None:
    with pytest.raises(UsageError, match=r"'Wan2\.2' is what papers call wan-2\.2 and wan-fun-2\.2-a14b"):
        models.load("Wan2.2")
    assert models.load("wan-2.2").name == "wan-2.2", "a card's own name is always its own"


def test_no_other_name_leads_to_two_systems() -> None:
    led: dict[str, set[str]] = {}
    for card in EVALUATED:
        for spelled in (card.name, *card.aliases, *(s for paper in card.papers.values() for s in paper.called)):
            led.setdefault(re.sub(r"[\W_]", "", spelled.lower()), set()).add(card.name)
    assert {spelled for spelled, cards in led.items() if len(cards) > 1} == {"wan22"}


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("wan-fun-2.2-5", "wan-fun-2.2-5b"), ("HY World1.6", "hunyuan-worldplay"), ("Ling bot acts", "lingbot-world-act")],
)
def test_an_unknown_name_is_answered_with_the_cards_that_are_called_alike(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=rf"no model named '{re.escape(wrong)}'; did you mean .*{re.escape(meant)}"):
        models.load(wrong)


def test_the_error_of_an_unknown_name_crosses_processes() -> None:
    with pytest.raises(UnknownName) as raised:
        models.load("HY World1.6")
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


# WRBench's Table 11: which documented base each Wan-derived row stands on.
BASES = {
    "Wan2.1-T2V-1.3B": ["wan-fun-2.1-1.3b", "recammaster", "hydra"],
    "Wan2.1-T2V-14B": ["wan-fun-2.1-14b", "versecrafter", "liveworld"],
    "Wan2.1-I2V-14B": ["inspatio-world-14b"],
    "Wan2.2-TI2V-5B": ["wan-fun-2.2-5b", "spatia"],
    "Wan2.2-I2V-A14B": ["wan-fun-2.2-a14b", "lingbot-world-cam", "lingbot-world-act"],
}


@pytest.mark.parametrize(("base", "name"), [(base, name) for base, names in BASES.items() for name in names])
def test_a_row_of_table_11_tells_what_it_is_made_of(base: str, name: str) -> None:
    card = models.load(name)
    assert card.base.startswith(base)
    facts = card.facts()
    told = [facts[fact] for fact in ("mechanism", "training", "training_data", "carrier", "test_time")]
    assert all(told), told
    assert mechanism_row(card)["base"] == card.base


def test_what_nobody_tells_is_unknown_and_what_a_paper_calls_untold_is_unreported() -> None:
    assert models.load("kling-2.6").base == "unknown"
    assert models.load("wan-fun-2.1-14b").training == "unreported"
    assert mechanism_row(models.load("kling-2.6"))["carrier"] == "?"
    assert mechanism_row(models.load("aether"))["context"] == "41 frames"


def test_what_a_system_is_made_of_describes_it_and_is_not_part_of_its_key() -> None:
    plain = models.system("spatia")
    other = plain.card.model_copy(
        update={"base": "b", "carrier": "c", "aliases": ("d",), "condition_reason": "e", "context_frames": 9}
    )
    assert System(name="spatia", card=other).key == plain.key


@pytest.mark.parametrize("made", [g for g in GENERATORS.all().values() if g.settings], ids=lambda made: made.name)
def test_the_settings_that_a_generator_shows_are_good_ones(made: Generator) -> None:
    shown = tomllib.loads(settings_example(made))["settings"]
    card = ModelCard(name="m", summary="", control="text", generator=made.name, settings=shown, chunk_frames=4)
    assert maker_of(card) is made


def test_a_card_without_its_settings_says_what_to_write_and_where() -> None:
    with pytest.raises(UsageError) as raised:
        maker_of(models.load("Wan-Fun 2.2-5B"))
    said = str(raised.value)
    assert "its card has no settings.command" in said
    assert "lookaway model show wan-fun-2.2-5b --toml > wan-fun-2.2-5b.toml" in said
    assert "[settings]\n" in said
    assert "--models wan-fun-2.2-5b.toml" in said
    assert "lookaway ingest FOLDER --card wan-fun-2.2-5b" in said


def test_a_wrong_setting_is_named_as_it_is() -> None:
    card = sourced(generator="command", settings={"command": "python a.py {ot}"})
    with pytest.raises(UsageError, match=r"settings: command: .*nothing to put for \{ot\}"):
        maker_of(card)


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
