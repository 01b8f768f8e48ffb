"""What names tell: the task among thousands, a seed only where one is meant, and the task that was nearly named."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from lookaway.pipeline.mapping import map_folder
from tests.walk.test_ingest import touch

DOMINOES = "street0_dominoes_left"
TASKS = [DOMINOES, "street0_dominoes_right", "parlour0_ball_left", "parlour0_ball_left_long"]


def slots(folder: Path, *names: str, tasks: list[str] = TASKS) -> list[tuple[str, int]]:
    return list(map_folder(touch(folder, *names), tasks).matched)


@pytest.mark.parametrize(
    "end",
    [
        *("_832x480", "_ckpt2000", "_ckpt_2000", "_fps16", "_16fps", "_720p", "_49f", "_v2", "_step-500", "_epoch3"),
        *("_2026-05-01", "_20260501", "_20260501-123005", "_5s", "_veo3", "_832x480_16fps", "-a1b2c3", "_1234567890"),
    ],
)
def test_sizes_rates_versions_and_dates_are_no_seeds(end: str, tmp_path: Path) -> None:
    assert slots(tmp_path, f"{DOMINOES}{end}.mp4") == [(DOMINOES, 0)]


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        (f"{DOMINOES}_3", 3),
        (f"{DOMINOES}-run1", 1),
        (f"{DOMINOES}/seed3", 3),
        (f"{DOMINOES}_seed3_832x480", 3),
        (f"{DOMINOES}_ckpt2000_seed_4", 4),
        (f"{DOMINOES}_2_720p", 2),
        (f"{DOMINOES}_832x480_007", 7),
        (f"{DOMINOES}/{DOMINOES}_5", 5),
        (f"seed6/{DOMINOES}_16fps", 6),
        (f"model2/{DOMINOES}", 0),
        (f"veo3 {DOMINOES}", 0),
    ],
)
def test_a_seed_is_found_among_sizes_and_rates(name: str, seed: int, tmp_path: Path) -> None:
    assert slots(tmp_path, f"{name}.mp4") == [(DOMINOES, seed)]


def test_a_number_of_one_task_alone_is_not_missing_from_all_others(tmp_path: Path) -> None:
    tasks = [f"scene{i}_lamp" for i in range(6)]
    touch(tmp_path, *(f"{task}.mp4" for task in tasks[:4]), "scene4_lamp_2000.mp4")
    mapping = map_folder(tmp_path, tasks)
    assert ("scene4_lamp", 2000) in mapping.matched
    assert mapping.without_video == [("scene5_lamp", 0)]
    assert any("(2000)" in note for note in mapping.notes)


def test_files_numbered_one_after_the_other_have_no_seeds_in_common_and_miss_none(tmp_path: Path) -> None:
    tasks = [f"scene{i}_lamp" for i in range(4)]
    touch(tmp_path, *(f"{task}_{i:03}.mp4" for i, task in enumerate(tasks[:3], 1)))
    assert map_folder(tmp_path, tasks).without_video == [("scene3_lamp", 1)]


def test_a_seed_that_tasks_share_or_a_pattern_tells_is_expected_of_all(tmp_path: Path) -> None:
    touch(tmp_path, *(f"{task}_{seed}.mp4" for task in TASKS[:2] for seed in (0, 1)))
    lacking = [(task, seed) for task in TASKS[2:] for seed in (0, 1)]
    assert map_folder(tmp_path, TASKS).without_video == lacking
    touch(tmp_path, f"{DOMINOES}_2.mp4")
    assert map_folder(tmp_path, TASKS).without_video == lacking
    told = map_folder(tmp_path, TASKS, pattern="{task}_{seed}.mp4").without_video
    assert sorted(told) == sorted([*lacking, *((task, 2) for task in TASKS[1:])])


@pytest.mark.parametrize(
    "name",
    [
        *("Street0_Dominoes_Left", "street0-dominoes-left", "street0 dominoes left", "STREET0-dominoes left_832x480"),
        *("street0_domino_left", "street0_red_dominoes_left", "street0_left", "gen/street0_dominoes_leftt_3"),
    ],
)
def test_a_near_miss_names_the_task_that_was_meant(name: str, tmp_path: Path) -> None:
    path = touch(tmp_path, f"{name}.mp4") / f"{name}.mp4"
    assert map_folder(tmp_path, TASKS).meant == {path: DOMINOES}


def test_a_name_of_nothing_or_of_two_tasks_gets_no_advice(tmp_path: Path) -> None:
    touch(tmp_path, "holiday.mp4", "my_long_holiday_film.mp4", f"{DOMINOES} and parlour0_ball_left.mp4")
    mapping = map_folder(tmp_path, TASKS)
    assert len(mapping.unmatched) == 3
    assert mapping.meant == {}


def test_matching_takes_no_longer_per_file_where_there_are_many_tasks(tmp_path: Path) -> None:
    """A pattern tried for each task and file takes minutes here."""
    tasks = [f"street{i}_dominoes_left" for i in range(4000)]
    names = [f"model/{task}_832x480.mp4" for task in tasks[:400]]
    misses = [f"model/{task.replace('dominoes', 'domino')}.mp4" for task in tasks[400:500]]
    touch(tmp_path, *names, *misses)
    started = time.process_time()
    mapping = map_folder(tmp_path, tasks)
    assert time.process_time() - started < 5
    assert (len(mapping.matched), len(mapping.meant)) == (400, 100)
