"""A headline shows the variant of a metric that its protocol names, and says which one that is."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from lookaway import models, suites
from lookaway.analyses import board as boards
from lookaway.metrics import METRICS
from lookaway.pipeline import make_exhibits
from lookaway.pipeline.instruments import observer_instrument
from lookaway.records import Board, CaseId, Clip, Plan, Protocol, Provenance, Score
from lookaway.reports.html import html
from lookaway.reports.markdown import markdown
from lookaway.reports.terminal import show
from lookaway.reports.words import headlines
from lookaway.store import Run
from tests.analyses.score_tables import table
from tests.builders import task
from tests.store.store_records import a_score

VALUES = {"released": 0.25, "sound": 0.75}
METRIC = "prompt_camera_alignment"
SUITE = "diorama-mini"
TASK = task(id=suites.find(SUITE).drafts()[0].id)


def plan(variant: str) -> Plan:
    """Both variants are measured; the headline is one of them."""
    both = tuple(f"{METRIC}:{each}" for each in VALUES)
    protocol = Protocol(name="p", summary="s", metrics=both, headline=(f"{METRIC}:{variant}",))
    known = {"tasks": (TASK.id,), "systems": (models.system("truth"),), "protocols": (protocol,)}
    return Plan(suite=SUITE, suite_version="1", **known)


def scores() -> list[Score]:
    looked = observer_instrument(plan("sound"), "classical")
    facts = {"protocol": "p", "metric": METRIC, "instrument": looked.label, "instrument_key": looked.key}
    versions = {variant: METRICS.get(f"{METRIC}:{variant}").version for variant in VALUES}
    return [a_score(TASK.id, value=value, variant=v, version=versions[v], **facts) for v, value in VALUES.items()]


def board(variant: str) -> Board:
    planned = plan(variant)
    findings = boards.findings_of(planned.protocols, {TASK.id: TASK}, planned.systems, table(scores()), {})
    return boards.board(SUITE, "1", planned.systems, findings, {}, {})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """One clip that was refused, and its scores."""
    made = Run(tmp_path)
    case = CaseId(task=TASK.id, system="truth", seed=0)
    made_by = Provenance(generator="g", version=1, lookaway="1", python="3")
    refused = {"status": "refused", "reason": "no", "provenance": made_by}
    clip = Clip(case=case, request_key="r", task_instance=TASK.instance, **refused)
    for log, records in {"tasks": [TASK], "clips": [clip], "scores": scores()}.items():
        with made.writer(log) as writer:
            for number, record in enumerate(records):
                writer.append(str(number), "", record)
    return made


@pytest.mark.parametrize("variant", VALUES)
def test_the_headline_shows_the_variant_that_the_protocol_names(variant: str) -> None:
    (shown,) = headlines(board(variant))
    assert [(column.metric.name, column.metric.variant) for column in shown.columns] == [(METRIC, variant)]
    (cell,) = shown.rows[0].cells
    assert cell is not None
    assert (cell.variant, cell.value) == (variant, VALUES[variant])


@pytest.mark.parametrize("variant", VALUES)
def test_every_report_names_the_variant_in_its_headline(variant: str, run: Run) -> None:
    made, exhibits = board(variant), make_exhibits(run, plan(variant))
    assert f"| {METRIC} ({variant}) ↑ (score) |" in markdown(made, exhibits).decode()
    page = io.StringIO()
    show(made, Console(file=page, width=100))
    assert f"prompt camera alignment ({variant}) ↑" in page.getvalue()
    head = html(made, exhibits).decode().split("<thead>")[1].split("</thead>")[0]
    assert f"prompt camera alignment ({variant}) ↑" in head


@pytest.mark.parametrize("variant", VALUES)
def test_slices_and_clips_show_the_headlines_variant_too(variant: str, run: Run) -> None:
    exhibits = make_exhibits(run, plan(variant))
    page = html(board(variant), exhibits).decode()
    slices = page.split("Headline metrics by slice (")[1]
    assert slices.startswith(f"{len(plan(variant).protocols[0].slices)} numbers)")
    assert set(re.findall(r"prompt camera alignment <span class=\"small\">(\w+), v", slices)) == {variant}
    first, second = (part.split("</table>")[0] for part in page.split('<table class="scores">')[1:])
    other = next(each for each in VALUES if each != variant)
    assert f">{VALUES[variant]:.2f}</a>" in first, "the headline's variant stands first"
    assert f">{VALUES[other]:.2f}</a>" not in first
    assert f">{VALUES[other]:.2f}</a>" in second
