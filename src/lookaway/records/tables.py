"""What scores come to: cells, ledger, dose curves, the board; and the tables that reports draw."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from lookaway.records.base import Record
from lookaway.records.plans import Protocol
from lookaway.records.scores import MetricRef


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


class Published(Record):
    """A number as somebody printed it."""

    system: str  # as the source spells it
    metric: str  # as the source spells it
    value: float | None  # None where the source prints that there is none
    text: str  # as printed, with daggers and marks
    source: str  # paper and table, or file
    contradicts: str = ""  # what the same source says elsewhere, in words


Mark = Literal["best", "second", "ceiling", "sparse", "inactive", "deviation", "inferred", "published", "significant"]
TableShape = Literal["table", "heat_map", "curve", "bars", "scatter", "radar", "funnel"]


def _is_interval(low: float | None, high: float | None) -> bool:
    """Whether the ends are both there and in order, or both absent."""
    return low is high is None or (low is not None and high is not None and low <= high)


class TableCell(Record):
    """A number with its denominator, a word, or the reason why there is neither."""

    value: float | None = None  # in the column's unit
    text: str = ""  # what stands here where no number belongs, such as a condition type
    low: float | None = None  # of the sampling interval; None where no honest one exists
    high: float | None = None  # its other end
    measured_low: float | None = None  # what the measurement allows at least; None where the instrument tells no bounds
    measured_high: float | None = None  # and at most
    n: int | None = Field(None, ge=0, description="what the value was computed from: clips, pairs, scenes")
    total: int | None = Field(None, ge=0, description="how many there were, those without a number included")
    marks: tuple[Mark, ...] = ()  # what a reader must know before comparing it
    reason: str = ""  # why there is no value, in words
    link: str = ""  # id of the evidence, such as a case; empty: none

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.value is not None) + bool(self.text.strip()) + bool(self.reason.strip()) != 1:
            raise ValueError("a cell has either a value, a text or a reason why it has neither")
        bounds = (self.low, self.high, self.measured_low, self.measured_high)
        if self.value is None and any(bound is not None for bound in bounds):
            raise ValueError("a cell without a value has no interval and no bounds")
        if not _is_interval(self.low, self.high) or not _is_interval(self.measured_low, self.measured_high):
            raise ValueError("an interval has two ends, the lower one first")
        if self.total is not None and (self.n is None or self.n > self.total):
            raise ValueError("a cell counts n of total, never more than there were")
        return self


class Column(Record):
    """What the cells below a heading have in common."""

    name: str = Field(min_length=1, description="unique in its table")
    title: str  # as printed
    unit: str = ""  # of the values; empty where they have none or are words
    better: Literal["higher", "lower", "one", "none"] = "none"  # one: best at exactly 1; none: nothing to win
    group: str = ""  # the heading above it, shared with its neighbours; empty: none
    digits: int | None = Field(None, ge=0, le=9, description="behind the point; None: as its unit is usually read")
    scale: tuple[float, float] | None = Field(None, description="ends of what values can be; None: they have none")


class TableRow(Record):
    """One line: its title, and a cell for every column."""

    title: str  # most often a system
    group: str = ""  # the heading above it, shared with its neighbours; empty: none
    cells: tuple[TableCell, ...]  # in the order of the columns
    level: int = Field(0, ge=0, le=6, description="0: a row of its own; 1: a part of the last row of level 0")


class Table(Record):
    """What an analysis found and any report can draw: rows of cells under columns, and all that is needed to read them.

    >>> support = Column(name="support", title="Support", unit="%", better="higher")
    >>> precision = Column(name="precision", title="Precision", unit="score", better="higher")
    >>> cells = (TableCell(value=8.0, n=4, total=50, marks=("sparse",)), TableCell(reason="no path was delivered"))
    >>> row = TableRow(title="a model", group="prompt-only", cells=cells)
    >>> reading = "Read support before any number that needs a return."
    >>> table = Table(name="profile", title="Profile", columns=(support, precision), rows=(row,), reading=reading)
    >>> [cell.value for cell in table.rows[0].cells]
    [8.0, None]
    """

    name: str = Field(pattern=r"^[a-z0-9]+([_-][a-z0-9]+)*$", description="unique among the tables of a run")
    title: str  # as printed above it
    shape: TableShape = "table"  # the picture it wants; every format can draw it as a plain table
    columns: tuple[Column, ...] = Field(min_length=1, description="left to right")
    rows: tuple[TableRow, ...] = Field(min_length=1, description="top to bottom, those of one group together")
    notes: tuple[str, ...] = ()  # below it: rules, exclusions, methods
    protocol: str = ""  # whose numbers these are; empty: no single one's
    reading: str = Field(min_length=1, description="how to read it, in one sentence")

    @model_validator(mode="after")
    def _is_rectangular(self) -> Self:
        names = [column.name for column in self.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"table '{self.name}': two columns are named '{twice[0]}'")
        for row in self.rows:
            if len(row.cells) != len(names):
                counts = f"{len(row.cells)} cells for {len(names)} columns"
                raise ValueError(f"table '{self.name}': row '{row.title}' has {counts}")
        return self


class Contrast(Record):
    """How much two arms differ, over pairs that are alike in everything else; or why nobody can say."""

    name: str  # what is contrasted, such as observation effect on return_state
    arms: tuple[str, str]  # the estimate is the first minus the second
    pairing: str  # what makes a pair, such as same world, same system, same seed
    n_pairs: int = Field(ge=0, description="with a number in both arms")
    n_scenes: int = Field(ge=0, description="among those pairs: the independent samples")
    estimate: float | None = None  # mean difference, in the metric's unit
    low: float | None = None  # of the 95 % interval; None where no honest one exists
    high: float | None = None  # its other end
    method: str = ""  # how estimate and interval were made
    test: str = ""  # what p comes from, such as sign-flip permutation over scenes; empty: not tested
    p: float | None = Field(None, ge=0, le=1, description="of that test, by itself; None where it was not made")
    p_corrected: float | None = Field(None, ge=0, le=1, description="the same among its family of tests")
    correction: str = ""  # how, and over which family; empty: none
    p_beside: dict[str, float] = Field({}, description="of tests printed beside that one, such as exact McNemar")
    missing: dict[str, int] = Field({}, description="why pairs lack a number, to how many: they are never imputed")
    reason: str = ""  # why there is no estimate, in words

    @model_validator(mode="after")
    def _estimate_or_reason(self) -> Self:
        if (self.estimate is None) != bool(self.reason.strip()):
            raise ValueError(f"{self.name}: a contrast has either an estimate or a reason")
        if not _is_interval(self.low, self.high) or (self.estimate is None and self.low is not None):
            raise ValueError(f"{self.name}: an estimate has an interval with two ends, the lower one first, or none")
        if (self.p is not None and not self.test) or (self.p_corrected is not None and not self.correction):
            raise ValueError(f"{self.name}: a p names its test, a corrected one its correction")
        if self.n_scenes > self.n_pairs:
            raise ValueError(f"{self.name}: every scene has a pair")
        return self


class StatedNumber(Record):
    """A number that a sentence rests on, as the sentence says it."""

    text: str  # such as `right place in 6 of 8 clips`
    step: str = ""  # of the ledger, where it is a count of clips
    metric: MetricRef | None = None  # where it is a cell of the board
    dose: bool = False  # where it is read off the curve against hidden time


class PlainWords(Record):
    """What a system's numbers come to in words, about the clips of a run alone; silent on what was not measured."""

    protocol: str
    system: str
    instruments: str = ""  # as in LedgerStep
    verdict: str  # such as `remembers what, not when`
    grounds: tuple[StatedNumber, ...] = ()  # in the order of the sentence

    @property
    def sentence(self) -> str:
        """`remembers what, not when: its clock stops while hidden (0.02, n=6 of 8)`."""
        return ": ".join(filter(None, [self.verdict, "; ".join(ground.text for ground in self.grounds)]))


class Board(Record):
    """The result of a run."""

    suite: str
    suite_version: str
    systems: tuple[str, ...]
    protocols: tuple[Protocol, ...]
    cells: tuple[Cell, ...]
    ledger: tuple[LedgerStep, ...]
    dose: tuple[DoseCurve, ...] = ()
    words: tuple[PlainWords, ...] = Field((), description="a sentence per system and ledger")
    tables: tuple[Table, ...] = Field((), description="what the analyses of the protocols found")
    not_analysed: dict[str, str] = Field({}, description="`protocol: analysis`, and why it has no table")
    not_measured: dict[str, str] = Field({}, description="what, and why")
    deviations: dict[str, str] = Field({}, description="where a protocol was not kept to, and how")
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
