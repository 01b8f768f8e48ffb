"""Support by following the subject from its box alone: no truth, no judge."""

from __future__ import annotations

import pytest

from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from tests.observers.test_subject_track import case, score


@pytest.mark.parametrize(
    ("story", "expected"), [("stays", 1.0), ("moves_aside", 1.0), ("vanishes", 0.0), ("is_dragged", 0.0)]
)
def test_it_is_one_where_the_subject_was_hidden_and_found_again(story: str, expected: float) -> None:
    assert score("tracked_support", case(story)) == expected


def test_no_truth_and_no_task_of_the_suite_is_asked_so_that_every_output_counts() -> None:
    metric = METRICS.get("tracked_support:sound")
    assert metric.needs_truth == ()
    assert metric.observers == ("subject_track",)
    assert not {"opportunity", "subject_left", "subject_due"} & set(metric.gates), "a static camera has support 0"


def test_one_whose_colours_do_not_stand_out_is_not_told_of() -> None:
    given = case("stays")
    seen = dict(given.seen["subject_track"]) | {"precision": given.seen["subject_track"]["precision"] * 0}
    dull = type(given)(given.task, None, {"subject_track": seen}, {})
    assert isinstance(score("tracked_support", dull), Abstain)
