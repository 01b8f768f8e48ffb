"""Fixtures shared by all tests: one small finished run, made once however many processes test."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from lookaway.api import Silent
from lookaway.models import system
from lookaway.pipeline import make_board, plans, walk, write_reports
from lookaway.pipeline.stage import Options
from lookaway.records import Board
from lookaway.store import Run, file_sha256, open_run

pytest_plugins = ["pytester"]

settings.register_profile("shared machine", deadline=None)  # other processes decide how long an example takes
settings.load_profile("shared machine")

# Worlds filmed once serve all test processes and the next run of the tests; a fresh clone starts empty.
os.environ["LOOKAWAY_CACHE"] = str(Path(__file__).resolve().parents[1] / ".cache" / "tests")
# No passport of this machine's judges reaches a test.
os.environ["LOOKAWAY_STATE"] = str(Path(__file__).resolve().parents[1] / ".cache" / "no-state")

MODELS = ("truth", "frozen", "vanished", "static-camera")
TASKS = ("parlour0_ball*", "workshop1_filling*")
# Of tests of the known world and of verbs `make test` runs each with the first of its parameters; of those that film
# much, start many programs or follow many clips, none but the SHORT ones.
FIRST_PARAMETER = ("worlds", "walk/test_verbs.py", "walk/test_browser.py")
LONG_TESTS = (
    *("observers/test_revisit.py", "observers/test_classical.py", "observers/test_replay.py"),
    *("observers/test_subject_track.py", "observers/test_signals.py", "observers/test_view.py"),
    *("observers/test_elsewhere.py", "peers/test_wrbench_clips.py", "looking/test_look.py"),
    *("conformance/test_plugins.py::test_an_observer_sees_the_same_thing_twice", "store/test_kill.py"),
    *("calibration/test_judge_checks.py", "calibration/test_walk.py", "generators/test_session_world.py"),
    "generators/test_session_events.py",
    "suites/test_diorama_triggers.py::test_neither_subject_nor_trigger_is_seen_when_it_is_set_off_and_the_effect_is_seen_on_return",
    "suites/test_diorama_triggers.py::test_a_start_in_sight_has_no_rule_for_hidden_ones",
    "suites/test_diorama_triggers.py::test_task_and_prompt_tell_when_and_the_rule_tells_by_what_it_is_judged",
    *("suites/test_diorama_tasks.py", "suites/test_known_world.py", "worlds/test_reference_models.py"),
    *("worlds/test_rendered_once.py", "walk/test_shapes.py", "walk/test_blindness.py", "walk/test_leaks.py"),
    *("walk/test_twins.py", "judges/test_exam.py", "calibration/test_protocol_walk.py"),
    *("judges/test_sitting.py", "walk/test_probes.py", "calibration/test_own_clips_walk.py"),
    *("people/test_page.py", "people/test_kill.py", "people/test_making.py"),
    "comparing/test_check.py::test_a_check_killed_from_outside_at_any_moment_changes_nothing",
    "comparing/test_example_repository.py::test_the_nightly_job_ends_as_the_check_does",
    "analyses/test_system_contrasts.py::test_noise_alone_hardly_ever_makes_a_sentence",
    *("looking/test_pick.py", "observers/test_stand_ins.py", "metrics/test_followed_verifiers.py"),
    "sharing/test_site.py",
    "sharing/test_seals.py::test_an_honest_run_comes_out_equal_and_an_altered_score_does_not",
    "sharing/test_seals.py::test_an_audit_starts_no_program_that_a_seal_names",
    "sharing/test_seals.py::test_an_audit_that_would_see_nothing_wrong_still_sees_other_tasks",
    "judges/test_fingerprint.py::test_a_judge_that_only_chance_sets_apart_moves_once_in_a_hundred",
    *("walk/test_resume.py::test_a_changed_upstream_record_is_scored_again", "walk/test_evaluate.py"),
    *("docs/test_docs.py::test_what_a_page_shows_works", "walk/test_failure_kinds.py"),
    *("walk/test_banks.py", "walk/test_wrbench.py", "walk/test_learned_abstentions.py", "walk/test_wrbench_calls.py"),
    "readings/test_features.py::test_identity_is_the_cosine_of_what_came_back_and_what_left",
    "readings/test_phase_frames.py::test_mapped_phases_do_not_ask_what_the_clip_shows",
    "metrics/test_tracked_support.py::test_it_is_one_where_the_subject_was_hidden_and_found_again",
    "metrics/test_object_reappearance.py::test_without_weights_who_stays_scores_one_who_vanishes_none_and_a_still_camera_nothing",
    "suites/test_memobench_outputs.py::test_the_true_clips_are_measured_in_memobenchs_protocol",
    "walk/test_asks.py::test_kill_9_loses_no_answer_and_none_is_paid_twice",
    "walk/test_faults.py::test_a_command_that_is_killed_loses_and_doubles_nothing",
    "metrics/test_camera_disagreement.py::test_a_protocol_chooses_who_is_compared",
    "metrics/test_phase_fidelity.py::test_a_departure_that_is_late_is_compared_with_the_departure",
    "video/test_video_shared.py::test_twenty_seconds_of_4k_stay_under_one_and_a_half_gigabytes",
    *(
        f"analyses/test_{name}.py::test_a_null_effect_is_not_found"
        for name in ("condition_frontier", "direction_retention", "event_contrasts", "matched_support", "series_pairs")
    ),
    "analyses/test_metric_correlations.py::test_a_null_has_no_link_in_nine_of_ten_tables",
    "analyses/test_event_contrasts.py::test_an_interaction_is_found_apart_from_main_effects",
)
SHORT = (
    "people/test_making.py::test_pairs_are_of_one_task_and_never_with_the_truth",
    "people/test_making.py::test_the_demo_makes_a_study_of_a_run",
    "sharing/test_site.py::test_comparable_runs_share_a_table_and_references_stand_once",
    "observers/test_subject_track.py::test_it_is_seen_when_it_is_in_the_picture_and_not_otherwise",
    "observers/test_subject_track.py::test_thresholds_are_where_they_were_set",
    "observers/test_signals.py::test_a_cut_is_found_at_its_frame",
    "observers/test_signals.py::test_words_for_a_place_are_pinned",
    "observers/test_view.py::test_a_still_picture_has_not_turned",
    "observers/test_elsewhere.py::test_an_abstention_comes_back_as_one",
    "looking/test_look.py::test_without_a_box_all_but_the_subject_is_told",
    "looking/test_look.py::test_what_is_no_video_is_refused",
    "looking/test_look.py::test_a_box_that_is_none_is_refused",
    "walk/test_evaluate.py::test_a_callable_is_evaluated_and_a_still_image_is_gated",
    "walk/test_banks.py::test_24_questions_are_written_in_one_call_a_dimension",
)
FIRST = ("walk/test_demo.py", "worlds/test_every_process.py")  # one process makes the demo's run, the other is busy
PEER_DATA = Path(__file__).resolve().parents[2] / "shared" / "peer-data"


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The rest is left to `make test-worlds`."""
    here = Path(__file__).parent
    first = [here / name for name in FIRST]
    items.sort(key=lambda item: first.index(item.path) if item.path in first else len(first))
    seen: set[str] = set()
    for item in items:
        file = str(item.path.relative_to(here))
        test = f"{file}::{getattr(item, 'originalname', item.name)}"
        again = test in seen and file.startswith(FIRST_PARAMETER)
        if again or (not {file, test}.isdisjoint(LONG_TESTS) and test not in SHORT):
            item.add_marker(pytest.mark.every_world)
        seen.add(test)


