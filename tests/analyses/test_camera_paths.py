"""Every trajectory is among the paths that are shown before a second of any is."""

from __future__ import annotations

from lookaway.analyses import Findings
from lookaway.analyses.camera_paths import MOST_TASKS, camera_paths
from lookaway.outcomes import Abstain
from lookaway.records import Interval
from tests.analyses.simulated_look_aways import simulated

PHASES = (
    Interval(phase="visible", start_s=0, end_s=1.25),
    Interval(phase="hidden", start_s=1.25, end_s=2.5),
    Interval(phase="returned", start_s=2.5, end_s=4.0625),
)


def with_phases(what: Findings, phases: tuple[Interval, ...]) -> Findings:
    tasks = {name: one.model_copy(update={"phases": phases}) for name, one in what.tasks.items()}
    return Findings(what.scores, tasks, what.systems, what.protocol, {})


def test_one_of_each_trajectory_comes_first_and_what_is_left_out_is_told() -> None:
    made = camera_paths(with_phases(simulated(scenes=5), PHASES))
    assert not isinstance(made, Abstain)
    (table,) = made
    assert len(table.rows) == MOST_TASKS
    kinds = [row.cells[0].text for row in table.rows]
    assert {*kinds[:3]} == {*kinds[3:6]} == {"pan", "u_turn", "glance"}
    assert "3 further tasks" in table.notes[0]


def test_rotation_and_frames_of_every_phase_stand_beside_the_task() -> None:
    made = camera_paths(with_phases(simulated(scenes=1), PHASES))
    assert not isinstance(made, Abstain)
    (row,) = [row for row in made[0].rows if row.title == "s00-pan"]
    assert [round(cell.value or 0) for cell in row.cells[1:4]] == [0, 120, 60]
    assert [cell.text for cell in row.cells[4:]] == ["0-19", "20-39", "40-64"]


def test_tasks_that_hide_nothing_are_not_drawn() -> None:
    assert isinstance(camera_paths(with_phases(simulated(scenes=1), PHASES[:1])), Abstain)
