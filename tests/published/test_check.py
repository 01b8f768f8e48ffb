"""A check finds what differs, names it, and says what it lacks; a bad folder costs an error, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from lookaway.published import CheckLine, read_paper
from lookaway.published.lines import check_table, half_unit, is_share, reads_as, summary
from lookaway.published.wrbench.check import check_lines
from lookaway.published.wrbench.release import FAMILIES, RESULTS, VARIANTS, read_release
from lookaway.reports.check_text import check_text
from lookaway.reports.drawing.markdown import markdown_table
from tests.command import call
from tests.published.made_release import Line, made_lines, write_release

PAPER = read_paper("wrbench")


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


def checked(folder: Path, **changes: str) -> list[CheckLine]:
    """Of a made release in which fields of Gen3C's row are changed."""
    lines = [row | changes if row["model_id"] == "gen3c" else row for row in made_lines()]
    return check_lines(PAPER, write_release(folder / "release", lines))


def test_a_middle_may_be_rounded_either_way() -> None:
    assert [reads_as(text, 62.25) for text in ("62.1", "62.2", "62.3", "62.4")] == [False, True, True, False]
    assert [reads_as(text, -0.0249) for text in ("-0.02", "-0.03", "0.02")] == [True, False, False]
    assert (half_unit("73"), half_unit("0.72")) == (0.5, 0.005)


def test_without_a_release_each_check_of_it_says_which_file_it_needs() -> None:
    lines = check_lines(PAPER, None)
    needing = [one for one in lines if one.verdict == "needs a file"]
    assert {one.remark for one in needing} == {
        *(f"needs {file} of the release" for file in (RESULTS, FAMILIES, VARIANTS))
    }
    assert {"Table 2", "Table 8", "Table 9", "Fig. 4", "Fig. 3 right", "Fig. 6b", "Fig. 7a", "Fig. 7b", "Totals"} <= {
        one.label for one in needing
    }
    assert not [one for one in needing if one.total is not None]


def test_the_paper_by_itself_agrees_and_contradicts_itself() -> None:
    lines = check_lines(PAPER, None)
    assert line(lines, "Table 2", "as printed").count == "23 of 23"
    assert line(lines, "Text", "quoted from Table 2").verdict == "agrees"
    sparse = line(lines, "Text", "3 to 6 %")
    assert (sparse.verdict, len(sparse.differing)) == ("contradicts", 4)
    assert "LiveWorld" in line(lines, "Text", "top the ladder").differing[0]


def test_a_share_that_no_count_gives_is_noticed() -> None:
    assert [is_share("0.730", n) for n in (189, 190)] == [True, False]
    assert is_share("57.5", 200, percent=True)
    assert not is_share("57.4", 100, percent=True)
    assert line(check_lines(PAPER, None), "Table 5", "190 pairs").verdict == "contradicts"


def test_every_table_and_figure_of_the_paper_has_a_line(tmp_path: Path) -> None:
    labels = {one.label for one in check_lines(PAPER, write_release(tmp_path / "release"))}
    assert labels >= {table.label for table in PAPER.layouts.printed if table.label != "Section 4.1.1, events"}
    assert labels >= {absent.label for absent in PAPER.layouts.absent}
    assert labels >= {f"Table {n}" for n in range(1, 18)}


def test_a_release_that_says_what_is_printed_agrees(tmp_path: Path) -> None:
    lines = checked(tmp_path)
    assert line(lines, "Table 2", "cells").count == "200 of 200"
    assert line(lines, "Table 2", "daggers").remark.startswith("8 rows")
    assert line(lines, "Fig. 7b", "support").count == "16 of 16"
    assert line(lines, "Fig. 3 right", "best values").count == "27 of 27"


@pytest.mark.parametrize(
    ("label", "what", "changes", "named"),
    [
        ("Table 2", "cells", {"D6": "0.6411"}, "Gen3C, ReobsState: printed 0.640, the file has 0.6411"),
        ("Table 2", "cells", {"D2": "NA"}, "Gen3C, Integ: printed 0.749, the file has none"),
        ("Table 2", "own Avg", {"Avg": "0.7"}, "Gen3C: the file says 0.70000"),
        ("Table 2", "daggers", {"low_n_flag": "true"}, "Gen3C: printed none, by the rule none, in the file a dagger"),
        ("Table 2", "daggers", {"D6_n": "9"}, "by the rule a dagger"),
        ("Table 2", "condition types", {"viewpoint_condition_type": "mixed"}, "the file says mixed"),
        ("Totals", "outputs", {"n_outputs": "1"}, "the file has 22,001"),
        ("Fig. 3 right", "best values", {"gate_applicable_rate": "0.2"}, "geometry-cache, Support_pct: printed 73.0"),
        ("Fig. 3 right", "best values", {"D6_n": "9"}, "geometry-cache, ReobsSpatial: printed without a dagger"),
        ("Fig. 4", "without", {"D3": "0.1"}, "VisSpatial, VisState: printed 0.97"),
    ],
)
def test_one_changed_number_is_named(
    tmp_path: Path, label: str, what: str, changes: dict[str, str], named: str
) -> None:
    before, after = line(checked(tmp_path), label, what), line(checked(tmp_path, **changes), label, what)
    assert after.verdict == "contradicts"
    assert not [text for text in before.differing if named in text]
    assert [text for text in after.differing if named in text]


