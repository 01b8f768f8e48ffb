"""The check of a paper as lines of a terminal: verdict, how many numbers agree, what; below it what differs."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from lookaway.published.lines import CheckLine, summary
from lookaway.reports.escaping import in_one_line

WIDTH = 100
VERDICT, COUNT = 18, 12


def check_text(lines: Sequence[CheckLine]) -> str:
    """Lines about one table or figure stand together under its label."""
    parts = []
    for label in dict.fromkeys(line.label for line in lines):
        parts.append(label)
        parts += [text for line in lines if line.label == label for text in _told(line)]
    return "\n".join([*parts, "", summary(lines)]) + "\n"


def _told(line: CheckLine) -> list[str]:
    said = f"{line.what} ({line.remark})" if line.remark else line.what
    head = f"  {line.verdict:<{VERDICT}}{line.count:<{COUNT}}"
    first, *rest = _wrapped(said)
    below = [text for other in line.differing for text in _wrapped(f"- {other}", indent="  ")]
    return [head + first.lstrip(), *rest, *below]


def _wrapped(text: str, indent: str = "") -> list[str]:
    margin = " " * (2 + VERDICT + COUNT)
    return wrap(in_one_line(text), WIDTH, initial_indent=margin, subsequent_indent=margin + indent)
