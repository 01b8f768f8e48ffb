"""What the import of MemoBench's release says: what is there, missing, contradictory, inferred or unverified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lookaway.suites.releases.memobench.found import FoundClip
from lookaway.suites.releases.memobench.listing import TABLES, ListedClip, ReleaseListing, few
from lookaway.suites.releases.memobench.media import ASSUMED_FPS
from lookaway.suites.releases.reading import Boxes

ASSUMED_HFOV_DEG = 60.0
MOST_LINES = 8  # of one kind
INTEGRITY_R, INTEGRITY_DEG = 0.999, 1.0  # a real path that smoothing moves further is named


def counts(listing: ReleaseListing, found: list[FoundClip], pictureless: list[ListedClip]) -> Iterator[str]:
    listed = Counter(clip.split for clip in listing.clips.values())
    for split in TABLES:
        if listed[split]:
            own = [one for one in found if one.clip.split == split]
            parts = {
                "keyframes": sum(one.marks is not None for one in own),
                "poses": sum(one.camera.poses is not None for one in own),
                "a lens": sum(one.camera.intrinsics is not None for one in own),
                "depth": sum(not one.depth_problem for one in own),
            }
            told = ", ".join(f"{count} with {part}" for part, count in parts.items())
            yield f"{split}: {len(own)} of {listed[split]} clips are posed, {told}"
    yield f"{len(listing.banks)} question banks, {'' if listing.failures else 'no '}failure cases"
    if listing.skipped:
        yield f"skipped, as the keyframe sheet asks: {few(sorted(listing.skipped), MOST_LINES)}"
    if pictureless:
        names = few([clip.id for clip in pictureless], MOST_LINES)
        yield f"missing: no frame of {len(pictureless)} clips, which are not posed: {names}"
    for why, count in Counter(one.depth_problem for one in found if one.depth_problem).most_common(MOST_LINES):
        yield f"missing: depth of {count} clips ({why})"


def gathered(notes: list[str]) -> Iterator[str]:
    """The notes, of many of a kind the first ones and how many more."""
    shown: Counter[str] = Counter()
    for note in sorted(notes, key=lambda note: note.partition(":")[0]):
        kind = note.partition(":")[0]
        shown[kind] += 1
        if shown[kind] <= MOST_LINES:
            yield note
    for kind, count in shown.items():
        if count > MOST_LINES:
            yield f"{kind}: and {count - MOST_LINES} more"


def unverified(found: list[FoundClip], boxes: Boxes) -> Iterator[str]:
    yield from _smoothing(found)
    without_rate = Counter(one.clip.split for one in found if not one.truth.fps_known)
    for split, count in without_rate.items():
        yield f"unverified: the rate of {count} {split} clips is not told; {ASSUMED_FPS[split]:g} a second is taken"
    if without_lens := sum(one.hfov_deg is None for one in found):
        yield f"unverified: {without_lens} clips have no lens; {ASSUMED_HFOV_DEG:g} degrees across are taken"
    if any(one.camera.poses is not None and one.clip.split == "synthetic" for one in found):
        yield "unverified: places of rendered cameras are in the engine's unit and left-handed world; taken as metres"
    if boxless := sum(one.clip.id not in boxes for one in found):
        yield f"unverified: boxes of {boxless} subjects are not in the release; give --boxes FILE with {{clip: box}}"
    if found:
        yield "inferred from the words of the prompts: trajectories, ends and groups of processes; prompts tell the end"


def _smoothing(found: list[FoundClip]) -> Iterator[str]:
    """How far smoothing moved the estimated paths of real clips."""
    checks = {one.clip.id: one.camera.integrity for one in found if one.camera.integrity is not None}
    if not checks:
        return
    rs = [check.r for check in checks.values() if check.r is not None]
    least = f"r at least {min(rs):.4f}" if rs else "r not defined"
    most = max(check.largest_deg for check in checks.values())
    yield f"poses of {len(checks)} real clips are estimates, smoothed here: {least}, at most {most:.2f} degrees moved"
    moved = [
        f"{clip} ({check})"
        for clip, check in checks.items()
        if check.largest_deg > INTEGRITY_DEG or (check.r is not None and check.r < INTEGRITY_R)
    ]
    if moved:
        yield f"unverified: smoothing moved the paths of {few(moved, MOST_LINES)}"
