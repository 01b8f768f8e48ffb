"""One sentence per system, made from its ledger, its clock and its dose response: what the numbers come to, in words.

A sentence speaks of the clips of the run alone. A step counts where it was tested: in clips that came that far, were
concerned and had a number. Where too few were, nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from lookaway.analyses import Findings
from lookaway.analyses.cells import cells
from lookaway.analyses.dose import dose_curves
from lookaway.analyses.ledger import ledger
from lookaway.phrasing import INACTIVITY
from lookaway.records import Cell, DoseCurve, DosePoint, LedgerStep, MetricRef, PlainWords, Protocol, StatedNumber, Step

FEWEST = 3  # clips tested at a step: of fewer nothing is said
MOSTLY, HARDLY = 0.75, 0.25  # of the tested clips: from here on kept, up to here lost, in between sometimes
CLOCK = MetricRef(name="world_clock", variant="sound")
OFF = 0.25  # hidden durations: the clock counts as having stopped, or kept time, that near to 0 or 1

Level = Literal["kept", "sometimes", "lost", "untested"]


class PosingWords(NamedTuple):
    """Of a step before memory can be tested: what a system does that stays behind at it."""

    lost: str


class MemoryWords(NamedTuple):
    """Of a step that tests memory: what is remembered, and what it is called where it fails."""

    what: str
    lost: str


POSING = {
    "turn_share": PosingWords("does not turn its camera as asked"),
    "prompt_camera_alignment": PosingWords("does not turn its camera as asked"),
    "still_picture": PosingWords("makes still pictures"),
    "cut_count": PosingWords("cuts instead of looking away"),
    "left_view": PosingWords("keeps the subject in sight"),
    "turned_away": PosingWords("keeps the subject in sight"),
    "came_back": PosingWords("does not come back to the place"),
    "view_returned": PosingWords("does not come back to the place"),
    "judged_support": PosingWords("never shows the place again"),
    "tracked_support": PosingWords("never shows the place again"),
    "observation_control": PosingWords("does not look away as asked"),
}
MEMORY = {
    "return_count": MemoryWords("what was there", "the subject is gone or there twice"),
    "subject_refound": MemoryWords("what was there", "the subject is not found again"),
    "object_present": MemoryWords("what was there", "the subject is gone"),
    "return_place": MemoryWords("where", "the subject is in a wrong place"),
    "reobserved_spatial": MemoryWords("where", "the subject is in a wrong place"),
    "return_state": MemoryWords("what it looks like", "the subject looks wrong"),
    "reobserved_state": MemoryWords("in which state", "the subject is in a wrong state"),
    "state_progress": MemoryWords("in which state", "its state did not go on"),
    "subject_identity": MemoryWords("which one", "another subject is there"),
    "return_identity": MemoryWords("which one", "hardly the same subject is there"),
    "clock_error": MemoryWords("when", "its clock is off"),
    "absolute_clock": MemoryWords("how fast", "its world runs at another speed"),
    "time_undone": MemoryWords("when", "what happened is undone"),
    "background_same": MemoryWords("the room", "the room is another"),
    "place_likeness": MemoryWords("the room", "the room is another"),
    "coherence": MemoryWords("the scene", "the scene falls apart"),
}


def plain_words(findings: Findings) -> list[PlainWords]:
    """A sentence for every system and set of instruments that has a ledger under the findings' protocol."""
    steps, protocol = findings.once(ledger), findings.protocol
    ways: dict[tuple[str, str], list[LedgerStep]] = {}
    for step in steps:
        ways.setdefault((step.system, step.instruments), []).append(step)
    whole = [cell for cell in findings.once(cells) if cell.slice == "all"]
    curves = findings.once(dose_curves)
    return [
        in_words(
            protocol,
            way,
            [cell for cell in whole if cell.system == system],
            [curve for curve in curves if (curve.system, curve.instruments) == (system, instruments)],
        )
        for (system, instruments), way in ways.items()
    ]


def in_words(
    protocol: Protocol, way: Sequence[LedgerStep], cells_of: Iterable[Cell], curves: Iterable[DoseCurve]
) -> PlainWords:
    """The sentence of one system, from its steps in the protocol's order, its own cells and its own curves."""
    mine = list(cells_of)
    facts = {"protocol": protocol.name, "system": way[0].system, "instruments": way[0].instruments}
    found = list(zip(protocol.ledger, way, strict=True))
    posing = [pair for pair in found if pair[0].metric.name in POSING]
    memory = [pair for pair in found if pair[0].metric.name in MEMORY]
    if not memory or not way[0].total:
        verdict, grounds = _counted(found)
    else:
        verdict, grounds = _verdict(posing, memory, mine, list(curves))
    return PlainWords(**facts, verdict=verdict, grounds=(*grounds, *_inactive(mine)))


