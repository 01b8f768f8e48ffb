"""What a check of a paper comes to: one line per thing that was compared, and below it every number that differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lookaway.records import Column, Table, TableCell, TableRow

CheckVerdict = Literal[
    "agrees",
    "contradicts",  # the paper, or its release, says two things
    "not reproducible",  # no released file has what it was made from
    "needs a file",  # of the release, which the remark names
    "printed only",  # nothing else is known to compare it with
    "layout only",  # no number is known
]
SLACK = 1e-9  # of sums of printed decimals


@dataclass(frozen=True)
class CheckLine:
    """One comparison."""

    label: str  # as the paper numbers it
    what: str
    verdict: CheckVerdict
    agreeing: int | None = None  # how many numbers agree
    total: int | None = None  # of how many
    remark: str = ""
    differing: Sequence[str] = field(default_factory=tuple)  # each number that does not, and what it is compared with

    @property
    def count(self) -> str:
        return "" if self.total is None else f"{self.agreeing} of {self.total}"


def half_unit(printed: str) -> float:
    """How far a number may lie from how it is printed: `0.72` stands for 0.715 to 0.725, `73` for 72.5 to 73.5."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def reads_as(printed: str, value: float) -> bool:
    """Whether a number can be printed so; one that lies in the middle may be rounded either way.

    >>> reads_as("62.3", 62.25), reads_as("62.2", 62.25), reads_as("62.4", 62.25)
    (True, True, False)
    """
    return abs(float(printed) - value) <= half_unit(printed) + SLACK


def is_share(printed: str, n: int, *, percent: bool = False) -> bool:
    """Whether some whole number of n rounds to what is printed.

    >>> is_share("0.67", 3), is_share("0.730", 190), is_share("0.730", 189)
    (True, False, True)
    """
    scale = 100 if percent else 1
    return any(reads_as(printed, scale * k / n) for k in range(n + 1))


def counted(
    label: str,
    what: str,
    differing: Sequence[str],
    total: int,
    remark: str = "",
    otherwise: CheckVerdict = "contradicts",
) -> CheckLine:
    """A line about `total` numbers, of which some differ."""
    verdict: CheckVerdict = otherwise if differing else "agrees"
    return CheckLine(label, what, verdict, max(total - len(differing), 0), total, remark, tuple(differing))


def place(label: str) -> tuple[int, int, int]:
    """Where a label stands in a paper: tables first, each kind by number, a supplement behind, what has none last.

    >>> sorted(["Text", "Fig. 3", "Table S2", "Table 10", "Table 2"], key=place)
    ['Table 2', 'Table 10', 'Table S2', 'Fig. 3', 'Text']
    """
    kind, _, number = label.partition(" ")
    digits = "".join(c if c.isdigit() else " " for c in number).split()
    return {"Table": 0, "Fig.": 1}.get(kind, 2), number.startswith("S"), int(digits[0]) if digits else 0


def check_table(lines: Sequence[CheckLine], protocol: str) -> Table:
    """All lines, those about one table or figure together."""
    groups = dict.fromkeys(line.label for line in lines)
    rows = [row for label in groups for line in lines if line.label == label for row in _rows(line)]
    columns = (
        Column(name="verdict", title="Verdict"),
        Column(name="count", title="Agreeing"),
        Column(name="remark", title="Remark"),
    )
    return Table(
        name="check",
        title="What of the paper agrees, and what contradicts itself",
        columns=columns,
        rows=tuple(rows),
        protocol=protocol,
        reading="A number agrees if it rounds to what is printed; every one that does not stands below its line.",
        notes=(summary(lines),),
    )


def summary(lines: Sequence[CheckLine]) -> str:
    """`12 lines: 7 agrees, 5 printed only`."""
    verdicts = [line.verdict for line in lines]
    return f"{len(lines)} lines: " + ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))


def _rows(line: CheckLine) -> list[TableRow]:
    own = TableRow(title=line.what, group=line.label, cells=_cells(line.verdict, line.count, line.remark))
    below = [TableRow(title=text, group=line.label, cells=_cells("differs"), level=1) for text in line.differing]
    return [own, *below]


def _cells(*texts: str) -> tuple[TableCell, ...]:
    padded = (*texts, "", "")[:3]
    return tuple(TableCell(text=text.strip() or "–") for text in padded)
