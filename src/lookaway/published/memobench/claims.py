"""What the text claims, against the tables of the same paper; and what the paper says in two ways."""

from __future__ import annotations

from statistics import mean

from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper

CEILINGS = (("section 4.1", 0.6), ("the conclusion", 0.4))  # that no ORS exceeds
EXECUTING = ("HunyuanWorldPlay", "LingBot-World", "Wan2.2", "Stable Virtual Camera")  # by ORS, of those that follow


def claims(paper: Paper) -> list[CheckLine]:
    return [
        *reappearance_ceilings(paper),
        executing(paper),
        instruction_leads(paper),
        below_average(paper),
        motion_gated(paper),
        *_said_twice(),
    ]


def reappearance_ceilings(paper: Paper) -> list[CheckLine]:
    """That no model exceeds an ORS of .6, and of .4."""
    rows = paper.rows["table2"]
    lines = []
    for where, ceiling in CEILINGS:
        above = [f"{row.title}: {row.cells['ORS']} in Table 2" for row in rows if row.number("ORS") > ceiling]
        lines.append(counted("Text", f"no model exceeds an ORS of {ceiling} ({where})", above, len(rows)))
    return lines


def executing(paper: Paper) -> CheckLine:
    """The order of those that follow the camera, by ORS."""
    rows = [row for row in paper.rows["table2"] if row.group != "I2V"]
    order = [row.title for row in sorted(rows, key=lambda row: -row.number("ORS"))][: len(EXECUTING)]
    differing = [] if order == [*EXECUTING] else [f"Table 2: {', '.join(order)}"]
    return counted("Text", "order by ORS of models that follow the camera", differing, 1)


def instruction_leads(paper: Paper) -> CheckLine:
    """That the first four in instruction following are CI2V models."""
    rows = sorted(paper.rows["table3"], key=lambda row: -row.number("instruction"))[:4]
    differing = [f"{row.title} is {row.group}" for row in rows if row.group != "CI2V"]
    return counted("Text", "CI2V models take the first four places in instructions", differing, 4)


def below_average(paper: Paper) -> CheckLine:
    """That Stable Virtual Camera is below average in questions."""
    rows, own = paper.rows["table3"], paper.row("table3", "Stable Virtual Camera")
    means = {name: mean(row.number(name) for row in rows) for name in own.cells}
    above = [
        f"{name}: {own.cells[name]}, mean {found:.1f}" for name, found in means.items() if own.number(name) >= found
    ]
    return counted("Text", "Stable Virtual Camera is below average in questions", above, len(means))


def motion_gated(paper: Paper) -> CheckLine:
    """That every model of Table S5 has 80 clips, and of Table S8 all synthetic ones."""
    differing = [f"Table S5, {r.title}: {r.cells['n']}, not 80" for r in paper.rows["table-s5"] if r.number("n") != 80]
    differing += [
        f"Table S8, {r.title}: {r.cells['n']}, not 159" for r in paper.rows["table-s8"] if r.number("n") != 159
    ]
    differing += ["Table S8: 159 are called all synthetic clips; there are 196"]
    total = len(paper.rows["table-s5"]) + len(paper.rows["table-s8"]) + 1
    return counted("Text", "80 clips per model, and all 159 synthetic clips", differing, total)


def _said_twice() -> list[CheckLine]:
    twice = (
        ("Text", "what ORS stands for", "section 3.4: Object Reappearance Score", "A.7.1: Object Revisit Score"),
        ("Text", "what tau is", "Eq. 3: a temperature", "A.7.4: a threshold for outliers of the flow"),
        (
            "Text",
            "which rotation is meant",
            "Eq. 7: net, from the first to the last frame",
            "Tables S2, S5, S8: total; the code's total is net; 72 degrees of a camera that comes back cannot be net",
        ),
        (
            "Text",
            "where the visible phase ends",
            "section 3.4: in it the target is fully in view",
            "section 3.2: it ends where the target is completely gone, so it holds the frames in which it leaves",
        ),
        (
            "Text",
            "what the failure filter removes",
            "section 3.5: what does not penalise a known failure",
            "A.8: what is unstable when a hint is given",
        ),
        (
            "Text",
            "how Matrix-Game 2.0 is steered",
            "A.1: by target camera poses",
            "section 4.1: by actions, not by poses",
        ),
        (
            "Text",
            "whose answers agree with the judge",
            "section 3.5: majorities of people",
            "30 responses over four versions of the form, which 92.9 % fits only one by one",
        ),
    )
    return [CheckLine(label, what, "contradicts", differing=differing) for label, what, *differing in twice]
