"""Is the judge of a calibration biased? It is asked again: turned round, reworded, about frames that tell nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lookaway.calibration.detection import known_rungs
from lookaway.calibration.systems import Rung
from lookaway.judges import checks
from lookaway.judges.checks import Checked, Reworded, Twice
from lookaway.judges.prompting import load
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.judge import Matter, forecast, job_about, together
from lookaway.pipeline.questions import QUESTION, Item, Way, answer_key, way_of
from lookaway.pipeline.stage import Job, Stage
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Answer, Choice, Clip, JudgeCheck, JudgeTable, Plan, Question, Task, content_key
from lookaway.store import Run

LOG = "checks"
MOST_CLIPS = 40  # half of them true


def jobs(run: Run, plan: Plan) -> list[Job]:
    way, tasks = way_of(plan), built_tasks(run, plan)
    true, faulty = checked_clips(run, plan)
    known = {clip.case.task: clip for clip in true}
    matters = [Matter(clip, tasks[clip.case.task], _items(tasks[clip.case.task], way)) for clip in true]
    for clip in faulty:
        beside = known.get(clip.case.task)
        items = _items(tasks[clip.case.task], way)
        if beside is not None and way.rule.kind != "native":
            items += tuple(Item(f"pair/{place}", load("pair"), showing=place) for place in ("before", "after"))
        matters.append(Matter(clip, tasks[clip.case.task], items, beside))
    return [job_about(matter, way) for matter in matters]


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


def _items(task: Task, way: Way) -> tuple[Item, ...]:
    return tuple(item for question in task.questions for item in _again(question, way))


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


def judge_table(run: Run, plan: Plan) -> JudgeTable:
    """The judge's checks, each a number with its interval or why there is none."""
    way, tasks = way_of(plan), built_tasks(run, plan)
    said = _Said(run.latest("answers", Answer), run.latest(LOG, Answer), way.judge)
    true, faulty = checked_clips(run, plan)
    asked = [(clip, tasks[clip.case.task], question) for clip in true + faulty for question in _questions(clip, tasks)]
    wordings = _other_wordings(way)

    def twice(way_of_asking: str) -> list[Twice]:
        return [
            Twice(str(clip.case), said.first(clip, task, q.id), said.again(clip, task, f"{way_of_asking}/{q.id}"))
            for clip, task, q in asked
        ]

    reworded = [
        Reworded(
            str(clip.case),
            (said.first(clip, task, q.id), *(said.again(clip, task, f"{wording}/{q.id}") for wording in wordings)),
        )
        for clip, task, q in asked
    ]
    blank = checks.blank_canary(
        [str(clip.case) for clip, _, _ in asked], [said.again(clip, task, f"blank/{q.id}") for clip, task, q in asked]
    )
    pairs = [
        Twice(str(clip.case), *(said.again(clip, tasks[clip.case.task], f"pair/{place}") for place in _PLACES))
        for clip in faulty
    ]
    rows = [
        _row("question and opposite disagree", "1", checks.flip_consistency(twice("opposite"))),
        _row("leans to yes", "0", checks.yes_lean(twice("opposite"))),
        _row("same in every wording", "1", checks.paraphrase_stability(reworded)),
        _row("same with frames shuffled", "below 1", checks.agreement(twice("shuffled"))),
        _row("claims to know without a picture", "0", blank.claims),
        _row("then says yes", "0.5, or none", blank.yes),
        _row("leans to the first of two", "0", checks.position_lean(pairs)),
    ]
    expected = [q.expected for clip in _calm(run, plan) for q in _questions(clip, tasks)]
    floors = checks.floors(expected) if expected else None
    return JudgeTable(
        judge=plan.judge or "",
        settings=way.judges_settings,
        suite=plan.suite,
        version=plan.suite_version,
        true_clips=len(true),
        faulty_clips=len(faulty),
        always_yes=floors.always_yes if floors else None,
        always_no=floors.always_no if floors else None,
        right=_row("right where the truth is shown", "above both floors", _accuracy(run, plan, said)),
        checks=tuple(rows),
    )


_PLACES = ("before", "after")


class _Said:
    """Choices by clip and question: as first asked, and asked again."""

    def __init__(self, first: Mapping[str, Answer], again: Mapping[str, Answer], judge: str) -> None:
        self._first, self._again, self._judge = first, again, judge

    def first(self, clip: Clip, task: Task, name: str) -> Choice | None:
        return self._choice(self._first, clip, task, name)

    def again(self, clip: Clip, task: Task, name: str) -> Choice | None:
        return self._choice(self._again, clip, task, name)

    def _choice(self, answers: Mapping[str, Answer], clip: Clip, task: Task, name: str) -> Choice | None:
        assert clip.video is not None
        answer = answers.get(answer_key(clip.video, task.instance, name, self._judge))
        return answer.choice if answer is not None else None


def _questions(clip: Clip, tasks: Mapping[str, Task]) -> tuple[Question, ...]:
    return tasks[clip.case.task].questions


def _calm(run: Run, plan: Plan) -> list[Clip]:
    """Clips that show the truth or a harmless variation of it, where the expected answers are the true ones."""
    rungs = known_rungs(plan)
    return [clip for clip in _judged(run, plan) if rungs[clip.case.system].kind in ("truth", "harmless")]


def _accuracy(run: Run, plan: Plan, said: _Said) -> Checked:
    tasks = built_tasks(run, plan)
    rows = [(clip, tasks[clip.case.task], q) for clip in _calm(run, plan) for q in _questions(clip, tasks)]
    return checks.accuracy(
        [str(clip.case) for clip, _, _ in rows],
        [said.first(clip, task, q.id) for clip, task, q in rows],
        [q.expected for _, _, q in rows],
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
