"""Is the judge of a calibration biased? It is asked again: turned round, reworded, about frames that tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lookaway.calibration import judge_bias
from lookaway.calibration.detection import known_rungs
from lookaway.calibration.judge_bias import Checked, Reworded, Twice
from lookaway.calibration.systems import Rung
from lookaway.judges.frames import frame_rule
from lookaway.judges.frames.showing import Showing
from lookaway.judges.prompting import FIRST_WORDING, load
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.due import asked_sheets
from lookaway.pipeline.items import Item, items_of
from lookaway.pipeline.judge import STAGE, Matter, forecast, job_about, together
from lookaway.pipeline.planned import Asking, planned_scores
from lookaway.pipeline.sheets import Sheet
from lookaway.pipeline.stage import Job, Stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Answer, CaseId, Choice, Clip, JudgeCheck, Plan, Question, content_key
from lookaway.store import Run

LOG = "checks"
QUESTION = "question"  # the ask of the tasks' own questions
MOST_CLIPS = 40  # half of them true


def jobs(run: Run, plan: Plan) -> list[Job]:
    said, done = run.latest(LOG, Answer), run.done(LOG)
    true, faulty = checked_clips(run, plan)
    known = {clip.case.task: clip for clip in true}
    about = {sheet.clip.case: sheet for sheet in asked_sheets(run, plan, [])}
    found = []
    for asking in askings(plan):
        for clip in [*true, *faulty]:
            sheet, beside = about[clip.case], known.get(clip.case.task) if clip in faulty else None
            items = [*_items(asking, sheet), *(_pairs(asking, sheet, beside) if beside is not None else [])]
            found.append(job_about(Matter(sheet, {item.key: item for item in items}, said, done)))
    return found


def askings(plan: Plan) -> list[Asking]:
    """The tasks' own questions, as each judge of the plan is asked them."""
    found = [r.askings[QUESTION] for r in planned_scores(plan) if QUESTION in r.askings]
    return list({asking.seat.instrument.key: asking for asking in found}.values())


def _changed(asking: Asking, sheet: Sheet, name: str, prompt: str = QUESTION, **said: object) -> Item:
    """An item of the ask, put otherwise; `name` is its own, so that it is found again."""
    loaded = load(prompt)
    ask = asking.ask.model_copy(update={"prompt": f"{prompt}@{loaded.declared.version}", **said})
    assert sheet.clip.video is not None
    return Item(name, ask, loaded, asking.seat, sheet.clip.video, sheet.task.instance)


PLACES: tuple[Showing, Showing] = ("before", "after")


def _pairs(asking: Asking, sheet: Sheet, beside: Clip) -> list[Item]:
    if frame_rule(asking.ask.frames).kind == "native":
        return []
    return [_pair_item(asking, sheet, place, beside) for place in PLACES]


def _pair_item(asking: Asking, sheet: Sheet, place: Showing, beside: Clip) -> Item:
    item = _changed(asking, sheet, f"pair/{place}", "pair", wordings=(FIRST_WORDING,), showing=place)
    return replace(item, beside=beside.video)


CHECKS = Stage(LOG, LOG, jobs, together=together, redoes_failed=False, forecast=forecast)


def checked_clips(run: Run, plan: Plan) -> tuple[list[Clip], list[Clip]]:
    """Clips that show the truth, and clips of faults at the middle of their ladders, on the same tasks if possible."""
    rungs = known_rungs(plan)
    made = _judged(run, plan)
    true = _chosen((clip for clip in made if rungs[clip.case.system].kind == "truth"), frozenset())
    wrong = (clip for clip in made if _is_middle(rungs[clip.case.system]))
    return true, _chosen(wrong, {clip.case.task for clip in true})


def _judged(run: Run, plan: Plan) -> list[Clip]:
    """Clips of reference models about which the task's questions can be asked."""
    rungs, tasks = known_rungs(plan), built_tasks(run, plan)
    clips = (clip for clip in current_clips(run, plan) if clip.video is not None and clip.case.system in rungs)
    return [clip for clip in clips if clip.task_instance == tasks[clip.case.task].instance]


def _is_middle(rung: Rung) -> bool:
    return rung.kind == "fault" and rung.middle


