"""A fade that loses subjects behind harmless pixels is flagged; one that pixels see, or that loses nothing, is not."""

from __future__ import annotations

import polars as pl
import pytest

from lookaway.analyses import Findings
from lookaway.analyses.unseen_fade import unseen_fade
from lookaway.outcomes import Abstain
from lookaway.records import Protocol, Score, Step
from lookaway.store import parquet
from tests.analyses.test_dose import hidden
from tests.analyses.test_half_life import system
from tests.store.store_records import a_score

METRICS = ("return_identity:sound", "psnr_returned:sound", "ssim_returned:sound")
PROTOCOL = Protocol(
    name="diorama",
    summary="",
    metrics=METRICS,
    headline=METRICS,
    ledger=(Step(name="same thing", metric="return_identity:sound", at_least=0.85),),
)


def findings(lost: int, psnr: float, ssim: float, scenes: int = 10) -> Findings:
    """Of ten subjects, one in each scene, a fade loses so many."""
    asked = [hidden(2.0, id=f"t{n}", scene=f"s{n}") for n in range(scenes)]
    scores = []
    for number, one in enumerate(asked):
        for name, values in (
            ("before", (0.97, 40.0, 0.99)),
            ("faded", (0.6 if number < lost else 0.95, psnr, ssim)),
        ):
            for metric, value in zip(METRICS, values, strict=True):
                facts = {"task": one.id, "system": name, "protocol": "diorama", "metric": metric.partition(":")[0]}
                scores.append(a_score(value=value, **facts))
    rows = pl.DataFrame([score.model_dump() for score in scores], schema=parquet.schema(Score))
    return Findings(rows, {one.id: one for one in asked}, [system("before"), system("faded")], PROTOCOL, {})


def test_one_scene_is_never_sure() -> None:
    tables = unseen_fade(findings(1, 31.0, 0.97, scenes=1))
    assert not isinstance(tables, Abstain)
    assert not any("keeps fewer" in note for note in tables[0].notes)


@pytest.mark.parametrize(
    ("lost", "psnr", "ssim", "flagged"),
    [
        (5, 31.0, 0.97, True),
        (5, 18.0, 0.97, False),
        (5, 31.0, 0.6, False),
        (1, 31.0, 0.97, False),
        (0, 31.0, 0.97, False),
    ],
)
def test_only_a_loss_that_pixels_do_not_see_is_flagged(lost: int, psnr: float, ssim: float, flagged: bool) -> None:
    tables = unseen_fade(findings(lost, psnr, ssim))
    assert not isinstance(tables, Abstain)
    (table,) = tables
    drop = next(row.cells[0] for row in table.rows if row.title == "faded")
    assert drop.value == pytest.approx(lost / 10)
    assert any(note.startswith("faded: keeps fewer") for note in table.notes) == flagged
    assert not any(note.startswith("before:") for note in table.notes)
