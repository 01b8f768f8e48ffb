"""First pictures that somebody brings for families of a suite of texts, and the folder suite that is made of them.

    DIR/FAMILY.png         or FAMILY-WORD.png where a family has several; png, jpg or webp
    DIR/FAMILY.json        of the same name, beside it: {"box": [0.1, 0.2, 0.3, 0.9], "hfov_deg": 65}

Names of files only choose a family: what is written is called after the family and the picture's content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from lookaway.errors import LookawayError, SuiteError, UnknownName, UsageError, problems
from lookaway.images import BadImage, png_bytes, rgb_image
from lookaway.records import Box, Record, Subject
from lookaway.store import write_whole
from lookaway.suites import evolution, natural
from lookaway.suites.evolution import processes, still_things
from lookaway.suites.folder import read_folder, write_folder
from lookaway.suites.natural import FamilyPicture, PicturedFamily, families, first_view, rendered_picture
from lookaway.suites.sheets import text_of
from lookaway.video.names import printable

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
SIDECAR = ".json"
LEAST_HEIGHT = 240  # pixels; a subject of a third of the height is then large enough to be followed
LEAST_ASPECT, MOST_ASPECT = 1.0, 3.0  # width over height: the camera turns sideways
ASSUMED_HFOV_DEG = 60.0
HASH_LENGTH = 8


class PictureFacts(Record):
    """What is said of a picture in the file beside it; all of it may be left out."""

    box: Box | None = Field(None, description="of the subject: left, top, right, bottom as shares of the picture")
    hfov_deg: float | None = Field(None, ge=1, le=170, description="degrees across the picture")
    pitch_deg: float = Field(0.0, ge=-80, le=80, description="tilt of the camera, up is positive")


@dataclass(frozen=True)
class PictureSuite:
    """A suite of texts that takes pictures."""

    name: str
    version: int
    summary: str
    framing: Callable[[], str]
    families: Callable[[], Mapping[str, PicturedFamily]]
    rows: Callable[[Any, FamilyPicture], list[dict[str, Any]]]  # of one of its families


NATURAL = PictureSuite(
    natural.NAME, natural.VERSION, natural.SUMMARY, natural.framing, lambda: families(), natural.rows
)
_EVOLUTION = PictureSuite(
    evolution.NAME, evolution.VERSION, evolution.SUMMARY, evolution.framing, lambda: processes(), evolution.rows
)
_STILL = replace(
    _EVOLUTION, name=evolution.STILL_NAME, summary=evolution.STILL_SUMMARY, families=lambda: still_things()
)
TAKING_PICTURES = {suite.name: suite for suite in (NATURAL, _EVOLUTION, _STILL)}


@dataclass(frozen=True)
class BroughtPicture:
    path: Path
    family: PicturedFamily
    size: tuple[int, int]
    facts: PictureFacts


Draw = Callable[[Sequence[BroughtPicture]], Mapping[str, Box]]  # boxes by file name


class Attached(NamedTuple):
    """What became of the pictures."""

    rows: list[dict[str, Any]]
    pictures: dict[str, str]  # scene by file name
    refused: dict[str, str]  # why, by file name

    @property
    def families(self) -> set[str]:
        return {row["family"] for row in self.rows}


def attach(
    folder: Path,
    out: Path,
    hfov_deg: float = ASSUMED_HFOV_DEG,
    draw: Draw | None = None,
    with_rendered: bool = False,
    suite: PictureSuite = NATURAL,
) -> Attached:
    """Make a suite of the pictures in a folder; those that cannot be used are told, and the others go on.

    `hfov_deg` is taken, unverified, where a picture's own is not said; `draw` is asked for boxes that are not said.
    With the rendered ones, every family that has a picture anywhere is posed.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; give the folder of your pictures")
    if (out / "suite.toml").exists() and read_folder(out).name != suite.name:
        raise UsageError(f"{out}: holds another suite already; give another --out")
    found, refused = brought_pictures(folder, suite)
    if draw is not None:
        found = _drawn(found, draw)
    attached = Attached([], {}, refused)
    for picture in found:
        try:
            _add(attached, picture, out, hfov_deg, suite)
        except LookawayError as error:
            refused[printable(picture.path.name)] = str(error)
    if with_rendered:
        _add_rendered(attached, out, suite)
    if attached.rows:
        write_folder(out, suite.name, suite.version, suite.summary, attached.rows)
    return attached


def brought_pictures(folder: Path, suite: PictureSuite = NATURAL) -> tuple[list[BroughtPicture], dict[str, str]]:
    """The pictures of a folder that can be read, and why the others cannot, by name."""
    found, refused = [], {}
    for path in sorted(folder.iterdir(), key=lambda path: (path.stem, path.name)):
        if path.name.startswith(".") or path.suffix.lower() == SIDECAR:
            continue
        try:
            found.append(_brought(path, suite.families()))
        except LookawayError as error:
            refused[printable(path.name)] = str(error)
    return found, refused


