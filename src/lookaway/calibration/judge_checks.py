"""Is the judge of a calibration biased? It is asked again: turned round, reworded, about frames that tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lookaway.calibration import judge_bias
from lookaway.calibration.detection import known_rungs
from lookaway.calibration.judge_bias import Checked, Reworded, Twice
from lookaway.calibration.systems import Rung
from lookaway.judges.frames.showing import Showing
from lookaway.judges.prompting import load
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.judge import STAGE, Matter, forecast, job_about, together
from lookaway.pipeline.questions import QUESTION, Item, Way, answer_key, question_item, ways_of
from lookaway.pipeline.stage import Job, Stage
from lookaway.pipeline.tasks import built_banks, built_tasks
from lookaway.places import safe_text
from lookaway.records import Answer, Bank, Choice, Clip, JudgeCheck, JudgeTable, Plan, Question, Task, content_key
from lookaway.store import Run

LOG = "checks"
MOST_CLIPS = 40  # half of them true


def jobs(run: Run, plan: Plan) -> list[Job]:
    tasks, banks = built_tasks(run, plan), built_banks(run)
    true, faulty = checked_clips(run, plan)
    known = {clip.case.task: clip for clip in true}
    matters = []
    for way in ways_of(plan):
        matters += [Matter(clip, tasks[clip.case.task], _items(banks[clip.case.task], way), way) for clip in true]
        for clip in faulty:
            beside = known.get(clip.case.task)
            items = _items(banks[clip.case.task], way)
            if beside is not None and way.rule.kind != "native":
                items += tuple(_pair_item(place) for place in PLACES)
            matters.append(Matter(clip, tasks[clip.case.task], items, way, beside))
    return [job_about(matter) for matter in matters]


PLACES: tuple[Showing, Showing] = ("before", "after")


def _pair_item(place: Showing) -> Item:
    return Item(f"pair/{place}", load("pair"), showing=place)


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


def _items(bank: Bank, way: Way) -> tuple[Item, ...]:
    return tuple(item for question in bank.questions for item in _again(question, way))


def _again(question: Question, way: Way) -> Iterator[Item]:
    """The question in all other ways; a video that the server samples can be shown in one way only."""
    yield Item(f"opposite/{question.id}", load("opposite"), (question,))
    for wording in _other_wordings(way):
        yield Item(f"{wording}/{question.id}", load(QUESTION), (question,), wording=wording)
    if way.rule.kind != "native":
        yield Item(f"shuffled/{question.id}", load(QUESTION), (question,), showing="shuffled")
        yield Item(f"blank/{question.id}", load(QUESTION), (question,), showing="blank")


def _other_wordings(way: Way) -> list[str]:
    return [wording for wording in load(QUESTION).wordings if wording != way.wording]


# ---------------------------------------------------------------- what came of it


def judge_tables(run: Run, plan: Plan) -> list[JudgeTable]:
    """The checks of each of the plan's judges."""
    return [judge_table(run, plan, way) for way in ways_of(plan)]


def judge_table(run: Run, plan: Plan, way: Way) -> JudgeTable:
    """The judge's checks, each a number with its interval or why there is none."""
    tasks, banks = built_tasks(run, plan), built_banks(run)
    true, faulty = checked_clips(run, plan)
    said = _Said(_current(run, STAGE, plan), _current(run, CHECKS, plan), tasks, banks, way)
    calm = [(clip, question) for clip in _calm(run, plan) for question in banks[clip.case.task].questions]
    floors = judge_bias.floors([question.expected for _, question in calm]) if calm else None
    return JudgeTable(
        judge=safe_text(str(way.planned)),
        settings={name: safe_text(value) if isinstance(value, str) else value for name, value in way.settings.items()},
        suite=plan.suite,
        version=plan.suite_version,
        true_clips=len(true),
        faulty_clips=len(faulty),
        always_yes=floors.always_yes if floors else None,
        always_no=floors.always_no if floors else None,
        right=_row("right where the truth is shown", "above both floors", _accuracy(calm, said)),
        checks=tuple(_checks(true, faulty, said, _other_wordings(way))),
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
        tasks: Mapping[str, Task],
        banks: Mapping[str, Bank],
        way: Way,
    ) -> None:
        self._first, self._again, self._tasks, self._banks, self._way = first, again, tasks, banks, way

    def questions(self, clip: Clip) -> Sequence[Question]:
        return self._banks[clip.case.task].questions

    def first(self, clip: Clip, question: Question) -> Choice | None:
        return _choice(self._answer(self._first, clip, question_item(question)))

    def again(self, clip: Clip, name: str) -> Choice | None:
        return _choice(self._asked_again(clip, name))

    def replied(self, clip: Clip, name: str) -> bool:
        """Whether the judge was asked again and said something that can be read, if only that it cannot tell."""
        answer = self._asked_again(clip, name)
        return answer is not None and answer.status in ("ok", "abstained")

    def _asked_again(self, clip: Clip, name: str) -> Answer | None:
        items = {item.name: item for item in _items(self._banks[clip.case.task], self._way)}
        items |= {item.name: item for item in map(_pair_item, PLACES)}
        return self._answer(self._again, clip, items[name]) if name in items else None

    def _answer(self, answers: Mapping[str, Answer], clip: Clip, item: Item) -> Answer | None:
        assert clip.video is not None
        return answers.get(answer_key(clip.video, self._tasks[clip.case.task].instance, item, self._way))


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
