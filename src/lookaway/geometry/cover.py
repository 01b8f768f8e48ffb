"""Cover scripts: what comes between a resting camera and the subject, and when.

    hold@1s, curtain:close@0.4s, hold@1.5s, curtain:open@0.4s, hold@1s

`cardboard:lower` and `cardboard:lift`, `curtain:close` and `curtain:open`, `lights:off` and `lights:on` go all the way
at constant speed; `curtain:close:40@0.4s` stops at 40 %. One script uses one kind of cover.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lookaway.errors import UsageError
from lookaway.geometry.moves import MOST_S
from lookaway.geometry.trajectory import Floats

CoverKind = Literal["cardboard", "curtain", "lights"]

_WAYS: dict[CoverKind, tuple[str, str]] = {
    "cardboard": ("lower", "lift"),
    "curtain": ("close", "open"),
    "lights": ("off", "on"),
}
_WORDS: dict[CoverKind, tuple[str, str]] = {
    "cardboard": ("a sheet of cardboard is lowered in front of the camera", "the cardboard is lifted away"),
    "curtain": ("a curtain is drawn in front of the camera", "the curtain is drawn back"),
    "lights": ("all lights go out", "the lights come back on"),
}
SLACK_S = 1e-6
_MOVE = re.compile(r"(?P<kind>[a-z]+):(?P<way>[a-z]+)(?::(?P<percent>[0-9.]+))?@(?P<seconds>[0-9.]+)s")
_HOLD = re.compile(r"hold@(?P<seconds>[0-9.]+)s")


@dataclass(frozen=True)
class CoverPlan:
    """How far the cover has come (0 away, 1 all the way) at each of the times."""

    kind: CoverKind
    seconds: tuple[float, ...]
    shares: tuple[float, ...]

    def share_at(self, seconds: Floats) -> Floats:
        """Held before the first and after the last time."""
        return np.asarray(np.interp(seconds, self.seconds, self.shares))

    @property
    def duration(self) -> float:
        return self.seconds[-1]


def parse_cover(script: str) -> CoverPlan:
    """The plan that a script describes, or an error that points at the place."""
    kinds: set[CoverKind] = set()
    seconds, shares = [0.0], [0.0]
    position = 0
    for part in script.split(","):
        where = f"cover script, character {position + len(part) - len(part.lstrip()) + 1} of '{script}'"
        position += len(part) + 1
        kind, share, lasts = _step(part.strip(), shares[-1], where)
        kinds |= {kind} if kind else set()
        seconds.append(seconds[-1] + lasts)
        shares.append(share)
    if len(kinds) != 1:
        raise UsageError(f"cover script '{script}': one kind of cover a script, and at least one; known: {_known()}")
    return CoverPlan(kinds.pop(), tuple(seconds), tuple(shares))


def is_cover(script: str) -> bool:
    """Does this script move a cover, and so not the camera?"""
    return any(part.strip().partition(":")[0] in _WAYS for part in script.split(","))


def _step(text: str, before: float, where: str) -> tuple[CoverKind | None, float, float]:
    if hold := _HOLD.fullmatch(text):
        return None, before, _positive(hold["seconds"], where)
    move = _MOVE.fullmatch(text)
    if move is None:
        raise UsageError(f"{where}: cannot read '{text}'; write hold@1s or curtain:close@0.4s")
    kind = next((k for k in _WAYS if k == move["kind"]), None)
    if kind is None:
        raise UsageError(f"{where}: unknown cover '{move['kind']}'; known: {_known()}")
    closing, opening = _WAYS[kind]
    if move["way"] not in (closing, opening):
        raise UsageError(f"{where}: a {kind} goes {closing} or {opening}, not '{move['way']}'")
    percent = _positive(move["percent"], where) if move["percent"] else 100.0
    if percent > 100:
        raise UsageError(f"{where}: {percent:g} % is more than all the way")
    return kind, percent / 100 if move["way"] == closing else 0.0, _positive(move["seconds"], where)


def _positive(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not SLACK_S < number <= MOST_S:
        raise UsageError(f"{where}: '{text[:40]}' is not a positive number of at most {MOST_S:g}")
    return number


def _known() -> str:
    return ", ".join(f"{kind}:{way}" for kind, ways in _WAYS.items() for way in ways)


def cover_in_words(script: str) -> str:
    """The script as a sentence for models that take text only."""
    plan = parse_cover(script)
    said = []
    for start, end, before, after in zip(plan.seconds, plan.seconds[1:], plan.shares, plan.shares[1:], strict=False):
        lasts = f"{end - start:g} seconds"
        if after == before:
            said.append(f"for {lasts} everything stays like this")
        else:
            partly = "" if after in (0.0, 1.0) else f" {after:.0%} of the way"
            said.append(f"within {lasts} {_WORDS[plan.kind][0 if after > before else 1]}{partly}")
    sentence = ", then ".join(said)
    return f"{sentence[0].upper()}{sentence[1:]}."


def cover_moves(script: str) -> list[tuple[float, str]]:
    """When the cover begins to move, and what it then does, as sentences."""
    plan = parse_cover(script)
    steps = zip(plan.seconds, plan.shares, plan.shares[1:], strict=False)
    told = [(start, _WORDS[plan.kind][0 if after > before else 1]) for start, before, after in steps if after != before]
    return [(start, f"{words[0].upper()}{words[1:]}.") for start, words in told]


def cover_piece(script: str, start_s: float, end_s: float) -> str:
    """What the cover does between two seconds, as a script that lasts as long; empty where it does not move.

    `hold@1s, curtain:close@1s, hold@1s` from 1 to 1.5 -> `curtain:close:50@0.5s`
    """
    plan = parse_cover(script)
    inside = [second for second in plan.seconds if start_s + SLACK_S < second < end_s - SLACK_S]
    edges = [start_s, *inside, end_s]
    shares = plan.share_at(np.array(edges)).tolist()
    if len(set(shares)) == 1:
        return ""
    spans = zip(edges, edges[1:], shares, shares[1:], strict=False)
    return ", ".join(_span(plan.kind, end - start, before, after, script) for start, end, before, after in spans)


def _span(kind: CoverKind, lasts: float, before: float, after: float, script: str) -> str:
    closing, opening = _WAYS[kind]
    if abs(after - before) < SLACK_S:
        return f"hold@{lasts:.6g}s"
    if after > before:
        return f"{kind}:{closing}{'' if after == 1 else f':{after * 100:.6g}'}@{lasts:.6g}s"
    if after > SLACK_S:
        raise UsageError(f"cover script '{script}': it cannot be cut while the {kind} goes {opening}")
    return f"{kind}:{opening}@{lasts:.6g}s"
