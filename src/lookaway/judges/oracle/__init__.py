"""A judge that knows the truth, but only as far as its frames show it; its errors are set by dials.

Everything downstream is tested with it: what a check says of this judge must be what the dials say. Of clips that the
known world made it needs no file: what each frame shows was kept when it was filmed. Which model made a clip, and what
is wrong with it, it is never told.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from lookaway.errors import ObserveError, UnknownName
from lookaway.judges import Probe, Said, judge
from lookaway.judges.answer_files import file_check
from lookaway.judges.oracle.dials import DIALS, Dials, dials_of
from lookaway.judges.oracle.evidence import evidence_of, evidence_of_two
from lookaway.judges.oracle.known_answers import ANSWERERS, Answerer, KnownAnswers, Replying
from lookaway.judges.oracle.truth_files import (
    CANNOT_TELL,
    NEEDS,
    Known,
    evidence_after_return,
    known_line,
    lines_of_true_clip,
    said_in_file,
    says,
)
from lookaway.records import Setting

__all__ = [
    "CANNOT_TELL",
    "Dials",
    "Known",
    "answerers",
    "evidence_after_return",
    "found_in",
    "lines_of_true_clip",
    "oracle",
    "replying",
    "says",
]

FIRST_WORDING = "a"  # of any prompt


def _check(source: str, settings: Mapping[str, Setting]) -> None:
    dials_of(settings)
    if source:
        file_check(NEEDS, known_line, DIALS)(source, settings)
        return
    for name in settings:
        if name not in DIALS:
            raise UnknownName("setting of this judge", name, DIALS)


@judge(version=4, check=_check)
def oracle(probe: Probe) -> Said:
    """Knows what clips of the known world show; of others from JSON Lines: media, question, truth, evidence."""
    about, dials = probe.about, dials_of(probe.about.settings)
    if about.source:
        return Said(said_in_file(probe, dials), finish="complete")
    return Said(replying(probe, dials).text(found_in(probe)), finish="complete")


def replying(probe: Probe, dials: Dials) -> Replying:
    """How a probe is replied to; its prompt, variant and wording count among what an error is drawn for."""
    about = probe.about
    reworded = f"/{about.wording}" if about.wording not in ("", FIRST_WORDING) else ""
    asked = f"{about.prompt}:{about.variant}/{about.question}{reworded}"
    return Replying(probe.form, dials, about.media, asked, probe.sample)


def found_in(probe: Probe) -> KnownAnswers:
    """What is right of what a probe asks, as far as its frames show it."""
    asked = answerers().get(probe.about.prompt)
    if asked is None:
        raise ObserveError(
            f"the oracle knows no right answer to the prompt '{probe.about.prompt}'; "
            "give it a file with the answers: --judge oracle:FILE"
        )
    if len(probe.about.clips) > 1:
        return asked.function(*evidence_of_two(probe))
    return asked.function(evidence_of(probe))


@cache
def answerers() -> Mapping[str, Answerer]:
    """Who answers which prompt, by its name."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return dict(sorted(ANSWERERS.items()))
