"""Text that others wrote, put into a Markdown page: it reads as itself, on one line, and does nothing else."""

from __future__ import annotations

import re

# A bracket makes a link only with what follows it, an underscore emphasis only at the edge of a word.
_MARKS = re.compile(r"[\\`*|~$]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")


def in_markdown(text: str) -> str:
    """`a|b <i>` becomes `a\\|b &lt;i&gt;`; names such as `return_place` stay as they are."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^([-+=#])", r"\\\1", _MARKS.sub(r"\\\g<0>", line))
