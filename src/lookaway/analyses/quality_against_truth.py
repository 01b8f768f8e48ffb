"""Does what looks good come close to the truth? (MemoBench: the sharpest pictures were among the least true.)"""

from __future__ import annotations

from lookaway.analyses import Findings, analysis
from lookaway.analyses.memory_sides import QUALITY, TRUTH
from lookaway.analyses.two_sides import two_sides
from lookaway.outcomes import Abstain
from lookaway.records import Table


@analysis(version=1, title="Perceptual quality against truth")
def quality_against_truth(findings: Findings) -> list[Table] | Abstain:
    """Systems by how they look and by how close they come to the true clip, and pairs that the two order oppositely."""
    return two_sides(
        "quality-against-truth",
        "Perceptual quality against truth",
        (QUALITY, TRUTH),
        findings,
        "Who loses places looks better than it is true; a number of looks does not stand for one of truth.",
    )
