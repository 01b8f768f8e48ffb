"""Everything that reads what others wrote, one `Target` each."""

from __future__ import annotations

from tests.fuzz.driving import Target
from tests.fuzz.targets import banks, brought, judged, media, people, scripts, sealed, sessions, sheets, suites

FAMILIES = (scripts, suites, brought, judged, banks, people, sealed, sheets, media, sessions)
TARGETS: dict[str, Target] = {target.name: target for family in FAMILIES for target in family.TARGETS}