Told = tuple[str, list[StatedNumber]]
Pair = tuple[Step, LedgerStep]


def _counted(found: Sequence[Pair]) -> Told:
    """Of a ledger without a step that there are words for: how many clips walk it, and where most stop."""
    last = found[-1][1]
    if not last.total:
        return "has no scored clip", []
    step, way = max(found, key=lambda pair: sum(pair[1].lost.values()))
    lost = sum(way.lost.values())
    grounds = [StatedNumber(text=f"{lost} of {way.total} stop at “{step.name}”", step=step.name)] if lost else []
    return f"reaches every step in {last.reached} of {last.total} clips", grounds


def _verdict(posing: Sequence[Pair], memory: Sequence[Pair], mine: Sequence[Cell], curves: Sequence[DoseCurve]) -> Told:
    if (before := _not_posed(posing)) is not None:
        return before
    posed = posing[-1][1].reached if posing else memory[0][1].total
    tested = [(step, way, *_tested(way)) for step, way in memory]
    levels = {step.name: _level(passed, count, posed) for step, _, passed, count in tested}
    clock = _clock(mine, posed)
    if clock is None and all(level == "untested" for level in levels.values()):
        return _untested(memory)
    grounds = [_ground(*facts) for facts in tested if levels[facts[0].name] in ("sometimes", "lost")]
    if not grounds and (clock is None or clock.level == "kept"):
        grounds = [_all_the_way(memory)]
    grounds = [*([clock.ground] if clock else []), *grounds]
    if (fades := _fades(curves)) is not None:
        return "remembers for a while, then forgets", [fades, *grounds]
    return _remembered(tested, levels, clock), grounds


# ---------------------------------------------------------------- steps


def _tested(way: LedgerStep) -> tuple[int, int]:
    """Clips that passed the step by a number of their own, and all that had one there."""
    passed = way.reached - way.skipped
    return passed, passed + sum(way.lost.values())


def _level(passed: int, count: int, posed: int) -> Level:
    """How often a step was passed; untested where few clips, or the minority of those that posed the question, were."""
    if count < max(FEWEST, posed / 2):
        return "untested"
    share = passed / count
    return "kept" if share >= MOSTLY else "lost" if share <= HARDLY else "sometimes"


def _not_posed(posing: Sequence[Pair]) -> Told | None:
    """Where hardly any clip came so far that memory could be tested: at which step most stayed behind."""
    if not posing:
        return None
    last = posing[-1][1]
    unknown = last.unknown_before + sum(last.unknown.values())
    if (last.reached + unknown) / last.total > HARDLY:
        return None
    step, way = max(posing, key=lambda pair: sum(pair[1].lost.values()))
    lost = sum(way.lost.values())
    verdict = f"{POSING[step.metric.name].lost}, so its memory {'is hardly' if last.reached else 'was not'} tested"
    return verdict, [StatedNumber(text=f"{lost} of {way.total} clips stop at “{step.name}”", step=step.name)]


def _untested(pairs: Sequence[Pair]) -> Told:
    step, way = max(pairs, key=lambda pair: sum(pair[1].unknown.values()) + sum(pair[1].lost.values()))
    unknown = way.unknown_before + sum(way.unknown.values())
    if not unknown:
        count = _tested(pairs[0][1])[1]
        return "has too few clips to say what it remembers", [
            StatedNumber(
                text=f"{count} of {way.total} came to “{pairs[0][0].name}” with a number", step=pairs[0][0].name
            )
        ]
    why = next(iter(way.unknown), "a step before was not measured")
    text = f"of {unknown} of {way.total} clips nobody knows “{step.name}”: {why}"
    return "may remember or not: nobody can tell", [StatedNumber(text=text, step=step.name)]


Facts = tuple[Step, LedgerStep, int, int]


def _ground(step: Step, way: LedgerStep, passed: int, count: int) -> StatedNumber:
    text = f"{MEMORY[step.metric.name].lost} in {count - passed} of {count} clips that came to “{step.name}”"
    return StatedNumber(text=text, step=step.name)


