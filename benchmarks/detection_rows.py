"""A calibration in short: what each metric notices, what closes its gate, what it is blind to, and means over clips.

    python benchmarks/detection_rows.py FOLDER [--means truth,frozen,static-camera]

FOLDER is what `lookaway calibrate --out` made. Faults at the middle of their ladders, and baselines.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from lookaway.calibration.detection_table import by_reading, ladders, metric_name, middle, share
from lookaway.pipeline import counted_scores, plans
from lookaway.pipeline.exhibits import DETECTION_FILE
from lookaway.records import Detection, DetectionTable
from lookaway.store import open_run

NOTICED, PARTLY = 0.9, 0.6  # AUC
HEADS = ("metric", f"noticed, AUC from {NOTICED}", "partly, AUC", "gate closed in all", "blind", "false alarms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--means", default="truth,frozen,static-camera,held-first-frame,vanished,camera-drag")
    given = parser.parse_args()
    table = DetectionTable.model_validate_json((given.folder / DETECTION_FILE).read_text())
    graded = [rows for rows in by_reading(table.rows) if any(row.auc is not None for row in rows)]
    sys.stdout.write(f"{table.n_clips} clips of {len(table.tasks)} tasks, {table.n_harmless} of them harmless\n\n")
    _write(HEADS, [_row(rows) for rows in graded])
    systems = given.means.split(",")
    _write(("metric", *systems), _means(given.folder, systems))


def _write(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    for line in (heads, ["---"] * len(heads), *lines):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
    sys.stdout.write("\n")


def _row(rows: Sequence[Detection]) -> list[str]:
    faults = [middle(ladder) for ladder in ladders(row for row in rows if row.kind in ("fault", "baseline"))]
    shown = sorted((row for row in faults if row.n), key=lambda row: (-(row.auc or 0), row.fault))
    gated = [row for row in shown if row.n_gated == row.n]
    told = [row for row in shown if row not in gated]
    noticed = [row.fault for row in told if row.auc is not None and row.auc >= NOTICED]
    partly = [f"{row.fault} {row.auc:.2f}" for row in told if row.auc is not None and PARTLY <= row.auc < NOTICED]
    blind = [row.fault for row in told if row.auc is None or row.auc < PARTLY]
    alarms = next(row.false_alarm_rate for row in rows if row.auc is not None)
    groups = (sorted(noticed), partly, sorted(row.fault for row in gated), sorted(blind))
    return [f"`{metric_name(rows[0])}`", *(", ".join(group) or "–" for group in groups), share(alarms)]


def _means(folder: Path, systems: Sequence[str]) -> list[list[str]]:
    run = open_run(folder)
    scores = counted_scores(run, plans.load(run)).with_columns(pl.col("system").str.split("@").list.first())
    lines = []
    for (metric, variant), rows in scores.sort("metric", "variant").group_by("metric", "variant", maintain_order=True):
        if rows["value"].drop_nulls().len():
            cells = [_mean(rows.filter(pl.col("system") == system)) for system in systems]
            lines.append([f"`{metric}:{variant}`", *cells])
    return lines


def _mean(rows: pl.DataFrame) -> str:
    """`0.98 (8 of 8)`, or that no clip has a number, and of how many."""
    values = rows["value"].drop_nulls()
    return f"{values.mean():.3g} ({values.len()} of {rows.height})" if values.len() else f"none of {rows.height}"


if __name__ == "__main__":
    main()
