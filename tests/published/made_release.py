"""A release written by hand from the printed tables: what the authors' files would say if nothing had been rounded."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from statistics import mean

from lookaway.published import read_paper
from lookaway.published.paper import PrintedRow
from lookaway.published.wrbench.profile import AVERAGED
from lookaway.published.wrbench.release import FAMILIES, RESULTS, SCORES, VARIANTS

OUTPUTS = 1000
Line = dict[str, str]


def made_lines() -> list[Line]:
    return [_line(row) for row in read_paper("wrbench").rows["table2"]]


def _line(row: PrintedRow) -> Line:
    scores = {ours: row.cells.get(ours, "NA") for ours in SCORES}
    returned = round(row.number("Support_pct") * OUTPUTS / 100)
    counts = {ours: returned if ours.startswith("Reobs") else OUTPUTS for ours in SCORES}
    return {
        "model_id": row.id,
        "paper_group": "V2V",
        "model_input": "TI2V",
        "viewpoint_condition_type": row.group,
        "n_outputs": str(OUTPUTS),
        **{SCORES[ours]: text for ours, text in scores.items()},
        **{f"{SCORES[ours]}_n": "0" if scores[ours] == "NA" else str(n) for ours, n in counts.items()},
        "gate_applicable_rate": str(returned / OUTPUTS),
        "low_n_flag": "true" if row.sparse else "false",
        "Avg": str(mean(float(scores[name]) for name in AVERAGED)),
    }


def write_release(folder: Path, lines: list[Line] | None = None) -> Path:
    """All three files, in that folder."""
    folder.mkdir(exist_ok=True)
    lines = made_lines() if lines is None else lines
    with (folder / RESULTS).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    families = [f"{place}_{action}" for place in range(5) for action in ("sit", "place", "tip", "jump", "fold")]
    told = [{"family_id": name, "scene": "a bedroom"} for name in families]
    (folder / FAMILIES).write_text("".join(json.dumps(line) + "\n" for line in told))
    events = ("none", "spatial", "state_only", "full")
    variants = [
        {"family_id": name, "event_delta": event, "oov_gap": gap}
        for name in families
        for event in events
        for gap in ("none", "static", "yaw_LR", "yaw_RL")
    ]
    (folder / VARIANTS).write_text("".join(json.dumps(line) + "\n" for line in variants))
    return folder
