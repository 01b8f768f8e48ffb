"""People as a judge: one vote per rater, from a file of ratings."""

from __future__ import annotations

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import About, Probe, Said, judge
from lookaway.judges.answer_files import Line, file_check, lines_about

NEEDS = ("rater", "value")
VALUES = {"yes": "Yes", "no": "No", "cannot tell": "Cannot tell"}


def value_of(line: Line) -> str:
    value = str(line["value"]).strip().lower()
    if not str(line["rater"]).strip():
        raise UsageError(f"a rating of question {line['question']} has no rater; whose is it?")
    if value not in VALUES:
        raise UsageError(f"rating '{line['value']}' of {line['rater']}; give {', '.join(VALUES)}")
    return value


def raters(about: About) -> int:
    return max(1, len(_ratings(about)))


@judge(version=1, samples=raters, check=file_check(NEEDS, value_of))
def human(probe: Probe) -> Said:
    """Ratings from JSON Lines or CSV: media, question, rater, value (yes, no or cannot tell)."""
    ratings = _ratings(probe.about)
    if probe.sample >= len(ratings):
        raise ObserveError(f"{probe.about.source}: no rating of question {probe.about.question}; ask another rater")
    return Said(VALUES[ratings[probe.sample]["value"]], finish="complete")


def _ratings(about: About) -> list[Line]:
    """One line per rater, by name, so that a rater keeps their place."""
    found: dict[str, Line] = {}
    for line in lines_about(about.source, about.media, about.question, NEEDS):
        rater, value = str(line["rater"]), value_of(line)
        if rater in found and found[rater]["value"] != value:
            raise UsageError(f"{about.source}: {rater} rates question {about.question} twice, and differently")
        found[rater] = {**line, "value": value}
    return [found[rater] for rater in sorted(found)]
