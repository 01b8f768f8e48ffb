"""What scores come to: cells, ledger, dose curves, the board."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lookaway.records.base import Record
from lookaway.records.plans import Protocol


class Cell(Record):
    """A number with its denominator. `n` counts every row; the other counts add up to it."""

    protocol: str  # from here to system: rows that differ in any of these never share a cell
    metric: str  # its name, without the variant
    variant: str  # sound, paper or released
    version: int  # of the metric
    instrument: str  # who looked, as in Score
    instrument_key: str  # as in Score
    ask: str  # what a judge was asked, as in Score
    ask_key: str  # as in Score
    phase_source: str  # as in Score
    slice: str  # which rows: all, such as category=kinematics, or twin=observed
    system: str  # the model or reference that was asked
    value: float | None  # mean over the ok rows; None where there are none
    low: float | None  # of the 95 % interval over scenes; None where no honest one exists
    high: float | None  # its other end
    method: str  # how the interval was made, or why there is none
    measured_low: float | None = None  # mean of what the measurements allow at least; None where none tells bounds
    measured_high: float | None = None  # and at most
    floor: float | None = Field(description="value if every avoided or missing output counted as the worst score")
    scenes: int  # with at least one ok row: the independent samples
    n: int  # all rows, whatever their status
    ok: int  # rows with a number
    not_applicable: int  # outside of the metric's population
    avoided: int  # gated: the video never posed the question, as with a camera that never turned
    no_opportunity: int  # gated: the task itself could not pose it
    not_judgeable: int = 0  # gated: whether it was posed cannot be judged
    abstained: int  # the instrument could not tell
    no_output: int  # the system gave no video that can be read
    failed: int  # an error of ours or of a plugin


class LedgerStep(Record):
    """How many clips of a system got this far, what stopped the others here, and of how many nobody knows.

    A clip's way ends at the first step that it does not reach: lost, or unknown where nothing could measure it. A step
    that the protocol declares not to concern its task is skipped. `total` is `reached` and all that were lost or became
    unknown here or before.
    """

    protocol: str
    system: str
    instruments: str = ""  # labels of who looked, where a step has more than one column
    step: str
    reached: int  # clips whose way goes on after this step
    total: int  # clips that at least one step concerns
    skipped: int = 0  # of `reached`: this step did not concern them
    lost: dict[str, int] = Field({}, description="reason to number of clips that were lost here")
    unknown: dict[str, int] = Field({}, description="reason to number of clips of which nobody knows from here on")
    unknown_before: int = 0  # clips that became unknown at an earlier step

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The share that got this far: at least, and if every unknown clip did; None without clips."""
        unknown = self.unknown_before + sum(self.unknown.values())
        return (self.reached / self.total, (self.reached + unknown) / self.total) if self.total else None


DoseKind = Literal["hidden_s", "context", "rotation_deg"]


class DosePoint(Record):
    """Share of clips that walked the whole ledger, among those that were asked about as much.

    `n` is `ok` clips with a verdict and `other` clips without; the `floor` counts the latter as wrong.
    """

    dose: float = Field(description="mean over the tasks of this point")
    dose_low: float
    dose_high: float
    tasks: int
    scenes: int
    n: int
    ok: int
    other: int
    value: float | None
    low: float | None
    high: float | None
    method: str
    floor: float | None


class DoseCurve(Record):
    """State correctness of a system against how much was asked of it; without points there is a reason."""

    protocol: str
    system: str
    instruments: str = ""  # as in LedgerStep
    dose: DoseKind
    points: tuple[DosePoint, ...] = ()
    reason: str = ""


class Board(Record):
    """The result of a run."""

    suite: str
    suite_version: str
    systems: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    cells: tuple[Cell, ...]
    ledger: tuple[LedgerStep, ...]
    dose: tuple[DoseCurve, ...] = ()
    not_measured: dict[str, str] = Field({}, description="what, and why")
    environment: dict[str, str] = Field({}, description="versions and machine")

    def cell(self, system: str, metric: str, slice: str = "all", variant: str | None = None) -> Cell:
        """The one cell for a system and metric."""
        found = [
            c
            for c in self.cells
            if (c.system, c.metric, c.slice) == (system, metric, slice) and variant in (None, c.variant)
        ]
        if len(found) != 1:
            known = f"systems {', '.join(self.systems)}; metrics {', '.join(sorted({c.metric for c in self.cells}))}"
            raise LookupError(f"{len(found)} cells for {system} / {metric} / {slice}, expected one; there are {known}")
        return found[0]


class Published(Record):
    """A number as somebody printed it."""

    system: str  # as the source spells it
    metric: str  # as the source spells it
    value: float | None  # None where the source prints that there is none
    text: str  # as printed, with daggers and marks
    source: str  # paper and table, or file
    contradicts: str = ""  # what the same source says elsewhere, in words