def _brought(path: Path, known: Mapping[str, PicturedFamily]) -> BroughtPicture:
    if path.suffix.lower() not in SUFFIXES or not path.is_file():
        raise SuiteError(f"not a picture; give {', '.join(SUFFIXES)}")
    named = path.stem.partition("-")[0]
    if named not in known:
        raise UnknownName("family", printable(named), known)
    try:
        height, width = rgb_image(path).shape[:2]
    except BadImage as error:
        raise SuiteError(f"not a readable picture ({error})") from error
    if height < LEAST_HEIGHT:
        raise SuiteError(f"{width}x{height} is too small; give at least {LEAST_HEIGHT} pixels of height")
    if not LEAST_ASPECT <= width / height <= MOST_ASPECT:
        raise SuiteError(f"{width}x{height}: give a picture that is one to three times as wide as high")
    return BroughtPicture(path, known[named], (width, height), _facts(path.with_suffix(SIDECAR)))


def _facts(sidecar: Path) -> PictureFacts:
    if not sidecar.exists():
        return PictureFacts()
    try:
        return PictureFacts.model_validate_json(text_of(sidecar))
    except ValidationError as error:
        raise SuiteError(f"{printable(sidecar.name)}: {problems(error)}") from error


def _drawn(found: Sequence[BroughtPicture], draw: Draw) -> list[BroughtPicture]:
    """The pictures with the boxes that were drawn, which are also written down beside them."""
    undrawn = [picture for picture in found if picture.facts.box is None]
    boxes = draw(undrawn) if undrawn else {}
    return [_kept(picture, boxes[picture.path.name]) if picture.path.name in boxes else picture for picture in found]


def _kept(picture: BroughtPicture, box: Box) -> BroughtPicture:
    facts = picture.facts.model_copy(update={"box": box})
    write_whole(picture.path.with_suffix(SIDECAR), facts.model_dump_json(exclude_none=True) + "\n")
    return replace(picture, facts=facts)


def _add(attached: Attached, picture: BroughtPicture, out: Path, hfov_deg: float, suite: PictureSuite) -> None:
    """The tasks of a picture; its copy is plain PNG, upright, without what a camera wrote into the file."""
    family, facts = picture.family, picture.facts
    box = _checked_box(picture)
    png = png_bytes(rgb_image(picture.path))
    earlier = [name for name, scene in attached.pictures.items() if scene == _scene(family, png)]
    if earlier:
        raise SuiteError(f"the same picture as {earlier[0]}")
    declared = facts.hfov_deg is not None
    tags = ("picture:attached", *(() if declared else ("hfov:unverified",)))
    known = FamilyPicture(
        _copied(family, png, out),
        _scene(family, png),
        box,
        picture.size,
        facts.hfov_deg or hfov_deg,
        declared,
        facts.pitch_deg,
        tags,
    )
    attached.pictures[printable(picture.path.name)] = known.scene
    attached.rows.extend(suite.rows(family, known))


def _add_rendered(attached: Attached, out: Path, suite: PictureSuite) -> None:
    """The tasks of families that the known world has a picture of, where nobody brought one."""
    for family in suite.families().values():
        if family.id in attached.families or family.spec is None or (shown := rendered_picture(family)) is None:
            continue
        png = first_view(family.spec)
        known = replace(shown, path=_copied(family, png, out), scene=_scene(family, png))
        attached.pictures[f"rendered {family.id}"] = known.scene
        attached.rows.extend(suite.rows(family, known))


def _scene(family: PicturedFamily, png: bytes) -> str:
    return f"{family.id}-{hashlib.sha256(png).hexdigest()[:HASH_LENGTH]}"


def _copied(family: PicturedFamily, png: bytes, out: Path) -> str:
    """The path of the copy, in the suite's folder."""
    copy = Path("first_frames") / f"{_scene(family, png)}.png"
    (out / copy).parent.mkdir(parents=True, exist_ok=True)
    (out / copy).write_bytes(png)
    return copy.as_posix()


def _checked_box(picture: BroughtPicture) -> Box:
    """A box that lies in the picture, on the side on which the family's text has its subject."""
    family, box = picture.family, picture.facts.box
    if box is None:
        sidecar = printable(picture.path.with_suffix(SIDECAR).name)
        raise SuiteError(
            f"nobody says where {family.subject} is; draw it with --pick, or write "
            f'{{"box": [left, top, right, bottom]}} to {sidecar}'
        )
    try:
        Subject(name=family.subject, box=box, side=family.side)
    except ValidationError as error:
        raise SuiteError(problems(error)) from error
    side = "left" if box[0] + box[2] < 1 else "right"
    if side != family.side:
        raise SuiteError(f"the box is on the {side}, and the text has {family.subject} on the {family.side}; mirror it")
    return box
