"""How far raters of a study agree, and what a run's metrics say of the same clips."""

from __future__ import annotations

from collections.abc import Sequence

from lookaway.analyses.item_difficulty import difficulty_tables
from lookaway.analyses.label_sheets import sheets_of
from lookaway.analyses.rater_agreement import agreement_table
from lookaway.errors import UsageError
from lookaway.people.folder import StudyFolder
from lookaway.pipeline import plans, run_findings
from lookaway.pipeline.analyse import label_tables
from lookaway.records import CaseId, Label, Table
from lookaway.store import Run


def agreement_tables(folder: StudyFolder, labels: Sequence[Label]) -> list[Table]:
    """Of the raters alone."""
    scenes = {CaseId.parse(case).task: item.scene for item in folder.items.values() for case in item.cases}
    sheets = sheets_of(labels, scenes)
    if not sheets:
        raise UsageError(f"{folder.root}: nobody has labelled anything yet; see lookaway people serve, file or import")
    return [agreement_table(sheets), *difficulty_tables(sheets)]


def tables_beside(run: Run, labels: Sequence[Label]) -> list[Table]:
    """Of the raters, and of whatever the run's protocols set beside what they were asked."""
    found = label_tables(run_findings(run, plans.load(run), labels))
    if not found:
        raise UsageError("no label is about a clip of this run; is it the one that the study was made from?")
    return found
