"""The heat map shows every number of the detection table, and every reason for not having one."""

from __future__ import annotations

import itertools
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from lookaway.errors import StoreError
from lookaway.pipeline import make_board, make_exhibits, plans
from lookaway.records import Detection, DetectionTable
from lookaway.reports.heat_map import heat_map_html, heat_map_page
from lookaway.reports.html import html
from lookaway.store import Run


def row(metric: str, fault: str, hit: float | None, **changes: Any) -> Detection:
    facts: dict[str, Any] = {"metric": metric, "variant": "sound", "kind": "fault", "fault": fault, "severity": None}
    facts |= {"declared": False, "n": 40, "n_abstained": 0, "n_gated": 0, "n_unobservable": 0, "n_harmless": 90}
    facts |= {"auc": 0.9, "threshold": 0.08, "hit_rate": hit, "hit_low": 0.8, "hit_high": 1.0, "false_alarm_rate": 0.04}
    if hit is None:
        facts |= dict.fromkeys(["auc", "threshold", "hit_low", "hit_high", "false_alarm_rate"])
        facts |= {"reason": "too few <harmless> clips"}
    return Detection(**(facts | changes))


def table(*rows: Detection) -> DetectionTable:
    return DetectionTable(
        suite="diorama",
        version="3",
        tasks=("t0", "t1"),
        halves=(("parlour",), ("workshop", "beach")),
        n_clips=120,
        n_harmless=90,
        false_alarms=0.05,
        unobservable_below=0.01,
        rows=rows,
    )


