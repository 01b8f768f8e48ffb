"""From raw replies to one verdict: by token scores, by votes, or by a structured reply. Pure: no files, no calls."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.judges.estimators.p_yes import p_yes
from lookaway.judges.estimators.structured import structured
from lookaway.judges.estimators.verdict import Verdict
from lookaway.judges.estimators.votes import vote, votes
from lookaway.judges.forms import Form
from lookaway.records import Reply

__all__ = ["Verdict", "p_yes", "structured", "verdict_of", "vote", "votes"]


def verdict_of(replies: Sequence[Reply], form: Form, rule: str = "majority") -> Verdict:
    """The verdict that replies to one probe support; a single reply's token scores are preferred to its words."""
    if form.kind == "structured":
        return structured([(reply.text, reply.finish) for reply in replies], form)
    if len(replies) == 1 and replies[0].scores is not None:
        return p_yes(replies[0].scores)
    return votes([vote(reply.text, reply.finish) for reply in replies], rule)