def test_families_of_another_venue_are_named(tmp_path: Path) -> None:
    found = line(check_lines(PAPER, write_release(tmp_path / "release")), "Fig. 3 left", "shares")
    assert (found.verdict, found.count) == ("contradicts", "0 of 18")
    assert "Domestic, Domestic indoor: printed 32 %, counted 100.0 %" in found.differing


def test_a_model_that_is_missing_or_too_many_is_named(tmp_path: Path) -> None:
    lines = [row | {"model_id": "gen4c"} if row["model_id"] == "gen3c" else row for row in made_lines()]
    differing = line(check_lines(PAPER, write_release(tmp_path / "release", lines)), "Table 2", "cells").differing
    assert "Gen3C, Avg: the results file has no gen3c" in differing
    assert "gen4c: in the results file, not in Table 2" in differing


def test_a_release_in_part_is_checked_in_part(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    (folder / RESULTS).unlink()
    lines = check_lines(PAPER, folder)
    assert line(lines, "Suite", "400 variants").verdict == "agrees"
    assert line(lines, "Fig. 4", "").remark == f"needs {RESULTS} of the release"


def _first(**changes: str) -> Callable[[Path], object]:
    def write(folder: Path) -> object:
        first, *rest = made_lines()
        return write_release(folder, [first | changes, *rest])

    return write


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "no columns": (lambda f: (f / RESULTS).write_text("a,b\n1,2\n"), "has no column model_id"),
    "empty": (lambda f: (f / RESULTS).write_text(""), "has no column"),
    "bytes": (lambda f: (f / RESULTS).write_bytes(b"\xff\xfe\x00"), "not UTF-8"),
    "folder": (lambda f: ((f / RESULTS).unlink(), (f / RESULTS).mkdir()), "cannot read it: Is a directory"),
    "word": (_first(D2="high"), "line 2: D2 is 'high'"),
    "nan": (_first(D2="nan"), "not a number from 0 to 1"),
    "large": (_first(D2="1e300"), "not a number from 0 to 1"),
    "negative count": (_first(D2_n="-4"), "D2_n is '-4', not a count"),
    "digit of another script": (_first(D2_n="²"), "not a count"),
    "twice": (_first(model_id="gen3c"), "a second row for 'gen3c'"),
    "short row": (lambda f: (f / RESULTS).write_text(_cut(f)), "fields than the heading"),
    "json": (lambda f: (f / FAMILIES).write_text("{"), "families.jsonl:1: not as the release has it"),
    "deep json": (lambda f: (f / FAMILIES).write_text("[" * 100_000), "families.jsonl:1: not as the release has it"),
    "list": (lambda f: (f / FAMILIES).write_text("[]"), "families.jsonl:1: not as the release has it"),
    "field": (lambda f: (f / VARIANTS).write_text('{"family_id": 3}'), "event_delta: Field required"),
    "no lines": (lambda f: (f / VARIANTS).write_text("\n\n"), "has no lines"),
}


def _cut(folder: Path) -> str:
    heading, first, *_ = (folder / RESULTS).read_text().splitlines()
    return f"{heading}\n{first.rpartition(',')[0]}\n"


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_release_is_an_error_that_says_where(tmp_path: Path, kind: str) -> None:
    write, said = BAD[kind]
    folder = write_release(tmp_path / "release")
    write(folder)
    with pytest.raises(UsageError) as error:
        read_release(folder)
    assert said in str(error.value)
    done = call("published", "wrbench", "--check", "--release", str(folder))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_results_file_that_breaks_off_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    whole = (folder / RESULTS).read_text()
    for end in range(0, len(whole), 397):
        (folder / RESULTS).write_text(whole[:end])
        try:
            lines = check_lines(PAPER, folder)
        except UsageError:
            continue
        assert line(lines, "Table 2", "cells").agreeing != 200


def _strange(row: Line) -> Line:
    return row | {"model_id": "a [bold]b[/bold] \x1b[31m<script> | *c*"}


def test_foreign_text_stays_text(tmp_path: Path) -> None:
    lines = check_lines(PAPER, write_release(tmp_path / "release", [*made_lines(), _strange(made_lines()[0])]))
    text, page = check_text(lines), markdown_table(check_table(lines, "wrbench"))
    assert "a [bold]b[/bold] [31m<script> | *c*" in text
    assert "\x1b" not in text + page
    assert r"&lt;script&gt; \| \*c\*" in page


def test_the_summary_counts_lines_by_verdict() -> None:
    lines = [CheckLine("a", "b", "agrees"), CheckLine("a", "c", "printed only"), CheckLine("d", "e", "agrees")]
    assert summary(lines) == "3 lines: 2 agrees, 1 printed only"
    assert check_text(lines).splitlines()[0] == "a"


def test_the_check_is_the_same_in_every_form(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    asked = ("published", "wrbench", "--check", "--release", str(folder))
    told = json.loads(call(*asked, "--json").stdout)
    assert [one["what"] for one in told] == [one.what for one in check_lines(PAPER, folder)]
    assert {one["verdict"] for one in told} >= {"agrees", "contradicts", "printed only", "layout only"}
    for form in ("terminal", "markdown", "latex", "csv"):
        done = call(*asked, "--format", form)
        assert (done.returncode, done.stderr) == (0, "")
        assert "200 of 200" in done.stdout
