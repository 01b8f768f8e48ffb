"""What judges said of clips, in their own words, with the frames they were shown."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping

from lookaway.pipeline.due import asked_sheets, possible
from lookaway.pipeline.items import Item
from lookaway.pipeline.planned import planned_scores
from lookaway.pipeline.plans import installed
from lookaway.pipeline.this_machine import passed_on
from lookaway.records import Answer, CaseId, Plan, Reply
from lookaway.reports.exhibits import JudgeSaying
from lookaway.secrets import redacted
from lookaway.store import Run

LONGEST = 1200  # characters of a reply that a page shows


def sayings(run: Run, plan: Plan, tasks: Collection[str]) -> dict[CaseId, tuple[JudgeSaying, ...]]:
    """By case, all that the plan's judges answered about it; nothing where none was chosen."""
    readings = [reading for reading in planned_scores(installed(plan)) if reading.askings]
    if not readings:
        return {}
    answers, replies = run.latest("answers", Answer), run.latest("replies", Reply)
    return {
        sheet.clip.case: tuple(_sayings(run, possible(readings, sheet), answers, replies))
        for sheet in asked_sheets(run, plan, readings, tasks)
        if sheet.clip.video is not None
    }


def _sayings(
    run: Run, items: Mapping[str, Item], answers: Mapping[str, Answer], replies: Mapping[str, Reply]
) -> Iterator[JudgeSaying]:
    for key, item in items.items():
        if (answer := answers.get(key)) is None:
            continue
        said = [replies[reply] for reply in answer.replies if reply in replies]
        shown = sorted({round(second, 2) for reply in said[:1] for second in reply.frame_seconds})
        yield JudgeSaying(
            question=" ".join(question.text for question in item.questions[:1]) or item.prompt.name,
            judge=answer.instrument,
            answer=passed_on(redacted(_comes_to(answer)), run.root),
            text=passed_on(redacted(said[0].text[:LONGEST]), run.root) if said else "",
            spans=tuple((second, second) for second in shown),
        )


def _comes_to(answer: Answer) -> str:
    if answer.status != "ok":
        return f"{answer.status}: {answer.reason}"
    if answer.fields:
        return json.dumps(answer.fields, ensure_ascii=False)[:LONGEST]
    sure = "" if answer.p_yes is None else f" (p of yes {answer.p_yes:.2f})"
    return f"{answer.choice or 'either'}{sure}"
