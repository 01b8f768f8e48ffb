"""From raw replies to one verdict: by token scores, by votes, or by a structured reply. Pure: no files, no calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lookaway.judges.estimators.p_yes import p_yes
from lookaway.judges.estimators.structured import structured
from lookaway.judges.estimators.verdict import Verdict
from lookaway.judges.estimators.votes import Vote, vote, votes
from lookaway.judges.prompting.forms import Form
from lookaway.records import Reply

__all__ = ["Verdict", "p_yes", "structured", "verdict_of", "vote", "votes"]


def verdict_of(calls: Sequence[Sequence[Reply]], form: Form, rule: str = "majority") -> Verdict:
    """The verdict that calls support, each a reply and perhaps its further try: that of the only one, or their votes.

    The fields told are those of the first that agrees with the count.
    """
    each = [_of_call(replies, form) for replies in calls]
    if not each:
        return votes([], rule)
    if len(each) == 1 or (form.kind == "structured" and not form.decided_by):
        return next((verdict for verdict in each if verdict.status == "ok"), each[0])
    counted = votes([_cast(verdict) for verdict in each], rule)
    if form.kind != "structured":
        return counted
    fields = next((v.fields for v in each if counted.choice is not None and v.choice == counted.choice), {})
    return replace(counted, estimator="structured", fields=fields)


def _of_call(replies: Sequence[Reply], form: Form) -> Verdict:
    """One call's verdict; token scores are preferred to words."""
    if form.kind == "structured":
        return structured([(reply.text, reply.finish) for reply in replies], form)
    (reply,) = replies
    return p_yes(reply.scores) if reply.scores is not None else votes([vote(reply.text, reply.finish)])


def _cast(verdict: Verdict) -> Vote:
    """A call's verdict as a vote; one that may be either side of one half cannot tell."""
    if verdict.choice is not None:
        return verdict.choice
    return "invalid" if verdict.status == "invalid" else "cannot tell"
