"""Every video that a verifier speaks against: which one, why, and where to look (StEvo-Bench, figures 9 and 10)."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lookaway.analyses import Findings, JudgedClip, analysis
from lookaway.analyses.clip_rows import clip_rows
from lookaway.analyses.columns import table_name
from lookaway.analyses.failure_vocabulary import MOST_CLIPS
from lookaway.analyses.verified_clips import TASK, VerifiedClips, verified_clips
from lookaway.geometry.visibility import planned
from lookaway.outcomes import Abstain
from lookaway.records import CaseId, Column, Table, TableCell, TableRow, Task

TITLES = {
    "observation_control": "observation control",
    "action_control": "action control",
    "state_progress": "progress",
    "physical_plausibility": "physics",
    "coherence": "coherence",
}
AROUND = ("state_progress", "observation_control")  # verdicts about what is seen beside the hiding
COLUMNS = (
    Column(name="against", title="against it"),
    Column(name="why", title="why"),
    Column(name="frames", title="where to look"),
)


@analysis(version=1, title="Videos that fail, one by one")
def failed_videos(findings: Findings) -> list[Table] | Abstain:
    """A row for every video without task success: the verifiers against it, what they say, and where to look."""
    every = [clips for clips in verified_clips(findings) if len(clips.rows.filter(pl.col(TASK) == 0.0))]
    tables = [_table(clips, number, findings) for number, clips in enumerate(every)]
    return tables or Abstain("no video failed")


def _table(clips: VerifiedClips, number: int, findings: Findings) -> Table:
    failed = clips.rows.filter(pl.col(TASK) == 0.0).sort("task", "system", "seed")
    rows = [_row(row, clips, findings) for row in failed.head(MOST_CLIPS).iter_rows(named=True)]
    left = failed.height - len(rows)
    return Table(
        name=table_name(f"failed-videos{number + 1 if number else ''}", findings.protocol.name),
        title=f"Videos that fail, one by one ({clips.title})",
        columns=COLUMNS,
        rows=tuple(rows),
        notes=(
            "What a judge says is of the first reply that agrees with the vote; votes for and against stand beside it.",
            *([f"{left} more are in the scores of the run."] if left else []),
        ),
        protocol=findings.protocol.name,
        reading="Watch the video at the seconds told before you believe either of them.",
    )


def _row(row: dict[str, object], clips: VerifiedClips, findings: Findings) -> TableRow:
    case = CaseId.model_validate({name: row[name] for name in ("task", "system", "seed")})
    against = [metric for metric in TITLES if row[metric] == 0.0]
    said = [_why(case, metric, clips, findings) for metric in against]
    shown = list(dict.fromkeys(_frames(findings.tasks[case.task], metric) for metric in against))
    return TableRow(
        title=str(case),
        cells=(
            TableCell(text=", ".join(TITLES[metric] for metric in against)),
            TableCell(text="; ".join(said)),
            TableCell(text=", ".join(shown), link=str(case)),
        ),
    )


def _why(case: CaseId, metric: str, clips: VerifiedClips, findings: Findings) -> str:
    variant = clips.control if metric.endswith("_control") else clips.evolution
    asked = findings.once(_asks).get((metric, variant, clips.judge), ("", ""))
    judged = findings.judged.get((case.task, case.system, case.seed, *asked))
    return f"{TITLES[metric]}: {'; '.join(_told(judged)) if judged else f'as {clips.judge} has it'}"


def _asks(findings: Findings) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Keys of judge and ask of every metric that asks, by name, variant and label of the judge."""
    rows = findings.once(clip_rows).filter(pl.col("ask_key") != "")
    rows = rows.select("metric", "variant", "instrument", "instrument_key", "ask_key").unique()
    return {(metric, variant, judge): (key, ask) for metric, variant, judge, key, ask in rows.iter_rows()}


def _told(judged: JudgedClip) -> Iterator[str]:
    flags = [name.replace("_", " ") for name, value in judged.fields.items() if value is True]
    words = [f"{name.replace('_', ' ')}: {value}" for name, value in judged.fields.items() if isinstance(value, str)]
    yield from (", ".join(part) for part in (flags, words) if part)
    if judged.tally:
        yield f"{judged.tally.get('yes', 0)} yes, {judged.tally.get('no', 0)} no"


def _frames(task: Task, metric: str) -> str:
    """`0.9 s and 3.5 s`: right before and right after the hiding, where the verdict is about that; else all of it."""
    hidden = [i for i in (task.yoked or task.phases or planned(task).phases) if i.phase == "hidden"]
    if metric not in AROUND or not hidden:
        return f"0 to {task.seconds:g} s"
    return f"{max(0.0, hidden[0].start_s - 1 / task.fps):.1f} s and {hidden[0].end_s:.1f} s"
