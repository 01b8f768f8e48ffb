"""Progress bars on a terminal, plain lines elsewhere; always on standard error."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from lookaway.pipeline.stage import Outcome, StageReport
from lookaway.pipeline.stage import Progress as StageProgress
from lookaway.secrets import redacted

LINE_EVERY_S = 10.0


def progress() -> StageProgress:
    console = Console(stderr=True, emoji=False)
    return Bars(console) if console.is_terminal else Lines(console)


class RateColumn(ProgressColumn):
    """How many are done in a second or, where that is less than one, in a minute."""

    def render(self, task: Task) -> Text:
        return Text(paced(task.speed) if task.speed else "")


def paced(per_second: float) -> str:
    """`2.5/s`, or `12/min`."""
    return f"{per_second:.1f}/s" if per_second >= 1 else f"{60 * per_second:.0f}/min"


class Bars:
    """One bar per stage."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars: Progress | None = None
        self._task: TaskID = TaskID(0)

    def say(self, text: str) -> None:
        self._console.print(redacted(text), highlight=False, markup=False, soft_wrap=True)

    def start(self, stage: str, total: int, skipped: int) -> None:
        columns = (
            TextColumn("{task.description:10}"),
            BarColumn(40),
            MofNCompleteColumn(),
            RateColumn(),
            TimeRemainingColumn(),
            TextColumn("left"),
        )
        self._bars = Progress(*columns, console=self._console)
        self._task = self._bars.add_task(stage, total=total, completed=skipped)
        self._bars.start()

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        if self._bars is not None:
            self._bars.advance(self._task, len(outcomes))

    def finish(self, report: StageReport) -> None:
        if self._bars is not None:
            self._bars.stop()
        for failure in report.failures:
            self._console.print(
                redacted(f"  failed {failure.name}: {failure.reason}"), style="red", highlight=False, markup=False
            )


class Lines:
    """A line when a stage starts, every ten seconds, and when it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage, self._total, self._done, self._said = "", 0, 0, 0.0
        self._before, self._started = 0, 0.0

    def say(self, text: str) -> None:
        self._console.print(redacted(text), highlight=False, markup=False, soft_wrap=True)

    def start(self, stage: str, total: int, skipped: int) -> None:
        self._stage, self._total, self._done, self._said = stage, total, skipped, time.monotonic()
        self._before, self._started = skipped, self._said
        self.say(f"{stage}: {total - skipped} to do, {skipped} done before")

    def advance(self, outcomes: Sequence[Outcome]) -> None:
        self._done += len(outcomes)
        if (now := time.monotonic()) - self._said >= LINE_EVERY_S:
            self._said = now
            self.say(f"{self._stage}: {self._done} of {self._total}{self._pace(now)}")

    def _pace(self, now: float) -> str:
        """`, 2.5/s, about 40 s left`."""
        rate = (self._done - self._before) / max(now - self._started, 1e-9)
        return f", {paced(rate)}, about {(self._total - self._done) / rate:.0f} s left" if rate > 0 else ""

    def finish(self, report: StageReport) -> None:
        for failure in report.failures:
            self.say(f"{report.stage}: failed {failure.name}: {failure.reason}")
        failed = f", {len(report.failures)} failed" if report.failures else ""
        self.say(f"{report.stage}: {len(report.outcomes)} done in {report.seconds:.1f} s{failed}")
