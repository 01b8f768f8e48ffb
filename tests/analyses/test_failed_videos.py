"""Failed videos one by one: who is against them, in whose words, and where to look; those that pass are not named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from lookaway.analyses import JudgedClip
from lookaway.analyses.failed_videos import failed_videos
from lookaway.outcomes import Abstain
from lookaway.records import Interval
from tests.analyses.verdict_tables import CLIPS, verdict_findings

FIRST = np.arange(CLIPS)


def test_each_failed_video_names_its_verifiers_their_words_and_its_seconds() -> None:
    said = {"state_progress": (FIRST != 3).astype(float), "coherence": (FIRST > 3).astype(float)}
    known = verdict_findings(one=said)
    scores = known.scores.with_columns(ask_key=pl.col("metric"), instrument_key=pl.lit("k"))
    phases = (Interval(phase="hidden", start_s=1.0, end_s=2.5),)
    tasks = {name: task.model_copy(update={"phases": phases}) for name, task in known.tasks.items()}
    flags = {"main_subject": "a ball", "teleport": True, "state_jump": False}
    judged = {("t3", "one", 0, "k", "coherence"): JudgedClip(flags, {"yes": 2, "no": 1}, (0.0, 1.0))}
    made = failed_videos(replace(known, scores=scores, tasks=tasks, judged=judged))
    assert not isinstance(made, Abstain)
    rows = {row.title: [cell.text for cell in row.cells] for row in made[0].rows}
    assert set(rows) == {f"t{n}/one/0" for n in range(4)}
    against, why, where = rows["t3/one/0"]
    assert against == "progress, coherence"
    assert "coherence: teleport; main subject: a ball; 2 yes, 1 no" in why
    assert "state jump" not in why
    assert where == "0.9 s and 2.5 s, 0 to 4 s"
    assert {row.cells[2].link for row in made[0].rows} == set(rows)


def test_where_no_video_fails_none_is_named() -> None:
    assert isinstance(failed_videos(verdict_findings(fine={})), Abstain)
