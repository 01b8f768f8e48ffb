"""Every number of a page leads to the clips that it counts, and no foreign text leads anywhere else."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from lookaway.records import Interval, Score
from lookaway.reports.case_parts import case_pages
from lookaway.reports.evidence import PageEvidence
from lookaway.reports.exhibits import (
    CameraLines,
    Exhibits,
    FlipBook,
    JudgeSaying,
    LedgerEnd,
    ShownClip,
    ShownScore,
    ShownTask,
)
from lookaway.reports.html import html
from tests.builders import task
from tests.reports.test_foreign_text import HOSTILE, a_board


def a_clip(system: str, name: str = "a task", value: float | None = 0.25) -> ShownClip:
    score = Score(
        task=name, system=system, seed=0, protocol="p", metric="object_return", variant="sound", version=1,
        instrument="x", instrument_key="k", ask="", ask_key="a", phase_source="measured", subject="s",
        status="ok" if value is not None else "abstained", value=value, reason="" if value is not None else "too dark",
    )  # fmt: skip
    return ShownClip(
        system, "ok", "", case=f"{name}/{system}/0", system=system, video="blobs/ab/abc.mp4",
        book=FlipBook("data:image/webp;base64,AA==", (0.0, 1.0, 2.0), 16, 9),
        scores=(ShownScore(score, "2 frames after the return", ((1.5, 1.5), (1.75, 1.75))),),
        ledger=(LedgerEnd("p", "", 0, "lost", f"lost at made: {system}"),),
        phases=(Interval(phase="visible", start_s=0, end_s=1), Interval(phase="hidden", start_s=1, end_s=2)),
        phase_words="as measured in this clip", camera=CameraLines("yaw", ((0, 0), (1, 30)), ((0, 0), (1, 28))),
        moments=("On return at 1.5 s it looks like 0.7 s.",), sayings=(JudgeSaying(system, "j", "yes", system),),
    )  # fmt: skip


def shown(system: str, page: str = "") -> Exhibits:
    return Exhibits(tasks=(ShownTask(task(id="a task"), None, (a_clip(system),), page),), summaries={system: system})


class Links(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.titles = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        self.tags.append(tag)
        self.titles += "title" in facts
        self.ids += [str(facts["id"])] if facts.get("id") else []
        self.hrefs += [str(facts["href"])] if tag == "a" else []


def test_every_number_of_the_board_and_the_ledger_is_a_link_to_its_evidence() -> None:
    board, exhibits = a_board("m"), shown("m")
    page, evidence = Links(html(board, exhibits).decode()), PageEvidence(board, exhibits)
    assert evidence.of_cell(board.cells[0]) == "#evidence/r0/s0"
    assert evidence.of_step(board.ledger[0]) == "#evidence/l0.0/s0"
    for address in ("#evidence/r0/s0", "#evidence/l0.0/s0"):
        assert address in page.hrefs
    assert page.titles == 0, "what one must know is on the page, not behind a pointer"


def test_the_evidence_of_a_cell_is_its_scores_with_the_clips_they_belong_to() -> None:
    data = json.loads(PageEvidence(a_board("m"), shown("m")).as_json())
    assert data["clips"] == [["a task/m/0", 0, 0, "", {"0": [0, "lost", "lost at made: m"]}]]
    assert data["scores"] == {"0": [[0, 0.25, -1]]}
    assert data["readings"][0]["title"].startswith("object return")


def test_every_link_within_the_page_leads_to_something() -> None:
    page = Links(html(a_board("m"), shown("m")).decode())
    inside = {unquote(href[1:]) for href in page.hrefs if href.startswith("#") and not href.startswith("#evidence/")}
    assert inside <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert "a task/m/0!0" in inside, "a score leads to its frames"


def test_many_cases_have_pages_of_their_own_that_lead_back() -> None:
    board, exhibits = a_board("m"), shown("m", page="report/a.html")
    report = Links(html(board, exhibits).decode())
    assert "article" not in report.tags
    assert "report/a.html#a%20task/m/0" in report.hrefs
    (name, page), *others = case_pages(board, exhibits).items()
    assert (name, others) == ("report/a.html", [])
    assert "../report.html#cases" in Links(page.decode()).hrefs
    assert 'src="../blobs/ab/abc.mp4"' in page.decode()
    assert case_pages(board, shown("m")) == {}


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_adds_no_tag_and_no_address(text: str) -> None:
    page, plain = (Links(html(a_board(one), shown(one)).decode()) for one in (text, "plain"))
    assert page.tags == plain.tags
    assert len(page.hrefs) == len(plain.hrefs)
    assert {href[:1] for href in page.hrefs} <= {"#"}
    assert json.loads(PageEvidence(a_board(text), shown(text)).as_json())["systems"] == [text]


def test_data_cannot_end_its_element() -> None:
    assert "<" not in str(PageEvidence(a_board("</script><b>"), shown("</script><b>")).as_json())
