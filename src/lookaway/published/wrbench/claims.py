"""What the text claims, against the tables and figures that the same paper prints: no file is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import mean

from lookaway.published.lines import CheckLine, counted, half_unit, is_share, reads_as
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.wrbench.derived import visible

TEXT = "Text"
HARDLY = 0.01  # of re-observed state between the two turns
SHORTFALL = ("0.10", "0.15")  # of change in place, in rows with an external record
BLOCKS = (("VisSpatial", "VisState"), ("ReobsSpatial", "ReobsState"))
CORRELATIONS = (
    ("VisSpatial", "VisState", "0.97"),
    ("ReobsSpatial", "ReobsState", "0.94"),
    ("Support", "VisSpatial", "-0.42"),
    ("Support", "Integ", "-0.15"),
    ("Support", "ReobsState", "-0.15"),
)


def claims(paper: Paper) -> list[CheckLine]:
    """All of them, in the paper's order."""
    return [
        quotes(paper),
        quoted_correlations(paper),
        *extremes(paper),
        little_support(paper),
        ladder(paper),
        direction(paper),
        event_gaps(paper),
        event_effects(paper),
        retention(paper),
        *possible_shares(),
        *_said_twice(),
    ]


def quotes(paper: Paper) -> CheckLine:
    """Numbers that the text repeats from Table 2."""
    rows = paper.rows["quotes"]
    differing = []
    for row in rows:
        own = paper.row("table2", row.title)
        column, text = row.cells["column"], row.cells["value"]
        value = visible(own) if column == "Visible" else own.number(column)
        if not reads_as(text, value):
            differing.append(f"{row.group}: {row.title}, {column}: says {text}, Table 2 {value:.4g}")
    return counted(TEXT, "numbers quoted from Table 2", differing, len(rows))


def quoted_correlations(paper: Paper) -> CheckLine:
    """Five correlations, and the range of those between the visible and the re-observed block."""
    found = [(a, b, text, paper.row("fig4", a).cells[b]) for a, b, text in CORRELATIONS]
    differing = [f"{a}, {b}: says {text}, Fig. 4 has {printed}" for a, b, text, printed in found if text != printed]
    between = [paper.row("fig4", seen).number(again) for seen in BLOCKS[0] for again in BLOCKS[1]]
    if (min(between), max(between)) != (0.60, 0.79):
        differing.append(f"visible with re-observed: says 0.60 to 0.79, Fig. 4 has {min(between)} to {max(between)}")
    return counted(TEXT, "correlations quoted from Fig. 4", differing, len(found) + 1)


def extremes(paper: Paper) -> list[CheckLine]:
    """Who is first or last in Table 2."""
    rows = paper.rows["table2"]
    local = [row for row in rows if row.group != "prompt-only"]
    return [
        _extreme("the most precise camera is HyDRA's", rows, "CamPrec", max, {"HyDRA"}),
        _extreme("the weakest re-observed state is HyDRA's", rows, "ReobsState", min, {"HyDRA"}),
        _extreme("the most support is Gen3C's", rows, "Support_pct", max, {"Gen3C"}),
        _extreme("the best visible scores are Hailuo's", rows, "VisState", max, {"Hailuo 2.3"}),
        _extreme("of local rows, LingBot's", local, "VisState", max, {"Lingbot World Cam", "Lingbot World Act"}),
    ]


def _extreme(
    what: str, rows: Sequence[PrintedRow], column: str, pick: Callable[[list[float]], float], said: set[str]
) -> CheckLine:
    values = {row.title: row.number(column) for row in rows if row.has(column)}
    best = {title for title, value in values.items() if value == pick(list(values.values()))}
    return counted(TEXT, what, [] if best <= said else [f"Table 2: {', '.join(sorted(best))}"], 1)


def little_support(paper: Paper) -> CheckLine:
    """That the prompt-only rows and LingBot return the subject in 3 to 6 % of clips."""
    rows = [r for r in paper.rows["table2"] if r.group == "prompt-only" or r.title.startswith("Lingbot")]
    out = [r for r in rows if not 2.5 <= r.number("Support_pct") < 6.5]
    differing = [f"{row.title}: {row.cells['Support_pct']} % in Table 2" for row in out]
    return counted(TEXT, "prompt-only rows and LingBot return in 3 to 6 % of clips", differing, len(rows))


def ladder(paper: Paper) -> CheckLine:
    """That every row with an external record has more support than any without."""
    rows = paper.rows["table2"]
    recorded = [r for r in rows if r.group in ("source-video", "geometry-cache")]
    least = min(r.number("Support_pct") for r in recorded)
    above = [r for r in rows if r not in recorded and r.number("Support_pct") > least]
    differing = [f"{r.title}, {r.group}: {r.cells['Support_pct']} %, more than {least} %" for r in above]
    return counted(TEXT, "source-video and geometry-cache rows top the ladder", differing, len(rows) - len(recorded))


