"""What a report of a thousand cases costs: a finished run of the demo, grown to 25 copies of every task, is reported
and opened in a real browser.

    python benchmarks/report.py RUN [--out FILE.md]

The copies share videos and observations with the originals, as blobs of the same content do, and have tasks, clips,
observations and scores of their own. Nothing is kept from before: pages and pictures are made anew.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lookaway.pipeline import plans
from lookaway.pipeline.generate import clip_key
from lookaway.pipeline.instruments import observer_instrument
from lookaway.pipeline.observe import observation_key
from lookaway.records import Bank, Clip, Observation, Record, Reference, Score, Task, content_key
from lookaway.store import Run, open_run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.browser import tab

COPIES = 25
PAINTS = 5
BUILD_MOST_S, PAINT_MOST_S = 30.0, 2.0


def grown(source: Path, folder: Path, copies: int) -> Path:
    """The run with `copies` of each of its tasks and of all that belongs to them."""
    shutil.copytree(source / "blobs", folder / "blobs", copy_function=os.link)
    run, made = open_run(source), Run(folder)
    plan = plans.load(run)
    known = {task.id: task for task in run.latest("tasks", Task).values()}
    for number in range(copies):
        renamed = {name: task.model_copy(update={"id": f"{name}-{number}"}) for name, task in known.items()}
        _copy(run, made, renamed, known)
    told = json.loads((source / "run.json").read_text())
    told["tasks"] = [f"{name}-{number}" for number in range(copies) for name in plan.tasks]
    (folder / "run.json").write_text(json.dumps(told))
    return folder


def _copy(run: Run, made: Run, renamed: dict[str, Task], known: dict[str, Task]) -> None:
    plan = plans.load(run)
    ids = {known[name].instance: task for name, task in renamed.items()}
    looks = {name: observer_instrument(plan, name) for name in plan.instruments}
    rows: dict[str, list[tuple[str, Record]]] = {name: [] for name in ("tasks", "references", "banks", "clips")}
    rows |= {"observations": [], "scores": []}
    for task in renamed.values():
        rows["tasks"].append((content_key("task", task.id), task))
    for reference in run.latest("references", Reference).values():
        task = ids[reference.instance]
        update = {"task": task.id, "instance": task.instance}
        rows["references"].append((content_key("task", task.id), reference.model_copy(update=update)))
    for bank in run.latest("banks", Bank).values():
        task = renamed[bank.task]
        rows["banks"].append((content_key("task", task.id), bank.model_copy(update={"task": task.id})))
    for clip in run.latest("clips", Clip).values():
        task = renamed[clip.case.task]
        case = clip.case.model_copy(update={"task": task.id})
        rows["clips"].append((clip_key(case), clip.model_copy(update={"case": case, "task_instance": task.instance})))
    for seen in run.latest("observations", Observation).values():
        if (task := ids.get(seen.task_instance)) is not None and seen.observer in looks:
            key = observation_key(seen.media, task.instance, looks[seen.observer])
            rows["observations"].append((key, seen.model_copy(update={"task_instance": task.instance})))
    for old, score in run.latest("scores", Score).items():
        task = renamed[score.task]
        rows["scores"].append((content_key(old, task.id), score.model_copy(update={"task": task.id})))
    for stage, lines in rows.items():
        with made.writer(stage) as writer:
            for key, record in lines:
                writer.append(key, "", record)


def built(run: Path) -> tuple[float, float]:
    """Seconds on the wall and of CPU that `lookaway report` takes."""
    command = [str(Path(sys.executable).parent / "lookaway"), "report", str(run)]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def painted(page: Path, chromium: str) -> list[float]:
    """Seconds until a browser first paints the page, each time in a browser that has never seen it."""
    found = []
    for _ in range(PAINTS):
        with TemporaryDirectory() as profile, tab(chromium, Path(profile)) as browser:
            browser.open(page.as_uri(), 1280, 900)
            browser.wait("performance.getEntriesByName('first-contentful-paint').length > 0")
            paint = browser.value("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            found.append(float(paint) / 1000)
    return found


def measure(source: Path, copies: int = COPIES) -> dict[str, float]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
    with TemporaryDirectory(dir=source.parent) as folder:
        run = grown(source, Path(folder) / "run", copies)
        wall_s, cpu_s = built(run)
        page, pages = run / "report.html", list((run / "report").glob("*.html"))
        own = painted(page, chromium)
        case = painted(pages[0], chromium)
        return {
            "cases": float(sum(1 for _ in open_run(run).latest("clips", Clip))),
            "build_wall_s": wall_s,
            "build_cpu_s": cpu_s,
            "report_mb": page.stat().st_size / 1e6,
            "pages": float(len(pages)),
            "pages_mb": sum(one.stat().st_size for one in pages) / 1e6,
            "first_paint_worst_s": max(own),
            "first_paint_median_s": sorted(own)[len(own) // 2],
            "case_page_first_paint_worst_s": max(case),
        }


TARGETS = {"build_wall_s": BUILD_MOST_S, "first_paint_worst_s": PAINT_MOST_S}


def told(found: dict[str, float], load: float) -> str:
    lines = ["| what | measured | at most |", "|---|---:|---:|"]
    lines += [f"| {name} | {value:.2f} | {TARGETS.get(name, '')} |" for name, value in found.items()]
    about = (
        "# A report of a thousand cases\n\n"
        "`python benchmarks/report.py RUN`: the demo's run grown to 25 copies of every task, reported and opened "
        f"{PAINTS} times in headless Chromium from disk. Two cores, shared; load when it ended: {load:.1f}.\n\n"
    )
    return about + "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--copies", type=int, default=COPIES)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = told(measure(given.run, given.copies), os.getloadavg()[0])
    sys.stdout.write(text)
    if given.out is not None:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
