"""WRBench's release, Natural-25: `families.jsonl`, `variants.jsonl`, first frames, and a table of events.

A clip of the release is called VARIANT__CAMERA, and so are the tasks, so that its videos are matched by name. Only the
variants without a camera in their words are asked; the others are checked against them.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lookaway.errors import LookawayError, SuiteError
from lookaway.images import read_image
from lookaway.records import Box, Event, event_of
from lookaway.suites.look_aways import OTHER_SIDE, Turn
from lookaway.suites.releases.reading import Boxes, Release, ReleaseLine, lines_of
from lookaway.suites.sheets import text_of

CAMERAS: dict[str, tuple[Turn, int] | None] = {  # which way first, and how far
    "static": None,
    "yaw30_LR": ("left", 30),
    "yaw30_RL": ("right", 30),
    "yaw60_LR": ("left", 60),
    "yaw60_RL": ("right", 60),
}
GAPS = ("none", "static", "yaw_LR", "yaw_RL")
EVENTS = {event_of(moves, changes): (moves, changes) for moves in (False, True) for changes in (False, True)}
TIERS: dict[Event, str] = {"none": "T0", "spatial": "T1", "state_only": "T2", "full": "T2"}
NEGATED = (" without ", " not ", " never ", " no ")
LEFT_THIRD: Box = (0.0, 0.0, 1 / 3, 1.0)  # where the texts of the release put every subject
SECONDS, FPS, ASSUMED_HFOV_DEG = 5.0, 16.0, 60.0


class NamedObject(ReleaseLine):
    name: str


class SceneFamily(ReleaseLine):
    family_id: str
    scene: str
    primary_object: NamedObject


class EventVariant(ReleaseLine):
    variant_id: str
    family_id: str
    reasoning_tier: str
    oov_gap: str
    event_delta: Event
    world_state_prompt: str
    expected_state: str
    ti2v_prompt: str


def read(folder: Path, boxes: Boxes) -> Release:
    """The tasks that the release can pose here; families without a picture are named in the report."""
    if not (folder / "families.jsonl").is_file():
        raise SuiteError(f"{folder}: has no families.jsonl; give the folder of WRBench's release")
    families = {family.family_id: family for family in lines_of(folder / "families.jsonl", SceneFamily)}
    variants = list(lines_of(folder / "variants.jsonl", EventVariant))
    if not families or not variants:
        raise SuiteError(f"{folder}: families.jsonl or variants.jsonl is empty; give the folder of the release")
    strangers = sorted({variant.family_id for variant in variants} - set(families))
    if strangers:
        raise SuiteError(f"{folder}/variants.jsonl: family '{strangers[0]}' is not in families.jsonl")
    sizes, pictureless = _sizes(folder, families)
    asked = {variant.variant_id: variant for variant in reversed(variants) if variant.oov_gap == "none"}
    posed = [variant for variant in reversed(asked.values()) if variant.family_id in sizes]
    rows = [
        _row(families[variant.family_id], variant, camera, sizes[variant.family_id], boxes)
        for variant in posed
        for camera in CAMERAS
    ]
    report = [
        f"{len(families)} families in {len({f.scene for f in families.values()})} venues, {len(variants)} variants: "
        f"{len(rows)} tasks, {len(CAMERAS)} cameras for each of {len(posed)} variants",
        *_missing(families, variants),
        *_contradictions(variants),
        *_events(folder / "scene_events_25x4.csv", variants),
        *(f"no picture of {family}: its tasks are not posed ({why})" for family, why in pictureless.items()),
        *_inferred([family for family in sizes if family not in boxes], len(sizes)),
    ]
    return Release("wrbench", "WRBench, Natural-25: people and animals before and after a turn", folder, rows, report)


def _row(
    family: SceneFamily, variant: EventVariant, camera: str, size: tuple[int, int], boxes: Boxes
) -> dict[str, Any]:
    moves, changes = EVENTS[variant.event_delta]
    box = boxes.get(family.family_id, LEFT_THIRD)
    middle = (box[0] + box[2]) / 2
    side = "left" if middle < 0.4 else "right" if middle > 0.6 else "centre"
    turn = CAMERAS[camera]
    return {
        "id": f"{variant.variant_id}__{camera}",
        "scene": family.family_id,
        "category": _action(family),
        "moves": moves,
        "changes_in_place": changes,
        "prompt": variant.ti2v_prompt,
        "first_frame": _picture(family.family_id),
        "subjects": [{"name": family.primary_object.name, "box": box, "side": side}],
        "expected_end": variant.expected_state,
        "observation_controls": ["look_away"] if turn else ["none"],
        "visibility": "leaves_and_returns" if turn else "always_visible",
        "camera": _out_and_back(*turn) if turn else f"hold@{SECONDS:g}s",
        "hfov_deg": ASSUMED_HFOV_DEG,
        "hfov_declared": False,
        "width": size[0],
        "height": size[1],
        "fps": FPS,
        "seconds": SECONDS,
        "family": family.family_id,
        "venue": family.scene,
        "action": _action(family),
        "tier": variant.reasoning_tier,
        "level": turn[1] if turn else None,
        "tags": [f"camera:{camera}", *([] if family.family_id in boxes else ["box:from-text"])],
    }


def _out_and_back(first: Turn, degrees: int) -> str:
    return f"yaw:{first}:{degrees}@{SECONDS / 2:g}s, yaw:{OTHER_SIDE[first]}:{degrees}@{SECONDS / 2:g}s"


def _action(family: SceneFamily) -> str:
    """The last word of its name."""
    return family.family_id.rpartition("_")[2]


def _picture(family: str) -> str:
    return f"first_frames/{family}.png"


def _sizes(folder: Path, families: dict[str, SceneFamily]) -> tuple[dict[str, tuple[int, int]], dict[str, str]]:
    """Of the pictures that are there, width and height; of the others, why they are not."""
    sizes, missing = {}, {}
    for family in families:
        path = folder / _picture(family)
        if "/" in family or "\\" in family or not path.is_file():
            missing[family] = "no such file"
            continue
        try:
            height, width = read_image(path).shape[:2]
        except LookawayError as error:
            missing[family] = str(error)
            continue
        sizes[family] = (width, height)
    return sizes, missing


def _missing(families: dict[str, SceneFamily], variants: Sequence[EventVariant]) -> Iterator[str]:
    """Of the whole design, families x events x gaps, what is not there or is there twice."""
    there = Counter((v.family_id, v.event_delta, v.oov_gap) for v in variants)
    whole = [(family, event, gap) for family in families for event in EVENTS for gap in GAPS]
    gone, twice = [cell for cell in whole if not there[cell]], [cell for cell, n in there.items() if n > 1]
    yield f"{len(whole) - len(gone)} of {len(whole)} variants of the design are there"
    yield from (f"missing variant: {' '.join(cell)}" for cell in gone)
    yield from (f"there twice: {' '.join(cell)}" for cell in twice)


def _contradictions(variants: Sequence[EventVariant]) -> Iterator[str]:
    said: defaultdict[tuple[str, Event], set[tuple[str, str]]] = defaultdict(set)
    for variant in variants:
        said[variant.family_id, variant.event_delta].add((variant.world_state_prompt, variant.expected_state))
        if variant.reasoning_tier != TIERS[variant.event_delta]:
            yield f"{variant.variant_id}: tier {variant.reasoning_tier} with event {variant.event_delta}"
    yield from (f"{' '.join(cell)}: told in {len(texts)} ways" for cell, texts in said.items() if len(texts) > 1)
    for event in EVENTS:
        texts = {text for (_, each), both in said.items() if each == event for text, _ in both}
        negated = sum(any(word in f" {text} " for word in NEGATED) for text in texts)
        if negated:
            yield f"{negated} of {len(texts)} {event} events say what does not happen: judges may misread them"


def _events(path: Path, variants: Sequence[EventVariant]) -> Iterator[str]:
    """Does the table of events say the same?"""
    if not path.is_file():
        yield f"{path.name}: not there, so events are checked against themselves only"
        return
    texts = {variant.variant_id: variant.world_state_prompt for variant in variants}
    told = {
        row[f"event_id_{tier}"]: row[f"event_{tier}"]
        for row in csv.DictReader(io.StringIO(text_of(path)))
        for tier in ("T0", "T1", "T2_div_a", "T2_div_b")
        if row.get(f"event_id_{tier}") and row.get(f"event_{tier}")
    }
    same = sum(texts.get(name) == text for name, text in told.items())
    yield f"{same} of {len(told)} events of {path.name} are told alike in variants.jsonl"


def _inferred(without_box: Sequence[str], posed: int) -> Iterator[str]:
    if without_box:
        yield (
            f"boxes of {len(without_box)} of {posed} subjects are not in the release: unverified, the left third of "
            "the frame, where its texts put them; give --boxes FILE with {family: [left, top, right, bottom]}"
        )
    yield "lens, length and rate are not in the release: unverified, 60 degrees and 81 frames at 16 a second are taken"
    yield "actions are the last words of the families' names; who acts, person or animal, is not told"
