"""What the import of StEvo's release says: what is there, missing, contradictory, inferred or unverified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lookaway.suites.releases.memobench.listing import few
from lookaway.suites.releases.memobench.report import gathered
from lookaway.suites.releases.reading import Boxes
from lookaway.suites.releases.stevo.files import FoundTask
from lookaway.suites.releases.stevo.wording import DEG_PER_LATENT, FPS, M_PER_LATENT

ASSUMED_HFOV_DEG, ASSUMED_SECONDS = 60.0, 5.0
MOST_NAMES = 8  # in a line

_FIELDS: dict[str, Callable[[FoundTask], object]] = {
    "level": lambda task: task.file.level is not None,
    "prompts.video_WM": lambda task: task.file.texts.video_WM,
    "camera_control": lambda task: any((task.file.camera_control or {}).values()),
    "evaluation.init_frame_description": lambda task: task.file.judged.init_frame_description,
    "evaluation.init2final_edit_prompt": lambda task: task.file.judged.init2final_edit_prompt,
}


def report_lines(
    found: Mapping[str, FoundTask], rows: Sequence[Mapping[str, Any]], notes: list[str], boxes: Boxes
) -> list[str]:
    return [*_counts(found, rows), *_missing(found), *gathered(notes), *_unverified(found, rows, boxes)]


def _counts(found: Mapping[str, FoundTask], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    controls = Counter(row["observation_controls"][0] for row in rows)
    twins = Counter(row.get("twin") for row in rows)
    told = ", ".join(f"{count} {control}" for control, count in sorted(controls.items()))
    yield f"{len(found)} task files: {len(rows)} tasks of {len({row['scene'] for row in rows})} processes ({told})"
    variants = sum("variant_of" in row for row in rows)
    yield f"{twins['observed']} observed and {twins['opposite']} opposite twins, {variants} variants"
    levels = Counter(task.file.level for task in found.values())
    named = ", ".join(f"{level}: {levels[level]}" for level in sorted(level for level in levels if level is not None))
    yield f"files by level: {named or 'none is told'}"


def _missing(found: Mapping[str, FoundTask]) -> Iterator[str]:
    pictureless = [id for id, task in found.items() if task.picture is None]
    if pictureless:
        yield f"missing: a first frame of {len(pictureless)} tasks, which are not posed: {few(pictureless, MOST_NAMES)}"
    for field, told in _FIELDS.items():
        if without := [id for id, task in found.items() if not told(task)]:
            yield f"missing: {field} of {len(without)} of {len(found)} files: {few(without, MOST_NAMES)}"


def _unverified(found: Mapping[str, FoundTask], rows: Sequence[Mapping[str, Any]], boxes: Boxes) -> Iterator[str]:
    yield (
        f"unverified: lens, length and rate are not in the release; {ASSUMED_HFOV_DEG:g} degrees across, "
        f"{ASSUMED_SECONDS:g} s in words, {FPS:g} frames a second are taken"
    )
    if any(row["camera"] for row in rows):
        yield (
            f"unverified: how far a latent of a camera string goes; {DEG_PER_LATENT:g} degrees or {M_PER_LATENT:g} m "
            "are taken, over four frames"
        )
    if boxless := len({row["scene"] for row in rows if not row["subjects"]}):
        yield (
            f"unverified: names and boxes of {boxless} subjects are not in the release; give --boxes FILE with "
            "{id or process: [left, top, right, bottom]}"
        )
    yield "inferred from levels: whether a subject moves or changes; from level 5, that it is set off unseen"
    if asked := sum(bool(task.file.judged.questions) for task in found.values()):
        yield f"questions of {asked} tasks come without answers; they are kept in stevo/ID.yaml and not asked"
