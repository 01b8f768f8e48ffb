"""A table in LaTeX, read back by a reader that knows the few commands it may use and stumbles over anything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.records import TableCell
from lookaway.reports.drawing.latex import in_latex, latex_table
from lookaway.reports.drawing.phrases import SIGNS, arrow
from tests.reports.drawing_examples import FOREIGN, numbers, profile, written_by
from tests.reports.test_foreign_text import shown

TOKEN = re.compile(r"\\[a-zA-Z]+ ?(?:\{\})?|\\.|.", re.DOTALL)
LETTERS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">",
    "textbar": "|", "textquotedbl": '"', "textasciigrave": "`", "textendash": "–", "textemdash": "—", "ldots": "…",
    "S": "§", "P": "¶", "times": "×", "pm": "±", "circ": "°", "uparrow": "↑", "downarrow": "↓", "rightarrow": "→",
    "leftarrow": "←", "leq": "≤", "geq": "≥", "approx": "≈", "cdot": "·", "dagger": "†", "ddagger": "‡", "Vert": "‖",
    "triangle": "△", "alpha": "α", "kappa": "κ", "rho": "ρ", "tau": "τ", "Delta": "Δ", "quad": "",
}  # fmt: skip
STYLES = {"textbf", "underline", "textit", "textsuperscript", "scriptsize"}
POWERS = {"2": "²", "3": "³", "°": "°"}


def letters(source: str) -> str:
    """What is printed. Fails at a bare special letter, an unknown command or a ligature."""
    assert not re.search(r"--|''|,,|``|\?`|!`", source), "a ligature"
    out, maths, depth, raised = "", False, 0, False
    for token in TOKEN.findall(source):
        if token == "$":
            maths = not maths
        elif token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0
        elif token == "^":
            assert maths
            raised = True
        elif len(token) == 1:
            assert token not in "&#%_~", f"a bare {token}"
            sign = "−" if maths and token == "-" else token
            out, raised = out + (POWERS[sign] if raised else sign), False
        elif token[1].isalpha():
            name = token[1:].removesuffix("{}").strip()
            assert name in LETTERS or name in STYLES, f"a command: {token}"
            out, raised = out + LETTERS.get(name, ""), False
        else:
            assert token[1] in "{}$&#%_", f"a command: {token}"
            out += token[1]
    assert not maths
    assert depth == 0
    return out


def split(source: str, mark: str) -> list[str]:
    """At a mark that stands in no braces."""
    parts, depth = [""], 0
    for token in re.findall(r"\\\\|\\.|.", source, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(token, 0)
        parts += [""] if token == mark and depth == 0 else []
        parts[-1] += "" if token == mark and depth == 0 else token
    return parts


def inside(source: str, name: str) -> str:
    """The one environment of that name; the caption's text cannot begin or end one."""
    begin, end = rf"\begin{{{name}}}", rf"\end{{{name}}}"
    assert (source.count(begin), source.count(end)) == (1, 1)
    return source.partition(begin)[2].partition(end)[0]


def rows(source: str) -> list[list[list[str]]]:
    """Every line of the tabular: its cells, and the lines of each cell."""
    body = inside(source, "tabular").partition("\n")[2]
    found = []
    for line in split(body, r"\\"):
        line = re.sub(r"\\(toprule|midrule|bottomrule|cmidrule\(lr\)\{\d+-\d+\})", "", line).strip()
        if line:
            found.append([_lines(cell.strip()) for cell in split(line, "&")])
    return found


def _lines(cell: str) -> list[str]:
    cell = re.sub(r"^\\multicolumn\{\d+\}\{[lc]\}", "", cell)
    stacked = re.fullmatch(r"\\makecell\[[tb][lr]\]\{(.*)\}", cell, re.DOTALL)
    return [shown(letters(line)) for line in split(stacked[1] if stacked else cell, r"\\")]