def finished_run(folder: Path, workers: int = 1) -> Path:
    """A run of the four reference models on one moving and one in-place task, in two scenes."""
    run = Run(folder)
    plan = plans.extend(run, "diorama-mini", [system(name) for name in MODELS])
    for task in TASKS:
        walk(run, plan, Options(only=task, workers=workers), Silent())
    write_reports(run, plan, make_board(run, plan))
    return folder


@pytest.fixture(scope="session")
def demo_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished run, for all tests. Read only."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "demo_run"
    with (shared / "demo_run.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "report.html").exists():
            shutil.rmtree(folder, ignore_errors=True)
            finished_run(folder)
    yield folder
    harmed = [blob.name for blob in (folder / "blobs").glob("*/*.*") if file_sha256(blob) != blob.stem]
    assert harmed == [], "a test wrote into a blob of the run that all tests share"


@pytest.fixture
def own_run(demo_run: Path, tmp_path: Path) -> Run:
    """A copy of the finished run that a test may change; a blob only by replacing it, for it is linked."""
    shutil.copytree(demo_run, tmp_path / "run", ignore=shutil.ignore_patterns("blobs"))
    shutil.copytree(demo_run / "blobs", tmp_path / "run" / "blobs", copy_function=os.link)
    return open_run(tmp_path / "run")


@pytest.fixture(scope="session")
def demo_board(demo_run: Path) -> Board:
    return Board.model_validate_json((demo_run / "board.json").read_text())


@pytest.fixture(scope="session")
def peer_data() -> Path:
    """Real files of the three benchmarks, where they lie beside the project."""
    if not PEER_DATA.is_dir():
        if os.environ.get("LOOKAWAY_REQUIRE_PEERS"):
            pytest.fail(f"peer data required, but {PEER_DATA} does not exist")
        pytest.skip("no ../shared/peer-data beside the project")
    return PEER_DATA


@pytest.fixture(scope="session")
def chromium() -> str:
    """A real browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("LOOKAWAY_REQUIRE_BROWSER"):
            pytest.fail("a browser is required, but no chromium is installed")
        pytest.skip("no chromium installed")
    return found
