"""What judges replied about clips, beside their verdicts: for tables that tell why a video failed."""

from __future__ import annotations

from lookaway.analyses import JudgedClip, JudgedClips
from lookaway.pipeline.clips import current_clips
from lookaway.records import Answer, Plan, Reply
from lookaway.store import Run

TOLD_BY = "failed_videos"  # the analysis that reads them


def judged_clips(run: Run, plan: Plan) -> JudgedClips:
    """By task, system, seed, judge and ask; nothing where no protocol of the plan tells it, since replies are many."""
    if not any(TOLD_BY in protocol.analyses for protocol in plan.protocols):
        return {}
    asks = {ask.prompt for p in plan.protocols if TOLD_BY in p.analyses for ask in p.asks.values()}
    about: dict[str, list[Answer]] = {}
    for answer in run.latest("answers", Answer).values():
        if answer.choice is not None and any(answer.ask.startswith(prompt) for prompt in asks):
            about.setdefault(answer.media, []).append(answer)
    seconds = {key: reply.frame_seconds for key, reply in run.latest("replies", Reply).items()} if about else {}
    return {
        (clip.case.task, clip.case.system, clip.case.seed, answer.instrument_key, answer.ask_key): JudgedClip(
            answer.fields, answer.tally, seconds.get(answer.replies[0], ()) if answer.replies else ()
        )
        for clip in current_clips(run, plan)
        if clip.video is not None and not clip.case.branch
        for answer in about.get(clip.video, ())
    }