def test_cells_read_back() -> None:
    found = rows(latex_table(profile()))
    assert found[0] == [[""], [""], ["Camera"], ["Return"]]
    assert found[1] == [[""], ["Control"], ["Align ↑", "score"], ["Gain →1", "of the asked turn"], ["Support ↑", "%"]]
    assert found[2] == [["explicit"]]
    first = [["0.50", "[−0.25, 0.75]", "n=12 of 50"], ["0.000‡", "measured −0.125 to 0.250"], ["7.2†", "n=4"]]
    assert found[3] == [["First"], ["poses"], *first]
    assert found[5] == [["Second"], ["words"], ["0.25"], ["–a", "n=0 of 50"], ["31.0*"]]


def test_best_is_bold_second_underlined_and_sparse_has_a_dagger() -> None:
    source = latex_table(profile(), whole=False)
    gain, support = r"\underline{0.000}\textsuperscript{$\ddagger$}", r"7.2\textsuperscript{$\dagger$}"
    assert rf"First & poses & \textbf{{0.50}} & {gain} & {support} \\" in source
    assert r"\quad a part & words & \underline{0.25} &" in source
    assert "n=" not in source


def test_groups_of_columns_have_a_rule_of_their_width() -> None:
    source = latex_table(profile())
    assert re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", source) == [("3", "4"), ("5", "5")]
    assert "cmidrule" not in latex_table(numbers(1.0))
    assert source.count(r"\midrule") == 2
    assert source.index(r"\toprule") < source.index(r"\midrule") < source.index(r"\bottomrule")


def test_reasons_legend_and_notes_stand_below() -> None:
    below = inside(latex_table(profile()), "minipage")
    assert r"\textsuperscript{a} no path was delivered\par" in below
    assert r"Intervals are 95 \%.\par" in below
    assert r"$\dagger$: from few clips" in below
    assert "wrbench: Compare within a group." in below


def test_many_reasons_have_letters_of_their_own() -> None:
    row = numbers(None).rows[0]
    rows = tuple(row.model_copy(update={"cells": (TableCell(reason=f"reason {number}"),)}) for number in range(60))
    source = latex_table(numbers(None).model_copy(update={"rows": rows}))
    found = re.findall(r"\\textendash\{\}\\textsuperscript\{(\w+)\}", source)
    assert len(set(found)) == 60
    for number, letter in enumerate(found):
        assert rf"\textsuperscript{{{letter}}} reason {number}\par" in source


@pytest.mark.parametrize("text", FOREIGN)
def test_foreign_text_is_printed_as_text(text: str) -> None:
    source, plain = latex_table(written_by(text)), latex_table(written_by("plain"))
    expected = [[[line.replace("plain", shown(text)) for line in cell] for cell in row] for row in rows(plain)]
    assert rows(source) == expected
    below, plain_below = (inside(s, "minipage").strip().splitlines()[2:] for s in (source, plain))
    said = [letters(line.removesuffix(r"\par")) for line in below]
    assert said == [letters(line.removesuffix(r"\par")).replace("plain", shown(text)) for line in plain_below]
    assert rf"\caption{{{in_latex(text)}}}" in source
    assert re.findall(r"\\(?:begin|end)\{\w+\}", source) == re.findall(r"\\(?:begin|end)\{\w+\}", plain)


@given(st.text(st.sampled_from("ab \\{}$&#%_~^<>|\"`'-,[]*–—…§×±°²³↑↓→≤≥·†‡△αρ\n\t?!é世")))
def test_any_text_is_printed_as_itself(text: str) -> None:
    assert letters(in_latex(text)) == shown(text)


def test_no_line_begins_with_what_would_belong_to_the_line_break_before() -> None:
    for text in ("[3pt] title", "* title"):
        assert not re.search(r"(\\\\|rule)\s*[\[*]", latex_table(written_by(text)))


def test_all_that_we_print_ourselves_is_known_to_pdftex() -> None:
    """It stops at a letter that it does not know, such as the mark of a ceiling."""
    ours = [*SIGNS.values(), *(arrow(better) for better in ("higher", "lower", "one", "none")), "95 % · n=3 – †"]
    assert all(in_latex(text).isascii() for text in ours)
