"""The report in a real browser, opened from disk: sort, filter, open a case, play, follow a score to its frames."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lookaway.pipeline import make_board, plans, write_report_folder
from lookaway.store import open_run
from tests.accessibility import CHECKS
from tests.browser import Tab, tab

SIZES = {"desk": (1280, 900), "phone": (390, 844)}
WATCH = """
window.wrong = [];
addEventListener("error", (e) => wrong.push(String(e.message || e.target.src)));
addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
const said = console.error; console.error = (...words) => { wrong.push(words.join(" ")); said(...words); };
"""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with tab(chromium, tmp_path_factory.mktemp("profile")) as opened:
        opened.do("Page.enable")
        opened.do("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        yield opened


@pytest.fixture(scope="module")
def folder(demo_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as a folder."""
    run = open_run(demo_run)
    plan = plans.load(run)
    out = tmp_path_factory.mktemp("passed") / "on"
    write_report_folder(run, plan, make_board(run, plan), out)
    return out


def opened(browser: Tab, page: Path, size: str, scheme: str, address: str = "") -> None:
    look = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.do("Emulation.setEmulatedMedia", features=look)
    browser.do("Page.navigate", url="about:blank")
    browser.open(page.as_uri() + address, *SIZES[size], touch=size == "phone")


def first_column(browser: Tab, table: str) -> list[str]:
    return list(
        browser.value(f"[...document.querySelectorAll('{table} tbody tr th')].map((c) => c.textContent.trim())")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_a_reader_sorts_filters_plays_and_follows_a_number_to_its_frames(
    browser: Tab, demo_run: Path, size: str, scheme: str
) -> None:
    opened(browser, demo_run / "report.html", size, scheme)
    assert browser.value("document.documentElement.scrollWidth <= innerWidth"), "nothing makes the page wider"

    before = first_column(browser, "#board table")
    browser.value("document.querySelectorAll('#board th button.sort')[2].click()")
    browser.value("document.querySelectorAll('#board th button.sort')[2].click()")
    after = first_column(browser, "#board table")
    assert sorted(after) == sorted(before)
    shown = (
        "[...document.querySelectorAll('#board tbody tr')].map((r) => r.cells[2].dataset.v).filter(Boolean).map(Number)"
    )
    values = browser.value(shown)
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1

    browser.value("document.querySelector('#case-filters input[type=search]').focus()")
    browser.type("filling")
    browser.wait("document.getElementById('case-count').textContent === '4 of 8 clips'")
    assert browser.value("[...document.querySelectorAll('.task')].filter((t) => !t.hidden).length") == 1
    browser.value("document.querySelector('#case-filters input[value=frozen]').click()")
    browser.wait("document.getElementById('case-count').textContent === '3 of 8 clips'")
    browser.value("document.querySelector('#case-filters').reset()")
    browser.value("document.querySelector('#case-filters').dispatchEvent(new Event('input'))")

    follow(browser, "#board tbody a.value")
    browser.wait("document.getElementById('evidence').open")
    clips = browser.value("document.querySelectorAll('#evidence tbody tr').length")
    assert clips == 2, "both clips that the number counts"
    follow(browser, "#evidence tbody a")
    browser.wait("!document.getElementById('evidence').open")
    browser.wait("document.querySelectorAll('.clip .read').length > 0")
    marks = browser.value("document.querySelector('tr.here [data-spans]').dataset.spans")
    assert marks, "the score says which frames it was read from"
    second = float(marks.split("-")[0])
    playhead = browser.value(
        "Number(document.querySelector('tr.here').closest('.task').querySelector('input[type=range]').value)"
    )
    assert playhead == pytest.approx(second, abs=0.02)

    task = "document.querySelector('tr.here').closest('.task')"
    browser.wait(f"[...{task}.querySelectorAll('video')].every((v) => v.readyState >= 2)")
    browser.value(f"{task}.querySelector('[data-play]').click()")
    browser.wait(f"Number({task}.querySelector('input[type=range]').value) > {second} + 0.3")
    times = browser.value(f"[...{task}.querySelectorAll('video')].map((v) => v.currentTime)")
    assert len(times) == 4
    assert max(times) - min(times) < 0.5, "in step"
    browser.value(f"{task}.querySelector('[data-play]').click()")
    assert browser.value("wrong") == []


def follow(browser: Tab, selector: str) -> None:
    """With the keyboard alone."""
    browser.value(f"document.querySelector({json.dumps(selector)}).focus()")
    before = browser.value("location.hash")
    browser.do("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
    browser.do("Input.dispatchKeyEvent", type="keyUp", key="Enter", code="Enter", windowsVirtualKeyCode=13)
    browser.wait(f"location.hash !== {json.dumps(before)}")


def test_sent_alone_it_still_shows_every_clip(browser: Tab, demo_run: Path, tmp_path: Path) -> None:
    alone = tmp_path / "report.html"
    shutil.copyfile(demo_run / "report.html", alone)
    opened(browser, alone, "desk", "light", "#" + str(browser.value("''")))
    browser.value("document.querySelector('.task').scrollIntoView()")
    browser.wait("document.querySelector('.screen').style.backgroundImage.startsWith('url')")
    browser.value("document.querySelector('[data-play]').click()")
    browser.wait("document.querySelector('.screen').style.backgroundPositionX > '0%'")
    assert browser.value("document.querySelector('.screen').classList.contains('flip')")


def test_a_folder_opens_a_page_of_a_case_and_plays_its_videos(browser: Tab, folder: Path) -> None:
    opened(browser, folder / "report.html", "desk", "light")
    address = browser.value("document.querySelector('#case-table tbody th a').href")
    assert "/on/report/" in address
    browser.do("Page.navigate", url=address)
    browser.wait("document.querySelectorAll('.clip video').length === 4")
    browser.wait("[...document.querySelectorAll('.clip video')].every((v) => v.readyState >= 2)")
    browser.value("document.querySelector('[data-play]').click()")
    browser.wait("document.querySelector('.clip video').currentTime > 0.3")
    assert browser.value("wrong") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("page", ["report.html", "report/parlour0_ball_left.html"])
def test_nothing_serious_stands_in_anybodys_way(
    browser: Tab, demo_run: Path, folder: Path, page: str, size: str, scheme: str
) -> None:
    """Names, contrast, headings, landmarks, focus: what an automatic check finds."""
    opened(browser, (demo_run if page == "report.html" else folder) / page, size, scheme)
    browser.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found: list[dict[str, Any]] = browser.value(CHECKS)
    assert found == []


def test_the_checks_find_what_is_wrong(browser: Tab, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        "<!doctype html><html><head><title></title></head><body><h1>a</h1><h3>b</h3><button></button>"
        "<a href='#a' aria-label='b'>c</a>"
        "<img src='x.png'><input><p style='color:#bbb;background:#fff'>pale</p><i id='a'></i><i id='a'></i></body>"
    )
    opened(browser, page, "desk", "light")
    kinds = {one["kind"] for one in browser.value(CHECKS)}
    assert kinds == {
        "language",
        "title",
        "main",
        "heading order",
        "no name",
        "no alternative",
        "contrast",
        "same id twice",
        "another name than it shows",
    }
