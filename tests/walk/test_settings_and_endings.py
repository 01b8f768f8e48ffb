"""A setting addressed to nobody is a mistake, and a failure that is left alone is still a failure."""

from __future__ import annotations

import pytest
import typer

from lookaway.cli.common import Ending
from lookaway.errors import UnknownName
from lookaway.pipeline import plans
from lookaway.pipeline.stage import StageReport
from lookaway.store import Run


def test_a_setting_of_no_plugin_is_refused_before_it_is_written_down(own_run: Run) -> None:
    before = plans.load(own_run)
    with pytest.raises(UnknownName, match="opnai"):
        plans.extend(own_run, "diorama-mini", settings={"opnai.model": "m"})
    assert plans.load(own_run) == before
    plans.extend(own_run, "diorama-mini", settings={"openai.model": "m"})


@pytest.mark.parametrize(("left_failed", "fails"), [(0, False), (2, True)])
def test_failures_that_are_left_alone_count(left_failed: int, fails: bool) -> None:
    report = StageReport("judge", 5, 5, (), 0.1, 0, "a/b/0", left_failed)
    if not fails:
        return Ending(0, False)([report])
    with pytest.raises(typer.Exit) as end:
        Ending(0, False)([report])
    assert end.value.exit_code == 1
    Ending(left_failed, False)([report])
