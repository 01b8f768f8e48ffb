"""The detection table of a run, computed and written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lookaway.calibration import judge_page
from lookaway.calibration.conformance import beats_truth
from lookaway.calibration.detection import detection_from, known_rungs
from lookaway.calibration.detection_page import markdown
from lookaway.calibration.observable import unknown_cases
from lookaway.errors import StoreError
from lookaway.metrics import METRICS
from lookaway.outcomes import Abstain
from lookaway.pipeline import counted_scores
from lookaway.pipeline.exhibits import DETECTION_FILE
from lookaway.pipeline.tasks import built_tasks
from lookaway.records import DetectionTable, JudgeTable, Plan
from lookaway.reports.heat_map import heat_map_page
from lookaway.store import Run, write_whole

FILES = (DETECTION_FILE, "detection.md", "detection.html")


def graded(run: Run, plan: Plan) -> tuple[DetectionTable | Abstain, list[str]]:
    """The table, or why there is none; and a warning for each system that some metric prefers to the truth, and for
    each clip of which nobody can tell any more whether it differs from the truth.
    """
    table = detection_from(run, plan)
    lost = {} if isinstance(table, Abstain) else unknown_cases(run, plan)
    tasks = built_tasks(run, plan).values()
    beaten = beats_truth(counted_scores(run, plan), known_rungs(plan), tasks, list(METRICS.all().values()))
    return table, [
        *map(str, beaten),
        *(f"{case}: counted as observable, for nobody can tell: {why}" for case, why in lost.items()),
    ]


def refresh(run: Run, plan: Plan) -> list[Path]:
    """Write the table of a run that holds faults and harmless variations; of any other, take an old one away."""
    table, warnings = graded(run, plan)
    if isinstance(table, Abstain):
        for name in FILES:
            _take_away(run.root / name)
        return []
    return write(run, table, warnings)


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path}: out of date, and cannot be removed: {error.strerror}; remove it yourself") from error


def write(run: Run, table: DetectionTable, warnings: list[str]) -> list[Path]:
    """`detection.json`, `detection.md` and the heat map in the run folder."""
    texts = (table.model_dump_json(indent=1) + "\n", markdown(table, warnings), heat_map_page(table))
    return _written(run, dict(zip(FILES, texts, strict=True)))


def write_judged(run: Run, tables: Sequence[JudgeTable]) -> list[Path]:
    """`judge.json` and `judge.md` in the run folder, with a table of each judge."""
    lines = ",\n".join(table.model_dump_json(indent=1) for table in tables)
    pages = "\n".join(map(judge_page.markdown, tables))
    return _written(run, {"judge.json": f"[{lines}]\n", "judge.md": pages})


def _written(run: Run, texts: Mapping[str, str]) -> list[Path]:
    return [write_whole(run.root / name, text) for name, text in texts.items()]
