"""People and animals in everyday places: four events each, five cameras each; the texts are in natural.toml.

A family is posed once it has a picture. Where its venue is a layout of the known world the first view is rendered; the
others take pictures that somebody brings: `lookaway suite attach natural --frames DIR`.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

from lookaway import extras
from lookaway.cache import Built, cached_arrays
from lookaway.errors import MissingExtra
from lookaway.geometry.visibility import obstacle
from lookaway.images import png_bytes
from lookaway.records import Box, Event, Record, Task, WorldSpec
from lookaway.store import Blobs
from lookaway.suites import Draft, suite
from lookaway.suites.look_aways import OTHER_SIDE, Timing, Turn, out_and_back
from lookaway.suites.releases.wrbench import CAMERAS, EVENTS, TIERS
from lookaway.worlds import HFOV_DEG, World

NAME, VERSION = "natural", 1
SUMMARY = "people and animals in everyday places; 2x2 events, five cameras, first pictures to be attached"
DATA = Path(__file__).with_suffix(".toml")
TIMING = Timing(before_s=0.5, out_s=1.25, hidden_s=0.75, back_s=1.25, after_s=1.25)
FPS = 16.0
RENDERED_SIZE = (640, 360)
ATTACH = f"lookaway suite attach {NAME} --frames DIR"


class EventWords(Record):
    """How an event sets in, which a prompt may say, and its end state, which only judges are told."""

    begins: str
    ends: str


class RenderedView(Record):
    """The known world whose first view is a family's picture, and where its subject is in it."""

    layout: str
    process: str
    seed: int
    box: Box
    pitch_deg: float


class NaturalFamily(Record):
    """A subject at a place, and what may become of it."""

    id: str
    venue: str
    setting: Literal["domestic", "commercial", "institutional", "work", "transit", "outdoors"]
    actor: Literal["human", "animal"]
    subject: str
    side: Turn
    action: str
    opening: str
    picture: str
    world: RenderedView | None = None
    none: EventWords
    spatial: EventWords
    state_only: EventWords
    full: EventWords

    def words(self, event: Event) -> EventWords:
        return {"none": self.none, "spatial": self.spatial, "state_only": self.state_only, "full": self.full}[event]

    def prompt(self, event: Event) -> str:
        return f"{self.opening} {self.words(event).begins}"

    @property
    def spec(self) -> WorldSpec | None:
        if self.world is None:
            return None
        return WorldSpec(layout=self.world.layout, process=self.world.process, seed=self.world.seed, side=self.side)


@dataclass(frozen=True)
class FamilyPicture:
    """What a task must know of its first picture."""

    path: str  # in the suite's folder; empty: it is rendered
    scene: str  # what its tasks are called after
    box: Box
    size: tuple[int, int]
    hfov_deg: float
    hfov_declared: bool
    pitch_deg: float
    tags: tuple[str, ...]


@cache
def framing() -> str:
    """What holds of every first picture."""
    return str(tomllib.loads(DATA.read_text("utf-8"))["framing"])


@cache
def families() -> dict[str, NaturalFamily]:
    """Every family by id."""
    told = tomllib.loads(DATA.read_text("utf-8"))["family"]
    return {family.id: family for family in map(NaturalFamily.model_validate, told)}


def rows(family: NaturalFamily, picture: FamilyPicture) -> list[dict[str, Any]]:
    """The tasks of a family on a picture, as rows of a folder suite: each event under each camera."""
    return [_row(family, picture, event, camera) for event in EVENTS for camera in CAMERAS]


def _row(family: NaturalFamily, picture: FamilyPicture, event: Event, camera: str) -> dict[str, Any]:
    (moves, changes), turn = EVENTS[event], CAMERAS[camera]
    return {
        "id": _id(picture, event, camera),
        "scene": picture.scene,
        "category": family.action,
        "moves": moves,
        "changes_in_place": changes,
        "prompt": family.prompt(event),
        "first_frame": picture.path,
        "subjects": [{"name": family.subject, "box": picture.box, "side": family.side}],
        "expected_end": family.words(event).ends,
        "observation_controls": ["look_away"] if turn else ["none"],
        "visibility": "leaves_and_returns" if turn else "always_visible",
        "camera": _script(*turn) if turn else f"hold@{TIMING.total_s:g}s",
        "hfov_deg": picture.hfov_deg,
        "hfov_declared": picture.hfov_declared,
        "pitch_deg": picture.pitch_deg,
        "width": picture.size[0],
        "height": picture.size[1],
        "fps": FPS,
        "seconds": TIMING.total_s,
        **_kinship(family, picture, event, camera),
        "family": family.id,
        "venue": family.venue,
        "actor": family.actor,
        "action": family.action,
        "tier": TIERS[event],
        "level": turn[1] if turn else None,
        "tags": [f"camera:{camera}", f"setting:{family.setting}", *picture.tags],
    }


