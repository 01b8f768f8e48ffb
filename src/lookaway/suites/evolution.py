"""Processes that go on while nobody looks, in six categories; the texts are in evolution.toml.

Each is hidden by cardboard, by a curtain and by darkness, for models that take text, and by a camera that turns away,
for models that take a camera; each of the two has a baseline in which everything is seen. A process is posed once it
has a picture, as in `natural`. Still things, which must merely persist, are a suite of their own.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import model_validator

from lookaway.geometry.visibility import planned
from lookaway.records import Event, Record, Task, Twin, WorldSpec
from lookaway.suites import Draft, suite
from lookaway.suites.look_aways import OTHER_SIDE, PLAIN, Turn, find, hidden_start_rule, out_and_back
from lookaway.suites.natural import FamilyPicture, RenderedView, rendered_draft, rendered_picture

NAME, STILL_NAME, VERSION = "evolution", "evolution-permanence", 1
SUMMARY = "86 processes of six categories, hidden by covers, darkness or a turned camera, and observed"
STILL_SUMMARY = "still things that must merely persist, hidden and observed as in evolution"
DATA = Path(__file__).with_suffix(".toml")
ATTACH = "lookaway suite attach {} --frames DIR"

TIMING, FPS = PLAIN, 16.0
COVERS = ("cardboard", "curtain", "lights-off")
LOOK_AWAY, LOOK_DEG, GLANCE_DEG = "look_away", 60, 5  # far enough to hide any subject; too little to hide any
TRIGGER_S = 2.0  # hidden by every control
LEVELS = {
    "object permanence": 0,
    "continuous process": 1,
    "kinematics": 2,
    "relational change": 3,
    "state transformation": 4,
    "causal change": 5,
    "expected behaviour": 6,
}
Row = dict[str, Any]


class OppositeAct(Record):
    """What else may be done to the same picture, and what comes of it."""

    acts: str
    direction: str
    ends: str


class DynamicVariant(Record):
    """The same process under one other condition; it ends further on or less far, the same way."""

    name: str
    begins: str
    changes: str


class EvolutionProcess(Record):
    """A subject and what becomes of it; see the head of evolution.toml."""

    id: str
    category: Literal[
        "object permanence",
        "continuous process",
        "kinematics",
        "relational change",
        "state transformation",
        "causal change",
        "expected behaviour",
    ]
    venue: str
    side: Turn
    event: Event
    glows: bool = False  # shines by itself: darkness cannot hide it
    subject: str
    opening: str
    begins: str = ""
    acts: str = ""
    shows_in: str = ""
    direction: str
    ends: str
    picture: str
    world: RenderedView | None = None
    opposite: OppositeAct | None = None
    variant: DynamicVariant | None = None

    @model_validator(mode="after")
    def _causes_are_told(self) -> Self:
        if (self.category == "causal change") != all((self.acts, self.shows_in, self.opposite)):
            raise ValueError("what is set off has acts, shows_in and opposite; what is not has none of them")
        return self

    @property
    def prompt(self) -> str:
        goes_on = f"After {TRIGGER_S:g} seconds, {self.acts}." if self.acts else self.begins
        return f"{self.opening} {goes_on}".strip()

    @property
    def covers(self) -> tuple[str, ...]:
        return tuple(cover for cover in COVERS if not (self.glows and cover == "lights-off"))

    @property
    def spec(self) -> WorldSpec | None:
        if self.world is None:
            return None
        return WorldSpec(layout=self.world.layout, process=self.world.process, seed=self.world.seed, side=self.side)

    def other_way(self) -> EvolutionProcess:
        """The same picture with the opposite act."""
        assert self.opposite is not None
        return self.model_copy(update=self.opposite.model_dump())


@cache
def framing() -> str:
    """What holds of every first picture."""
    return str(tomllib.loads(DATA.read_text("utf-8"))["framing"])


@cache
def processes() -> dict[str, EvolutionProcess]:
    """Every process by id."""
    told = tomllib.loads(DATA.read_text("utf-8"))["process"]
    return {process.id: process for process in map(EvolutionProcess.model_validate, told)}


@cache
def still_things() -> dict[str, EvolutionProcess]:
    """What must merely persist, by id."""
    told = tomllib.loads(DATA.read_text("utf-8"))["still"]
    same = {"category": "object permanence", "event": "none", "direction": "the same"}
    ends = "{} is at the same place and looks the same"
    found = [EvolutionProcess.model_validate(row | same | {"ends": ends.format(row["subject"])}) for row in told]
    return {thing.id: thing for thing in found}


@cache
def paired_covers() -> dict[str, str]:
    """The cover of each process whose task the baseline in words is the twin of: each as often as the others."""
    found, used = dict[str, str](), Counter[tuple[str, str]]()
    for process in (*processes().values(), *still_things().values()):
        kind = process.category
        found[process.id] = min(process.covers, key=lambda cover: (used[kind, cover], COVERS.index(cover)))
        used[kind, found[process.id]] += 1
    return found


def rows(process: EvolutionProcess, picture: FamilyPicture) -> list[Row]:
    """The tasks of a process on a picture, as rows of a folder suite."""
    controls = (*process.covers, LOOK_AWAY)
    hidden = {control: _row(process, picture, control) for control in controls}
    paired = paired_covers()[process.id]
    made = [*hidden.values(), _observed(hidden[paired], "observed"), _observed(hidden[LOOK_AWAY], "observed_turn")]
    if process.opposite is not None:
        made += [_opposite(process.other_way(), picture, hidden[control], control) for control in controls]
    if process.variant is not None:
        made += [_variant(process.variant, process, hidden[control]) for control in (paired, LOOK_AWAY)]
    return made


def _row(process: EvolutionProcess, picture: FamilyPicture, control: str) -> Row:
    turns = control == LOOK_AWAY
    return {
        "id": f"{picture.scene}__{control}",
        "scene": picture.scene,
        "category": process.category,
        "moves": process.event in ("spatial", "full"),
        "changes_in_place": process.event in ("state_only", "full"),
        "prompt": process.prompt,
        "first_frame": picture.path,
        "subjects": [{"name": process.subject, "box": picture.box, "side": process.side}],
        "expected_end": f"{process.ends[0].upper()}{process.ends[1:]}.",
        "end_edit": f"Change the picture so that {process.ends}.",
        "direction": process.direction,
        "action_control": process.acts or "none",
        "trigger": hidden_start_rule(process.subject, TRIGGER_S, process.shows_in) if process.acts else "",
        "trigger_s": TRIGGER_S if process.acts else None,
        "observation_controls": [control],
        "visibility": "leaves_and_returns",
        "camera": _turned(process.side, LOOK_DEG) if turns else f"hold@{TIMING.total_s:g}s",
        "cover": "" if turns else find(control).cover_script(TIMING),
        "hfov_deg": picture.hfov_deg,
        "hfov_declared": picture.hfov_declared,
        "pitch_deg": picture.pitch_deg,
        "width": picture.size[0],
        "height": picture.size[1],
        "fps": FPS,
        "seconds": TIMING.total_s,
        "family": process.id,
        "venue": process.venue,
        "level": LEVELS[process.category],
        "tags": [*picture.tags, *(["extra:level-0"] if process.category == "object permanence" else [])],
    }


def _turned(side: Turn, degrees: float) -> str:
    """Away from the subject and back."""
    away = OTHER_SIDE[side]
    return out_and_back(TIMING, f"yaw:{away}:{degrees:g}", f"yaw:{side}:{degrees:g}")


def _observed(hidden: Row, name: str) -> Row:
    """The same in full view, about the seconds in which the hidden task hides it."""
    side = hidden["subjects"][0]["side"]
    twin: Twin = "observed"
    return hidden | {
        "id": f"{hidden['scene']}__{name}",
        "twin": twin,
        "twin_of": hidden["id"],
        "visibility": "always_visible",
        "observation_controls": ["none"],
        "cover": "",
        "camera": hidden["camera"] if hidden["cover"] else _turned(side, GLANCE_DEG),
        "trigger": "",
        "yoked": [phase.model_dump() for phase in planned(_task(hidden)).phases],
    }


def _opposite(process: EvolutionProcess, picture: FamilyPicture, hidden: Row, control: str) -> Row:
    twin: Twin = "opposite"
    return _row(process, picture, control) | {
        "id": f"{hidden['id']}__opposite",
        "twin": twin,
        "twin_of": hidden["id"],
    }


def _variant(variant: DynamicVariant, process: EvolutionProcess, hidden: Row) -> Row:
    return hidden | {
        "id": f"{hidden['id']}__{variant.name}",
        "prompt": f"{process.opening} {variant.begins}",
        "variant_of": hidden["id"],
        "changes": variant.changes,
    }


def _task(row: Row) -> Task:
    return Task.model_validate(row | {"suite": NAME, "version": str(VERSION)})


def drafts_of(name: str, known: dict[str, EvolutionProcess]) -> list[Draft]:
    """The tasks of every process that has a picture here."""
    pictured = [(one, picture) for one in known.values() if (picture := rendered_picture(one)) is not None]
    return [
        rendered_draft(row, process.spec, name, VERSION)
        for process, picture in pictured
        for row in rows(process, picture)
    ]


def unposed() -> list[str]:
    return _without_picture(NAME, processes())


def still_unposed() -> list[str]:
    return _without_picture(STILL_NAME, still_things())


def _without_picture(name: str, known: dict[str, EvolutionProcess]) -> list[str]:
    without = [one.id for one in known.values() if one.world is None]
    count = f"{len(without)} of {len(known)} processes have no picture and are not posed"
    return [f"{name}: {count}: {', '.join(without)}; attach pictures: {ATTACH.format(name)}"]


WITHOUT_EXTRA = ", which renders its pictures; or attach your own: {}"


@suite(
    NAME,
    version=VERSION,
    summary=SUMMARY,
    extra="worlds",
    without_extra=WITHOUT_EXTRA.format(ATTACH.format(NAME)),
    unposed=unposed,
)
def evolution() -> list[Draft]:
    return drafts_of(NAME, processes())


@suite(
    STILL_NAME,
    version=VERSION,
    summary=STILL_SUMMARY,
    extra="worlds",
    without_extra=WITHOUT_EXTRA.format(ATTACH.format(STILL_NAME)),
    unposed=still_unposed,
)
def evolution_permanence() -> list[Draft]:
    return drafts_of(STILL_NAME, still_things())
