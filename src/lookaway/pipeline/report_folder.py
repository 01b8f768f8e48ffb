"""The report as a folder: a page per task beside it, and the videos that they play."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lookaway.errors import StoreError, UsageError
from lookaway.pipeline.exhibits import PAGES
from lookaway.records import Board
from lookaway.reports.case_parts import case_pages
from lookaway.reports.exhibits import Exhibits, ShownClip, ShownTask
from lookaway.reports.html import html
from lookaway.store import write_whole

REPORT, DETECTION = "report.html", "detection.html"


def write_pages(root: Path, pages: Mapping[str, bytes], again: str) -> None:
    """The pages of tasks below `root`; those of an earlier report that are no more are taken away."""
    kept = {root / name for name in pages}
    for old in (root / PAGES).glob("*.html"):
        if old not in kept:
            old.unlink()
    if pages:
        (root / PAGES).mkdir(exist_ok=True)
    for name, page in pages.items():
        write_whole(root / name, page, again)


def write_folder(root: Path, board: Board, shown: Exhibits, out: Path) -> Path:
    """`report.html`, its pages and copies of the videos of the run at `root`; returns where to begin."""
    if out.exists() and not (out.is_dir() and ((out / REPORT).exists() or not any(out.iterdir()))):
        raise UsageError(f"{out}: is there and holds no report; give an empty or a new folder")
    try:
        (out / PAGES / "media").mkdir(parents=True, exist_ok=True)
        with_media = replace(shown, tasks=tuple(_with_media(root, task, out) for task in shown.tasks))
        if (root / DETECTION).exists():
            shutil.copyfile(root / DETECTION, out / DETECTION)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {error.strerror}; give another folder") from error
    write_pages(out, case_pages(board, with_media), "the same command")
    return write_whole(out / REPORT, html(board, with_media), "the same command")


def _with_media(root: Path, task: ShownTask, out: Path) -> ShownTask:
    truth = task.truth if task.truth is None else _copied(root, task.truth, out)
    return replace(task, truth=truth, clips=tuple(_copied(root, clip, out) for clip in task.clips))


def _copied(root: Path, clip: ShownClip, out: Path) -> ShownClip:
    if not clip.video:
        return clip
    place = f"{PAGES}/media/{Path(clip.video).name}"
    if not (out / place).exists():
        shutil.copyfile(root / clip.video, out / place)
    return replace(clip, video=place)
