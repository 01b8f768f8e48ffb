"""The pytest plugin: one fixture that checks a run against another inside somebody's own tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lookaway.records import CheckReport


@pytest.fixture
def lookaway_check() -> Callable[..., CheckReport]:
    """Called as `lookaway_check("runs/new", against="runs/old", fail_if=["world_clock worsens 0.1"])`.

    Fails the test where a rule fails, skips it where it is too early to tell, and returns the report where all pass.
    """

    def checked(run: str, against: str, fail_if: list[str] | tuple[str, ...] = (), **options: object) -> CheckReport:
        from lookaway.pipeline.checking import check_runs

        report = check_runs(run, against, fail_if, **options)  # type: ignore[arg-type]
        told = "\n".join(f"{rule.verdict}: {rule.rule} [{rule.metric}]: {rule.reason}" for rule in report.rules)
        if report.verdict == "fail":
            pytest.fail(told, pytrace=False)
        if report.verdict == "too early":
            pytest.skip(f"too early to tell: {told}")
        return report

    return checked
