"""Judges that think aloud: only what follows the thoughts is the reply."""

from __future__ import annotations

import re
from typing import NamedTuple

from lookaway.limits import ANSWER_CHARACTERS, REPLY_CHARACTERS

_OPENS = re.compile(r"<(think|thinking)>", re.IGNORECASE | re.ASCII)
_CLOSES = {kind: re.compile(f"</{kind}>", re.IGNORECASE | re.ASCII) for kind in ("think", "thinking")}
_MARK = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE | re.ASCII)


class Unreadable(NamedTuple):
    reason: str


def without_thinking(text: str) -> str | Unreadable:
    """The reply after its thoughts, where they end and it is not too long. A prompt may have opened them already."""
    if len(text) > REPLY_CHARACTERS:
        return Unreadable(f"the reply has {len(text)} characters, more than the {REPLY_CHARACTERS} that are read")
    rest = _without_thoughts(text)
    mark = _MARK.search(rest)
    if mark is not None and mark[1]:
        rest = rest[mark.end() :]
        mark = _MARK.search(rest)
    if mark is not None:
        return Unreadable("the judge never stopped thinking")
    rest = rest.strip()
    if len(rest) > ANSWER_CHARACTERS:
        return Unreadable(f"the answer has {len(rest)} characters, more than the {ANSWER_CHARACTERS} that are read")
    return rest


def _without_thoughts(text: str) -> str:
    """The text without each opening mark, the next closing one of its kind, and what is between."""
    kept: list[str] = []
    unclosed: set[str] = set()  # kinds of marks that nothing closes from here on
    end = at = 0
    while (opening := _OPENS.search(text, at)) is not None:
        at, kind = opening.end(), opening[1].lower()
        closing = None if kind in unclosed else _CLOSES[kind].search(text, at)
        if closing is None:
            unclosed.add(kind)
        else:
            kept.append(text[end : opening.start()])
            end = at = closing.end()
    return "".join([*kept, text[end:]])
