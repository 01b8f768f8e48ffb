"""Text that others wrote, put into a page: it reads as itself, on one line, and does nothing else."""

from __future__ import annotations

import re

# A bracket makes a link only with what follows it, an underscore emphasis only at the edge of a word.
_MARKS = re.compile(r"[\\`*|~$]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")

# What makes a list, heading or underline of a line that it opens: `-`, or the point of `1. `.
_OPENERS = re.compile(r"^(?=[-+=#])|^\d{1,9}(?=[.)](?:\s|$))")


def in_one_line(text: str) -> str:
    """Without line breaks, control characters and doubled spaces."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def in_markdown(text: str) -> str:
    """`a|b <i>` becomes `a\\|b &lt;i&gt;`; names such as `return_place` stay as they are."""
    line = in_one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _OPENERS.sub(r"\g<0>\\", _MARKS.sub(r"\\\g<0>", line))
