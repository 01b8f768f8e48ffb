"""Names and reasons that strangers wrote are shown as the text they are: no tag, no link, no further column or line."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from lookaway.calibration import judge_page
from lookaway.calibration.detection_page import markdown as detection_page
from lookaway.export.readme import readme
from lookaway.records import (
    Board,
    Cell,
    Detection,
    DetectionTable,
    DoseCurve,
    DosePoint,
    JudgeCheck,
    JudgeTable,
    LedgerStep,
    Protocol,
    Step,
)
from lookaway.reports.escaping import in_markdown
from lookaway.reports.exhibits import Exhibits, LedgerEnd, Montage, ShownClip, ShownTask
from lookaway.reports.heat_map import heat_map_page
from lookaway.reports.html import html as html_report
from lookaway.reports.markdown import markdown
from lookaway.suites import Suite
from tests.builders import task

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![x](https://example.org/pixel.png)",
    "a | b | c",
    "two\n\n# lines\n- and a list",
    "`code` **bold** _em_ ~~gone~~ $x$",
    "<https://example.org>",
    "[x]: https://example.org",
    "back\\| slash \\[x](y)",
    "&lt;b&gt; &amp;",
    "```\nfence",
    "\x1b[31mred",
]
TAGS = {"script", "img", "a", "b", "em", "strong", "code", "s", "del"}


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(page: str) -> Tags:
    return Tags(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page))


def shown(text: str) -> str:
    """Text as a line shows it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@pytest.mark.parametrize("text", HOSTILE)
def test_a_foreign_text_in_markdown_reads_as_itself(text: str) -> None:
    line, cell = rendered(in_markdown(text)), rendered(f"| a | b |\n| --- | --- |\n| {in_markdown(text)} | x |")
    assert line.tags == ["p"]
    assert shown(line.text) == shown(text)
    assert cell.tags.count("td") == 2
    assert not TAGS & set(cell.tags)
    assert shown(text) in shown(cell.text)


def test_plain_names_stay_readable() -> None:
    for text in ("return_place above 0.08", "short-memory@1.5", "2 of 8 clips (n=3), 5 %", "lookaway run --out x"):
        assert in_markdown(text) == text


def a_board(text: str) -> Board:
    step = Step(name="made", metric="object_return:sound", at_least=0.5)
    names = ("object_return:sound",)
    protocol = Protocol(name="p", summary=text, metrics=names, headline=names, ledger=(step,))
    counts = dict.fromkeys(("not_applicable", "avoided", "no_opportunity", "abstained", "no_output", "failed"), 0)
    cell = Cell(
        protocol="p", metric="object_return", variant="sound", version=1, instrument=text,
        instrument_key="k", ask=text, ask_key="a", phase_source="exact",
        slice="all", system=text, value=0.5, low=0.4, high=0.6, method=text, floor=0.5, scenes=1, n=1, ok=1, **counts,
    )  # fmt: skip
    point = DosePoint(
        dose=1, dose_low=1, dose_high=1, tasks=1, scenes=1, n=1, ok=1, other=0, value=1, low=None, high=None,
        method="", floor=1,
    )  # fmt: skip
    return Board(
        suite=text,
        suite_version="1",
        systems=(text,),
        protocols=(protocol,),
        cells=(cell,),
        ledger=(LedgerStep(protocol="p", system=text, step="made", reached=0, total=1, lost={text: 1}),),
        dose=(
            DoseCurve(protocol="p", system=text, dose="hidden_s", points=(point,)),
            DoseCurve(protocol="p", system=text, dose="context", reason=text),
        ),
        not_measured={"x": text},
        environment={"system": text},
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_report_md_shows_foreign_text_as_text(text: str) -> None:
    page = markdown(a_board(text), Exhibits()).decode()
    seen = rendered(page)
    assert not TAGS - {"strong", "code"} & set(seen.tags)
    assert seen.tags.count("table") == 3
    assert seen.tags.count("h1") == 1
    assert seen.tags.count("strong") == 1  # the value
    assert seen.tags.count("code") == 1  # what was not measured
    assert shown(seen.text).count(shown(text)) == 9


@pytest.mark.parametrize("text", HOSTILE)
def test_html_reports_show_foreign_text_as_text(text: str) -> None:
    ended = LedgerEnd("p", "", None, "reached", text)
    clip = ShownClip(text, text, text, f"a/{text}/0", text, ledger=(ended,), note=text, said=text)
    shown = ShownTask(task(prompt=text, expected_end=text), clip, (clip,))
    beside = Montage(text, text, (clip,))
    page = html_report(a_board(text), Exhibits((shown,), {text: text}, a_detection(text), (beside,))).decode()
    assert Tags(page).tags.count("script") == 2  # our own: data and program
    assert not {"img"} & set(Tags(page).tags)
    assert html.escape(text, quote=False) in page or shown(text) in shown(Tags(page).text)
    assert Tags(heat_map_page(a_detection(text))).tags.count("script") == 0


def a_detection(text: str) -> DetectionTable:
    row = Detection(
        metric="m", variant="sound", kind="fault", fault="lost", severity=0.5, declared=True, n=0, n_abstained=0,
        n_gated=0, n_unobservable=0, n_harmless=0, auc=None, threshold=None, hit_rate=None, hit_low=None, hit_high=None,
        false_alarm_rate=None, reason=text,
    )  # fmt: skip
    halves = ((text,), ("b",))
    return DetectionTable(
        suite=text, version="1", tasks=("t",), halves=halves, n_clips=1, n_harmless=0, false_alarms=0.05,
        unobservable_below=0.05, rows=(row,),
    )  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_detection_md_and_judge_md_show_foreign_text_as_text(text: str) -> None:
    seen = rendered(detection_page(a_detection(text), [text]))
    assert not TAGS & set(seen.tags)
    assert seen.tags.count("h1") == 1
    assert shown(seen.text).count(shown(text)) == 5
    check = JudgeCheck(name=text, best="b", answered=0, unanswered=0, reason=text)
    table = JudgeTable(
        judge=text, settings={"model": text}, suite=text, version="1", true_clips=1, faulty_clips=1, always_yes=None,
        always_no=None, right=check, checks=(),
    )  # fmt: skip
    seen = rendered(judge_page.markdown(table))
    assert not TAGS & set(seen.tags)
    assert (seen.tags.count("h1"), seen.tags.count("td")) == (1, len(judge_page.HEADS))


@pytest.mark.parametrize("text", HOSTILE)
def test_the_readme_of_an_export_shows_foreign_text_as_text(text: str) -> None:
    plain = rendered(readme(Suite("s", 1, list, "s"), ["a"], truth=True).decode())
    seen = rendered(readme(Suite(text, 1, list, text), ["a"], truth=True).decode())
    assert seen.tags == plain.tags
    assert shown(re.sub(r"\.$", "", text)) in shown(seen.text)