class Cells(HTMLParser):
    """Rows of the map as lists of cells: tag, attributes, text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, dict[str, str], str]]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.inside = True
            self.rows[-1].append((tag, {name: value or "" for name, value in attrs}, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            tag, attributes, text = self.rows[-1][-1]
            self.rows[-1][-1] = (tag, attributes, text + data.strip())

    def squares(self, *heads: str) -> list[tuple[dict[str, str], str]]:
        """Squares of the one row with these heads."""
        (found,) = [r for r in self.rows if [text for tag, _, text in r if tag == "th"] == list(heads)]
        return [(attributes, text) for tag, attributes, text in found if tag == "td"]


def test_a_square_tells_hit_rate_interval_and_counts() -> None:
    cells = Cells(heat_map_html(table(row("return_place", "teleported", 0.954, severity=0.2, declared=True))))
    ((attributes, text),) = cells.squares("teleported", "0.2")
    assert text == "95"
    assert "declared" in attributes["class"].split()
    assert attributes["title"] == (
        "return_place on teleported at 0.2, declared, caught 0.95 [0.80, 1.00], n=40, AUC 0.9, threshold 0.08, "
        "false alarms 0.04"
    )


def test_a_missing_number_is_hatched_and_tells_why() -> None:
    page = heat_map_html(table(row("m", "frozen", None), row("other", "vanished", 1.0)))
    cells = Cells(page)
    (undefined, blank), (not_run, empty) = cells.squares("frozen", "")
    assert blank == empty == ""
    assert undefined["class"] == not_run["class"] == "none"
    assert undefined["title"].endswith("too few <harmless> clips")
    assert not_run["title"] == "not run"
    assert "<harmless>" not in page


@pytest.mark.parametrize(
    ("counts", "marks"),
    [
        ({"n_gated": 5}, "g"),
        ({"n_abstained": 5}, "a"),
        ({"n_unobservable": 5}, "u"),
        ({"n_gated": 4, "n_abstained": 4, "n_unobservable": 4}, ""),
        ({"n_gated": 20, "n_abstained": 20, "n_unobservable": 60}, "gau"),
        ({"n": 0, "n_unobservable": 8}, "u"),
    ],
)
def test_clips_without_a_number_are_marked_where_they_are_many(counts: dict[str, int], marks: str) -> None:
    ((attributes, text),) = Cells(heat_map_html(table(row("m", "frozen", 0.5, **counts)))).squares("frozen", "")
    assert text == "50" + marks
    assert f"n={counts.get('n', 40)}" in attributes["title"]
    for name, count in counts.items():
        assert name == "n" or f"{count} {name.removeprefix('n_')}" in attributes["title"]


def test_more_is_darker_and_unwanted_alarms_have_another_colour() -> None:
    shares = (0.0, 0.3, 0.7, 1.0)
    kinds: tuple[Any, ...] = ("fault", "stress")
    rows = [row("m", f"{kind}{share}", share, kind=kind) for kind in kinds for share in shares]
    cells = Cells(heat_map_html(table(*rows)))
    colours = {}
    for kind in kinds:
        found = [cells.squares(f"{kind}{share}", "")[0][0]["style"].removeprefix("background:#") for share in shares]
        brightness = [sum(bytes.fromhex(colour)) for colour in found]
        assert brightness == sorted(brightness, reverse=True)
        assert len(set(brightness)) == 4
        colours[kind] = found
    assert colours["fault"][0] == colours["stress"][0] == "ffffff"
    assert colours["fault"][-1] != colours["stress"][-1]


def test_rungs_stand_together_and_kinds_in_sections_with_alarms_below() -> None:
    rows = [
        row("m", "compressed", 0.02, kind="harmless"),
        row("m", "low-light", 0.4, kind="stress"),
        *(row("m", fault, 0.5, severity=s) for fault, s in itertools.product(["reset", "ghost"], [0.5, 0.2])),
    ]
    cells = Cells(heat_map_html(table(*rows)))
    heads = [[text for tag, _, text in r if tag == "th"] for r in cells.rows[1:]]
    assert heads == [
        *[["Faults"], ["reset", "0.5"], ["0.2"], ["ghost", "0.5"], ["0.2"]],
        *[["Harmless variations"], ["compressed", ""], ["Stress"], ["low-light", ""]],
    ]


def test_variants_are_told_apart_where_a_metric_has_several() -> None:
    page = heat_map_html(table(row("m", "f", 1.0), row("m", "f", 0.5, variant="paper"), row("k", "f", 0.0)))
    assert [text for _, _, text in Cells(page).rows[0]][1:] == ["m (sound)", "m (paper)", "k"]


def test_the_header_says_what_was_run() -> None:
    text = re.sub(r"\s+", " ", re.sub("<[^>]+>", "", heat_map_page(table(row("m", "f", 1.0))))).replace("&nbsp;", " ")
    assert "Suite diorama (version 3), 2 tasks, 120 clips, 90 of them harmless variations" in text
    assert "at most 5 % of the harmless clips" in text
    assert "(parlour) and count on the other (workshop, beach)" in text


def test_every_square_is_also_told_in_words() -> None:
    page = heat_map_page(table(row("m", "frozen", None), row("other", "vanished", 1.0)))
    assert "<li>other on vanished, caught 1.00" in page
    assert "<li>m on frozen, n=40; too few &lt;harmless&gt; clips</li>" in page


def test_the_report_leads_to_the_table_of_its_own_folder(own_run: Run) -> None:
    plan = plans.load(own_run)
    board = make_board(own_run, plan)
    assert b"detection.html" not in html(board, make_exhibits(own_run, plan))
    (own_run.root / "detection.json").write_text(table(row("return_place", "teleported", 0.95)).model_dump_json())
    page = html(board, make_exhibits(own_run, plan)).decode()
    assert '<a href="detection.html">' in page
    assert "http" not in re.sub(r"data:[^\"]+", "", page)
    (own_run.root / "detection.json").write_text("{}")
    with pytest.raises(StoreError, match=r"detection.json: not a detection table"):
        make_exhibits(own_run, plan)


PROBE = """
<script>
addEventListener("load", () => {
  const box = document.querySelector(".heat"), head = box.querySelector("thead th:nth-child(20)");
  const fault = box.querySelector("th.fault");
  const before = [head.getBoundingClientRect().top, fault.getBoundingClientRect().left];
  const name = head.querySelector("span").getBoundingClientRect();
  box.scrollTop = 300; box.scrollLeft = 200;
  const after = [head.getBoundingClientRect().top, fault.getBoundingClientRect().left];
  document.title = ["wide", document.documentElement.scrollWidth <= innerWidth,
                    "scrolled", box.scrollTop === 300 && box.scrollLeft === 200,
                    "stays", before[0] === after[0] && before[1] === after[1],
                    "upright", name.height > 2 * name.width].join(" ");
});
</script>
"""


@pytest.mark.browser
def test_a_large_map_scrolls_in_its_own_box_and_keeps_its_heads(chromium: str, tmp_path: Path) -> None:
    metrics, faults = [f"some_metric_{n}" for n in range(30)], [f"some-fault-{n}" for n in range(24)]
    rows = [row(m, f, 0.5, severity=s) for f in faults for s in (0.1, 0.2, 0.4) for m in metrics]
    page = tmp_path / "heat.html"
    page.write_text(heat_map_page(table(*rows)).replace("</html>", PROBE + "</html>"))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    flags += ["--virtual-time-budget=4000", "--window-size=1000,800", "--dump-dom"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run([chromium, *flags, profile, page.as_uri()], capture_output=True, text=True, timeout=120)
    title = done.stdout.split("<title>")[1].split("</title>")[0]
    assert title == "wide true scrolled true stays true upright true"


def test_two_instruments_of_a_metric_have_a_column_each() -> None:
    judges = [{"instrument": f"judge {key}", "instrument_key": key} for key in ("a", "b")]
    rows = [row("place", "lost", hit, **who) for hit, who in zip((0.9, 0.1), judges, strict=True)]
    drawn = Cells(heat_map_html(table(*rows, row("clock", "lost", 0.5, **judges[0]))))
    assert [text for _, _, text in drawn.rows[0]][1:] == ["place, by judge a", "place, by judge b", "clock"]
    assert [text for _, text in drawn.squares("lost", "")] == ["90", "10", "50"]
