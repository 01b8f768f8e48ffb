"""A judge that reads its replies from a file: for tests and for replaying answers given elsewhere."""

from __future__ import annotations

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import Probe, Said, judge
from lookaway.judges.answer_files import Line, file_check, lines_about


def _is_text(line: Line) -> None:
    if not isinstance(line["text"], str):
        raise UsageError(f"the reply to question {line['question']} is {line['text']!r}; give a text")


@judge(version=2, check=file_check(["text"], _is_text))
def scripted(probe: Probe) -> Said:
    """Replies from a JSON Lines file: {"media": sha256 prefix or "*", "question": id or "*", "text": "Yes"}."""
    about = probe.about
    for line in lines_about(about.source, about.media, about.question, ["text"]):
        return Said(line["text"])
    raise ObserveError(f"{about.source}: no reply for question {about.question}; add a line for it or for '*'")
