"""Who follows the camera far round, and who remembers what was there? (MemoBench: the best steered forgot most.)"""

from __future__ import annotations

from lookaway.analyses import Findings, analysis
from lookaway.analyses.beside_metrics import FAR_DEG, turns_far
from lookaway.analyses.memory_sides import MEMORY, STEERING
from lookaway.analyses.two_sides import two_sides
from lookaway.outcomes import Abstain
from lookaway.records import Table


@analysis(version=1, title="Steering against remembering")
def steering_against_memory(findings: Findings) -> list[Table] | Abstain:
    """On tasks that ask for a large turn: systems by camera control and by what they bring back, and opposed pairs."""
    far = sum(map(turns_far, findings.tasks.values()))
    if not far:
        return Abstain(f"no task asks for a turn of {FAR_DEG:.0f} degrees or more")
    return two_sides(
        "steering-against-memory",
        "Steering against remembering on large turns",
        (STEERING, MEMORY),
        findings,
        "Who loses places goes where it is sent and does not bring back what was there.",
        keep=turns_far,
        notes=(f"{far} tasks, whose camera is asked to turn by {FAR_DEG:.0f} degrees or more at its widest.",),
    )
