"""Stage `judge`: every question of a task is put to the judge about frames that we chose, encoded once and hashed."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from lookaway.errors import ObserveError, UnknownName, UsageError
from lookaway.judges import JUDGES, About, Judge, Probe, ask_now
from lookaway.judges.context import Topic
from lookaway.judges.estimators import verdict_of
from lookaway.judges.estimators.votes import RULES
from lookaway.judges.forms import Form
from lookaway.judges.frames import FrameRule, Shown, dropped_media, frame_rule, shown
from lookaway.judges.prompting import FIRST_WORDING, Rendered, load, render
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.plans import settings_of
from lookaway.pipeline.stage import Entry, Failure, Job, Stage, attempt
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import Answer, Clip, Plan, Question, Reply, Setting, Task, content_key
from lookaway.registry import Plugin
from lookaway.store import Run
from lookaway.video import decode_some

PROMPT = "question"


@dataclass(frozen=True)
class Way:
    """How questions are put, from the settings addressed to the judge: `--set human.votes=unanimous`."""

    judge: str
    source: str
    settings: dict[str, Setting]
    rule: FrameRule
    wording: str
    votes: str
    samples: int | None

    @cached_property
    def key(self) -> str:
        """Equal keys ask alike. A judge that reads a file answers anew when the file changes."""
        path = Path(self.source)
        file = hashlib.sha256(path.read_bytes()).hexdigest() if self.source and path.is_file() else ""
        plugin, prompt = JUDGES.get(self.judge), load(PROMPT)
        return content_key(self.judge, plugin.version, self.source, file, prompt, asdict(self), asdict(plugin.encoding))


def way_of(plan: Plan) -> Way:
    """`scripted:answers.jsonl` is the scripted judge reading that file."""
    if plan.judge is None:
        raise UsageError("no judge chosen; give one, such as --judge scripted:answers.jsonl")
    name, _, source = plan.judge.partition(":")
    settings = settings_of(plan, name)
    votes, samples = str(settings.get("votes", "majority")), settings.get("samples")
    if votes not in RULES:
        raise UnknownName("voting rule", votes, RULES)
    if samples is not None and not (isinstance(samples, int) and samples > 0):
        raise UsageError(f"{name}.samples is '{samples}'; give a whole number above 0")
    rule = frame_rule(str(settings.get("frames", FrameRule())))
    return Way(name, source, settings, rule, str(settings.get("wording", FIRST_WORDING)), votes, samples)


def answer_key(media: str, instance: str, question: str, judge: str) -> str:
    return content_key("answer", media, instance, question, judge)


def answer_inputs(way: Way, question: Question) -> str:
    return content_key(way.key, question)


def jobs(run: Run, plan: Plan) -> list[Job]:
    way = way_of(plan)
    tasks = built_tasks(run, plan)
    found: dict[str, Job] = {}
    for clip in current_clips(run, plan):
        task = tasks[clip.case.task]
        if clip.video is None or clip.task_instance != task.instance or not task.questions:
            continue
        expects = {
            answer_key(clip.video, task.instance, q.id, way.judge): answer_inputs(way, q) for q in task.questions
        }
        job = Job(str(clip.case), clip.case.task, (clip, task, way), expects)
        found.setdefault(f"{clip.video}/{task.instance}", job)
    return list(found.values())


def work(run: Run, job: Job) -> list[Entry] | Failure:
    clip, task, way = cast(tuple[Clip, Task, Way], job.payload)
    assert clip.video is not None
    media = clip.video
    seen = attempt(lambda: _shown(run.blobs.path(media), clip, way))
    entries: list[Entry] = []
    for question in task.questions:
        key = answer_key(media, task.instance, question.id, way.judge)
        if key in job.todo:
            entries += _answered(media, task, question, seen, way, key)
    return entries


def _shown(video: Path, clip: Clip, way: Way) -> Shown:
    indices = way.rule.indices(clip.frames or 1, clip.fps or 1.0)
    return shown(decode_some(video, indices), way.rule, JUDGES.get(way.judge).encoding)


def _answered(media: str, task: Task, question: Question, seen: Shown | Failure, way: Way, key: str) -> list[Entry]:
    """The replies to one question, and the answer they come to or why there is none."""
    unread = Answer(
        media=media,
        task_instance=task.instance,
        question=question.id,
        judge=way.judge,
        version=JUDGES.get(way.judge).version,
        status="failed",
    )
    if isinstance(seen, Failure):
        return [Entry(key, unread.model_copy(update={"reason": seen.reason}))]
    asked = attempt(lambda: _replies(About(question.id, media, way.source, way.settings), task, question, seen, way))
    if isinstance(asked, Failure):
        return [Entry(key, unread.model_copy(update={"reason": asked.reason}))]
    replies, form = asked
    kept = {content_key("reply", key, reply.sample): reply for reply in replies}
    found = asdict(verdict_of(replies, form, way.votes))
    answer = Answer.model_validate(unread.model_dump() | found | {"replies": tuple(kept)})
    return [*(Entry(kept_key, reply, log="replies") for kept_key, reply in kept.items()), Entry(key, answer)]


def _replies(about: About, task: Task, question: Question, seen: Shown, way: Way) -> tuple[list[Reply], Form]:
    judge = JUDGES.get(way.judge)
    put = render(load(PROMPT), Topic(task, (question,)), seen.frames, way.wording)
    count = way.samples or judge.samples(about)
    probes = [Probe(put.text, seen.frames, about, put.form, sample) for sample in range(count)]
    return [_reply(judge, probe, put, seen) for probe in probes], put.form


def _reply(judge: Judge, probe: Probe, put: Rendered, seen: Shown) -> Reply:
    said = ask_now(judge, probe)
    if judge.tokens is not None and said.usage.prompt_tokens is not None:
        dropped = dropped_media(said.usage.prompt_tokens, probe.frames, judge.tokens)
        if dropped is not None:
            raise ObserveError(f"{judge.name}: {dropped}")
    return Reply(
        media=probe.about.media,
        question=probe.about.question,
        judge=judge.name,
        version=judge.version,
        prompt_sha256=put.sha256,
        prompt=put.origin,
        frame_rule=str(seen.rule),
        frame_indices=tuple(frame.index for frame in probe.frames),
        frames_sha256=tuple(frame.sha256 for frame in probe.frames),
        frame_seconds=tuple(frame.seconds for frame in probe.frames),
        black_frames=seen.black,
        repeated_frames=seen.repeated,
        sample=probe.sample,
        text=said.text,
        scores=said.scores,
        finish=said.finish,
        usage=said.usage,
    )


def plugins(plan: Plan) -> list[tuple[str, Plugin]]:
    return [("judge", JUDGES.get(way_of(plan).judge))]


STAGE = Stage("judge", "answers", jobs, work, plugins)
