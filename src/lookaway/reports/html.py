"""The report as one HTML file that works from disk: board, ledger, plots, and the clips themselves beside the truth."""

from __future__ import annotations

import base64
import io
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
from markupsafe import Markup
from PIL import Image
from pydantic import ValidationError

from lookaway.analyses.ledger import fates
from lookaway.errors import LookawayError, StoreError
from lookaway.metrics import METRICS
from lookaway.pipeline import counted_scores
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.tasks import built_references, built_tasks
from lookaway.pipeline.trace import strip_of
from lookaway.records import (
    Board,
    CaseId,
    Cell,
    Clip,
    DetectionTable,
    DoseCurve,
    Interval,
    Plan,
    Protocol,
    Score,
    Task,
)
from lookaway.reports import report
from lookaway.reports.dose_plot import dose_plot
from lookaway.reports.heat_map import heat_map_html
from lookaway.reports.pages import render
from lookaway.reports.words import (
    DOSES,
    LEDGER_NOTE,
    LedgerRow,
    clips_way,
    headlines,
    ledger_rows,
    point_dose,
    point_interval,
    rate,
    reached,
    stopped_here,
    without_curve,
)
from lookaway.store import Run
from lookaway.video import decode, encode

DETECTION_FILE = "detection.json"
MOST_TASKS = 12  # whose clips are embedded; a page of a thousand videos helps nobody
EMBED_AS_IS_BYTES = 600_000
PREVIEW_LONG_SIDE = 480
PREVIEW_CRF = 26


@report(file="report.html", version=2)
def html(board: Board, run: Run, plan: Plan) -> bytes:
    """A page to send to a colleague."""
    shown, left_out = showcase(run, plan)
    page = render(
        "html.jinja",
        board=board,
        headlines=headlines(board),
        ledgers=_ledgers(board),
        ledger_note=LEDGER_NOTE,
        reached=reached,
        rate=rate,
        stopped_here=stopped_here,
        doses=dose_sections(board),
        heat_map=_heat_map(run),
        tasks=shown,
        left_out=left_out,
        whisker=whisker,
        point_dose=point_dose,
        point_interval=point_interval,
        summaries={system.label: system.card.summary for system in plan.systems},
        metrics={(m.name, m.variant): m for m in METRICS.all().values()},
        all_cells=[cell for cell in board.cells if cell.slice == "all"],
        sliced_cells=_sliced(board),
    )
    return page.encode()


def _sliced(board: Board) -> list[Cell]:
    wanted = _headline_metrics(board.protocols)
    return [c for c in board.cells if c.slice != "all" and (c.protocol, c.metric, c.variant) in wanted]


def _headline_metrics(protocols: Iterable[Protocol]) -> set[tuple[str, str, str]]:
    """Protocol, metric and variant of everything in a headline that is installed here: the rest has no unit."""
    known = METRICS.all()
    return {(p.name, ref.name, ref.variant) for p in protocols for ref in p.headline if str(ref) in known}


def _ledgers(board: Board) -> dict[str, list[LedgerRow]]:
    """The rows of each protocol's ledger."""
    names = dict.fromkeys(step.protocol for step in board.ledger)
    return {name: ledger_rows(step for step in board.ledger if step.protocol == name) for name in names}


@dataclass(frozen=True)
class DoseSection:
    """One protocol's dose response."""

    protocol: str
    last_step: str
    plots: list[Markup]
    curves: list[tuple[str, DoseCurve]]
    without: dict[str, list[str]]  # why there is no curve, and of whom


def dose_sections(board: Board) -> list[DoseSection]:
    sections = []
    for protocol in board.protocols:
        curves = [curve for curve in board.dose if curve.protocol == protocol.name]
        if not any(curve.points for curve in curves):
            continue
        plots = [dose_plot([curve for curve in curves if curve.dose == kind]) for kind in DOSES]
        named = [(words, curve) for kind, words in DOSES.items() for curve in curves if curve.dose == kind]
        last, drawn = protocol.ledger[-1].name, [plot for plot in plots if plot]
        sections.append(DoseSection(protocol.name, last, drawn, named, without_curve(curves)))
    return sections


def _heat_map(run: Run) -> Markup:
    """The detection table that was computed for this run, if there is one."""
    path = run.root / DETECTION_FILE
    if not path.exists():
        return Markup()
    try:
        return heat_map_html(DetectionTable.model_validate_json(path.read_bytes()))
    except ValidationError as error:
        raise StoreError(
            f"{path}: not a detection table: {error.errors()[0]['msg']}; remove it or make it again"
        ) from error


def whisker(cell: Cell, span: tuple[float, float] | None) -> dict[str, float] | None:
    """Positions in percent of an interval bar, for metrics with a fixed range."""
    if span is None or cell.value is None:
        return None
    bottom, top = span

    def place(value: float) -> float:
        return round(100 * min(max((value - bottom) / (top - bottom), 0), 1), 1)

    low, high = (cell.value if end is None else end for end in (cell.low, cell.high))
    return {"low": place(low), "width": round(place(high) - place(low), 1), "at": place(cell.value)}


