"""The relations: what is done to a clip, to which clips, and how the numbers of protocol `real` must follow.

    relation = RELATIONS["vanished"]
    relation.why_not(clip, other) or list(relation.frames(clip, other))

Each is a pure function of a clip's frames and of what was seen in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lookaway.calibration.own_clips.painting import Painter
from lookaway.calibration.own_clips.seen_clip import Image, SeenClip
from lookaway.records import Box
from lookaway.video import resize

Direction = Literal["worse", "stays", "no worse"]
Frames = Callable[[SeenClip, SeenClip], Iterator[Image]]  # of a clip, and of another one

SLOWER = 0.8  # times as many frames a second
POOR_CRF, GOOD_CRF = 26, 12
SHIFT = 0.25  # of the picture's width
NO_OTHER = "no other clip here looks away and back"
MADE_UP = 0.1  # of the picture: more than that, filled in from around, is one large smear
NOT_SHOWN = "too much of what is behind the subject is never seen"
NO_ROOM = "no room beside the subject to move it to"
STILL = 1 / 3  # of the way that it is moved aside: one that goes farther by itself may be anywhere along its way
GOES = "the subject moves, so nobody knows where it should be"


@dataclass(frozen=True)
class Prediction:
    """What a relation does to numbers: one of the metrics gets `worse`, or each `stays`, or none gets worse."""

    metrics: tuple[str, ...]
    direction: Direction


@dataclass(frozen=True)
class Relation:
    name: str
    summary: str
    kind: Literal["harmless", "fault"]
    frames: Frames
    expects: tuple[Prediction, ...]
    needs: frozenset[str] = frozenset()  # of a clip: look-away, subject, another, still, room, behind
    fps_factor: float = 1.0
    crf: int = GOOD_CRF
    same_start: bool = True  # begins with the clip's first frame, at its pace
    box: Callable[[SeenClip], Box | None] = lambda clip: clip.box
    touches: tuple[str, ...] = ()  # metrics that it may well move: to them it is neither harmless nor a fault
    known_as: str = ""  # the known world's model of the same fault
    version: int = 1

    def why_not(self, clip: SeenClip, other: SeenClip | None) -> str:
        """Why the relation does not apply to a clip; empty where it does."""
        if "look-away" in self.needs and clip.away is None:
            return clip.why_not_away
        if "subject" in self.needs and clip.why_no_subject:
            return clip.why_no_subject
        if "another" in self.needs and other is None:
            return NO_OTHER
        if "still" in self.needs and clip.goes_deg > STILL * SHIFT * clip.hfov_deg:
            return GOES
        if "room" in self.needs and not Painter(clip).room_aside(SHIFT):
            return NO_ROOM
        if "behind" in self.needs and Painter(clip).made_up_share() > MADE_UP:
            return NOT_SHOWN
        return ""


# ---------------------------------------------------------------- what is done


def as_it_is(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    yield from clip.rgb


def mirrored(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """Left is right."""
    return (np.ascontiguousarray(frame[:, ::-1]) for frame in clip.rgb)


def mirrored_box(clip: SeenClip) -> Box | None:
    return None if clip.box is None else (1 - clip.box[2], clip.box[1], 1 - clip.box[0], clip.box[3])


def backwards(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """From the last frame that shows the subject, or the last one, to the first."""
    yield from clip.rgb[_last(clip) :: -1]


def last_box(clip: SeenClip) -> Box | None:
    """Around the subject where `backwards` begins."""
    mask = clip.masks[_last(clip)]
    if clip.why_no_subject or not mask.any():
        return None
    (rows, columns), (height, width) = np.nonzero(mask), mask.shape
    return columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height


def _last(clip: SeenClip) -> int:
    seen = np.flatnonzero(clip.masks.any((1, 2)))
    return int(seen[-1]) if len(seen) and not clip.why_no_subject else len(clip) - 1


def repeated(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """The return is run back, and comes once more: nobody's memory is worse for it."""
    turn = clip.looks_away.turn
    yield from clip.rgb
    yield from clip.rgb[-2:turn:-1]
    yield from clip.rgb[turn:]


