"""What a leaderboard has shown: one line per change, only ever added to, each with its reason."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from lookaway.errors import SealError, UsageError, problems
from lookaway.records import Audit, SiteEvent
from lookaway.sharing.canonical import canonical_json

FILE = "history.jsonl"
NOTHING = hashlib.sha256(b"").hexdigest()
RowBundles = Mapping[tuple[str, str], str]  # system and table, to the bundle of its row


def read_history(path: Path) -> list[SiteEvent]:
    """Every line, checked to follow from the one before."""
    if not path.exists():
        return []
    events: list[SiteEvent] = []
    before = NOTHING
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            event = SiteEvent.model_validate_json(line)
        except ValidationError as error:
            raise SealError(f"{path}, line {number}: not a line of a history ({problems(error)})") from error
        if (event.number, event.before) != (number, before):
            raise SealError(f"{path}, line {number}: does not follow the line before; a line was changed or taken out")
        before = hashlib.sha256(line).hexdigest()
        events.append(event)
    return events


def shown_rows(events: Sequence[SiteEvent]) -> dict[tuple[str, str], str]:
    """What the leaderboard shows after these events: (row, table) to bundle."""
    shown: dict[tuple[str, str], str] = {}
    for event in events:
        place = (event.row, event.facts.get("table", ""))
        if event.what in ("added", "replaced"):
            shown[place] = event.bundle
        elif event.what == "removed":
            shown.pop(place, None)
    return shown


def further(events: Sequence[SiteEvent], now: RowBundles, audits: Sequence[Audit], reason: str) -> list[SiteEvent]:
    """The lines to add so that the history ends in what is shown now; a row that changes or goes needs a reason."""
    changes = [*_audited(events, audits), *_changed(shown_rows(events), now, reason)]
    made: list[SiteEvent] = []
    before = hashlib.sha256(canonical_json(events[-1])).hexdigest() if events else NOTHING
    for change in changes:
        event = change.model_copy(update={"number": len(events) + len(made) + 1, "before": before})
        before = hashlib.sha256(canonical_json(event)).hexdigest()
        made.append(event)
    return made


def _audited(events: Sequence[SiteEvent], audits: Sequence[Audit]) -> list[SiteEvent]:
    known = {(event.bundle, event.facts.get("nonce")) for event in events if event.what == "audited"}
    return [
        _event(
            "audited",
            one.bundle,
            "",
            one.verdict,
            nonce=one.nonce,
            drawn=str(len(one.drawn)),
            clips=str(one.clips),
            not_reproduced=str(len(one.outside)),
        )
        for one in audits
        if (one.bundle, one.nonce) not in known
    ]


def _changed(before: RowBundles, now: RowBundles, reason: str) -> list[SiteEvent]:
    changes = []
    for (row, table), bundle in now.items():
        was = before.get((row, table))
        if was is None:
            changes.append(_event("added", bundle, row, reason or "first shown", table=table))
        elif was != bundle:
            why = _needed(reason, f"the row of {row} changes")
            changes.append(_event("replaced", bundle, row, why, table=table, was=was))
    for (row, table), bundle in before.items():
        if (row, table) not in now:
            changes.append(_event("removed", bundle, row, _needed(reason, f"the row of {row} goes"), table=table))
    return changes


def _needed(reason: str, what: str) -> str:
    if not reason:
        raise UsageError(f"{what}; say why with --reason TEXT, it goes into the history")
    return reason


def _event(what: str, bundle: str, row: str, reason: str, **facts: str) -> SiteEvent:
    return SiteEvent.model_validate(
        {"number": 1, "before": NOTHING, "what": what, "bundle": bundle, "row": row, "reason": reason, "facts": facts}
    )


def lines(events: Sequence[SiteEvent]) -> bytes:
    return b"".join(canonical_json(event) + b"\n" for event in events)
