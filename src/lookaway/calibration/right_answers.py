"""Stage `right answers`: what the known world says to everything that judges were asked, at the frames they were shown.

Kept, so that a calibration that goes on does not look again. Texts that a judge is to write have no right answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from lookaway.errors import ObserveError
from lookaway.judges import JUDGES
from lookaway.judges.oracle import answerers, found_in
from lookaway.judges.oracle.known_answers import KnownAnswer
from lookaway.judges.prompting import Prompt
from lookaway.pipeline.answers import Asked, asked_of
from lookaway.pipeline.footage import Footage, reel_of
from lookaway.pipeline.items import Item
from lookaway.pipeline.judge import STAGE as JUDGE
from lookaway.pipeline.judge import Matter
from lookaway.pipeline.sheets import Sheet
from lookaway.pipeline.stage import Entry, Job, Stage
from lookaway.records import Plan, RightAnswer, RightAnswers, content_key
from lookaway.store import Run

LOG = "right_answers"


@dataclass(frozen=True)
class AskedClip:
    """A clip and all that judges were asked about it; picklable."""

    sheet: Sheet
    items: tuple[Item, ...]


def has_right_answer(prompt: Prompt) -> bool:
    """Whether the known world can answer it: a prompt of ours, and not one that asks for a text."""
    known = answerers().get(prompt.name)
    return known is not None and not known.made


def asked_clips(run: Run, plan: Plan) -> list[AskedClip]:
    """Every clip about which something was asked that has a right answer, gates being as they were judged."""
    found = []
    for job in JUDGE.jobs(run, plan):
        matter = cast(Matter, job.payload)
        items = tuple(item for item in matter.items.values() if has_right_answer(item.prompt))
        found += [AskedClip(matter.sheet, items)] if items else []
    return found


def jobs(run: Run, plan: Plan) -> list[Job]:
    made = []
    for asked in asked_clips(run, plan):
        case = asked.sheet.clip.case
        made.append(Job(str(case), case.task, asked, {item.key: inputs_of(item) for item in asked.items}))
    return made


def inputs_of(item: Item) -> str:
    """All that the right answer depends on."""
    return content_key(item.inputs, JUDGES.get("oracle").version)


def work(run: Run, job: Job) -> list[Entry]:
    asked = cast(AskedClip, job.payload)
    items = [item for item in asked.items if item.key in job.todo]
    media = {m for item in items for m in (item.media, item.beside) if m is not None}
    reels = {m: reel_of(run.blobs.path(m), still=m == asked.sheet.task.first_frame) for m in media}
    footage = Footage().add(reels, items)
    put = {item: asked_of(item, asked.sheet.task, footage, run.root) for item in items}
    return [Entry(item.key, right_answers(_of_one(each))) for item, each in put.items()]


def _of_one(each: Sequence[Asked]) -> list[Asked]:
    """What one member is asked in one wording: one thing, or one of every frame."""
    return [one for one in each if (one.member, one.wording) == (each[0].member, each[0].wording)]


def right_answers(put: Sequence[Asked]) -> RightAnswers:
    media, question = put[0].item.media, put[0].item.name
    told: list[RightAnswer] = []
    for asked in put:
        try:
            found = found_in(asked.probe(0))
        except ObserveError as error:
            return RightAnswers(media=media, question=question, reason=str(error))
        rows = asked.put.form.rows
        ids = rows.ids if rows is not None else ("",)
        each = found if isinstance(found, list) else [found]
        told += [_right(row, finding) for row, finding in zip(ids, each, strict=True)]
    return RightAnswers(media=media, question=question, answers=tuple(told))


def _right(row: str, found: KnownAnswer) -> RightAnswer:
    return RightAnswer(row=row, choice=None if found.says is None else "yes" if found.says else "no", why=found.why)


RIGHT_ANSWERS = Stage("right answers", LOG, jobs, work)
