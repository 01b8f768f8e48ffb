"""Printed numbers that follow from others beside them: differences, sums, lengths, ranges, correlations."""

from __future__ import annotations

import numpy as np

from lookaway.outcomes import Abstain
from lookaway.published.lines import SLACK, CheckLine, counted, half_unit, is_share, reads_as
from lookaway.published.paper import Paper, PrintedRow
from lookaway.stats.bootstrap_t import Floats
from lookaway.stats.correlations import kendall, spearman

MEASURES = ("PSNR", "SSIM", "LPIPS")
RANGES = (
    ("LingBot", "0.456", "0.469", "0.013"),
    ("SVC", "0.325", "0.345", "0.020"),
)  # of Table S3, as the text has them
LEAST_TAU = {"DINOv2 ObjConsist": "0.910", "DepthV2 Geo3D": "0.860", "RAFT MotSmooth": "1.000"}
V_FRAME = {"5B": ("4.2", "0.20"), "14B": ("4.7", "0.16")}  # what a V-frame adds to PSNR and takes from LPIPS
ERRORS = np.linspace(0.01, 0.6, 200)  # of a warp, such as 200 clips may have


def arithmetic(paper: Paper) -> list[CheckLine]:
    """All of it, in the paper's order."""
    return [
        quotes(paper),
        lengths(paper),
        *coverage_ranges(paper),
        *drops(paper),
        *kendalls(paper),
        error_and_score(paper),
        *v_frame(paper),
        *agreement(),
        failures(paper),
    ]


def quotes(paper: Paper) -> CheckLine:
    """Numbers that the text repeats from tables."""
    rows = paper.rows["quotes"]
    differing = []
    for row in rows:
        printed = paper.row(row.cells["table"], row.title).cells[row.cells["column"]]
        if not reads_as(row.cells["value"], float(printed)):
            differing.append(
                f"{row.group}: {row.title}, {row.cells['column']}: says {row.cells['value']}, printed {printed}"
            )
    return counted("Text", "numbers quoted from the tables", differing, len(rows))


def lengths(paper: Paper) -> CheckLine:
    """Seconds by frames and frames a second."""
    rows = paper.rows["table-s1"]
    found = [(row, row.number("length_frames") / row.number("fps")) for row in rows]
    differing = [
        f"{row.title}: printed {row.cells['length_s']} s, frames give {seconds:.3f}"
        for row, seconds in found
        if not reads_as(row.cells["length_s"], seconds)
    ]
    return counted("Table S1", "seconds are frames by rate", differing, len(rows))


def coverage_ranges(paper: Paper) -> list[CheckLine]:
    """How far ORS varies in Table S3, and that its default is the first row of Table S4."""
    rows = paper.rows["table-s3"]
    differing = []
    for column, low, high, width in RANGES:
        values = [row.number(column) for row in rows]
        said = (float(low), float(high), float(width))
        if not np.allclose(said, (min(values), max(values), max(values) - min(values)), atol=SLACK):
            differing.append(f"{column}: says {low} to {high}, printed {min(values)} to {max(values)}")
    (default,) = [row for row in rows if "default" in row.title]
    other = paper.rows["table-s4"][0]
    unlike = [name for name in default.cells if default.cells[name] != other.cells[name]]
    return [
        counted("Table S3", "ORS varies by .013 and .020", differing, len(RANGES)),
        counted("Table S4", "the usual phrase is the default of Table S3", unlike, len(default.cells)),
    ]


def drops(paper: Paper) -> list[CheckLine]:
    """V minus R of PSNR and SSIM, R minus V of LPIPS: as printed, and as far as rounding allows."""
    found = [(row, name, _drop(row, name)) for row in paper.rows["table-s6"] for name in MEASURES]
    printed = [(row, name, row.cells[f"{name}_drop"], value) for row, name, value in found]
    differing = [
        f"{row.title}, {name}: printed {text}, columns give {value:.{_digits(text)}f}"
        for row, name, text, value in printed
        if abs(float(text) - value) > SLACK
    ]
    beyond = [
        f"{row.title}, {name}: printed {text}, columns give {value:.4f}"
        for row, name, text, value in printed
        if abs(float(text) - value) > 3 * half_unit(text) + SLACK
    ]
    return [
        counted("Table S6", "drops are differences of the columns beside them", differing, len(found), "last digit"),
        counted("Table S6", "drops as far as rounding of three numbers allows", beyond, len(found)),
    ]


