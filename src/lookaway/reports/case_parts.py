"""What the pages of clips are drawn with, in the report and on pages of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from lookaway.metrics import METRICS
from lookaway.records import Board, Score
from lookaway.reports.camera_plot import camera_plot
from lookaway.reports.colours import marker
from lookaway.reports.evidence import PageEvidence
from lookaway.reports.exhibits import Exhibits, ShownClip, ShownScore
from lookaway.reports.pages import asset, page_style, render
from lookaway.reports.words import headline_metrics

EVERY_STEP = "reached every step"


class CaseParts:
    """The values that `task.jinja` asks for."""

    def __init__(self, board: Board, exhibits: Exhibits, evidence: PageEvidence) -> None:
        self.exhibits, self.evidence = exhibits, evidence
        self.metrics = {(m.name, m.variant): m for m in METRICS.all().values()}
        self.headline = headline_metrics(board.protocols)
        self.steps = {p.name: [step.name for step in p.ledger] for p in board.protocols}
        self.events = {
            clip.case: f"{shown.task.category} {shown.task.event} {shown.task.scene} {' '.join(shown.task.tags)}"
            for shown in exhibits.tasks
            for clip in shown.clips
        }
        self.places = {system: place for place, system in enumerate(board.systems)}
        self.values: dict[str, Any] = {
            "evidence": evidence,
            "metrics": self.metrics,
            "places": self.places,
            "marker": marker,
            "protocols_differ": len(board.protocols) > 1,
            "camera_plot": camera_plot,
            "lasts_of": lasts_of,
            "ends_of": self.ends_of,
            "words_of": self.words_of,
            "split_scores": self.split_scores,
            "count": counted,
        }

    def unit_of(self, score: Score) -> str:
        known = self.metrics.get((score.metric, score.variant))
        return known.unit if known else ""

    def ends_of(self, clip: ShownClip) -> list[str]:
        """The steps at which the clip stopped, one per ledger."""
        return [
            EVERY_STEP if end.step is None else f"{end.outcome} at {self.steps[end.protocol][end.step]}"
            for end in clip.ledger
        ]

    def words_of(self, clip: ShownClip) -> str:
        """All that a search may find it by."""
        return " ".join([clip.case, self.events.get(clip.case, ""), *(end.words for end in clip.ledger), clip.reason])

    def split_scores(self, clip: ShownClip) -> tuple[Sequence[ShownScore], Sequence[ShownScore]]:
        """Those of the headline, and the others."""
        first = [s for s in clip.scores if (s.score.protocol, s.score.metric, s.score.variant) in self.headline]
        return first, [s for s in clip.scores if s not in first]

    def case_pages(self) -> dict[str, bytes]:
        """The page of every task that has one, by its place beside the report."""
        style, script = page_style(), Markup(asset("page/page.js"))
        shown = [task for task in self.exhibits.tasks if task.page]
        names = ["", *(task.page.rpartition("/")[2] for task in shown), ""]
        return {
            task.page: render(
                "page/case_page.jinja",
                **self.values,
                shown=task,
                before=before,
                after=after,
                style=style,
                script=script,
            ).encode()
            for before, task, after in zip(names, shown, names[2:], strict=False)
        }


def case_pages(board: Board, exhibits: Exhibits) -> dict[str, bytes]:
    """Pages of tasks that do not stand in the report itself."""
    if not any(task.page for task in exhibits.tasks):
        return {}
    return CaseParts(board, exhibits, PageEvidence(board, exhibits)).case_pages()


def lasts_of(clip: ShownClip) -> float:
    """Seconds that the clip lasts, as far as its frames and phases tell; 0 where nobody knows."""
    ends = [clip.book.seconds[-1] if clip.book else 0.0, *(phase.end_s for phase in clip.phases)]
    return round(max(ends), 3)


def counted(n: int, noun: str) -> str:
    """`1 clip`, `2 clips`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
