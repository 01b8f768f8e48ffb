"""A judge that reads its replies from a file: for tests and for replaying answers given elsewhere."""

from __future__ import annotations

from lookaway.errors import ObserveError
from lookaway.judges import Probe, Said, judge
from lookaway.judges.ratings import lines_about


@judge(version=2)
def scripted(probe: Probe) -> Said:
    """Replies from a JSON Lines file: {"media": sha256 prefix or "*", "question": id or "*", "text": "Yes"}."""
    about = probe.about
    for line in lines_about(about.source, about.media, about.question, ["text"]):
        return Said(line["text"])
    raise ObserveError(f"{about.source}: no reply for question {about.question}; add a line for it or for '*'")
