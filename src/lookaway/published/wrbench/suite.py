"""The suite as the paper describes it, against the families and variants of the release."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lookaway.published.lines import CheckLine, counted, reads_as
from lookaway.published.paper import Paper
from lookaway.published.wrbench.release import ListedFamily, ListedVariant

FAMILIES, VENUES, DOMESTIC_INDOOR = 25, 19, 8
EVENTS = {"none", "spatial", "state_only", "full"}
VARIANTS = 400


def families(paper: Paper, found: Sequence[ListedFamily]) -> list[CheckLine]:
    """Counts of families and venues, and the shares of Fig. 3 left."""
    kinds = Counter(_kind(paper, family) for family in found)
    told = [("families", len(found), FAMILIES), ("venues", len({f.scene for f in found}), VENUES)]
    told += [("domestic indoor families", kinds["Domestic indoor"], DOMESTIC_INDOOR)]
    differing = [f"{what}: the text says {said}, the file has {count}" for what, count, said in told if count != said]
    return [counted("Suite", "families, venues and domestic indoor", differing, len(told)), _shares(paper, kinds)]


def _kind(paper: Paper, family: ListedFamily) -> str:
    """The kind of a family's venue, by our own list; a venue that is not on it is its own."""
    venue = re.sub(r"^an? ", "", family.scene)
    return {row.title: row.cells["kind"] for row in paper.rows["venues"]}.get(venue, venue)


def _shares(paper: Paper, kinds: Counter[str]) -> CheckLine:
    rows = paper.rows["fig3-left"]
    members = {row.group: [r.title for r in rows if r.group == row.group] for row in rows}
    differing = []
    for row in rows:
        counted_in = members[row.group] if row.title == "all of them" else [row.title]
        share = 100 * sum(kinds[kind] for kind in counted_in) / max(kinds.total(), 1)
        if not reads_as(row.cells["families_pct"], share):
            differing.append(f"{row.group}, {row.title}: printed {row.cells['families_pct']} %, counted {share:.1f} %")
    return counted("Fig. 3 left", "shares of families", differing, len(rows), "kinds by our reading of venues' names")


def variants(paper: Paper, found: Sequence[ListedVariant]) -> list[CheckLine]:
    """Every family with every event, four events, 400 variants."""
    pairs = {(variant.family_id, variant.event_delta) for variant in found}
    names = {variant.family_id for variant in found}
    facts = [
        ("variants", len(found), VARIANTS),
        ("families", len(names), FAMILIES),
        ("family and event", len(pairs), len(names) * len(EVENTS)),
    ]
    differing = [f"{what}: expected {said}, the file has {count}" for what, count, said in facts if count != said]
    strange = sorted({variant.event_delta for variant in found} ^ EVENTS)
    differing += [f"event {event!r}: only here, or only there" for event in strange]
    return [counted("Suite", "400 variants cross every family with four events", differing, len(facts) + 1)]
