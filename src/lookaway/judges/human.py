"""People as a judge: one vote per rater, from a file of ratings."""

from __future__ import annotations

from lookaway.errors import ObserveError, UsageError
from lookaway.judges import About, Probe, Said, judge
from lookaway.judges.ratings import Line, lines_about

VALUES = {"yes": "Yes", "no": "No", "cannot tell": "Cannot tell"}


def raters(about: About) -> int:
    return max(1, len(_ratings(about)))


@judge(version=1, samples=raters)
def human(probe: Probe) -> Said:
    """Ratings from JSON Lines or CSV: media, question, rater, value (yes, no or cannot tell)."""
    ratings = _ratings(probe.about)
    if probe.sample >= len(ratings):
        raise ObserveError(f"{probe.about.source}: no rating of question {probe.about.question}; ask another rater")
    return Said(VALUES[ratings[probe.sample]["value"]], finish="complete")


def _ratings(about: About) -> list[Line]:
    """One line per rater, by name, so that a rater keeps their place."""
    found: dict[str, Line] = {}
    for line in lines_about(about.source, about.media, about.question, ["rater", "value"]):
        rater, value = str(line["rater"]), str(line["value"]).strip().lower()
        if value not in VALUES:
            raise UsageError(f"{about.source}: rating '{line['value']}' of {rater}; give {', '.join(VALUES)}")
        if rater in found and found[rater]["value"] != value:
            raise UsageError(f"{about.source}: {rater} rates question {about.question} twice, and differently")
        found[rater] = {**line, "value": value}
    return [found[rater] for rater in sorted(found)]
