"""Table 4: of how many videos its accuracies can be, what the text says of it, and what comes without looking."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import mean

from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.stevo.counts import listed
from lookaway.records import Column, Table, TableCell, TableRow
from lookaway.stats.model_orders import order_by_chance
from lookaway.stats.possible_counts import possible_counts

LABEL = "Table 4"
VIDEOS = 180
PAIRS = 3  # of a verifier and a person, and of two people
VERIFIER, PEOPLE = "V-H", "H-H"
METRICS = ("Acc", "ROC-AUC", "MRA")
CRITERIA = ("progress", "physics", "coherence", "observation", "action")
OUTPERFORMED = ("progress", "observation", "action")  # by accuracy, as section 5.2 has it
HARDEST = {"physics", "observation"}  # for people, by all three
RATES = {  # where the share of yes of each column is printed
    "progress": "table2",
    "physics": "table2",
    "coherence": "table2",
    "success": "table2",
    "observation": "table5",
    "action": "table5",
}


def agreement(paper: Paper) -> list[CheckLine]:
    return [
        *videos(paper),
        orders_met(paper),
        outperformed(paper),
        *lagging(paper),
        *hardest(paper),
        beyond_chance(paper),
    ]


def rater_row(paper: Paper, pair: str, metric: str) -> PrintedRow:
    """Such as the accuracies of V-H."""
    (found,) = [row for row in paper.rows["table4"] if (row.group, row.title) == (pair, metric)]
    return found


# ---------------------------------------------------------------- videos


def possible_cases(paper: Paper) -> dict[str, list[int]]:
    """By column, every number of videos up to 180 of which both accuracies can be, over three pairs of raters each."""
    rows = [rater_row(paper, pair, "Acc") for pair in (VERIFIER, PEOPLE)]
    answers = {
        name: possible_counts([100 * row.number(name) for row in rows], most=PAIRS * VIDEOS) for name in rows[0].cells
    }
    return {name: [n // PAIRS for n in found.tolist() if n % PAIRS == 0] for name, found in answers.items()}


def videos(paper: Paper) -> list[CheckLine]:
    """That all columns are of the 180 videos of the text, and of one number at all."""
    found = possible_cases(paper)
    short = [f"{name}: at most {max(fits, default=0)}" for name, fits in found.items() if VIDEOS not in fits]
    shared = set.intersection(*map(set, found.values()))
    none = [] if shared else [f"{name}: {listed(fits[:-4:-1])} …" for name, fits in found.items()]
    return [
        counted(LABEL, f"accuracies are of {VIDEOS} videos", short, len(found), "over three pairs of raters"),
        counted(LABEL, "accuracies are of one number of videos", none, len(found), "most first"),
    ]


# ---------------------------------------------------------------- what the text says


def _lags(paper: Paper, metric: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Columns in which V-H is below H-H, and both as printed."""
    ours, theirs = (rater_row(paper, pair, metric) for pair in (VERIFIER, PEOPLE))
    return {
        name: f"{name}: V-H {ours.cells[name]}, H-H {theirs.cells[name]}"
        for name in columns
        if ours.number(name) < theirs.number(name)
    }


def orders_met(paper: Paper) -> CheckLine:
    """That V-H meets or exceeds H-H in MRA everywhere."""
    columns = tuple(rater_row(paper, VERIFIER, "MRA").cells)
    below = _lags(paper, "MRA", columns)
    return counted(LABEL, "V-H MRA meets or exceeds H-H on every criterion", list(below.values()), len(columns))


def outperformed(paper: Paper) -> CheckLine:
    """That verifiers are above people by accuracy in three criteria."""
    below = _lags(paper, "Acc", OUTPERFORMED)
    what = "V-H accuracy is above H-H in progress, observation and action"
    return counted(LABEL, what, list(below.values()), len(OUTPERFORMED))


def lagging(paper: Paper) -> list[CheckLine]:
    """That verifiers lag by accuracy in physics only, and that people find it the hardest."""
    below = _lags(paper, "Acc", CRITERIA)
    others = [text for name, text in below.items() if name != "physics"]
    people = rater_row(paper, PEOPLE, "Acc")
    least = min(CRITERIA, key=people.number)
    harder = [] if least == "physics" else [f"{least}: H-H {people.cells[least]}, physics {people.cells['physics']}"]
    return [
        counted(LABEL, "V-H accuracy lags in physics only", others, len(CRITERIA) - 1),
        counted(LABEL, "and physics is the hardest for people, by accuracy", harder, 1),
    ]


