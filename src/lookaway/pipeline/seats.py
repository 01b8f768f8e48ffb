"""Who is asked in a run: each judge of the plan with its settings and its Instrument, ready to be opened."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from lookaway.errors import UsageError
from lookaway.judges import JUDGES, Backend, Judge
from lookaway.judges.calls.functions import backend_of
from lookaway.pipeline.instruments import NOT_THE_JUDGES, judge_instrument
from lookaway.records import Instrument, JudgeRole, Plan, PlannedJudge, Setting, content_key, together


@dataclass(frozen=True, eq=False)
class Member:
    """One model of a seat: its plugin, what that reads or asks, and the settings addressed to it."""

    plugin: str
    source: str
    settings: Mapping[str, Setting]
    planned: Instrument | None = None  # as it was when the plan was written

    @property
    def judge(self) -> Judge:
        return JUDGES.get(self.plugin)

    @property
    def own_settings(self) -> dict[str, Setting]:
        """Those that the judge sees."""
        return {name: value for name, value in self.settings.items() if name not in NOT_THE_JUDGES}

    @cached_property
    def here(self) -> Instrument:
        """Who it is on this machine, now; weights that are not here are those that were planned."""
        return judge_instrument(self.judge, self.source, self.settings, self.planned)

    @property
    def instrument(self) -> Instrument:
        return self.planned or self.here

    @cached_property
    def address(self) -> str:
        """Names the model to open: one of the same name on another server is opened beside it."""
        return content_key("member", self.plugin, self.source, dict(self.settings))

    def opened(self) -> Backend:
        """Its backend, not yet entered."""
        return backend_of(self.judge, self.source, self.own_settings)


@dataclass(frozen=True, eq=False)
class JudgeSeat:
    """One judge of a plan, or several models that answer together as one ensemble."""

    planned: PlannedJudge
    members: tuple[Member, ...]

    @cached_property
    def instrument(self) -> Instrument:
        looked = together([member.instrument for member in self.members])
        assert looked is not None
        return looked


def instrument_here(plan: Plan, planned: PlannedJudge) -> Instrument:
    """A judge as it is on this machine, now."""
    looked = together([member.here for member in members_of(plan, planned)])
    assert looked is not None
    return looked


def seat_of(plan: Plan, planned: PlannedJudge) -> JudgeSeat:
    return JudgeSeat(planned, members_of(plan, planned))


def members_of(plan: Plan, planned: PlannedJudge) -> tuple[Member, ...]:
    """The models of a judge; settings of its role go before those of its plugin, a model in its address before both."""
    found: list[Member] = []
    known = _known_members(planned)
    for text, instrument in zip(planned.members, known, strict=True):
        plugin, _, source = text.partition(":")
        settings = plan.settings_of(plugin) | (plan.settings_of(planned.role) if planned.role else {})
        if JUDGES.get(plugin).at_address and "#" in source:
            source, _, model = source.partition("#")
            settings = settings | {"model": model}
        found.append(Member(plugin, source, settings, instrument))
    if len({member.instrument.key for member in found}) < len(found):
        raise UsageError(f"{planned}: two members of this ensemble are the same instrument, and would vote twice")
    return tuple(found)


def _known_members(planned: PlannedJudge) -> tuple[Instrument | None, ...]:
    together = planned.instrument
    if together is None:
        return (None,) * len(planned.members)
    return together.members if len(planned.members) > 1 else (together,)


Seating = Mapping[JudgeRole, JudgeSeat]


def seatings(plan: Plan, roles: Iterable[JudgeRole]) -> list[Seating]:
    """Every way to fill these roles with the plan's judges; a judge given for no role fills all of its roles at once.

    None where a role has no judge.
    """
    asked = tuple(dict.fromkeys(roles))
    own = {judge.role for judge in plan.judges}
    pools = {role if role in own else None: plan.judges_of(role) for role in asked}
    found: list[Seating] = []
    for chosen in itertools.product(*pools.values()):
        seated = {pool: seat_of(plan, planned) for pool, planned in zip(pools, chosen, strict=True)}
        found.append({role: seated[role if role in own else None] for role in asked})
    return found
