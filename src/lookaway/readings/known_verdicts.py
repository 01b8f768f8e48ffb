"""What StEvo-Bench's verifiers ask, told by the known world itself: 1 for the video, 0 against it, or why neither.

Nobody is asked. The clip stands beside renderings of the true process (observer `replay`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lookaway.geometry.rounds import round_count
from lookaway.judges.prompting.context import NONE, hiding_kind
from lookaway.observers import Floats
from lookaway.observers.replay import Replay
from lookaway.observers.replaying.clock import Clock
from lookaway.observers.replaying.search import FOUND
from lookaway.outcomes import Abstain, NotApplicable
from lookaway.readings import Case
from lookaway.readings.clock import clock, look_away
from lookaway.readings.finds import explained_as_before, finds
from lookaway.readings.sight import lost, stayed_away, stayed_in_sight
from lookaway.readings.verdicts import Verdict, every_verdict

# What counts as right is what the ledger of protocol `diorama` calls right.
RIGHT_PLACE, RIGHT_COUNT, KEPT_TIME, SAME_ROOM = 0.05, 0.5, 0.25, 0.5
SAME_LOOKS = 0.5  # explained by its true looks at any moment: half as well as before
EFFECT, NO_EFFECT = (
    0.15,
    0.05,
)  # of a state's range from the start: from there on an effect shows, up to there none does
AS_LIKE = 1.25  # times as unlike as before, at the likest moment, is as like
FIRST_BACK = 3  # frames after a look-away that tell what memory brought back
CURVE_SLACK = 0.05  # of the way from the likest moment to the middling one: as like


def hidden_exactly(case: Case) -> Verdict:
    """Was it really out of sight for half a second, or was nothing to hide it?"""
    if hiding_kind(case.task) == NONE:
        return 1.0
    unknown = lost(case)
    return float(not stayed_in_sight(case)) if unknown is None else unknown


def started_exactly(case: Case) -> Verdict:
    """Does any frame show what the action brings about, or was nothing to be done?"""
    if case.task.action_control == NONE:
        return 1.0
    seen = case.saw(Replay)
    effect = _effect_at(case, seen.moments)
    due = _effect_at(case, seen.seconds[seen.read])
    if not len(due) or due.max() < EFFECT:
        return Abstain("no frame that was compared would show its effect yet")
    least, most = zip(*(_least_and_most(curve, effect) for curve in seen.curves), strict=True)
    if max(least) >= EFFECT:
        return 1.0
    shown = np.array(most)[due >= EFFECT]
    return 0.0 if shown.max() <= NO_EFFECT else Abstain("several moments look alike, with and without its effect")


def _effect_at(case: Case, seconds: Floats) -> Floats:
    """How far the true process is from its start at these seconds, in ranges of its states."""
    truth, world = case.known()
    ranges = np.ptp(world.state, axis=0)
    apart = np.abs(world.state - world.state[0])[:, ranges > 0] / ranges[ranges > 0]
    worst = apart.max(axis=1) if apart.size else np.zeros(len(world.state))
    return np.asarray(np.interp(seconds, truth.seconds, worst))


def _least_and_most(curve: Floats, effect: Floats) -> tuple[float, float]:
    """The least and the largest effect among the moments that a frame looks like."""
    alike = curve <= curve.min() + CURVE_SLACK * (np.median(curve) - curve.min())
    return float(effect[alike].min()), float(effect[alike].max())


def progressed_exactly(case: Case) -> Verdict | NotApplicable:
    """Did it get about as far as was due while hidden, by the clip's own clock? A standstill is 0, and so is a rush."""
    if (unposed := _unposed(case)) is not None:
        return unposed
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable):
        return read
    if read.stands:
        return 0.0
    passed = passed_shares(case, read)
    kept, stood = (np.abs(passed - due).min() <= KEPT_TIME for due in (1.0, 0.0))
    if not read.ticks:  # no pace is seen: what fits without any slip fits a standstill as well
        kept = stood = read.slip <= KEPT_TIME * (look_away(case).end_s - look_away(case).start_s)
    if kept and stood:
        return Abstain("one that stood still and one that went on would look alike by then")
    return float(kept)


