"""Words read as votes, and votes counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from lookaway.errors import UnknownName
from lookaway.judges.estimators.thinking import Unreadable, without_thinking
from lookaway.judges.estimators.verdict import Verdict
from lookaway.records import Choice, Finish

Vote = Literal["yes", "no", "cannot tell", "invalid"]
RULES = ("majority", "unanimous_true", "unanimous", "any_true")

_TELL = r"(?:tell|say|determine|judge|know|decide|answer|be sure|be certain)"
_CANNOT_TELL = re.compile(
    rf"\b(?:cannot|can't|can’t|can not|could not|couldn't|unable to|impossible to|not possible to|hard to) {_TELL}\b"
    r"|\bnot (?:sure|certain|clear)\b|\bun(?:sure|clear|certain)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"[\s\W_]*(?:(?:the |my )?(?:final )?answer(?: is)?[\s\W_]+)?(?P<word>yes|no)(?=[\W_]|$)", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_TAKEN_BACK = {"actually", "although", "both", "but", "depends", "either", "except", "however", "maybe", "neither"}
_TAKEN_BACK |= {"partly", "perhaps", "possibly", "probably", "rather", "sometimes", "though", "unless", "until", "wait"}
_TAKEN_BACK_FROM_YES = _TAKEN_BACK | {"not", "isn't", "doesn't", "wasn't", "cannot"}


def vote(text: str, finish: Finish = "unknown") -> Vote:
    """A plain verdict that nothing after it takes back; everything else is no vote.

    "No idea", "Yes and no", "Yes, but…" are invalid, and so is a reply that was cut: its end could say anything.
    """
    words = without_thinking(text)
    if isinstance(words, Unreadable) or finish in ("cut", "refused"):
        return "invalid"
    if _CANNOT_TELL.search(words) and not _verdict_words(words):
        return "cannot tell"
    said = _SAID.match(words)
    if said is None or _CANNOT_TELL.search(words):
        return "invalid"
    rest = words[said.end("word") :]
    if not _is_apart(rest) or len(_verdict_words(words)) > 1:
        return "invalid"
    choice: Choice = "yes" if said["word"].lower() == "yes" else "no"
    taken_back = _TAKEN_BACK_FROM_YES if choice == "yes" else _TAKEN_BACK
    return "invalid" if taken_back & {word.lower() for word in _WORDS.findall(rest)} else choice


def _verdict_words(text: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(text)} & {"yes", "no"}


def _is_apart(rest: str) -> bool:
    """Nothing follows the verdict, or punctuation parts it from what does: neither "No idea" nor "No. 5" is "No, …"."""
    words = re.sub(r"^[\W_]+", "", rest)
    marks = rest.removesuffix(words)
    if set(marks) & set("?/|&+"):
        return False
    return not words or (bool(set(marks) & set(".,;:!\n—–")) and not words[0].isdigit())


def check_rule(rule: str) -> str:
    if rule not in RULES:
        raise UnknownName("voting rule", rule, RULES)
    return rule


def votes(cast: Sequence[Vote], rule: str = "majority", least_valid: int | None = None) -> Verdict:
    """One verdict from several votes, counted over the valid ones.

                    2 yes : 1 no   1 yes : 2 no
    majority        yes            no
    unanimous_true  no             no             yes if all say yes, else no
    unanimous       abstains       abstains
    any_true        yes            yes            yes if any says yes, else no

    Unless told otherwise, more than half of all votes must be valid.
    """
    check_rule(rule)
    tally: dict[str, int] = dict(Counter(cast))
    yes, no = tally.get("yes", 0), tally.get("no", 0)
    needed = max(1, len(cast) // 2 + 1 if least_valid is None else least_valid)
    if yes + no < needed:
        status: Literal["abstained", "invalid"] = "abstained" if tally.get("cannot tell") else "invalid"
        return Verdict("votes", status, reason=f"{yes + no} of {len(cast)} votes valid, needs {needed}", tally=tally)
    choice = _counted(yes, no, rule)
    if choice is None:
        reason = "tie" if rule == "majority" else "not unanimous"
        return Verdict("votes", "abstained", reason=f"{reason}: {yes} yes, {no} no", tally=tally)
    return Verdict("votes", "ok", choice, tally=tally)


def _counted(yes: int, no: int, rule: str) -> Choice | None:
    if rule == "unanimous_true":
        return "no" if no else "yes"
    if rule == "any_true":
        return "yes" if yes else "no"
    if rule == "unanimous" and yes and no:
        return None
    return None if yes == no else "yes" if yes > no else "no"
