"""A setting addressed to nobody is a mistake, and a failure that is left alone is still a failure."""

from __future__ import annotations

import pytest
import typer

from lookaway.cli.common import Ending
from lookaway.errors import UnknownName
from lookaway.pipeline import plans
from lookaway.pipeline.stage import Outcome, StageReport
from lookaway.store import Run


def test_a_setting_of_no_plugin_is_refused_before_it_is_written_down(own_run: Run) -> None:
    before = plans.load(own_run)
    with pytest.raises(UnknownName, match="opnai"):
        plans.extend(own_run, "diorama-mini", settings={"opnai.model": "m"})
    assert plans.load(own_run) == before
    plans.extend(own_run, "diorama-mini", settings={"openai.model": "m"})


def report(failed: tuple[str, ...], left_failed: tuple[str, ...]) -> StageReport:
    outcomes = tuple(Outcome(name, "failed", "no reply") for name in failed)
    return StageReport("judge", 5, 5, outcomes, 0.1, 0, "a/b/0", left_failed)


def test_failures_that_are_left_alone_count_once_per_clip() -> None:
    reports = [report((), ("a/b/0", "a/c/0")), report(("a/b/0",), ())]
    with pytest.raises(typer.Exit) as end:
        Ending(1, False)(reports)
    assert end.value.exit_code == 1
    Ending(2, False)(reports)
    Ending(0, False)([report((), ())])