def _id(picture: FamilyPicture, event: Event, camera: str) -> str:
    return f"{picture.scene}__{event}__{camera}"


def _script(first: Turn, degrees: int) -> str:
    return out_and_back(TIMING, f"yaw:{first}:{degrees}", f"yaw:{OTHER_SIDE[first]}:{degrees}")


def _kinship(family: NaturalFamily, picture: FamilyPicture, event: Event, camera: str) -> dict[str, Any]:
    """What a task is to the one whose camera turns farthest away from the subject: itself, its static twin, a variant.

    So the five cameras of an event share one static twin.
    """
    first = _id(picture, event, "yaw60_RL" if family.side == "left" else "yaw60_LR")
    turn = CAMERAS[camera]
    if turn is None:
        return {"twin": "static", "twin_of": first}
    if _id(picture, event, camera) == first:
        return {}
    return {"variant_of": first, "changes": f"the camera turns {turn[0]} first, by {turn[1]} degrees"}


def unposed() -> list[str]:
    """A line on the families without a picture."""
    without = [family.id for family in families().values() if family.world is None]
    count = f"{len(without)} of {len(families())} families have no picture and are not posed"
    return [f"{NAME}: {count}: {', '.join(without)}; attach pictures: {ATTACH}"]


@suite(
    NAME,
    version=VERSION,
    summary=SUMMARY,
    extra="worlds",
    without_extra=f", which renders its pictures; or attach your own: {ATTACH}",
    unposed=unposed,
)
def natural() -> list[Draft]:
    """The tasks of every family that has a picture here."""
    known = [(family, picture) for family in families().values() if (picture := rendered_picture(family)) is not None]
    return [
        rendered_draft(row, family.spec, NAME, VERSION) for family, picture in known for row in rows(family, picture)
    ]


class PicturedFamily(Protocol):
    """Whatever takes a first picture: a family of `natural`, a process of `evolution`."""

    @property
    def id(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def side(self) -> Turn: ...
    @property
    def opening(self) -> str: ...
    @property
    def picture(self) -> str: ...
    @property
    def world(self) -> RenderedView | None: ...
    @property
    def spec(self) -> WorldSpec | None: ...


def rendered_picture(family: PicturedFamily) -> FamilyPicture | None:
    """What is known of a family's rendered picture, before it is rendered."""
    view = family.world
    if view is None:
        return None
    tags = ("picture:rendered",)
    return FamilyPicture("", family.id, view.box, RENDERED_SIZE, HFOV_DEG, True, view.pitch_deg, tags)


def rendered_draft(row: dict[str, Any], spec: WorldSpec | None, name: str, version: int) -> Draft:
    """The task of a row whose picture is the first view of a known world; not rendered yet."""
    task = Task.model_validate(row | {"suite": name, "version": str(version)})
    world = None if spec is None else spec.model_dump()
    facts = (("row", json.dumps(row)), ("world", world), ("size", RENDERED_SIZE))
    return Draft(
        task.id,
        name,
        str(version),
        task.scene,
        task.camera,
        task.seconds,
        task.fps,
        facts,
        build_rendered,
        obstacle=obstacle(task),
        truth=False,
    )


def build_rendered(draft: Draft, blobs: Blobs) -> Built:
    """The task on the first view of its known world; of what then happens there, nothing is taken as truth."""
    facts = dict(draft.facts)
    picture = first_view(WorldSpec.model_validate(facts["world"]))
    first_frame = blobs.put_bytes(picture, ".png")
    row = json.loads(facts["row"]) | {"first_frame": first_frame, "suite": draft.suite, "version": draft.version}
    return Built(Task.model_validate(row))


@lru_cache(maxsize=4)
def first_view(spec: WorldSpec) -> bytes:
    """The picture of a world as it begins, rendered now or before."""
    if extras.missing("worlds"):
        raise MissingExtra("worlds", "a rendered picture", "; or attach your own: lookaway suite attach SUITE")

    def render() -> dict[str, Any]:
        world = World(spec, RENDERED_SIZE)
        return {"rgb": world.render(world.home, 0.0).rgb}

    return png_bytes(cached_arrays(["first view", spec.model_dump(), RENDERED_SIZE], render)["rgb"])
