"""StEvo-Bench from end to end on the known world, with verifiers that know the truth."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from lookaway.api import Silent
from lookaway.pipeline import STAGES, make_board, plans
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Answer, Score
from lookaway.store import Run, open_run
from tests.command import invoke
from tests.judges.server import Manner, serving

PROTOCOLS = ("stevo", "stevo_paper", "stevo_released")
MODELS = ("truth", "frozen", "static-camera")
MADE = "[pw]*"  # the two tasks of the run that all tests share
VARIANT = {"stevo": "sound", "stevo_paper": "paper", "stevo_released": "released"}


@pytest.fixture(scope="module")
def verified(demo_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All three protocols, asked of the oracle. Read only."""
    folder = tmp_path_factory.mktemp("stevo") / "run"
    shutil.copytree(demo_run, folder, ignore=shutil.ignore_patterns("blobs"))
    shutil.copytree(demo_run / "blobs", folder / "blobs", copy_function=os.link)
    code, said = invoke(
        *("run", "--suite", "diorama-mini", "--only", MADE, "--models", ",".join(MODELS), "--out", str(folder)),
        *("--protocols", ",".join(PROTOCOLS), "--judge", "verifier=oracle"),
    )
    assert code == 0, said
    return open_run(folder)


def values(run: Run, protocol: str, metric: str, system: str) -> list[float | None]:
    every = run.latest("scores", Score).values()
    mine = [s for s in every if (s.protocol, s.metric, s.system) == (protocol, metric, system) and s.variant != "yoked"]
    return [score.value for score in mine]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_true_world_passes_every_verifier_and_a_frozen_one_does_not_go_on(verified: Run, protocol: str) -> None:
    for metric in ("state_progress", "physical_plausibility", "coherence", "evolution_success", "task_success"):
        assert set(values(verified, protocol, metric, "truth")) == {1.0}, metric
    assert set(values(verified, protocol, "state_progress", "frozen")) == {0.0}
    assert set(values(verified, protocol, "task_success", "frozen")) == {0.0}
    assert set(values(verified, protocol, "coherence", "frozen")) == {1.0}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_static_camera_is_not_controlled_and_never_succeeds(verified: Run, protocol: str) -> None:
    assert set(values(verified, protocol, "observation_control", "static-camera")) == {0.0}
    assert set(values(verified, protocol, "task_success", "static-camera")) == {0.0}
    assert 1.0 not in values(verified, protocol, "state_progress", "static-camera")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_tables_have_both_denominators(verified: Run, protocol: str) -> None:
    board = make_board(verified, plans.load(verified))
    (table,) = [t for t in board.tables if t.name == f"verifier-rates-{protocol.replace('_', '-')}"]
    groups = Counter(column.group for column in table.columns)
    assert (groups["of all videos"], groups["of controlled videos"], groups["control"]) == (4, 4, 3)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_funnel_and_every_failed_video_are_told(verified: Run, protocol: str) -> None:
    board = make_board(verified, plans.load(verified))
    ending = protocol.replace("_", "-")
    (funnel,) = [t for t in board.tables if t.name == f"evolution-funnel-{ending}"]
    left = {row.title: [cell.value for cell in row.cells[:5]] for row in funnel.rows}
    assert left["truth"] == [1.0] * 5
    assert left["frozen"] == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert left["static-camera"] == [1.0, 0.0, 0.0, 0.0, 0.0]
    (failed,) = [t for t in board.tables if t.name == f"failed-videos-{ending}"]
    told = {row.title: [cell.text for cell in row.cells] for row in failed.rows}
    assert not [title for title in told if "/truth/" in title]
    against, why, where = told["parlour0_ball_left/frozen/0"]
    assert against == "progress"
    assert "before: " in why
    assert "0 yes, 3 no" in why
    assert where.count(" s") == 2
    assert told["parlour0_ball_left/static-camera/0"][0].startswith("observation control")


def test_a_prediction_is_made_once_for_all_clips_of_a_task(verified: Run) -> None:
    every = [a for a in verified.latest("answers", Answer).values() if a.question == "stevo/progress_expect"]
    assert len({a.media for a in every}) == 2
    assert len(every) == 2, "the first frame is asked about, not the clip"


def test_a_clip_takes_three_replies_a_verifier(own_run: Run) -> None:
    with serving(Manner(says_true=True)) as server:
        plan = plans.extend(
            own_run, "diorama-mini", chosen=["stevo_paper"], judges=[f"verifier=openai:{server.url}#one"]
        )
        run_stage(STAGES["judge"], own_run, plan, Options(only="parlour0_ball*/truth/0"), Silent())
        asked = Counter(a.question for a in own_run.latest("answers", Answer).values())
        assert len(server.log) == 1 + 3 * (2 + 2 + 1 + 1 + 1)  # the controls are asked in two ways
    assert asked["stevo/progress"] == asked["stevo/progress_expect"] == 1


@pytest.mark.every_world
def test_looking_away_costs_a_frozen_world_its_progress_and_the_true_one_nothing(tmp_path: Path) -> None:
    """A task and its observed twin: the same question about the same seconds."""
    for name in ("[b]each0_yarn_yaw-left_L", "[b]each0_yarn_yaw-left_L_observed"):  # and not its static twin
        code, said = invoke(
            *("run", "--suite", "diorama", "--only", name, "--models", "truth,frozen"),
            *("--protocols", "stevo", "--judge", "verifier=oracle", "--out", str(tmp_path / "run")),
        )
        assert code == 0, said
    run = open_run(tmp_path / "run")
    every = [s for s in run.latest("scores", Score).values() if s.variant == "yoked" and s.status == "ok"]
    found = {(s.system, s.task.endswith("observed")): s.value for s in every}
    assert found == {("truth", False): 1.0, ("truth", True): 1.0, ("frozen", False): 0.0, ("frozen", True): 1.0}
    board = make_board(run, plans.load(run))
    (effect,) = [t for t in board.tables if t.name == "observation-effect-stevo"]
    place = [c.name.startswith("state_progress:yoked") for c in effect.columns].index(True)
    assert {row.title: row.cells[place].value for row in effect.rows} == {"truth": 0.0, "frozen": -1.0}
