"""Who is first, second and last in the printed tables, as they are marked and as the text says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from lookaway.marking import with_marks
from lookaway.published.lines import CheckLine, counted
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.tables import printed_table

FIDELITY = ("PSNR", "SSIM", "LPIPS")
LING, PLAY, SVC, MATRIX, LTX = (
    "LingBot-World",
    "HunyuanWorldPlay",
    "Stable Virtual Camera",
    "Matrix-Game 2.0",
    "LTX-Video",
)


class LeaderClaim(NamedTuple):
    """That a row is the best or the worst of some columns."""

    what: str
    table: str
    columns: tuple[str, ...]
    row: str
    place: Literal["best", "worst"] = "best"
    among: tuple[str, ...] = ()  # groups, or titles of rows; empty: all rows


CLAIMS = (
    LeaderClaim(
        "LTX-Video tops three of four quality columns", "table2", ("MotSmooth", "ObjConsist", "3DConsist"), LTX
    ),
    LeaderClaim("Stable Virtual Camera leads in fidelity", "table2", FIDELITY, SVC),
    LeaderClaim("HunyuanWorldPlay leads in camera control and ORS", "table2", ("CamCtrl", "ORS"), PLAY),
    LeaderClaim("Matrix-Game 2.0 looks best", "table2", ("VisQual",), MATRIX),
    LeaderClaim("HunyuanGameCraft is last in ImageReward", "table2", ("ImgReward",), "HunyuanGameCraft", "worst"),
    LeaderClaim("and in fidelity among CI2V models", "table2", FIDELITY, "HunyuanGameCraft", "worst", ("CI2V",)),
    LeaderClaim("LingBot-World leads CI2V models in fidelity", "table2", FIDELITY, LING, "best", ("CI2V",)),
    LeaderClaim("LTX-Video leads in two dimensions", "table3", ("object_background", "continuity"), LTX),
    LeaderClaim("HunyuanWorldPlay leads in physics", "table3", ("physics",), PLAY),
    LeaderClaim("LingBot-World leads in instructions", "table3", ("instruction",), LING),
    LeaderClaim(
        "Matrix-Game 2.0 is last in two dimensions", "table3", ("object_background", "physics"), MATRIX, "worst"
    ),
    LeaderClaim("LingBot-World loses most PSNR", "table-s6", ("PSNR_drop",), LING, "worst"),
    LeaderClaim(
        "and has the highest before, of CI2V models",
        "table-s6",
        ("PSNR_V",),
        LING,
        "best",
        (LING, "Wan2.2", "FantasyWorld"),
    ),
    LeaderClaim(
        "Matrix-Game2 loses most SSIM and LPIPS", "table-s6", ("SSIM_drop", "LPIPS_drop"), "Matrix-Game2", "worst"
    ),
    LeaderClaim("SVC has the least rotation error", "table-s8", ("ATE_deg",), "SVC"),
    LeaderClaim(
        "14B without the V-frame leads in all but fidelity",
        "table-s9",
        ("ORS", "ObjConsist", "MotSmooth", "3DConsist"),
        "14B w/o V-frame",
    ),
)


def leaders(paper: Paper) -> list[CheckLine]:
    """Marks of Tables 2 and 3, then what the text says of first and last."""
    return [*(seconds(paper, name) for name in ("table2", "table3")), *(_claimed(paper, one) for one in CLAIMS)]


def seconds(paper: Paper, name: str) -> CheckLine:
    """That the underlined number of every column is its second best over the whole table."""
    (layout,) = [table for table in paper.layouts.printed if table.name == name]
    marked = with_marks(printed_table(paper, layout), "whole")
    differing = []
    for place, column in enumerate(marked.columns):
        found = {row.title for row in marked.rows if "second" in row.cells[place].marks}
        printed = {row.title for row in paper.rows[name] if column.name in row.second}
        if found != printed:
            differing.append(f"{column.name}: {_listed(printed)} underlined, {_listed(found)} second")
    remark = "over all ten models; bold face is not in the text that we have"
    return counted(
        layout.label, "the underlined number of each column is second best", differing, len(layout.columns), remark
    )


def _listed(titles: set[str]) -> str:
    return ", ".join(sorted(titles)) or "none"


def _claimed(paper: Paper, claim: LeaderClaim) -> CheckLine:
    (layout,) = [table for table in paper.layouts.printed if table.name == claim.table]
    better = {column.name: column.better for column in layout.columns}
    rows = [row for row in paper.rows[claim.table] if not claim.among or {row.group, row.title} & {*claim.among}]
    differing = []
    for column in claim.columns:
        highest = (better[column] == "higher") == (claim.place == "best")
        if claim.row not in (found := _extremes(rows, column, highest)):
            differing.append(f"{column}: {_listed(found)}")
    return counted(layout.label, claim.what, differing, len(claim.columns))


def _extremes(rows: Sequence[PrintedRow], column: str, highest: bool) -> set[str]:
    values = {row.title: row.number(column) for row in rows}
    edge = max(values.values()) if highest else min(values.values())
    return {title for title, value in values.items() if value == edge}
