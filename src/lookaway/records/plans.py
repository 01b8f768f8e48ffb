"""What a run is about: protocols and the plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Self, cast, get_args

from pydantic import Field, model_validator

from lookaway.records.asked import Task, Twin
from lookaway.records.banks import BankRef
from lookaway.records.base import Record
from lookaway.records.instruments import Ask, Instrument, JudgeRole
from lookaway.records.scores import MetricRef
from lookaway.records.systems import CaseId, ModelCard, Setting, System

Wanted = Mapping[str, tuple[str, ...]]  # field to the values that count; `!value` takes one away
OF_SYSTEM = "system."


def field_text(record: Record, field: str) -> str:
    """A field of a record as text: `world.layout` goes inside, lists are joined by `+`, nothing is `none`.

    >>> card = ModelCard(name="a", summary="", control="none", generator="x", input=("image", "text"))
    >>> field_text(card, "input"), field_text(card, "fps")
    ('image+text', 'none')
    """
    value: Any = record
    for part in field.split("."):
        value = getattr(value, part, None)
    return "+".join(map(str, value)) if isinstance(value, tuple) else "none" if value is None else str(value)


def is_field(kind: type[Record], field: str) -> bool:
    """Whether records of a kind have such a field or property; what lies inside of it is not looked into."""
    first = field.partition(".")[0]
    return first in kind.model_fields or isinstance(getattr(kind, first, None), property)


def slice_value(task: Task, system: System | None, field: str) -> str:
    """A field of the task, or, behind `system.`, of the system or its card."""
    if not field.startswith(OF_SYSTEM):
        return field_text(task, field)
    return "none" if system is None else _system_text(system, field.removeprefix(OF_SYSTEM))


def _system_text(system: System, field: str) -> str:
    return field_text(system if is_field(System, field) else system.card, field)


def is_slice_field(field: str) -> bool:
    own = field.removeprefix(OF_SYSTEM)
    return is_field(System, own) or is_field(ModelCard, own) if own != field else is_field(Task, field)


class Slice(Record):
    """A way to part the rows: by one field of Task or, behind `system.`, System; or by a pair of fields."""

    fields: tuple[str, ...] = Field(min_length=1, max_length=2)

    @model_validator(mode="before")
    @classmethod
    def _from_names(cls, given: Any) -> Any:
        return {"fields": [given] if isinstance(given, str) else given} if isinstance(given, str | list) else given

    @model_validator(mode="after")
    def _fields_exist(self) -> Self:
        _check_fields("slices", self.fields)
        return self

    @property
    def is_about_systems(self) -> bool:
        return any(field.startswith(OF_SYSTEM) for field in self.fields)

    def label(self, task: Task, system: System | None) -> str:
        """Such as `category=kinematics`, or `event=full, system.condition_type=prompt-only`."""
        return ", ".join(f"{field}={slice_value(task, system, field)}" for field in self.fields)


class Population(Record):
    """Which rows a table counts. Twins are arms of a contrast: they count only where they are named."""

    tasks: dict[str, tuple[str, ...]] = Field({}, description="field of Task to the values that count, or `!value`")
    systems: dict[str, tuple[str, ...]] = Field({}, description="the same of System or its card")
    twins: tuple[Twin, ...] = Field((), description="twins that count as well")
    opportunity: bool = Field(False, description="only tasks that can hide the subject and bring it back")

    @model_validator(mode="after")
    def _fields_exist(self) -> Self:
        _check_fields("population", (*self.tasks, *(f"{OF_SYSTEM}{name}" for name in self.systems)))
        return self

    def counts_task(self, task: Task) -> bool:
        return (task.twin is None or task.twin in self.twins) and _is_wanted(self.tasks, partial(field_text, task))

    def counts_system(self, system: System) -> bool:
        return _is_wanted(self.systems, partial(_system_text, system))


def _check_fields(where: str, fields: Iterable[str]) -> None:
    for field in fields:
        if not is_slice_field(field):
            raise ValueError(f"{where}: there is no field '{field}'")


def _is_wanted(wanted: Wanted, value_of: Callable[[str], str]) -> bool:
    for field, choices in wanted.items():
        value = value_of(field)
        unwanted = {choice[1:] for choice in choices if choice.startswith("!")}
        named = {choice for choice in choices if not choice.startswith("!")}
        if value in unwanted or (named and value not in named):
            return False
    return True


class Step(Record):
    """One step of the attribution ledger: reached when `metric` is at least `at_least` and at most `at_most`."""

    name: str
    metric: MetricRef
    at_least: float | None = None
    at_most: float | None = None
    concerns: dict[str, tuple[str, ...]] = Field(
        {}, description="tasks it is about, as in Population.tasks; for others it is skipped, and nothing else is"
    )

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError(f"ledger step '{self.name}': give at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"ledger step '{self.name}': at_least is above at_most, so nothing reaches it")
        return self

    @model_validator(mode="after")
    def _fields_exist(self) -> Self:
        _check_fields(f"ledger step '{self.name}'", self.concerns)
        return self

    def about(self, task: Task) -> bool:
        return _is_wanted(self.concerns, partial(field_text, task))

    def miss(self, value: float) -> str:
        """What a number is that does not reach the step: `below 0.8`."""
        below = self.at_least is not None and value < self.at_least
        return f"below {self.at_least:g}" if below else f"above {self.at_most:g}"


class Role(Record):
    """What a protocol demands of who fills a role."""

    differs_from: tuple[JudgeRole, ...] = Field((), description="roles that another model must fill")


class Protocol(Record):
    """Which metrics make up a profile, in which order they are read, and of which rows their tables speak."""

    name: str
    summary: str
    metrics: tuple[MetricRef, ...]
    headline: tuple[MetricRef, ...]
    ledger: tuple[Step, ...] = ()
    observers: tuple[str, ...] = Field((), description="looked with as well, though no metric needs them")
    roles: dict[JudgeRole, Role] = Field({}, description="of its judges, where it demands something of them")
    asks: dict[str, Ask] = Field({}, description="what its metrics and gates ask, by the name they ask it under")
    prompts: dict[str, str] = Field({}, description="texts of its own prompt files, by name, where it brings some")
    population: Population = Population()
    populations: dict[str, Population] = Field({}, description="of single metrics, instead, by `name:variant`")
    axes: dict[str, MetricRef] = Field({}, description="what people are asked about, and the metric to set beside it")
    slices: tuple[Slice, ...] = (Slice(fields=("category",)), Slice(fields=("event",)))
    analyses: tuple[str, ...] = Field(("cells", "ledger", "dose"), description="that make its tables, in this order")

    @model_validator(mode="before")
    @classmethod
    def _given_asks(cls, given: Any) -> Any:
        """In a file, an ask names the one whose words it is given; here it holds it."""
        asks = given.get("asks") if isinstance(given, dict) else None
        if not isinstance(asks, dict):
            return given
        return given | {"asks": {name: _with_given(name, asks) for name in asks}}

    @model_validator(mode="after")
    def _references_match(self) -> Self:
        """A step, headline or population of a metric that is not measured would match nothing."""
        for place, named in (
            ("headline", self.headline),
            ("ledger", [step.metric for step in self.ledger]),
            ("populations", [MetricRef.model_validate(name) for name in self.populations]),
        ):
            for metric in named:
                if not any(metric.may_be(known) for known in self.metrics):
                    raise ValueError(f"{place}: '{metric}' is not among the protocol's metrics")
        return self

    def population_of(self, metric: str, variant: str) -> Population:
        return self.populations.get(f"{metric}:{variant}", self.population)


def _with_given(name: str, asks: Mapping[str, Any]) -> Any:
    ask = asks[name]
    before = ask.get("given") if isinstance(ask, dict) else None
    if not isinstance(before, str):
        return ask
    if before not in asks:
        raise ValueError(f"asks: '{name}' is given the words of '{before}', which is not asked")
    if isinstance(asks[before], dict) and asks[before].get("given"):
        raise ValueError(f"asks: '{name}' is given the words of '{before}', which is given some itself")
    return ask | {"given": asks[before]}


class PlannedJudge(Record):
    """A judge of a run, and what for; several of one role fill a column each."""

    role: JudgeRole | None = None  # None: every role that no other judge is given
    judge: str  # plugin, and what it reads or asks: `scripted:answers.jsonl`; several, by commas, are one ensemble
    instrument: Instrument | None = Field(None, description="as it was when the plan was written")

    @classmethod
    def parse(cls, text: str) -> PlannedJudge:
        """`gate=openai:URL` is a judge with a role; without one it fills every role.

        >>> PlannedJudge.parse("verifier=openai:http://a#x,openai:http://b#y").members
        ('openai:http://a#x', 'openai:http://b#y')
        """
        role, equals, judge = text.partition("=")
        if equals and role in get_args(JudgeRole):
            return cls(role=cast(JudgeRole, role), judge=judge)
        return cls(judge=text)

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(_BETWEEN_JUDGES.split(self.judge))

    @property
    def plugins(self) -> tuple[str, ...]:
        return tuple(member.partition(":")[0] for member in self.members)

    def __str__(self) -> str:
        return self.judge if self.role is None else f"{self.role}={self.judge}"


_BETWEEN_JUDGES = re.compile(r",(?=[a-z][a-z_]*(?::|,|$))")
FORM = 3  # of run folders: records and keys of another form cannot be mixed with ours


class Plan(Record):
    """What a run folder is about: every stage works off it."""

    form: int = FORM
    suite: str
    suite_version: str
    in_folder: bool = Field(False, description="the suite is no registered one, but a folder")
    folder: str | None = Field(None, exclude=True, description="where that lies on this machine; see local.json")
    tasks: tuple[str, ...] = Field((), description="ids of the suite's tasks, in its order")
    systems: tuple[System, ...] = ()
    seeds: tuple[int, ...] = (0,)
    branches: tuple[str, ...] = Field(("",), description="ways on, of every case; the empty one is as the task asks")
    protocols: tuple[Protocol, ...]
    judges: tuple[PlannedJudge, ...] = ()
    settings: dict[str, Setting] = Field({}, description="plugin.name to value")
    instruments: dict[str, Instrument] = Field({}, description="its observers, by name")
    bank: BankRef | None = Field(None, description="questions that are put in place of the tasks' own")
    cases: tuple[CaseId, ...] = Field((), description="exactly these are made; empty: every task, system and seed")

    def judges_of(self, role: JudgeRole) -> tuple[PlannedJudge, ...]:
        """Who fills a role: those given for it, else those given for none."""
        own = tuple(judge for judge in self.judges if judge.role == role)
        return own or tuple(judge for judge in self.judges if judge.role is None)

    def settings_of(self, plugin: str) -> dict[str, Setting]:
        """The settings addressed to one plugin: `patch_features.model=...` reaches patch_features as `model`."""
        return {key.split(".", 1)[1]: value for key, value in self.settings.items() if key.split(".", 1)[0] == plugin}


class PluginVersion(Record):
    """Which source code stood behind a plugin's version when it made this run's rows."""

    kind: str
    name: str
    version: int
    source_sha256: str