def _unposed(case: Case) -> Abstain | None:
    """Why this round says nothing of what happens unseen; an observed twin is asked about that of its task."""
    if (unknown := lost(case)) is not None:
        return unknown
    reason = "" if case.task.yoked else stayed_in_sight(case, case.round) or stayed_away(case, case.round)
    return Abstain(reason) if reason else None


def passed_shares(case: Case, read: Clock) -> Floats:
    """Every share of the time out of sight that the process, at its own pace, may have lived through."""
    hidden, choices = look_away(case), np.append(read.restarts, read.restart)
    lasted = (hidden.end_s - hidden.start_s) * (read.rate if read.ticks else 1.0)
    return np.asarray(1 + (choices - read.start) / lasted)


def plausible_exactly(case: Case) -> Verdict:
    """Is it the same thing, resting on its ground, in the same room, after every look-away?"""
    return every_verdict(_plausible(one) for one in _rounds(case))


def _plausible(case: Case) -> Verdict:
    after = _unposed(case) or finds(case)
    if isinstance(after, Abstain):
        return after
    if float(np.median(after.explained)) < FOUND:
        return Abstain("the subject is gone: of what is not there nothing can be said")
    down = np.abs(after.place_y - after.due_y) * case.task.height / case.task.width
    up = float(np.median(down)) > max(RIGHT_PLACE, float(np.median(np.abs(after.place_x - after.due_x))))
    same = explained_as_before(case, after.explained) >= SAME_LOOKS
    return every_verdict([float(not up), float(same), same_room(case)])


def coherent_exactly(case: Case) -> Verdict:
    """One subject, where it is due and no earlier than it was, in the same room, after every look-away?"""
    return every_verdict(_coherent(one) for one in _rounds(case))


def _coherent(case: Case) -> Verdict:
    after = _unposed(case) or finds(case)
    if isinstance(after, Abstain):
        return after
    found = after.explained >= FOUND
    count = float(np.mean(np.abs(found + after.extra - 1))) <= RIGHT_COUNT
    across, down = after.place_x - after.due_x, (after.place_y - after.due_y) * case.task.height / case.task.width
    off = float(np.median(np.hypot(across, down))) > RIGHT_PLACE and not _of_another_moment(case)
    return every_verdict([float(count), float(not off), same_room(case), float(not went_back(case))])


def _of_another_moment(case: Case) -> bool:
    """Whether what is seen fits some moment of the process as well as before: who stands still is not displaced."""
    seen = case.saw(Replay)
    before, after = (seen.curves[seen.read_round == number] for number in (0, case.round))
    if not len(before) or not len(after):
        return False
    return bool(np.median(after.min(axis=1)) <= AS_LIKE * np.median(before.min(axis=1)))


def same_room(case: Case) -> Verdict:
    seen = case.saw(Replay)
    same = seen.background[seen.background_round == case.round]
    return float(np.median(same) >= SAME_ROOM) if len(same) else Abstain("nothing of the room is seen again")


def went_back(case: Case) -> bool:
    """Is the process surely earlier after the look-away than it was before?"""
    read = clock(case)
    if isinstance(read, Abstain | NotApplicable) or not read.ticks:
        return False
    return bool(passed_shares(case, read).max() < -KEPT_TIME)


def _rounds(case: Case) -> list[Case]:
    return [replace(case, round=number) for number in range(1, 1 + round_count(case.task))]


def nearer_the_start(case: Case) -> float | Abstain:
    """How much more the first returned views are like the start than like what is due: 1 quite, -1 not at all."""
    seen = case.saw(Replay)
    mine = seen.read_round == case.round
    if not mine.any():
        return Abstain("no frame after the look-away could be compared")
    at, rows = seen.seconds[seen.read[mine]][:FIRST_BACK], seen.curves[mine][:FIRST_BACK]
    if _effect_at(case, at).min() < EFFECT:
        return Abstain("what is due by then hardly differs from the start")
    due = np.array([np.interp(second, seen.moments, row) for second, row in zip(at, rows, strict=True)])
    return float(np.median((due - rows[:, 0]) / np.maximum(due + rows[:, 0], 1e-6)))
