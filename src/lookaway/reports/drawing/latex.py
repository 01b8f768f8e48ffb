"""A table as LaTeX, for a paper: booktabs, bold for the best, daggers, reasons and notes below.

What it needs stands in its first line. Letters that pdfTeX does not know by itself want LuaLaTeX or XeLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from string import ascii_lowercase

from lookaway.records import Column, Table, TableCell
from lookaway.reports.drawing.phrases import MISSING, content, details, heading, holds_words, legend, signs
from lookaway.reports.escaping import in_one_line

NEEDS = r"% \usepackage{booktabs,makecell} \usepackage[T1]{fontenc}"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # these three would belong to a line break before them
    "]": "{]}",
    "*": "{*}",
    "–": r"\textendash{}",
    "—": r"\textemdash{}",
    "…": r"\ldots{}",
    "§": r"\S{}",
    "¶": r"\P{}",
}
SYMBOLS = {
    "−": "-",
    "×": r"\times",
    "±": r"\pm",
    "°": r"^{\circ}",
    "²": "^{2}",
    "³": "^{3}",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "≤": r"\leq",
    "≥": r"\geq",
    "≈": r"\approx",
    "·": r"\cdot",
    "†": r"\dagger",
    "‡": r"\ddagger",
    "‖": r"\Vert",
    "△": r"\triangle",
    "α": r"\alpha",
    "κ": r"\kappa",
    "ρ": r"\rho",
    "τ": r"\tau",
    "Δ": r"\Delta",
}
_MADE = str.maketrans(SPECIAL | {sign: f"${command}$" for sign, command in SYMBOLS.items()})


def in_latex(text: str) -> str:
    """`50 % of a_b` becomes `50 \\% of a\\_b`; doubled dashes, quotes and commas stay two."""
    return re.sub(r"([-',])(?=\1)", r"\1{}", in_one_line(text).translate(_MADE))


def latex_table(table: Table, *, whole: bool = True) -> str:
    """A `table` environment; a cell without a value is a dash with a letter that is explained below.

    Where `whole` is false, intervals, bounds and n are left out: a page has only so much room.
    """
    letters = _letters(table)
    sides = ["l" if holds_words(table, place) else "r" for place in range(len(table.columns))]
    lines = [
        NEEDS,
        r"\begin{table}[t]",
        r"\centering",
        rf"\caption{{{in_latex(table.title)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{l{''.join(sides)}}}",
        r"\toprule",
        *_heads(table.columns, sides),
        *_body(table, sides, letters, whole),
        r"\bottomrule",
        r"\end{tabular}",
        *_below(table, letters),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _letters(table: Table) -> dict[str, str]:
    """A letter for every reason, in the order in which they are read: a to z, then aa."""
    reasons = dict.fromkeys(cell.reason for row in table.rows for cell in row.cells if cell.reason)
    size = len(ascii_lowercase)
    return {why: ascii_lowercase[k % size] * (k // size + 1) for k, why in enumerate(reasons)}


def _heads(columns: Sequence[Column], sides: Sequence[str]) -> list[str]:
    units = [[in_latex(column.unit)] if column.unit else [] for column in columns]
    named = zip(columns, units, sides, strict=True)
    lines = [_line(["", *(_stacked(in_latex(heading(column)), unit, f"b{side}") for column, unit, side in named)])]
    return [*_groups(columns), *lines] if any(column.group for column in columns) else lines


def _groups(columns: Sequence[Column]) -> list[str]:
    """The headings above the headings, each with a rule as long as its columns."""
    cells, rules, first = [""], [], 2
    for group, members in groupby(columns, lambda column: column.group):
        count = len([*members])
        cells.append(rf"\multicolumn{{{count}}}{{c}}{{{in_latex(group)}}}")
        rules += [rf"\cmidrule(lr){{{first}-{first + count - 1}}}"] if group else []
        first += count
    return [_line(cells), " ".join(rules)]


def _body(table: Table, sides: Sequence[str], letters: dict[str, str], whole: bool) -> list[str]:
    lines = []
    for group, rows in groupby(table.rows, lambda row: row.group):
        lines.append(r"\midrule")
        if group:
            lines.append(_line([rf"\multicolumn{{{len(sides) + 1}}}{{l}}{{\textit{{{in_latex(group)}}}}}"]))
        for row in rows:
            places = zip(row.cells, table.columns, sides, strict=True)
            shown = [_stacked(_cell(c, of, letters), _small(c, of) if whole else [], f"t{s}") for c, of, s in places]
            lines.append(_line([r"\quad " * row.level + in_latex(row.title), *shown]))
    return lines


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: TableCell, column: Column, letters: dict[str, str]) -> str:
    if cell.reason:
        shown = rf"{in_latex(MISSING)}\textsuperscript{{{letters[cell.reason]}}}"
    else:
        shown = in_latex(cell.text) or _number(content(cell, column))
    style = r"\textbf" if "best" in cell.marks else r"\underline" if "second" in cell.marks else ""
    shown = f"{style}{{{shown}}}" if style else shown
    return rf"{shown}\textsuperscript{{{in_latex(signs(cell))}}}" if signs(cell) else shown


def _stacked(first: str, below: Sequence[str], side: str) -> str:
    """A cell, or one with small lines below it."""
    lines = r" \\ ".join([first, *(rf"{{\scriptsize {line}}}" for line in below)])
    return rf"\makecell[{side}]{{{lines}}}" if below else first


def _small(cell: TableCell, column: Column) -> list[str]:
    return [_number(line) for line in details(cell, column)]


def _number(text: str) -> str:
    """With a minus as long as a plus."""
    return in_latex(text.replace("-", "−"))


def _below(table: Table, letters: dict[str, str]) -> list[str]:
    """What must be read with the table: how to read it, its legend, the missing cells, its notes."""
    about = f"{table.protocol}: {table.reading}" if table.protocol else table.reading
    missing = [rf"\textsuperscript{{{letter}}} {in_latex(why)}" for why, letter in letters.items()]
    texts = [in_latex(about), in_latex(legend(table)), *missing, *map(in_latex, table.notes)]
    lines = [rf"{text}\par" for text in texts if text]
    return [r"\par\medskip", r"\begin{minipage}{\linewidth}", r"\footnotesize", *lines, r"\end{minipage}"]
