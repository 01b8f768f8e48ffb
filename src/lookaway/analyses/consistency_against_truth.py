"""Is a clip that agrees with itself also true? (MemoBench: the most consistent variant was the least true.)"""

from __future__ import annotations

from lookaway.analyses import Findings, analysis
from lookaway.analyses.memory_sides import CONSISTENCY, RETURNED_TRUTH
from lookaway.analyses.two_sides import two_sides
from lookaway.outcomes import Abstain
from lookaway.records import Table


@analysis(version=1, title="Self-consistency against truth")
def consistency_against_truth(findings: Findings) -> list[Table] | Abstain:
    """Systems by how well they agree with themselves and with the true clip after the return, and opposed pairs."""
    return two_sides(
        "consistency-against-truth",
        "Self-consistency against truth after the return",
        (CONSISTENCY, RETURNED_TRUTH),
        findings,
        "Who loses places keeps its own world and not the true one.",
        notes=("A camera that stays where it is agrees with itself: read this beside the flag of inactive cameras.",),
    )
