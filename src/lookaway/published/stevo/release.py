"""The verdicts that StEvo-Bench's project page shows, video by video.

They are the authors' and not shipped; `--release DIR` names a folder with them as a table: a row per video with task,
model and the five verdicts, 1 where a verdict speaks for the video and 0 where it speaks against it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookaway.errors import UsageError
from lookaway.published.lines import CheckLine, CheckVerdict, counted
from lookaway.published.paper import Paper
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.suites.sheets import text_of

RECORDS = "site_records.csv"
LABEL = "Project page"
CONTROLS = ("observation", "action")
EVOLUTION = ("progress", "physics", "coherence")
SHOWN = {"videos": 44, "controlled": 20, "evolving": 3, "both": 1}  # what the page showed when we read it
MODELS = {  # as the page names them
    "veo3": "Veo 3",
    "sora2_pro": "Sora 2 Pro",
    "wan22": "WAN 2.2",
    "hunyuan15": "HY-Video 1.5",
    "cogvideox": "CogVideoX 1.5",
    "genie3": "Genie 3",
    "hy_worldplay": "HY-WorldPlay",
    "lingbot": "Lingbot",
    "gen3c": "GEN3C",
}


@dataclass(frozen=True)
class ShownVideo:
    """The public verdicts of one video."""

    task: str
    model: str
    verdicts: Mapping[str, bool]

    @property
    def controlled(self) -> bool:
        return all(self.verdicts[name] for name in CONTROLS)

    @property
    def evolving(self) -> bool:
        return all(self.verdicts[name] for name in EVOLUTION)


def read_release(folder: Path) -> list[ShownVideo]:
    """The public verdicts in a folder; one without them is refused."""
    if not folder.is_dir():
        raise UsageError(f"--release {folder}: no such folder; give the one that holds {RECORDS}")
    path = folder / RECORDS
    if not path.is_file():
        raise UsageError(f"--release {folder}: holds no {RECORDS}; docs/stevo.md says what it is")
    reader = csv.DictReader(text_of(path).splitlines())
    try:
        if lacking := [name for name in _NEEDED if name not in (reader.fieldnames or ())]:
            raise UsageError(f"{path}: has no column {', '.join(lacking)}; docs/stevo.md says what it is")
        videos = [_video(line, f"{path}, line {reader.line_num}") for line in reader]
    except csv.Error as error:
        raise UsageError(f"{path}: not CSV: {error}") from error
    if len({(video.task, video.model) for video in videos}) < len(videos):
        raise UsageError(f"{path}: lists a video twice")
    if not videos:
        raise UsageError(f"{path}: has no rows")
    return videos


_NEEDED = ("task", "model", *EVOLUTION, *CONTROLS)


def _video(line: Mapping[str | None, str | None], where: str) -> ShownVideo:
    told = {name: line.get(name) or "" for name in _NEEDED}
    if None in line or None in line.values():
        raise UsageError(f"{where}: has more or fewer fields than the heading")
    if wrong := [name for name in (*EVOLUTION, *CONTROLS) if told[name] not in ("0", "1")]:
        raise UsageError(f"{where}: {wrong[0]} is {told[wrong[0]]!r}, not 0 or 1")
    verdicts = {name: told[name] == "1" for name in (*EVOLUTION, *CONTROLS)}
    return ShownVideo(told["task"], told["model"], verdicts)


# ---------------------------------------------------------------- checks


def of_videos(videos: Sequence[ShownVideo]) -> list[CheckLine]:
    """How many there are and succeed, and whether evolution is asked of controlled videos only."""
    return [_totals(videos), _asked(videos)]


WHAT = "44 videos: 20 controlled, 3 evolve, 1 does both"


def _totals(videos: Sequence[ShownVideo]) -> CheckLine:
    found = {
        "videos": len(videos),
        "controlled": sum(video.controlled for video in videos),
        "evolving": sum(video.evolving for video in videos),
        "both": sum(video.controlled and video.evolving for video in videos),
    }
    differing = [
        f"{name}: known {known}, in the file {found[name]}" for name, known in SHOWN.items() if found[name] != known
    ]
    return counted(LABEL, WHAT, differing, len(SHOWN), "; ".join(["five tasks of nine models", *_missing(videos)]))


def _missing(videos: Sequence[ShownVideo]) -> list[str]:
    """Tasks that are not shown of one of the nine models."""
    there, tasks = {(video.task, video.model) for video in videos}, dict.fromkeys(video.task for video in videos)
    whole = [(task, model) for task in tasks for model in MODELS]
    return [f"{MODELS[model]}: {task} is missing" for task, model in whole if (task, model) not in there]


def _asked(videos: Sequence[ShownVideo]) -> CheckLine:
    """That evolution is asked of controlled videos only; all have a verdict."""
    others = [video for video in videos if not video.controlled]
    evolving = [f"{_title(video)}, without {' and '.join(_failed(video))}" for video in others if video.evolving]
    told = f"{len(others)} others have verdicts on evolution, {len(evolving)} of them all for the video"
    what = "evolution is asked of controlled videos only (section 3.2)"
    verdict: CheckVerdict = "contradicts" if others else "agrees"
    differing = [told, *evolving] if others else []
    return CheckLine(LABEL, what, verdict, len(videos) - len(others), len(videos), differing=differing)


def _title(video: ShownVideo) -> str:
    return f"{MODELS.get(video.model, video.model)}, {video.task}"


def _failed(video: ShownVideo) -> list[str]:
    return [f"{name} control" for name in CONTROLS if not video.verdicts[name]]


# ---------------------------------------------------------------- tables


def shown_rates(paper: Paper, videos: Sequence[ShownVideo]) -> Table:
    """Tables 2 and 5 in counts of the public videos, by both denominators."""
    rows = [_rates(title, [video for video in videos if video.model == name]) for name, title in MODELS.items()]
    return Table(
        name="table2-shown",
        title="Table 2: The verdicts that the project page shows",
        columns=tuple(
            Column(
                name=f"{group}:{name}".replace(" ", "-"), title=name.capitalize(), unit="videos", digits=0, group=group
            )
            for group, names in _COLUMNS.items()
            for name in names
        ),
        rows=(*rows, _rates("all", videos)),
        notes=("Counted in the public verdicts; the page shows a few tasks, and not how it chose them.",),
        protocol=paper.layouts.name,
        reading="Videos that succeed; of controlled videos only those count that passed both controls.",
    )


_COLUMNS = {
    "control": ("videos", *CONTROLS, "both"),
    "of all videos": (*EVOLUTION, "success"),
    "of controlled videos": (*EVOLUTION, "success"),
}


def _rates(title: str, videos: Sequence[ShownVideo]) -> TableRow:
    controlled = [video for video in videos if video.controlled]
    counts = [len(videos), *_each(videos, CONTROLS), len(controlled)]
    for some in (videos, controlled):
        counts += [*_each(some, EVOLUTION), sum(video.evolving for video in some)]
    return TableRow(title=title, cells=tuple(TableCell(value=count) for count in counts))


def _each(videos: Sequence[ShownVideo], names: Sequence[str]) -> list[int]:
    return [sum(video.verdicts[name] for video in videos) for name in names]
