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


def verdict_of(replies: Sequence[Reply], form: Form, rule: str = "majority") -> Verdict:
    """The verdict that replies to one probe support; a single reply's token scores are preferred to its words."""
    if form.kind == "structured":
        return _of_samples([_of_tries(replies, sample, form) for sample in _samples(replies)], form, rule)
    if len(replies) == 1 and replies[0].scores is not None:
        return p_yes(replies[0].scores)
    return votes([vote(reply.text, reply.finish) for reply in replies], rule)


def _samples(replies: Sequence[Reply]) -> list[int]:
    return sorted({reply.sample for reply in replies}) or [0]


def _of_tries(replies: Sequence[Reply], sample: int, form: Form) -> Verdict:
    """A sample's first reply, or its one further try."""
    tries = sorted((reply for reply in replies if reply.sample == sample), key=lambda reply: reply.again)
    return structured([(reply.text, reply.finish) for reply in tries], form)


def _of_samples(each: Sequence[Verdict], form: Form, rule: str) -> Verdict:
    """One structured verdict, or several counted as votes; the fields told are those of the first that agrees."""
    if len(each) == 1 or not form.decided_by:
        return next((verdict for verdict in each if verdict.status == "ok"), each[0])
    cast: list[Vote] = [verdict.choice or "invalid" for verdict in each]
    counted = votes(cast, rule)
    fields = next((v.fields for v in each if counted.choice is not None and v.choice == counted.choice), {})
    return replace(counted, estimator="structured", fields=fields)
