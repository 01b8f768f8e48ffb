"""Static return beside the world's clock: a memory that pastes the last view back is perfect in one, and stopped."""

from __future__ import annotations

from lookaway.analyses import Findings, analysis
from lookaway.analyses.columns import table_name
from lookaway.analyses.half_life import KEPT, kept_step
from lookaway.analyses.headline import named_readings, reading_column
from lookaway.analyses.narrowed import headline_findings
from lookaway.analyses.summaries import parted, rows_of, summary_cell
from lookaway.outcomes import Abstain
from lookaway.phrasing import with_reader
from lookaway.records import Column, System, Table, TableCell, TableRow

CLOCK = "world_clock"
OF_THE_CARD = "Memory, by the model card"
NOT_TOLD = TableCell(reason="the model card does not tell")
RUNS = 0.5  # of the hidden time lived through, at least: below it, the world rather stood still


@analysis(version=2, title="Static return and world clock")
def return_and_clock(findings: Findings) -> list[Table] | Abstain:
    """How well things come back as they were beside how far their world went on."""
    findings = findings.once(headline_findings)
    step = kept_step(findings)
    returns, clocks = named_readings(KEPT, findings), named_readings(CLOCK, findings)
    if step is None or not returns or not clocks:
        return Abstain(f"{KEPT} and {CLOCK} were not both measured")
    rows, frozen = [], []
    for known, clock in ((one, other) for one in returns for other in clocks):
        looks, times = (parted(rows_of(one, findings), "system") for one in (known, clock))
        for system in findings.systems:
            title = with_reader(system.label, known.by.label)
            pair = [
                summary_cell(parts.get((system.label,)), one, findings.scales)
                for parts, one in ((looks, known), (times, clock))
            ]
            rows.append(TableRow(title=title, cells=(*pair, *_memory(system))))
            if _is_frozen(pair[0], pair[1], step.at_least or 0.0):
                frozen.append(f"{title}: comes back as it was, but its world hardly went on")
    return [
        Table(
            name=table_name("return-and-clock", findings.protocol.name),
            title="Static return and world clock",
            columns=(
                reading_column(returns[0], name="static_return", title="static return"),
                reading_column(clocks[0], name="clock", title="world clock"),
                Column(name="history", title="sees of the past", group=OF_THE_CARD),
                Column(name="context", title="looks back on", unit="s", digits=2, group=OF_THE_CARD),
                Column(name="carrier", title="what carries a region out of view", group=OF_THE_CARD),
            ),
            rows=tuple(rows),
            notes=(
                *frozen,
                "The clock is 1 where the world kept time and 0 where it stood; it is read where the subject is found.",
            ),
            protocol=findings.protocol.name,
            reading="Read the two together: memory tuned on static returns alone rewards a world that freezes. What "
            "the card tells of the model's memory is where to look for the cause.",
        )
    ]


def _memory(system: System) -> tuple[TableCell, ...]:
    """What the card tells of the model's memory."""
    card = system.card
    told = (card.history, card.carrier)
    history, carrier = (NOT_TOLD if one == "unknown" else TableCell(text=one.replace("_", " ")) for one in told)
    context = NOT_TOLD if card.context_s is None else TableCell(value=card.context_s)
    return history, context, carrier


def _is_frozen(looks: TableCell, clock: TableCell, at_least: float) -> bool:
    if looks.value is None or clock.value is None:
        return False
    return looks.value >= at_least and clock.value < RUNS
