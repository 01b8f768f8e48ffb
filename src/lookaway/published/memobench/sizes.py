"""How models are run: Table S1 against the paper's A.2 and against our model cards."""

from __future__ import annotations

from lookaway.models import load
from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper

FACTS = ("resolution", "length_frames", "fps")


def sizes(paper: Paper) -> list[CheckLine]:
    return [against_text(paper), against_cards(paper)]


def against_text(paper: Paper) -> CheckLine:
    """Sizes, lengths and rates that A.2 repeats."""
    said = [(row, paper.row("table-s1", row.title), name) for row in paper.rows["sampling"] for name in FACTS]
    both = [(row, printed, name) for row, printed, name in said if row.has(name)]
    differing = [
        f"{row.title}, {name}: A.2 says {row.cells[name]}, Table S1 {printed.cells[name]}"
        for row, printed, name in both
        if row.cells[name] != printed.cells[name]
    ]
    return counted("Table S1", "sizes, frames and rates against A.2", differing, len(both))


def against_cards(paper: Paper) -> CheckLine:
    """What our cards tell of the same systems."""
    rows, differing = paper.rows["table-s1"], []
    for row in rows:
        card = load(row.id)
        known = {"resolution": f"{card.height}x{card.width}", "length_frames": str(card.frames), "fps": f"{card.fps:g}"}
        differing += [
            f"{row.title}, {name}: card {row.id} says {text}" for name, text in known.items() if row.cells[name] != text
        ]
    remark = "the cards follow Table S1, also where A.2 differs"
    return counted(
        "Table S1", "sizes, frames and rates against our model cards", differing, len(rows) * len(FACTS), remark
    )