def undone(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """After the turning point the frames of before come backwards, as fast as fills the clip."""
    turn = clip.looks_away.turn
    yield from clip.rgb[: turn + 1]
    for k in np.linspace(turn, 0, len(clip) - turn)[1:].round().astype(int):
        yield clip.rgb[k]


def forgot(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """The return is another clip's."""
    back, theirs = clip.looks_away.end, other.looks_away.end
    yield from clip.rgb[:back]
    for k in range(len(clip) - back):
        at = min(len(other) - 1, theirs + round(k * other.fps / clip.fps))
        yield resize(other.rgb[at], clip.size)


def vanished(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """The subject is painted out after the turning point."""
    return _returned(clip, Painter(clip).gone)


def recoloured(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """The subject comes back in another colour."""
    return _returned(clip, Painter(clip).coloured)


def shifted(clip: SeenClip, other: SeenClip) -> Iterator[Image]:
    """The subject comes back a quarter of the picture aside."""
    painter = Painter(clip)
    across = painter.room_aside(SHIFT)
    return _returned(clip, lambda i: painter.moved(i, across))


def _returned(clip: SeenClip, painted: Callable[[int], Image]) -> Iterator[Image]:
    """The clip with other pictures after the turning point."""
    turn = clip.looks_away.turn
    yield from clip.rgb[:turn]
    yield from map(painted, range(turn, len(clip)))


# ---------------------------------------------------------------- what must follow

FILM = ("cut_count", "jump_count", "still_picture", "travelling")
PLACE = ("place_tied", "place_likeness")
CAMERA = ("turned_away", "view_returned", "camera_end_over_peak")
SUBJECT = ("subject_refound", "subject_doubled", "subject_replaced", "subject_colour_change", "subject_identity")


def _stay(*metrics: str) -> tuple[Prediction, ...]:
    return tuple(Prediction((metric,), "stays") for metric in metrics)


def _no_worse(*metrics: str) -> tuple[Prediction, ...]:
    return tuple(Prediction((metric,), "no worse") for metric in metrics)


def _worse(*metrics: str) -> Prediction:
    return Prediction(metrics, "worse")


AWAY, SUBJECT_AWAY = frozenset({"look-away"}), frozenset({"look-away", "subject"})

RELATIONS = {
    relation.name: relation
    for relation in (
        Relation(
            name="re-encoded",
            summary="compressed once more, harder",
            kind="harmless",
            frames=as_it_is,
            crf=POOR_CRF,
            expects=_stay(*CAMERA, *FILM, "place_likeness", *SUBJECT),  # compression costs features, so fewer tie
        ),
        Relation(
            name="mirrored",
            summary="left is right",
            kind="harmless",
            frames=mirrored,
            same_start=False,
            box=mirrored_box,
            expects=_stay(*CAMERA, *FILM, *PLACE, *SUBJECT),
        ),
        Relation(
            name="retimed",
            summary="a quarter slower: every clock runs a quarter longer, nothing else changes",
            kind="harmless",
            frames=as_it_is,
            fps_factor=SLOWER,
            same_start=False,
            expects=_stay(*CAMERA, *FILM, *PLACE, *SUBJECT),
        ),
        Relation(
            name="repeated",
            summary="its own return once more",
            kind="harmless",
            frames=repeated,
            needs=AWAY,
            same_start=False,
            touches=("time_undone",),  # its last frames are frames of before, as they are where time runs back
            expects=(
                *_stay("turned_away", "view_returned", "cut_count", "still_picture", "subject_refound"),
                *_no_worse(*PLACE),  # its views are shown again as they were, and a view ties best with itself
            ),
        ),
        Relation(
            name="reversed",
            summary="played backwards: without truth no number can tell, and none may change",
            kind="fault",
            frames=backwards,
            same_start=False,
            box=last_box,
            expects=_stay("cut_count", "still_picture", *PLACE),
        ),
        Relation(
            name="undone",
            summary="after the turning point the frames of before, backwards",
            kind="fault",
            frames=undone,
            needs=AWAY,
            expects=(_worse("time_undone"),),
            known_as="run-back",  # the known world's own `undone` goes on again, from earlier
        ),
        Relation(
            name="forgot",
            summary="another clip's return",
            kind="fault",
            frames=forgot,
            needs=AWAY | {"another"},
            expects=(_worse("cut_count", *PLACE),),
            known_as="other-room",
        ),
        Relation(
            name="vanished",
            summary="the subject painted out of the return",
            kind="fault",
            frames=vanished,
            needs=SUBJECT_AWAY | {"behind"},
            expects=(_worse("subject_refound"), *_stay("cut_count", *PLACE)),
            known_as="vanished",
        ),
        Relation(
            name="recoloured",
            summary="the subject in another colour on return",
            kind="fault",
            frames=recoloured,
            needs=SUBJECT_AWAY,
            expects=(_worse("subject_refound", "subject_replaced", "subject_colour_change"), *_stay(*PLACE)),
            known_as="wrong-colour",
        ),
        Relation(
            name="shifted",
            summary="the subject a quarter of the picture aside on return",
            kind="fault",
            frames=shifted,
            needs=SUBJECT_AWAY | {"room", "still", "behind"},
            touches=("place_tied",),  # what is painted, in two places, ties with nothing
            expects=(_worse("subject_place_shift"), *_stay("place_likeness")),
            known_as="teleported",
            version=2,
        ),
    )
}
