"""Large numbers: 5,000 files ingested, a suite of 10,000 tasks, a run of a million scores.

Every command is started cold, in a process of its own; CPU time and peak memory are the kernel's account of it and of
its workers. Writes scale.md; the plan for a million clips there is worked out from these costs and from those of
learned_cost.md and RESULTS.md.

    python benchmarks/scale.py                all of it, and scale.md
    python benchmarks/scale.py show report    some verbs, printed only
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import struct
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import strftime
from typing import NamedTuple

import numpy as np
from descendants import taken_by

import store

FILES, CONTENTS = 5_000, 25
TASKS_PER_SCENE, SYSTEMS, METRICS = 80, 10, 10  # of 125 scenes: 10,000 tasks, 100,000 cases, a million scores
FRAMES, SIZE, FPS = 49, (320, 180), 12.0
MOST_WALL_S = {"ingest 5,000 files": 120.0}
PAGE = Path(__file__).with_name("scale.md")


class Cost(NamedTuple):
    name: str
    wall_s: float
    cpu_s: float
    peak_gb: float


def cost(name: str, words: list[str], log: Path) -> Cost:
    """What a command takes, its workers included; an exit code other than 0 stops everything."""
    quiet = {"PYTHONPYCACHEPREFIX": str(log.parent / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    taken = taken_by(words, log, quiet)
    if taken.code:
        raise SystemExit(f"{name} ended with {taken.code}: {log.read_text()[-1500:]}")
    found = Cost(name, *taken[1:])
    print(f"{name}: {found.wall_s:.1f} s, {found.cpu_s:.1f} CPU s, {found.peak_gb:.2f} GB", flush=True)
    return found


def lookaway(*words: str) -> list[str]:
    return [sys.executable, "-c", "from lookaway.cli import main; main()", *words]


# ---------------------------------------------------------------- what is measured


def large_run(folder: Path) -> Path:
    """10,000 tasks, ten systems, a million scores, as the pipeline would have written them."""
    root = folder / "million"
    for part in ("fill", "furnish"):
        subprocess.run([sys.executable, __file__, "--part", part, str(root)], check=True)
    return root


def many_videos(folder: Path) -> Path:
    """5,000 videos of 49 frames, each of its own content, named by task."""
    from lookaway.video import encode

    rng = np.random.default_rng(0)
    made = []
    for number in range(CONTENTS):
        picture = rng.integers(0, 255, (SIZE[1] // 8, SIZE[0] // 8, 3), np.uint8).repeat(8, 0).repeat(8, 1)
        path = folder / f"content_{number}.mp4"
        encode([np.roll(picture[: SIZE[1]], 4 * frame, 1) for frame in range(FRAMES)], path, FPS)
        made.append(path.read_bytes())
    videos = folder / "videos"
    videos.mkdir()
    for number in range(FILES):
        own = struct.pack(">I4sI", 12, b"free", number)  # a box that players skip
        (videos / f"{store.task_id(number)}.mp4").write_bytes(made[number % CONTENTS] + own)
    return videos


def verbs(root: Path, folder: Path) -> dict[str, list[str]]:
    case = f"{store.task_id(0)}/model-00/0"
    arms = [f"{root}:model-00", f"{root}:model-01"]
    return {
        "plan": lookaway(
            "plan", "--suite", str(root / "suite"), "--models", "held-first-frame,panned-first-frame", "--json"
        ),
        "show": lookaway("show", str(root), case, "--json"),
        "report": lookaway("report", str(root)),
        "compare": lookaway("compare", *arms, "--json"),
    }


WORDS = {
    "ingest": f"ingest {FILES:,} files",
    "plan": "plan of 10,000 tasks",
    "show": "show, one case of 1,000,000 scores",
    "report": "report of 1,000,000 scores",
    "compare": "compare two of its systems",
}


def measured(wanted: list[str], folder: Path) -> list[Cost]:
    found = []
    log = folder / "said.txt"
    if set(wanted) - {"ingest"}:
        root = large_run(folder)
        commands = verbs(root, folder)
        for name in [one for one in wanted if one != "ingest"]:
            found.append(cost(WORDS[name], commands[name], log))
    if "ingest" in wanted:
        subprocess.run([sys.executable, __file__, "--part", "suite", str(folder / "asked")], check=True)
        words = ["--suite", str(folder / "asked"), "--model", "mine", "--out", str(folder / "taken"), "--workers", "2"]
        found.append(cost(WORDS["ingest"], lookaway("ingest", str(many_videos(folder)), *words), log))
    return found


def part(name: str, root: Path) -> None:
    """What a process of its own prepares, with the numbers of this benchmark in place of store.py's."""
    store.TASKS_PER_SCENE, store.SYSTEMS, store.METRICS = TASKS_PER_SCENE, SYSTEMS, METRICS
    if name == "suite":
        store.write_suite(root, list(itertools.islice(store.million_tasks(), FILES)))
    else:
        {"fill": store.fill, "furnish": store.furnish}[name](root)


def page(found: list[Cost]) -> str:
    rows = [f"| {one.name} | {one.wall_s:.1f} | {one.cpu_s:.1f} | {one.peak_gb:.2f} |" for one in found]
    old = PAGE.read_text() if PAGE.exists() else ""
    below = old[old.index("## A million clips") :] if "## A million clips" in old else ""
    head = [
        "# Scale",
        "",
        f"{strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f} at the end. Cold processes;",
        "CPU time is what counts on a busy machine. `python benchmarks/scale.py` writes this table.",
        "",
        "| command | wall s | CPU s | peak GB |",
        "|---|--:|--:|--:|",
        *rows,
        "",
    ]
    return "\n".join(head) + ("\n" + below if below else "")


def main() -> int:
    if sys.argv[1:2] == ["--part"]:
        with contextlib.redirect_stdout(io.StringIO()):
            part(sys.argv[2], Path(sys.argv[3]))
        return 0
    wanted = sys.argv[1:] or list(WORDS)
    with TemporaryDirectory() as folder:
        found = measured(wanted, Path(folder))
    if not sys.argv[1:]:
        PAGE.write_text(page(found))
    return int(any(one.wall_s > MOST_WALL_S.get(one.name, float("inf")) for one in found))


if __name__ == "__main__":
    sys.exit(main())
