"""Means over events, actions and cameras, put together again and held against the results file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lookaway.published.lines import CheckLine, counted, half_unit
from lookaway.published.paper import Paper, PrintedRow
from lookaway.published.wrbench.profile import Models
from lookaway.published.wrbench.release import ListedFamily

COLUMNS = ("Support_pct", "Integ", "VisSpatial", "VisState", "ReobsSpatial", "ReobsState")
GROUPS = {"API": "API prompt-camera", "camera": "Camera", "interactive": "Interactive", "V2V": "V2V"}


def pooled(models: Models, column: str) -> float | None:
    """The mean over all outputs that have a number; support in %."""
    if column == "Support_pct":
        return _percent(models, "outputs")
    scored = [(model.scores[column], model.counts[column]) for model in models.values()]
    weights = [count for value, count in scored if value is not None]
    values = [value for value, _ in scored if value is not None]
    return float(np.average(values, weights=weights)) if sum(weights) else None


def _percent(models: Models, of: str) -> float | None:
    seen = sum(model.counts["ReobsState"] for model in models.values())
    all_of = sum(model.outputs if of == "outputs" else model.counts[of] for model in models.values())
    return 100 * seen / all_of if all_of else None


def events(paper: Paper, models: Models) -> list[CheckLine]:
    """Table 8: as many outputs have each event."""
    rows = paper.rows["table8"]
    return _slices("Table 8", rows, {row.title: 1 for row in rows}, models)


def actions(paper: Paper, models: Models, families: Sequence[ListedFamily]) -> list[CheckLine]:
    """Table 9: as many outputs have each family."""
    return _slices("Table 9", paper.rows["table9"], Counter(family.action for family in families), models)


def _slices(label: str, rows: Sequence[PrintedRow], sizes: Mapping[str, int], models: Models) -> list[CheckLine]:
    if unknown := sorted({row.title for row in rows} ^ set(sizes)):
        return [counted(label, "slices of the release", [f"{unknown[0]}: only here, or only there"], len(rows))]
    return [_slice(label, rows, sizes, models, column) for column in COLUMNS]


def _slice(label: str, rows: Sequence[PrintedRow], sizes: Mapping[str, int], models: Models, column: str) -> CheckLine:
    """Whether the printed means can be those of the file's outputs, whatever was lost by rounding."""
    conditional = column.startswith("Reobs")
    weights = np.array([sizes[row.title] * (row.number("Support_pct") if conditional else 1) for row in rows])
    printed = np.array([row.number(column) for row in rows])
    mine, theirs = float(np.average(printed, weights=weights)), pooled(models, column)
    # Rounded weights shift a weighted mean by less than a tenth of what rounded values do.
    room = half_unit(rows[0].cells[column]) * (1.1 if conditional else 1)
    agree = theirs is not None and abs(mine - theirs) <= room
    said = "none" if theirs is None else f"{theirs:.4g}"
    differs = [] if agree else [f"{column}: its rows average {mine:.4g}, the outputs of the file {said}"]
    return counted(label, f"{column}, averaged over its rows", differs, 1)


def groups(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 6b: each group's support over the four events, rows with a turning camera."""
    rows = paper.rows["fig6b"]
    differing = []
    for name, group in GROUPS.items():
        theirs = _percent({key: m for key, m in models.items() if m.group == group}, "CamAlign")
        mine = float(np.mean([row.number(name) for row in rows]))
        if theirs is None or abs(mine - theirs) > half_unit(rows[0].cells[name]):
            said = "none" if theirs is None else f"{theirs:.2f} %"
            differing.append(f"{name}: its events average {mine:.2f} %, the file has {said}")
    return [counted("Fig. 6b", "support of a group, averaged over events", differing, len(GROUPS))]


def cameras(paper: Paper, models: Models) -> list[CheckLine]:
    """Fig. 5: whether the file's pooled means lie within what the bars allow; static hold apart."""
    turned = sum(model.counts["CamAlign"] for model in models.values())
    still = sum(model.outputs for model in models.values()) - turned
    names = ("Integ", "VisSpatial", "VisState")
    differing = [text for name in names if (text := _bars_differ(paper, models, name, (still, turned / 2, turned / 2)))]
    differing += [text] if (text := _bars_differ(paper, models, "CamAlign", (0, turned / 2, turned / 2))) else []
    differing += [text] if (text := _bars_differ(paper, models, "Support", (still, turned / 2, turned / 2))) else []
    hold = pooled(models, "StaticHold")
    printed = paper.row("fig5", "CamAlign").cells["static"]
    said = "none" if hold is None else f"{hold:.3f}"
    static = [f"printed {printed}; the file has it for prompt-only rows alone, where it is {said}"]
    return [
        counted("Fig. 5", "pooled means within what its bars allow", differing, len(names) + 2),
        counted("Fig. 5", "alignment under a static camera", static, 1, otherwise="not reproducible"),
    ]


def _bars_differ(paper: Paper, models: Models, name: str, weights: tuple[float, float, float]) -> str:
    row = paper.row("fig5", name)
    bars = [row.cells[camera] for camera in ("static", "yaw_LR", "yaw_RL")]
    theirs = pooled(models, "Support_pct") if name == "Support" else pooled(models, name)
    if theirs is None or not sum(weights):
        return f"{name}: the file has none"
    theirs = theirs / 100 if name == "Support" else theirs
    mine = float(np.average([float(bar) for bar in bars], weights=weights))
    room = float(np.average([half_unit(bar) for bar in bars], weights=weights))
    return "" if abs(mine - theirs) <= room else f"{name}: its bars average {mine:.3f}, the file {theirs:.3f}"
