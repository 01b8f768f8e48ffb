"""A judge, looked over before it is trusted with a suite."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lookaway import protocols, suites
from lookaway.errors import MissingExtra, UsageError
from lookaway.images import read_image
from lookaway.judges.doctor.checkup import CheckedJudge, Finding, SuiteQuestion, checkup
from lookaway.judges.frames import frame_rule
from lookaway.pipeline.answers import asked_of
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.planned import Asking, planned_scores
from lookaway.pipeline.seats import Member, seat_of
from lookaway.records import Plan, PlannedJudge, Setting
from lookaway.store import Blobs
from lookaway.video import encode


def look_over(judge: str, settings: Mapping[str, Setting], suite: str) -> list[Finding]:
    """What there is to know of a judge, member by member, and what judging one model on a suite costs with it."""
    planned = PlannedJudge.parse(judge)
    plan = Plan(
        suite=suite,
        suite_version="",
        protocols=(protocols.load("questions"),),
        judges=(planned.model_copy(update={"role": None}),),
        settings=dict(settings),
    )
    seat = seat_of(plan, planned)
    (reading,) = [reading for reading in planned_scores(plan) if reading.askings]
    asking = replace(reading.askings["question"], seat=seat)
    found = []
    for member in seat.members:
        beside = f"{member.instrument.label}: " if len(seat.members) > 1 else ""
        mine = _looked_over(replace(asking, seat=replace(seat, members=(member,))), member, suite)
        found += [replace(finding, says=f"{beside}{finding.says}") for finding in mine]
    return found


def _looked_over(asking: Asking, member: Member, suite: str) -> list[Finding]:
    plugin = member.judge
    if plugin.opens is None:
        raise UsageError(f"{plugin.name} is no model: there is nothing to look over; give openai:URL or gemini:MODEL")
    opens = plugin.opens
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lookaway-")))
        question, unknown = _asked_of(suite, asking, folder)
        subject = CheckedJudge(
            name=plugin.name,
            called=str(member.own_settings.get("model", member.source)),
            opens=lambda given: opens(member.source, given),
            settings=member.own_settings,
            encoding=plugin.encoding,
            suite=question,
            folder=folder if frame_rule(asking.ask.frames).kind == "native" else None,
            votes=(asking.ask.samples or 1) > 1,
        )
        return [*asyncio.run(checkup(subject)), *unknown]


def _asked_of(suite: str, asking: Asking, folder: Path) -> tuple[SuiteQuestion | None, list[Finding]]:
    """The first question of a suite's first task, about a still of its size and length; the other tasks are like it."""
    drafts = suites.find(suite).drafts()
    blobs = Blobs(folder / "blobs")
    try:
        task, _, bank = drafts[0].built(blobs)
    except MissingExtra as missing:
        return None, [Finding("cost", "warn", str(missing))]
    questions = bank.questions if bank is not None else ()
    if not questions:
        return None, [Finding("cost", "warn", f"{suite} asks nothing", "name another suite")]
    still = folder / "still.mp4"
    encode([read_image(blobs.path(task.first_frame))] * task.frames, still, task.fps)
    item = Item(
        questions[0].id, asking.ask, asking.prompt, asking.seat, "still", task.instance, questions=questions[:1]
    )
    (asked,) = asked_of(item, task, Footage().add({"still": reel_of(still)}, [item]))[:1]
    return SuiteQuestion(suite, asked.probe(0), len(drafts) * len(questions) * asked.samples), []
