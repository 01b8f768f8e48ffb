"""What the rows of benchmarks/real_subject.py come to; a clip without an answer is a miss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lookaway.calibration.thresholds import threshold
from lookaway.metrics import find

HARMLESS = ("truth", "brighter", "jitter")
FAULTS = ("vanished", "duplicated", "wrong-colour", "camera-drag", "static-camera", "teleported", "wrong-shape")
WITH_LARGER_BOX = ("truth", "vanished")
NEVER_BACK = ("vanished", "camera-drag", "static-camera")
NOTICES = {  # fault: the metric that must notice
    "vanished": "refound",
    "duplicated": "doubled",
    "wrong-colour": "replaced",
    "camera-drag": "dragged",
    "teleported": "place_shift",
    "wrong-shape": "shape_change",
}
NEAR_FRAMES = 3
ON_IT = 0.5  # of its mask's pixels, in the median
STILL_DEG = 3.0

Row = dict[str, Any]


def summary(rows: list[Row]) -> dict[str, str]:
    drawn = [row for row in rows if row["box"] == "drawn" and "skipped" not in row]
    larger = [row for row in rows if row["box"] == "larger" and "skipped" not in row]
    told = {name: _model([row for row in drawn if row["model"] == name]) for name in (*HARMLESS, *FAULTS)}
    told |= {f"{m}, larger box": _model([row for row in larger if row["model"] == m]) for m in WITH_LARGER_BOX}
    told |= dict(_whole(drawn)) | {f"found {name}": text for name, text in _found(drawn)}
    return {name: text for name, text in told.items() if text}


def balanced(rows: Sequence[Row]) -> float:
    """Mean of the shares of shown and of hidden frames that were called so; an abstention sees nothing."""
    answered = [row for row in rows if "seen" in row]
    seen, unseen = (np.sum([row[key] for row in answered] or [[0, 0]], axis=0) for key in ("seen", "unseen"))
    parts = [part[0] / part[1] for part in (seen, unseen) if part[1]]
    return float(np.mean(parts)) * len(answered) / max(1, len(rows)) if parts else float("nan")


def _model(rows: list[Row]) -> str:
    if not rows:
        return ""
    due = [row for row in rows if row.get("returns")]
    said = [row["scores"]["refound"] for row in rows if "scores" in row]
    back = sum(isinstance(each, float) and each > 0 for each in said)
    silent = sum(str(each).startswith("its colours") for each in said)
    text = f"{len(rows)} clips, balanced {balanced(rows):.3f}, re-found on it {sum(map(_refound, due))}/{len(due)}"
    return f"{text}, said back {back}, colours do not stand out {silent}"


def _refound(row: Row) -> bool:
    return bool(row["scores"]["refound"] == 1.0 and row["on_it"] > ON_IT)


def _whole(rows: list[Row]) -> Iterator[tuple[str, str]]:
    plain = [row for row in rows if row["model"] != "wrong-colour"]
    yield "balanced accuracy but wrong-colour", f"{balanced(plain):.3f}"
    for key in ("onset", "return"):
        off = np.abs([row[key] for row in plain if row.get(key) is not None])
        yield key, f"{len(off)} clips, within {NEAR_FRAMES} frames {np.mean(off <= NEAR_FRAMES):.3f}{_quantiles(off)}"
    hiding = [row for row in plain if row.get("hides")]
    yield "hiding missed", f"{sum(not row['found_hidden'] for row in hiding)} of {len(hiding)}"
    due = [row for row in plain if row.get("returns") and row["model"] not in NEVER_BACK]
    yield "re-found", f"{np.mean([_refound(row) for row in due]):.3f} of {len(due)}"
    calm = [row["off_deg"] for row in plain if row["model"] in HARMLESS and row.get("off_deg")]
    yield "place, deg, all frames", _quantiles(np.concatenate(calm))[2:]
    yield "place, deg, medians of clips", _quantiles(np.array([np.median(each) for each in calm]))[2:]
    yield "abstained", f"{sum('abstained' in row for row in rows)} of {len(rows)}"
    yield "core-ms a frame", f"{np.median([row['ms'] for row in rows if 'ms' in row]):.1f}"


def _quantiles(off: np.typing.NDArray[np.float64]) -> str:
    return f", median {np.median(off):.2f}, 90 % {np.quantile(off, 0.9):.2f}, 95 % {np.quantile(off, 0.95):.2f}"


def _found(rows: list[Row]) -> Iterator[tuple[str, str]]:
    """Faults by the metric that must notice, at 5 % false alarms on harmless clips."""
    for fault, name in NOTICES.items():
        bad = np.array([_badness(row, name) for row in rows if row["model"] == fault])
        calm = np.array([_badness(row, name) for row in rows if row["model"] in HARMLESS])
        calm = calm[np.isfinite(calm)]
        if len(bad) and len(calm):
            limit = threshold(calm, find(f"subject_{name}").margin)
            alarms = f"false alarms {np.mean(calm > limit):.3f} of {len(calm)}"
            yield f"{fault} by {name}", f"{(bad > limit).sum()}/{len(bad)} above {limit:.2f}, {alarms}"
    for names, label in ((("static-camera",), "static-camera"), (HARMLESS, "static-camera, falsely")):
        some = [row for row in rows if row["model"] in names]
        held = [not row.get("found_hidden", True) and row["turned_deg"] < STILL_DEG for row in some]
        yield label, f"{sum(held)}/{len(held)} never hidden and turned by less than {STILL_DEG:g} deg"
    gone = [row for row in rows if row["model"] == "vanished" and "scores" in row]
    yield "replaced, falsely on vanished", f"{sum(row['scores']['replaced'] == 1.0 for row in gone)}/{len(gone)}"


def _badness(row: Row, name: str) -> float:
    """Minus infinity where there is no number: a fault without one is a miss."""
    value = row.get("scores", {}).get(name)
    if not isinstance(value, float):
        return float("-inf")
    match find(f"subject_{name}").better:
        case "higher":
            return 1 - value
        case "one":
            return abs(value - 1)
        case "lower":
            return value
