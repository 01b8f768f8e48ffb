"""A judge, looked over before it is trusted with a suite."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lookaway import suites
from lookaway.errors import MissingExtra, UsageError
from lookaway.images import read_image
from lookaway.judges import JUDGES
from lookaway.judges.doctor.checkup import CheckedJudge, Finding, SuiteQuestion, checkup
from lookaway.judges.frames import shown_frames
from lookaway.pipeline.answers import Asked
from lookaway.pipeline.questions import Way, items_of, way_of
from lookaway.records import Bank, Plan, PlannedJudge, Setting
from lookaway.store import Blobs
from lookaway.video import decode_some, encode


def look_over(judge: str, settings: Mapping[str, Setting], suite: str) -> list[Finding]:
    """What there is to know of a judge, and what judging one model on a suite costs with it."""
    planned = PlannedJudge.parse(judge)
    plan = Plan(suite=suite, suite_version="", protocols=(), judges=(planned,), settings=dict(settings))
    way = way_of(plan, planned)
    plugin = JUDGES.get(way.judge)
    if plugin.opens is None:
        raise UsageError(f"{way.judge} is no model: there is nothing to look over; give openai:URL or gemini:MODEL")
    opens = plugin.opens
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lookaway-")))
        question, unknown = _asked_of(suite, way, folder)
        subject = CheckedJudge(
            name=way.judge,
            called=str(way.judges_settings.get("model", way.source)),
            opens=lambda given: opens(way.source, given),
            settings=way.judges_settings,
            encoding=plugin.encoding,
            suite=question,
            folder=folder if way.rule.kind == "native" else None,
            votes=(way.samples or 1) > 1,
        )
        return [*asyncio.run(checkup(subject)), *unknown]


def _asked_of(suite: str, way: Way, folder: Path) -> tuple[SuiteQuestion | None, list[Finding]]:
    """The first question of a suite's first task, about a still of its size and length; the other tasks are like it."""
    drafts = suites.find(suite).drafts()
    blobs = Blobs(folder / "blobs")
    try:
        task, _, bank = drafts[0].built(blobs)
    except MissingExtra as missing:
        return None, [Finding("cost", "warn", str(missing))]
    items = items_of(bank or Bank(task=task.id), way)
    if not items:
        return None, [Finding("cost", "warn", f"{suite} asks nothing", "name another suite or other prompts")]
    still = folder / "still.mp4"
    encode([read_image(blobs.path(task.first_frame))] * task.frames, still, task.fps)
    indices = way.rule.indices(task.frames, task.fps)
    seen = shown_frames(decode_some(still, indices) if indices else [], way.rule, JUDGES.get(way.judge).encoding)
    asked = Asked(task.instance, task, items[0], way, seen, still if way.rule.kind == "native" else None)
    return SuiteQuestion(suite, asked.probe(0), len(drafts) * len(items) * asked.samples), []
