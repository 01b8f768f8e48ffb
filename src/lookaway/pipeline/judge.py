"""Stage `judge`: every question of a task is put to the judge about frames that we chose and hashed."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import Literal, cast

from lookaway.errors import UsageError
from lookaway.judges import JUDGES, Probe, parse_choice
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Answer, Clip, Plan, Question, Reply, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import Frame, decode_some, indices_uniform

FRAMES = 12


def judge_name(plan: Plan) -> tuple[str, str]:
    """Plugin name and its source: `scripted:answers.jsonl` is the scripted judge reading that file."""
    if plan.judge is None:
        raise UsageError("no judge chosen; give one, such as --judge scripted:answers.jsonl")
    name, _, source = plan.judge.partition(":")
    return name, source


def answer_key(media: str, instance: str, question: str, judge: str) -> str:
    return content_key("answer", media, instance, question, judge)


def answer_inputs(plan: Plan, question: Question) -> str:
    name, source = judge_name(plan)
    return content_key(name, JUDGES.get(name).version, source, _file_sha256(source), _template(), question)


def _file_sha256(source: str) -> str:
    """A judge that reads a file answers anew when the file changes."""
    path = Path(source)
    return hashlib.sha256(path.read_bytes()).hexdigest() if source and path.is_file() else ""


def jobs(run: Run, plan: Plan) -> list[Job]:
    name, source = judge_name(plan)
    tasks = built_tasks(run, plan)
    found: dict[str, Job] = {}
    for clip in current_clips(run, plan):
        task = tasks[clip.case.task]
        if clip.video is None or clip.task_instance != task.instance or not task.questions:
            continue
        expects = {answer_key(clip.video, task.instance, q.id, name): answer_inputs(plan, q) for q in task.questions}
        job = Job(str(clip.case), clip.case.task, (clip, task, name, source), expects)
        found.setdefault(f"{clip.video}/{task.instance}", job)
    return list(found.values())


def work(run: Run, job: Job) -> list[Entry] | Failure:
    clip, task, name, source = cast(tuple[Clip, Task, str, str], job.payload)
    assert clip.video is not None
    media, count = clip.video, clip.frames or 1
    frames = attempt(lambda: decode_some(run.blobs.path(media), indices_uniform(count, FRAMES)))
    entries: list[Entry] = []
    for question in task.questions:
        key = answer_key(media, task.instance, question.id, name)
        if key not in job.todo:
            continue
        version = JUDGES.get(name).version
        if isinstance(frames, Failure):
            answer = _answer(media, task, question, name, version, status="failed", reason=frames.reason)
            entries.append(Entry(key, answer))
            continue
        reply = attempt(_ask, media, question, frames, name, version, source)
        if isinstance(reply, Failure):
            answer = _answer(media, task, question, name, version, status="failed", reason=reply.reason)
        else:
            entries.append(Entry(key, reply, log="replies"))
            answer = parsed(task, question, reply, key)
        entries.append(Entry(key, answer))
    return entries


def _ask(media: str, question: Question, frames: list[Frame], name: str, version: int, source: str) -> Reply:
    seconds = tuple(round(f.seconds, 3) for f in frames)
    prompt = _template().format(count=len(frames), seconds=", ".join(f"{s:g}" for s in seconds), question=question.text)
    probe = Probe(prompt, [f.rgb for f in frames], seconds, question.id, media, source)
    said = JUDGES.get(name).function(probe)
    return Reply(
        media=media,
        question=question.id,
        judge=name,
        version=version,
        prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest(),
        frames_sha256=tuple(hashlib.sha256(f.rgb.tobytes()).hexdigest() for f in frames),
        frame_seconds=seconds,
        text=said.text,
        p_yes=said.p_yes,
        cost_usd=said.cost_usd,
    )


def parsed(task: Task, question: Question, reply: Reply, reply_key: str) -> Answer:
    """The reply read as a verdict; what is neither yes nor no is an abstention, never a no."""
    choice = parse_choice(reply.text)
    if choice is None:
        said = reply.text[:80]
        return _answer(
            reply.media,
            task,
            question,
            reply.judge,
            reply.version,
            "abstained",
            f"neither yes nor no: '{said}'",
        )
    answer = _answer(reply.media, task, question, reply.judge, reply.version, "ok", "")
    return answer.model_copy(update={"choice": choice, "p_yes": reply.p_yes, "replies": (reply_key,)})


def _answer(
    media: str,
    task: Task,
    question: Question,
    judge: str,
    version: int,
    status: Literal["ok", "abstained", "failed"],
    reason: str,
) -> Answer:
    return Answer(
        media=media,
        task_instance=task.instance,
        question=question.id,
        judge=judge,
        version=version,
        status=status,
        reason=reason,
    )


def _template() -> str:
    return (resources.files("lookaway.judges") / "prompts" / "question.txt").read_text()


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("judge", JUDGES.get(judge_name(plan)[0]))]


STAGE = Stage("judge", "answers", jobs, work, plugins)
