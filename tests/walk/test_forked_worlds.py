"""Fork pairs of real sessions in the walk: what looking away costs is measured inside one world."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from lookaway.api import Silent
from lookaway.pipeline import STAGES, make_board, plans, walk
from lookaway.pipeline.stage import Options, run_stage
from lookaway.records import Board, Clip, ModelCard, Score, System
from lookaway.sessions import serving
from lookaway.store import Run
from lookaway.suites import find
from lookaway.suites.known_world import SIZE, Shot
from lookaway.worlds.serving import KnownWorlds
from tests.generators.faulty_worlds import FaultyWorlds

pytestmark = pytest.mark.every_world

TASK = "bedroom2_sprinkler_yaw-left_L_seen"  # set off in sight, then out of sight
ALONE = f"[{TASK[0]}]{TASK[1:]}"  # and no twin: a pattern names whole ids
FAULTS = ("frozen", "reset")


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Board]:
    run = Run(tmp_path_factory.mktemp("forked") / "run")
    draft = next(draft for draft in find("diorama-triggers").drafts() if draft.id == TASK)
    spec = Shot.of(draft).world
    with ExitStack() as stack:
        true = stack.enter_context(serving(KnownWorlds({TASK: spec}, SIZE)))
        wrong = [stack.enter_context(serving(FaultyWorlds(spec, fault))) for fault in FAULTS]
        systems = [stepped("true", true), *(stepped(*each) for each in zip(FAULTS, wrong, strict=True))]
        plan = plans.extend(run, "diorama-triggers", systems, chosen=["diorama", "session_laws"], branches=["watching"])
        run_stage(STAGES["tasks"], run, plan, Options(only=f"{ALONE}_static"), Silent())  # the truth of who watches
        reports = walk(run, plan, Options(only=ALONE), Silent())
    assert not any(report.failures for report in reports)
    return run, make_board(run, plan)


def stepped(name: str, address: str) -> System:
    card = ModelCard(
        name=name,
        summary="",
        control="script",
        generator="session",
        chunk_frames=8,
        can_fork=True,
        settings={"address": address, "timeout_s": 60.0},
    )
    return System(name=name, card=card)


def test_both_branches_come_out_of_one_session(forked: tuple[Run, Board]) -> None:
    clips = list(forked[0].latest("clips", Clip).values())
    assert sorted(str(clip.case) for clip in clips) == sorted(
        f"{TASK}/{system}/0{branch}" for system in ("true", *FAULTS) for branch in ("", "/watching")
    )
    assert all("forked: the same up to frame 17" in clip.provenance.note for clip in clips)


def test_looking_away_costs_the_true_world_nothing_and_faulty_ones_their_time(forked: tuple[Run, Board]) -> None:
    (table, *_) = [table for table in forked[1].tables if table.title == "The observation effect inside one world"]
    column = [c.name.startswith("world_clock") for c in table.columns].index(True)
    found = {row.title: row.cells[column].value for row in table.rows}
    assert found["true"] == pytest.approx(0.0, abs=0.1)
    assert found["frozen"] == pytest.approx(-1.0, abs=0.2)
    assert found["reset"] is not None
    assert found["reset"] < -0.8


def test_an_event_that_was_seen_persists_unless_it_is_undone(forked: tuple[Run, Board]) -> None:
    scores = forked[0].latest("scores", Score).values()
    mine = {s.system: s.value for s in scores if s.metric == "event_persistence" and not s.branch}
    assert mine == {"true": 1.0, "frozen": 1.0, "reset": 0.0}, "to stand still is not to be undone"
