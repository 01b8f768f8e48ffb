"""`make bench`: every benchmark against its target, printed and kept in RESULTS.md."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import textwrap
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import asking
import camera
import decode
import demo
import graders
import judging
import kill
import matching
import render

import store

BENCHMARKS: dict[str, Callable[[], dict[str, float]]] = {
    "decode": decode.measure,
    "render": render.measure,
    "store": store.measure,
    "demo": demo.measure,
    "graders": graders.measure,
    "camera": camera.measure,
    "kill": kill.measure,
    "judging": judging.measure,
    "asking": asking.measure,
    "matching": matching.measure,
}
AT_MOST = {
    "decode.full_over_bare": 1.25,
    "render.held_320_over_bare": 4.0,
    "render.moving_320_over_bare": 4.0,
    "render.held_832_over_bare": 4.0,
    "render.moving_832_over_bare": 4.0,
    "render.different_bytes": 0.0,
    "store.append_over_bare": 2.0,
    "store.board_over_polars_ndjson": 3.0,
    "store.board_ndjson_gb": 2.0,
    "store.board_over_polars_parquet": 3.0,
    "store.board_parquet_gb": 2.0,
    "store.show_ndjson_wall_s": 3.0,
    "store.show_ndjson_gb": 0.5,
    "store.show_parquet_wall_s": 3.0,
    "store.show_parquet_gb": 0.5,
    "demo.wall_s": 120.0,
    "graders.wall_s": 600.0,
    "graders.faults_hit_below_95": 0.0,
    "graders.clock_same_median": 0.02,
    "graders.clock_same_p95": 0.10,
    "graders.clock_other_median": 0.05,
    "graders.clock_other_p95": 0.20,
    "graders.clock_frozen_furthest_from_0": 0.10,
    "graders.clock_undone_largest": 0.0,
    "camera.turning_median_deg": 0.3,
    "camera.turning_p95_deg": 1.0,
    "camera.turning_abstained": 0.1,
    "camera.held_max_deg": 0.2,
    "camera.undeclared_median_deg": 0.5,
    "camera.undeclared_p95_deg": 1.5,
    "camera.turning_outside": 0.1,
    "camera.shifting_tasks_outside": 0.15,
    "kill.seconds": 360.0,
    **{f"kill.{name}": 0.0 for name in kill.MUST_BE_ZERO},
    "judging.cpu_ms_per_call": 5.0,
    **{f"judging.{name}": 0.0 for name in judging.MUST_BE_ZERO},
    "asking.calls_over_separate": 0.95,
    "asking.cpu_ms_over_separate": 0.6,
    "asking.decodes_over_separate": 0.34,
    "matching.seconds": 30.0,
    "matching.unfound": 0.0,
}
AT_LEAST = {
    "decode.all_over_some": 1.2,
    "render.two_over_one": 1.5,
    "graders.clock_truth_holds_1": 0.95,
    "camera.undeclared_interval_holds": 0.9,
    "camera.peer_signs_right": 1.0,
    "kill.kills": 100.0,
    "judging.of_floor": 0.95,
}

PAGE = Path(__file__).with_name("RESULTS.md")


class Row(NamedTuple):
    name: str
    measured: float
    target: str
    verdict: str

    def cells(self) -> tuple[str, str, str, str]:
        digits = 2 if self.measured == 0 or abs(self.measured) >= 1 else 3
        return self.name, f"{self.measured:.{digits}f}", self.target, self.verdict


def judged(name: str, measured: float) -> Row:
    if name in AT_MOST:
        return Row(name, measured, f"<= {AT_MOST[name]:g}", "ok" if measured <= AT_MOST[name] else "MISSED")
    if name in AT_LEAST:
        return Row(name, measured, f">= {AT_LEAST[name]:g}", "ok" if measured >= AT_LEAST[name] else "MISSED")
    return Row(name, measured, "", "")


def table(rows: list[Row]) -> str:
    """A Markdown table that also reads well in a terminal."""
    lines = [("name", "measured", "target", "verdict"), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    text = [f"| {a:<{widths[0]}} | {b:>{widths[1]}} | {c:<{widths[2]}} | {d:<{widths[3]}} |" for a, b, c, d in lines]
    rule = f"|{'-' * (widths[0] + 2)}|{'-' * (widths[1] + 1)}:|{'-' * (widths[2] + 2)}|{'-' * (widths[3] + 2)}|"
    return "\n".join([text[0], rule, *text[1:]])


def machine(load: float) -> str:
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    memory_gb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("polars", "pydantic", "numpy", "scipy", "av"))
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores ({cpu}), {memory_gb:.0f} GB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {versions}. "
        f"Load of the machine when the run began: {load:.1f}."
    )


def page(where: str, rows: str, old: str) -> str:
    """The page with new rows; its sections, which tell of other runs, stay as they are."""
    _, heading, sections = old.partition("\n## ")
    return f"# Benchmarks\n\n{textwrap.fill(where, 100)}\n\n{rows}\n{heading}{sections}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=BENCHMARKS, help="run one benchmark; RESULTS.md is left alone")
    only: str | None = parser.parse_args().only
    load = os.getloadavg()[0]
    rows = []
    for name in [only] if only else BENCHMARKS:
        print(f"{name} …", file=sys.stderr)
        found = [judged(f"{name}.{part}", value) for part, value in BENCHMARKS[name]().items()]
        print(*(f"  {' '.join(row.cells())}" for row in found), sep="\n", file=sys.stderr, flush=True)
        rows += found
    print(table(rows))
    if only is None:
        PAGE.write_text(page(machine(load), table(rows), PAGE.read_text()))
    return int(any(row.verdict == "MISSED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
