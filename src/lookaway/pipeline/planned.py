"""The numbers that a run is to make: each metric as a protocol reads it, by whoever looks and whoever is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from lookaway.errors import UsageError
from lookaway.judges.estimators.votes import check_rule
from lookaway.judges.frames import frame_rule
from lookaway.judges.prompting import Prompt, check_wording
from lookaway.metrics import METRICS, Metric
from lookaway.metrics import find as find_metric
from lookaway.pipeline.instruments import OF_THE_ASK, observer_instrument
from lookaway.pipeline.seats import JudgeSeat, Seating, seatings
from lookaway.protocols import check_frames, prompt_of
from lookaway.records import Ask, Clip, Instrument, JudgeRole, Plan, Protocol, Setting, content_key, together


@dataclass(frozen=True)
class Asking:
    """One ask of a protocol, as it is put to one seat: with what settings say about it."""

    name: str  # under which metrics and gates read it
    ask: Ask
    prompt: Prompt
    seat: JudgeSeat
    given: Asking | None = None  # what is asked before, whose words it is told


@dataclass(frozen=True)
class PlannedScore:
    """One number to make: a metric as a protocol reads it, from what these observers saw and these judges answered."""

    protocol: str
    metric: str  # name:variant
    version: int  # of the metric
    lookers: tuple[str, ...]  # observers
    instrument: str  # label of them and the judges together; none where nobody has to look
    instrument_key: str
    ask: str = ""  # label of what judges are asked
    ask_key: str = ""
    askings: Mapping[str, Asking] = field(default_factory=dict)  # by name, those of its gates among them
    round: int = 1

    def key(self, clip: Clip) -> str:
        who = (self.instrument_key, self.ask_key)
        return content_key("score", str(clip.case), self.protocol, self.metric, self.version, self.round, *who)

    @property
    def function(self) -> Metric:
        return METRICS.get(self.metric)


def planned_scores(plan: Plan) -> list[PlannedScore]:
    """What is measured of every clip, in its first round; a metric without a judge for all its asks is not measured."""
    return [
        reading
        for protocol in plan.protocols
        for ref in protocol.metrics
        for reading in _readings(plan, protocol, find_metric(ref))
    ]


def _readings(plan: Plan, protocol: Protocol, metric: Metric) -> list[PlannedScore]:
    lookers = metric.looks_with(protocol.observers)
    saw = [observer_instrument(plan, name) for name in lookers]
    asks = {name: protocol.asks[name] for name in metric.all_asks}
    found = []
    for seating in seatings(plan, roles_of(asks.values())):
        askings = {name: _asking(plan, protocol, name, ask, seating) for name, ask in asks.items()}
        judges = {judge.key: judge for asking in askings.values() for judge in _judges(asking)}
        instrument, key = _named(together([*saw, *judges.values()]))
        label, ask_key = _asked(askings.values())
        plain = (protocol.name, str(metric.ref), metric.version, lookers, instrument, key)
        found.append(PlannedScore(*plain, label, ask_key, askings))
    return found


def roles_of(asks: Iterable[Ask]) -> list[JudgeRole]:
    each = [ask for one in asks for ask in (one.given, one) if ask is not None]
    return list(dict.fromkeys(ask.role for ask in each))


def _asking(plan: Plan, protocol: Protocol, name: str, ask: Ask, seating: Seating) -> Asking:
    seat, prompt = seating[ask.role], prompt_of(ask, protocol)
    given = _asking(plan, protocol, name, ask.given, seating) if ask.given is not None else None
    put = with_settings(ask, prompt, ask_settings(plan, ask.role, seat))
    if plan.bank is not None and {"question", "questions"} & set(prompt.declared.sees):
        put = put.model_copy(update={"bank": plan.bank.asked})
    return Asking(name, put if given is None else put.model_copy(update={"given": given.ask}), prompt, seat, given)


def _judges(asking: Asking) -> list[Instrument]:
    before = [asking.given.seat.instrument] if asking.given is not None else []
    return [*before, asking.seat.instrument]


def ask_settings(plan: Plan, role: JudgeRole, seat: JudgeSeat) -> dict[str, Setting]:
    """What settings say about how a seat is asked: those of the role go before those of the plugins."""
    said: dict[str, Setting] = {}
    for member in seat.members:
        said |= plan.settings_of(member.plugin)
    said |= plan.settings_of(role)
    return {name: value for name, value in said.items() if name in OF_THE_ASK}


def with_settings(ask: Ask, prompt: Prompt, settings: Mapping[str, Setting]) -> Ask:
    """The ask with other frames, wording, votes or number of samples; what cannot be is refused."""
    said: dict[str, object] = {}
    if "frames" in settings:
        said["frames"] = str(frame_rule(str(settings["frames"])))
    if "votes" in settings:
        said["votes"] = check_rule(str(settings["votes"]))
    if "wording" in settings:
        said["wordings"] = (check_wording(prompt, str(settings["wording"])),)
    if "samples" in settings:
        samples = settings["samples"]
        if not (isinstance(samples, int) and samples > 0):
            raise UsageError(f"samples is '{samples}'; give a whole number above 0")
        said["samples"] = samples
    changed = ask.model_copy(update=said)
    check_frames(changed, prompt)
    return changed


def check_settings(plan: Plan) -> None:
    """Refuse settings with which nothing could be asked, and those of a role that no judge is given."""
    for role in get_args(JudgeRole):
        given = any(judge.role == role for judge in plan.judges)
        alien = [name for name in plan.settings_of(role) if name not in OF_THE_ASK]
        if alien and not given:
            raise UsageError(f"{role}.{alien[0]}: no judge has this role; give one with --judge {role}=JUDGE")
    planned_scores(plan)


def _named(looked: Instrument | None) -> tuple[str, str]:
    return ("none", "") if looked is None else (looked.label, looked.key)


def _asked(askings: Iterable[Asking]) -> tuple[str, str]:
    """Label and key of what is asked: of one ask its own, of several all together."""
    asks = [asking.ask for asking in askings]
    if len(asks) < 2:
        return (asks[0].label, asks[0].key) if asks else ("", "")
    return " + ".join(ask.label for ask in asks), content_key("asks", [ask.key for ask in asks])
