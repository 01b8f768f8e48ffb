"""The suite as the paper counts it, against the lists of clips in the release."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lookaway.published.lines import CheckLine, counted
from lookaway.published.memobench.release import CountedClip
from lookaway.published.paper import Paper
from lookaway.records import Column, Table, TableCell, TableRow

SIZES = {"Synthetic": 196, "Real-world": 164}
WHOLE, SCENES = 360, 14
U_TURN = "U-turn"
FIRST_MOVES = {"pans to the left": "Pan L→R", "pans to the right": "Pan R→L", "tilts upward": "Tilt U→D"}
_FIRST = re.compile(r"(?:pans|tilts)\s+(?:\w+\s+)*?(?:left|right|upward|downward)", re.IGNORECASE)
_TURN = re.compile(r"u-?\s?turn", re.IGNORECASE)


def trajectories(clips: Sequence[CountedClip]) -> Counter[str]:
    """Clips by their camera, as far as prompts tell: the first pan or tilt that is named, or a U-turn."""
    return Counter(_trajectory(clip.prompt) for clip in clips)


def _trajectory(prompt: str) -> str:
    if _TURN.search(prompt):
        return U_TURN
    found = _FIRST.search(prompt)
    return FIRST_MOVES.get(found[0].lower(), "other") if found else "other"


def printed_sizes(paper: Paper) -> CheckLine:
    """That the trajectories of Table S2 add up to 196, 164 and 360."""
    sums = Counter[str]()
    for row in paper.rows["table-s2"]:
        sums[row.group] += int(row.number("clips"))
    differing = [
        f"{name}: text {said}, Table S2 adds up to {sums[name]}" for name, said in SIZES.items() if sums[name] != said
    ]
    differing += [] if sum(sums.values()) == WHOLE else [f"all: text {WHOLE}, Table S2 adds up to {sum(sums.values())}"]
    return counted("Suite", "196 + 164 = 360 clips, and Table S2 adds up to them", differing, len(SIZES) + 1)


def of_real(paper: Paper, clips: Sequence[CountedClip]) -> list[CheckLine]:
    """How many real clips there are, and which way their cameras go first."""
    return [_size("Real-world", clips), _paths(paper, "Real-world", tuple(FIRST_MOVES.values()), clips)]


def of_synthetic(paper: Paper, clips: Sequence[CountedClip]) -> list[CheckLine]:
    """How many synthetic clips and scenes there are, and how many U-turns."""
    scenes = len({clip.scene for clip in clips})
    return [
        _size("Synthetic", clips),
        _paths(paper, "Synthetic", (U_TURN,), clips),
        counted("Fig. S1a", "14 scenes", [] if scenes == SCENES else [f"the file has {scenes}"], 1),
    ]


def _size(subset: str, clips: Sequence[CountedClip]) -> CheckLine:
    said = SIZES[subset]
    return counted(
        "Suite", f"{said} clips, {subset.lower()}", [] if len(clips) == said else [f"the file has {len(clips)}"], 1
    )


def _paths(paper: Paper, subset: str, names: Sequence[str], clips: Sequence[CountedClip]) -> CheckLine:
    found = trajectories(clips)
    printed = {name: int(paper.row("table-s2", name).number("clips")) for name in names}
    differing = [
        f"{name}: printed {n}, by the prompts {found[name]}" for name, n in printed.items() if found[name] != n
    ]
    return counted("Table S2", f"clips by path, {subset.lower()}", differing, len(names), "by the words of the prompts")


def scene_counts(clips: Sequence[CountedClip], protocol: str) -> Table:
    """Fig. S1a: clips of each scene, the most first."""
    counts = Counter(clip.scene for clip in clips)
    return Table(
        name="fig-s1a",
        title="Fig. S1a: Synthetic clips of each scene",
        shape="bars",
        columns=(_CLIPS,),
        rows=tuple(_counted(scene, n) for scene, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        notes=("Counted in the release; the five groups of scenes are not listed there.",),
        protocol=protocol,
        reading="Clips differ in number from scene to scene: a mean over clips weighs scenes by it.",
    )


def path_counts(clips: Sequence[CountedClip], protocol: str) -> Table:
    """Table S2's first column, as far as prompts tell it."""
    counts = trajectories(clips)
    order = [*FIRST_MOVES.values(), U_TURN, "other"]
    return Table(
        name="table-s2-counted",
        title="Table S2: Clips by path, counted",
        columns=(_CLIPS,),
        rows=tuple(_counted(name, counts[name]) for name in order if counts[name]),
        notes=("By the words of the released prompts, which do not tell the other paths apart.",),
        protocol=protocol,
        reading="The direction named first is looked in first: L→R looks to the left and comes back to the right.",
    )


_CLIPS = Column(name="clips", title="# Clips", unit="clips", digits=0)


def _counted(title: str, count: int) -> TableRow:
    return TableRow(title=title, cells=(TableCell(value=count),))
