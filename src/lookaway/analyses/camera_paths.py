"""Camera paths: of tasks of every trajectory what is asked, and when. Reports draw each above frames of its clips."""

from __future__ import annotations

from itertools import zip_longest

from lookaway.analyses import Findings, analysis
from lookaway.analyses.asked_turns import TURN_KINDS, asked_turns
from lookaway.analyses.clip_rows import clip_rows, trajectory
from lookaway.analyses.columns import table_name
from lookaway.outcomes import Abstain
from lookaway.records import Column, Table, TableCell, TableRow, Task

NAME = "camera-paths"  # of the table; its rows are called by their tasks
MOST_TASKS = 12
PHASES = ("visible", "hidden", "returned")


@analysis(version=1, title="Camera paths")
def camera_paths(findings: Findings) -> list[Table] | Abstain:
    """Tasks that hide their subject and bring it back, those of different trajectories first."""
    names = sorted(findings.once(clip_rows)["task"].unique())
    tasks = _spread([task for name in names if _is_shown(task := findings.tasks[name])])
    if not tasks:
        return Abstain("no task with a clip has a camera and phases: visible, hidden, returned")
    shown = tasks[:MOST_TASKS]
    left = len(tasks) - len(shown)
    return [
        Table(
            name=table_name(NAME, findings.protocol.name),
            title="Camera paths",
            columns=(
                Column(name="trajectory", title="trajectory"),
                *(Column(name=kind, title=kind, group="asked rotation", unit="deg", digits=1) for kind in TURN_KINDS),
                *(Column(name=phase, title=phase, group="frames of the task") for phase in PHASES),
            ),
            rows=tuple(TableRow(title=task.id, cells=_cells(task)) for task in shown),
            notes=(f"{left} further tasks are left out, of trajectories that are shown.",) if left else (),
            protocol=findings.protocol.name,
            reading="The pictures show each path above frames of the truth and of the systems.",
        )
    ]


def _is_shown(task: Task) -> bool:
    return task.camera_asked and {"visible", "hidden", "returned"} <= {phase.phase for phase in task.phases}


def _spread(tasks: list[Task]) -> list[Task]:
    """One of each trajectory, then a second of each."""
    kinds: dict[str, list[Task]] = {}
    for task in tasks:
        kinds.setdefault(trajectory(task), []).append(task)
    return [task for some in zip_longest(*kinds.values()) for task in some if task is not None]


def _cells(task: Task) -> tuple[TableCell, ...]:
    turns = asked_turns(task)
    assert turns is not None  # a camera is asked for
    frames = [TableCell(text=_frames(task, phase)) for phase in PHASES]
    return (TableCell(text=trajectory(task)), *(TableCell(value=degrees) for degrees in turns), *frames)


def _frames(task: Task, phase: str) -> str:
    """`0-21, 50-80`."""
    mine = [one for one in task.phases if one.phase == phase]
    ends = [(round(one.start_s * task.fps), min(round(one.end_s * task.fps), task.frames) - 1) for one in mine]
    return ", ".join(f"{start}-{max(start, end)}" for start, end in ends)