def hardest(paper: Paper) -> list[CheckLine]:
    """That people agree least on physics and observation by each of the three measures."""
    differing = []
    for metric in METRICS:
        row = rater_row(paper, PEOPLE, metric)
        least = sorted(CRITERIA, key=row.number)[: len(HARDEST)]
        if set(least) != HARDEST:
            differing.append(f"{metric}: " + ", ".join(f"{name} {row.cells[name]}" for name in least))
    what = "people agree least on physics and observation, by all three"
    return [counted(LABEL, what, differing, len(METRICS))]


# ---------------------------------------------------------------- orders by chance


def yes_rates(paper: Paper) -> dict[str, float]:
    """How often verifiers say yes: the mean over nine models, as printed."""
    return {name: mean(row.number(name) for row in paper.rows[table]) / 100 for name, table in RATES.items()}


def chance_orders(paper: Paper) -> dict[str, tuple[float, float]]:
    """MRA of a verifier and a person who never look: as likely to say yes, and the least that accuracy allows.

    Two raters who agree in a share a of answers cannot differ by more than 1 - a in how often they say yes.
    """
    accuracy = rater_row(paper, VERIFIER, "Acc")
    return {name: _chance(rate, 1 - accuracy.number(name)) for name, rate in yes_rates(paper).items()}


def _chance(rate: float, apart: float) -> tuple[float, float]:
    others = [max(rate - apart, 0.0), min(rate + apart, 1.0), rate]
    others += [0.5] if others[0] < 0.5 < others[1] else []
    return order_by_chance(rate), min(order_by_chance(rate, other) for other in others)


def beyond_chance(paper: Paper) -> CheckLine:
    """Whether V-H MRA is above what comes without looking, if people say yes as often as verifiers."""
    printed = rater_row(paper, VERIFIER, "MRA")
    below = [
        f"{name}: printed {printed.cells[name]}, by chance {alike:.3f} (down to {least:.3f} if people differ)"
        for name, (alike, least) in chance_orders(paper).items()
        if printed.number(name) <= alike
    ]
    remark = "at the verifiers' mean rates; people's are not printed"
    what = "V-H MRA is above that of raters who never look"
    return counted(LABEL, what, below, len(RATES), remark, "not reproducible")


# ---------------------------------------------------------------- tables


def agreement_tables(paper: Paper) -> list[Table]:
    return [cases_table(paper), chance_table(paper)]


def cases_table(paper: Paper) -> Table:
    """How many videos each column can be of."""
    found, titles = possible_cases(paper), _titles(paper)
    rows = [
        TableRow(title=titles[name], cells=(TableCell(text=listed(fits[:-11:-1])),)) for name, fits in found.items()
    ]
    return Table(
        name="table4-counts",
        title="Table 4: Numbers of videos that its accuracies can be of",
        columns=(Column(name="videos", title="the ten largest"),),
        rows=tuple(rows),
        notes=(
            f"Computed: every n up to {VIDEOS} of which both accuracies are whole counts over three pairs of raters.",
        ),
        protocol=paper.layouts.name,
        reading="No number is in all rows: videos that somebody did not answer were left out, criterion by criterion.",
    )


def chance_table(paper: Paper) -> Table:
    """MRA beside what two raters reach who never look."""
    rates, chances, titles = yes_rates(paper), chance_orders(paper), _titles(paper)
    printed = [rater_row(paper, pair, "MRA") for pair in (VERIFIER, PEOPLE)]
    rows = [
        TableRow(
            title=titles[name],
            cells=tuple(
                TableCell(value=value)
                for value in (100 * rates[name], *chances[name], *(row.number(name) for row in printed))
            ),
        )
        for name in rates
    ]
    columns = (
        Column(name="yes_pct", title="verifiers say yes", unit="%", digits=1),
        Column(name="alike", title="people as often", digits=3, group="MRA by chance"),
        Column(name="least", title="least", digits=3, group="MRA by chance"),
        Column(name="V-H", title="V-H", digits=3, group="MRA as printed"),
        Column(name="H-H", title="H-H", digits=3, group="MRA as printed"),
    )
    return Table(
        name="table4-chance",
        title="Table 4: Model orders that come without looking",
        columns=columns,
        rows=tuple(rows),
        notes=(
            "Rates of verifiers are means over the nine models of Tables 2 and 5; people's are not printed. The least "
            "is over all rates of people that the printed accuracy allows.",
        ),
        protocol=paper.layouts.name,
        reading="Who seldom says yes ties nearly all models, and so does the other: agreement, without any order seen.",
    )


def _titles(paper: Paper) -> Mapping[str, str]:
    (layout,) = [table for table in paper.layouts.printed if table.name == "table4"]
    return {c.name: f"{c.title} ({c.group.split()[0].lower()})" for c in layout.columns}