def _drop(row: PrintedRow, name: str) -> float:
    lost = row.number(f"{name}_V") - row.number(f"{name}_R")
    return -lost if name == "LPIPS" else lost


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def kendalls(paper: Paper) -> list[CheckLine]:
    """The least tau of each metric, and that a temperature cannot change an order."""
    rows = paper.rows["table-s7"]
    differing = [
        f"{name}: says at least {said}, printed {least:.3f}"
        for name, said in LEAST_TAU.items()
        if float(said) != (least := min(row.number("kendall_tau") for row in rows if row.group == name))
    ]
    forced = [row for row in rows if row.group == "RAFT MotSmooth"]
    default = _smoothness(next(row for row in forced if "default" in row.title))
    unlike = [row.title for row in forced if not _same_order(_smoothness(row), default, row.cells["kendall_tau"])]
    remark = "forced: exp(-e/tau) falls with e whatever tau is, so these rows are no evidence"
    return [
        counted("Table S7", "the least tau of each metric", differing, len(LEAST_TAU)),
        counted("Table S7", "Kendall 1.000 for every temperature", unlike, len(forced), remark),
    ]


def _smoothness(row: PrintedRow) -> Floats:
    tau = float(row.title.removesuffix(" (default)").partition(" = ")[2])
    smooth: Floats = np.exp(-ERRORS / tau)
    return smooth


def _same_order(one: Floats, other: Floats, printed: str) -> bool:
    found = kendall(one, other)
    return not isinstance(found, Abstain) and reads_as(printed, found.value)


def error_and_score(paper: Paper) -> CheckLine:
    """Spearman of rotation error and CamCtrl over the rows of Table S8."""
    rows = paper.rows["table-s8"]
    found = spearman(*(np.array([row.number(name) for row in rows]) for name in ("ATE_deg", "CamCtrl")))
    value = 0.0 if isinstance(found, Abstain) else found.value
    if reads_as("-0.355", value):
        return counted("Table S8", "Spearman of error and CamCtrl is -.355", [], 1)
    return CheckLine(
        "Table S8",
        "Spearman of error and CamCtrl is -.355",
        "not reproducible",
        remark="it may be over clips, of which no score is released",
        differing=(f"the {len(rows)} printed rows give {value:.3f}",),
    )


def v_frame(paper: Paper) -> list[CheckLine]:
    """What a first frame and a larger model change in Table S9."""
    differing, smaller = [], []
    for size, (psnr, lpips) in V_FRAME.items():
        without, given = (paper.row("table-s9", f"{size} {kind} V-frame") for kind in ("w/o", "w/"))
        gains = (given.number("PSNR") - without.number("PSNR"), without.number("LPIPS") - given.number("LPIPS"))
        differing += [
            f"{size}, {name}: says {said}, columns give {gain:.2f}"
            for name, said, gain in (("PSNR", psnr, gains[0]), ("LPIPS", lpips, gains[1]))
            if not reads_as(said, gain)
        ]
    for kind in ("w/o", "w/"):
        small, large = (paper.row("table-s9", f"{size} {kind} V-frame") for size in V_FRAME)
        for name, least in (("PSNR", min(float(p) for p, _ in V_FRAME.values())), ("LPIPS", 0.16)):
            change = abs(large.number(name) - small.number(name))
            smaller += [f"{kind} V-frame, {name}: {change:.2f}"] if change >= least else []
    return [
        counted("Table S9", "what a V-frame adds", differing, 2 * len(V_FRAME)),
        counted("Table S9", "size changes fidelity less than a V-frame does", smaller, 4),
    ]


def agreement() -> list[CheckLine]:
    """That 92.9 % can be a share of what was counted: 96 majorities, or 30 x 24 single answers."""
    impossible = [] if is_share("92.9", 96, percent=True) else ["92.9 %: no count of 96 rounds to it"]
    single = [] if is_share("92.9", 720, percent=True) else ["92.9 %: no count of 720 rounds to it"]
    return [
        counted("Fig. 4", "92.9 % of majority answers to 96 questions", impossible, 1),
        counted(
            "Fig. 4", "92.9 % of 720 single answers", single, 1, "669 of 30 x 24 fits; that these are meant is inferred"
        ),
    ]


def failures(paper: Paper) -> CheckLine:
    """The commonest failures of Table S10, as the text ranks them."""
    said = {
        "Synthetic": ["background_hallucination", "object_vanish", "camera_drift"],
        "Real": ["identity_drift"],
    }
    differing = []
    for split, names in said.items():
        row = paper.row("table-s10", split)
        order = sorted(row.cells, key=lambda name: -row.number(name))[: len(names)]
        differing += [] if order == names else [f"{split}: {', '.join(order)}"]
    return counted("Table S10", "the commonest failures of each split", differing, len(said))
