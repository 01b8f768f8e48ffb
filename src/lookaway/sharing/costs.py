"""What a run cost: clips by system, judging by judge; what nobody told stays unknown."""

from __future__ import annotations

from collections import defaultdict

from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.records import Answer
from lookaway.sharing.seals import total_usd
from lookaway.store import Run


def costs(run: Run) -> list[dict[str, object]]:
    """A row for every system and judge: how many, how long, tokens, US dollars; None where it is not told."""
    clips = defaultdict(list)
    for clip in current_clips(run, plans.load(run)):
        clips[clip.case.system].append(clip.provenance)
    answers = defaultdict(list)
    for answer in run.latest("answers", Answer).values():
        answers[answer.instrument].append(answer.spent)
    made: list[dict[str, object]] = []
    for system, known in clips.items():
        seconds = [one.seconds for one in known if one.seconds is not None]
        usd = total_usd(one.cost_usd for one in known) or None
        whole = len(seconds) == len(known)
        made.append(_row(system, len(known), "clips", round(sum(seconds), 1) if whole else None, None, usd))
    for judge, spent in answers.items():
        usd = total_usd(one.usd for one in spent) or None
        tokens = sum(one.tokens for one in spent)
        made.append(_row(judge, sum(one.calls for one in spent), "calls", None, tokens, usd))
    return made


def _row(
    who: str, count: int, of: str, seconds: float | None, tokens: int | None, usd: str | None
) -> dict[str, object]:
    return {"who": who, "count": count, "of": of, "seconds": seconds, "tokens": tokens, "usd": usd}
