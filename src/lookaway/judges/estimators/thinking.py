"""Judges that think aloud: only what follows the thoughts is the reply."""

from __future__ import annotations

import re

_THOUGHT = re.compile(r"<(think|thinking)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)
_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def without_thinking(text: str) -> str | None:
    """The reply after its thoughts; None where the thoughts never end. A prompt may have opened them already."""
    rest = _THOUGHT.sub("", text)
    ends = list(_END.finditer(rest))
    if len(ends) == 1 and not _MARK.search(rest[: ends[0].start()]):
        rest = rest[ends[0].end() :]
    return None if _MARK.search(rest) else rest.strip()