def _chosen(clips: Iterable[Clip], tasks: frozenset[str] | set[str]) -> list[Clip]:
    """Half of MOST_CLIPS, in an order that favours no task or fault."""
    ordered = sorted(clips, key=lambda clip: (clip.case.task not in tasks, content_key("check", str(clip.case))))
    return ordered[: MOST_CLIPS // 2]


def _items(asking: Asking, sheet: Sheet) -> list[Item]:
    return [item for question in sheet.bank.questions for item in _again(asking, sheet, question)]


def _again(asking: Asking, sheet: Sheet, question: Question) -> Iterator[Item]:
    """The question in all other ways; a video that the server samples can be shown in one way only."""
    found = [_changed(asking, sheet, f"opposite/{question.id}", "opposite", wordings=(FIRST_WORDING,))]
    for wording in _other_wordings(asking):
        found.append(_changed(asking, sheet, f"{wording}/{question.id}", wordings=(wording,)))
    if frame_rule(asking.ask.frames).kind != "native":
        found.append(_changed(asking, sheet, f"shuffled/{question.id}", showing="shuffled"))
        found.append(_changed(asking, sheet, f"blank/{question.id}", showing="blank"))
    yield from (replace(item, questions=(question,)) for item in found)


def _other_wordings(asking: Asking) -> list[str]:
    return [wording for wording in load(QUESTION).wordings if wording not in asking.ask.wordings]


# ---------------------------------------------------------------- what came of it


@dataclass(frozen=True)
class QuestionChecks:
    """What asking the tasks' own questions again says of a judge."""

    true_clips: int
    faulty_clips: int
    floors: judge_bias.Floors | None
    right: JudgeCheck
    checks: tuple[JudgeCheck, ...]


def question_checks(run: Run, plan: Plan, asking: Asking) -> QuestionChecks:
    """The judge's checks, each a number with its interval or why there is none."""
    true, faulty = checked_clips(run, plan)
    about = {sheet.clip.case: sheet for sheet in asked_sheets(run, plan, [])}
    said = _Said(_current(run, STAGE, plan), _current(run, CHECKS, plan), about, asking)
    calm = [(clip, question) for clip in _calm(run, plan) for question in said.questions(clip)]
    return QuestionChecks(
        true_clips=len(true),
        faulty_clips=len(faulty),
        floors=judge_bias.floors([question.expected for _, question in calm]) if calm else None,
        right=_row("right where the truth is shown", "above both floors", _accuracy(calm, said)),
        checks=tuple(_checks(true, faulty, said, _other_wordings(asking))),
    )


def _current(run: Run, stage: Stage, plan: Plan) -> dict[str, Answer]:
    """Answers to what the plan asks now, in the way it asks it now."""
    expected = {key: inputs for job in stage.jobs(run, plan) for key, inputs in job.expects.items()}
    done, answers = run.done(stage.log), run.latest(stage.log, Answer)
    return {key: answers[key] for key, inputs in expected.items() if key in answers and done[key].inputs == inputs}


class _Said:
    """Choices by clip and question: as first asked, and asked again in one way or another."""

    def __init__(
        self,
        first: Mapping[str, Answer],
        again: Mapping[str, Answer],
        about: Mapping[CaseId, Sheet],
        asking: Asking,
    ) -> None:
        self._first, self._about, self._asking = first, about, asking
        self._again = {(answer.media, answer.question): answer for answer in again.values() if self._is_mine(answer)}

    def _is_mine(self, answer: Answer) -> bool:
        return answer.instrument_key == self._asking.seat.instrument.key

    def questions(self, clip: Clip) -> Sequence[Question]:
        return self._about[clip.case].bank.questions

    def first(self, clip: Clip, question: Question) -> Choice | None:
        items = items_of(self._asking, self._about[clip.case], None, {})
        keys = {item.name: item.key for item in items} if isinstance(items, list) else {}
        return _choice(self._first.get(keys[question.id]))

    def again(self, clip: Clip, name: str) -> Choice | None:
        return _choice(self._asked_again(clip, name))

    def replied(self, clip: Clip, name: str) -> bool:
        """Whether the judge was asked again and said something that can be read, if only that it cannot tell."""
        answer = self._asked_again(clip, name)
        return answer is not None and answer.status in ("ok", "abstained")

    def _asked_again(self, clip: Clip, name: str) -> Answer | None:
        return self._again.get((clip.video or "", name))


def _choice(answer: Answer | None) -> Choice | None:
    return answer.choice if answer is not None else None


def _checks(true: list[Clip], faulty: list[Clip], said: _Said, wordings: list[str]) -> Iterator[JudgeCheck]:
    asked = [(clip, question) for clip in true + faulty for question in said.questions(clip)]

    def twice(way: str) -> list[Twice]:
        return [Twice(str(clip.case), said.first(clip, q), said.again(clip, f"{way}/{q.id}")) for clip, q in asked]

    yield _row("question and opposite disagree", "1", judge_bias.flip_consistency(twice("opposite")))
    yield _row("leans to yes", "0", judge_bias.yes_lean(twice("opposite")))
    reworded = [
        Reworded(
            str(clip.case), (said.first(clip, q), *(said.again(clip, f"{wording}/{q.id}") for wording in wordings))
        )
        for clip, q in asked
    ]
    yield _row("same in every wording", "1", judge_bias.paraphrase_stability(reworded))
    yield _row("same with frames shuffled", "below 1", judge_bias.agreement(twice("shuffled")))
    blind = [(clip, f"blank/{q.id}") for clip, q in asked if said.replied(clip, f"blank/{q.id}")]
    blank = judge_bias.blank_canary([str(clip.case) for clip, _ in blind], [said.again(*one) for one in blind])
    yield _row("claims to know without a picture", "0", blank.claims)
    yield _row("then says yes", "0.5, or none", blank.yes)
    pairs = [Twice(str(c.case), said.again(c, "pair/before"), said.again(c, "pair/after")) for c in faulty]
    yield _row("leans to the first of two", "0", judge_bias.position_lean(pairs))


def _calm(run: Run, plan: Plan) -> list[Clip]:
    """Clips that show the truth or a harmless variation of it, where the expected answers are the true ones."""
    rungs = known_rungs(plan)
    return [clip for clip in _judged(run, plan) if rungs[clip.case.system].kind in ("truth", "harmless")]


def _accuracy(asked: list[tuple[Clip, Question]], said: _Said) -> Checked:
    return judge_bias.accuracy(
        [str(clip.case) for clip, _ in asked],
        [said.first(clip, question) for clip, question in asked],
        [question.expected for _, question in asked],
    )


def _row(name: str, best: str, checked: Checked) -> JudgeCheck:
    estimate = checked.estimate
    if estimate is None:
        why = "nothing was asked" if not checked.unanswered else "no question was answered in all ways"
        return JudgeCheck(name=name, best=best, answered=0, unanswered=checked.unanswered, reason=why)
    return JudgeCheck(
        name=name,
        best=best,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        answered=checked.answered,
        unanswered=checked.unanswered,
        reason="" if estimate.low is not None else estimate.method,
    )