@dataclass(frozen=True)
class ShownClip:
    system: str
    status: str
    reason: str
    video: str
    strip: str
    scores: list[Score]
    ledger: list[str]
    note: str = ""


@dataclass(frozen=True)
class ShownTask:
    task: Task
    phases: tuple[Interval, ...]
    truth: ShownClip | None
    clips: list[ShownClip]


def showcase(run: Run, plan: Plan) -> tuple[list[ShownTask], int]:
    """The first tasks with every system's clip, and how many tasks were left out."""
    tasks, references = built_tasks(run, plan), built_references(run)
    by_task: dict[str, dict[str, Clip]] = {}
    for clip in current_clips(run, plan):  # sorted by seed
        mine = by_task.setdefault(clip.case.task, {})
        if clip.case.system not in mine or (mine[clip.case.system].video is None and clip.video is not None):
            mine[clip.case.system] = clip
    order = [system.label for system in plan.systems]
    scores, walked = _headline_scores(run, plan), _ledger_lines(run, plan)
    shown = []
    for name in list(by_task)[:MOST_TASKS]:
        reference = references.get(tasks[name].instance)
        phases = reference.phases if reference is not None else ()
        truth = None if reference is None else _shown_or_why(run, "the true clip", reference.video, phases, [], [])
        clips = sorted(by_task[name].values(), key=lambda c: order.index(c.case.system))
        made = [_clip(run, c, phases, scores.get(str(c.case), []), walked.get(str(c.case), [])) for c in clips]
        shown.append(ShownTask(tasks[name], phases, truth, made))
    return shown, max(0, len(by_task) - MOST_TASKS)


def _headline_scores(run: Run, plan: Plan) -> dict[str, list[Score]]:
    wanted = _headline_metrics(plan.protocols)
    found: dict[str, list[Score]] = {}
    table = counted_scores(run, plan)
    rows = table.filter(table["metric"].is_in([metric for _, metric, _ in wanted]))
    for row in rows.drop("key", "inputs", "attempt").iter_rows(named=True):
        if (row["protocol"], row["metric"], row["variant"]) in wanted:
            score = Score.model_validate(row)
            found.setdefault(str(score.case), []).append(score)
    return found


def _ledger_lines(run: Run, plan: Plan) -> dict[str, list[str]]:
    """How far each clip got, in words, once per protocol with a ledger."""
    scores, tasks = counted_scores(run, plan), built_tasks(run, plan)
    lines: dict[str, list[str]] = {}
    for protocol in plan.protocols:
        for row in fates(scores, protocol, tasks).iter_rows(named=True) if protocol.ledger else ():
            case = CaseId(task=row["task"], system=row["system"], seed=row["seed"], branch=row["branch"])
            step = None if row["ended"] is None else protocol.ledger[row["ended"]]
            way = clips_way(step, row["outcome"], row["value"], row["reason"])
            lines.setdefault(str(case), []).append(f"{row['instruments']}: {way}" if row["instruments"] else way)
    return lines


def _clip(run: Run, clip: Clip, phases: tuple[Interval, ...], scores: list[Score], ledger: list[str]) -> ShownClip:
    if clip.video is None:
        return ShownClip(_title(clip), clip.status, clip.reason, "", "", scores, ledger)
    shown = _shown_or_why(run, _title(clip), clip.video, phases, scores, ledger)
    return replace(shown, note=clip.provenance.note)


def _title(clip: Clip) -> str:
    case = clip.case
    return ", ".join([case.system, *([f"seed {case.seed}"] if case.seed else []), *filter(None, [case.branch])])


def _shown_or_why(
    run: Run, name: str, media: str, phases: tuple[Interval, ...], scores: list[Score], ledger: list[str]
) -> ShownClip:
    try:
        return _shown(run, name, media, phases, scores, ledger)
    except (LookawayError, OSError, ValueError, OverflowError, cv2.error) as error:
        return ShownClip(name, "cannot be shown", str(error), "", "", scores, ledger)


def _shown(
    run: Run, name: str, media: str, phases: tuple[Interval, ...], scores: list[Score], ledger: list[str]
) -> ShownClip:
    strip = io.BytesIO()
    Image.fromarray(strip_of(run, media, phases)).save(strip, "JPEG", quality=82)
    picture = _data_uri("image/jpeg", strip.getvalue())
    return ShownClip(name, "ok", "", _playable(run.blobs.path(media)), picture, scores, ledger)


def _playable(path: Path) -> str:
    """The clip as a data URI that browsers play: as it is when small and mp4 or webm, else a smaller copy."""
    kinds = {".mp4": "video/mp4", ".webm": "video/webm"}
    if path.suffix in kinds and path.stat().st_size <= EMBED_AS_IS_BYTES:
        return _data_uri(kinds[path.suffix], path.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        preview = Path(folder) / "preview.mp4"
        frames = list(decode(path, long_side=PREVIEW_LONG_SIDE))
        seconds = frames[-1].seconds - frames[0].seconds
        fps = (len(frames) - 1) / seconds if seconds > 0 else 24.0
        encode((frame.rgb for frame in frames), preview, fps, crf=PREVIEW_CRF)
        return _data_uri("video/mp4", preview.read_bytes())


def _data_uri(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