def direction(paper: Paper) -> CheckLine:
    """That support triples between the two turns while re-observed state shifts by less than .01."""
    state, support = paper.row("fig5", "ReobsState"), paper.row("fig5", "Support")
    shift = abs(state.number("yaw_LR") - state.number("yaw_RL"))
    room = half_unit(state.cells["yaw_LR"]) + half_unit(state.cells["yaw_RL"])
    times = support.number("yaw_RL") / support.number("yaw_LR")
    differing = [] if shift - room < HARDLY else [f"re-observed state: shifts by {shift:.2f} in Fig. 5"]
    differing += [] if round(times) == 3 else [f"support: grows {times:.1f} times in Fig. 5"]
    return counted(TEXT, "support triples with the direction, re-observed state hardly moves", differing, 2)


def event_gaps(paper: Paper) -> CheckLine:
    """Table 4's gap is the difference of its columns, and the largest is Gen3C's."""
    rows = paper.rows["table4"]
    gaps = {row.title: row.number("relocation") - row.number("in_place") for row in rows}
    differing = [
        f"{row.title}: printed {row.cells['gap']}, columns give {gaps[row.title]:.3f}"
        for row in rows
        if row.has("gap") and not reads_as(row.cells["gap"], gaps[row.title])
    ]
    low, high = (float(end) for end in SHORTFALL)
    room = half_unit(SHORTFALL[0])
    differing += [
        f"{row.title}: says {SHORTFALL[0]} to {SHORTFALL[1]}, columns give {gaps[row.title]:.3f}"
        for row in rows
        if row.group != "model-inferred" and not low - room <= gaps[row.title] <= high + room
    ]
    first = max(gaps, key=lambda title: gaps[title])
    differing += [] if first == "Gen3C" else [f"the largest gap is {first}'s"]
    total = sum(row.has("gap") for row in rows) + sum(row.group != "model-inferred" for row in rows) + 1
    return counted("Table 4", "the gap, its range, and whose is largest", differing, total, "rows in the text alone")


def event_effects(paper: Paper) -> CheckLine:
    """Signs of the text's effects, by the pooled means of Table 8; the sizes are means over models."""
    arms = {
        "adding a move": (("spatial", "none"), ("full", "state_only")),
        "adding a change in place": (("state_only", "none"), ("full", "spatial")),
    }
    rows = [row for row in paper.rows["event-effects"] if row.group in arms]
    pooled = [
        mean(_event(paper, more, row.title) - _event(paper, less, row.title) for more, less in arms[row.group])
        for row in rows
    ]
    differing = [
        f"{row.group}: {row.title}: says {row.cells['difference']}, Table 8 gives {value:.3f}"
        for row, value in zip(rows, pooled, strict=True)
        if row.number("difference") * value <= 0
    ]
    return counted("Section 4.1.1, events", "signs, by Table 8", differing, len(rows), "sizes: means over models")


def _event(paper: Paper, event: str, column: str) -> float:
    return paper.row("table8", event).number(column)


def retention(paper: Paper) -> CheckLine:
    """Gen3C's retention, and its two directions together in Table 2."""
    row, own = paper.row("table13", "Gen3C"), paper.row("table2", "Gen3C")
    turns = row.number("LR_support_pct"), row.number("RL_support_pct")
    differing = []
    if not reads_as(row.cells["retention"], turns[0] / turns[1]):
        differing.append(f"retention: printed {row.cells['retention']}, columns give {turns[0] / turns[1]:.3f}")
    if not reads_as(own.cells["Support_pct"], mean(turns)):
        differing.append(f"support: Table 2 has {own.cells['Support_pct']} %, both turns {mean(turns):.1f} %")
    return counted("Table 13", "Gen3C's retention, and its support in Table 2", differing, 2, "one row is known")


def possible_shares() -> list[CheckLine]:
    """Shares of counted things, as the text prints them with their counts."""
    return [
        _share("Table 5", "agreement on integrity can be a share of 190 pairs", "0.730", 190),
        _share("Table 13", "Gen3C, L→R, can be a share of 200 rows", "57.5", 200, percent=True),
        _share("Table 13", "Gen3C, R→L, can be a share of 200 rows", "88.5", 200, percent=True),
    ]


def _share(label: str, what: str, printed: str, n: int, *, percent: bool = False) -> CheckLine:
    possible = is_share(printed, n, percent=percent)
    return counted(label, what, [] if possible else [f"{printed}: no count of {n} rounds to it"], 1)


def _said_twice() -> list[CheckLine]:
    spatia = ["Table 2: geometry-cache", "Fig. 9: source-video"]
    numbers = ["the correlations are Fig. 4, the text says Figure 5", "the ladder is Table 3, the text says Table 4"]
    return [
        CheckLine("Condition types", "Spatia", "contradicts", remark="we follow Table 2", differing=spatia),
        CheckLine(TEXT, "numbers of tables and figures", "contradicts", differing=numbers),
    ]