def _all_the_way(memory: Sequence[Pair]) -> StatedNumber:
    step, way = memory[-1]
    return StatedNumber(text=f"{way.reached} of {way.total} clips reach every step", step=step.name)


def _remembered(tested: Sequence[Facts], levels: dict[str, Level], clock: ClockWords | None) -> str:
    """`remembers what and the room, sometimes where, not when`."""
    found: dict[str, Level] = {}
    for step, *_ in tested:
        what, level = MEMORY[step.metric.name].what, levels[step.name]
        if level != "untested":
            found[what] = level if found.get(what, level) == level else "sometimes"
    if clock is not None and clock.level != "untested":
        found["when"] = clock.level
    sorts = {level: [what for what, one in found.items() if one == level] for level in ("kept", "sometimes", "lost")}
    if not sorts["sometimes"] and not sorts["lost"]:
        return "keeps its world going while nobody looks"
    parts = [f"remembers {_listed(sorts['kept'])}"] if sorts["kept"] else []
    if sorts["sometimes"]:
        parts.append(f"{'sometimes' if parts else 'sometimes remembers'} {_listed(sorts['sometimes'])}")
    if sorts["lost"]:
        parts.append(f"{'not' if parts else 'forgets'} {_listed(sorts['lost'])}")
    return ", ".join(parts)


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


# ---------------------------------------------------------------- the clock, the dose, the camera


class ClockWords(NamedTuple):
    level: Level
    ground: StatedNumber


def _clock(mine: Iterable[Cell], posed: int) -> ClockWords | None:
    """What the clock does while hidden; undecided where its interval holds more than one answer."""
    cell = next((c for c in mine if (c.metric, c.variant) == (CLOCK.name, CLOCK.variant)), None)
    if cell is None or cell.value is None or cell.ok < max(FEWEST, posed / 2):
        return None
    ends = [cell.value, *(end for end in (cell.low, cell.high) if end is not None)]
    answers = {_pace(end) for end in ends}
    span = "" if cell.low is None or cell.high is None else f" [{cell.low:z.2f}, {cell.high:z.2f}]"
    number = f"{cell.value:z.2f}{span} of the hidden time, n={cell.ok} of {cell.n}"
    if len(answers) > 1:
        return ClockWords(
            "untested", StatedNumber(text=f"what its clock does while hidden is open ({number})", metric=CLOCK)
        )
    words = answers.pop()
    return ClockWords("kept" if words == KEEPS else "lost", StatedNumber(text=f"{words} ({number})", metric=CLOCK))


KEEPS = "its clock keeps time while hidden"


def _pace(reading: float) -> str:
    if abs(reading - 1) <= OFF:
        return KEEPS
    if abs(reading) <= OFF:
        return "its clock stops while hidden"
    if reading < 0:
        return "its clock runs backwards while hidden"
    return "its clock runs slow while hidden" if reading < 1 else "its clock skips ahead while hidden"


def _fades(curves: Iterable[DoseCurve]) -> StatedNumber | None:
    """Right where it was hidden for less than some time and wrong where for more, each in enough clips."""
    curve = next((c for c in curves if c.dose == "hidden_s"), None)
    points = [p for p in curve.points if p.value is not None] if curve else []
    for cut in range(1, len(points)):
        short, long = _pooled(points[:cut]), _pooled(points[cut:])
        if min(short.n, long.n) >= FEWEST and short.share >= MOSTLY and long.share <= HARDLY:
            return StatedNumber(text=f"right in {short.words}, in {long.words}", dose=True)
    return None


class PooledPoints(NamedTuple):
    n: int
    share: float
    words: str


def _pooled(points: Sequence[DosePoint]) -> PooledPoints:
    n = sum(p.ok for p in points)
    right = sum(round((p.value or 0) * p.ok) for p in points)
    span = f"{points[0].dose_low:.2f} to {points[-1].dose_high:.2f} s"
    return PooledPoints(n, right / n, f"{right} of {n} clips hidden for {span}")


def _inactive(mine: Iterable[Cell]) -> Iterator[StatedNumber]:
    cell = next((c for c in mine if (c.metric, c.variant) == INACTIVITY), None)
    if cell is not None and cell.value is not None and cell.value > HARDLY:
        text = f"its camera hardly moves in {round(cell.value * cell.ok)} of {cell.ok} clips"
        yield StatedNumber(text=text, metric=MetricRef(name=cell.metric, variant=cell.variant))
