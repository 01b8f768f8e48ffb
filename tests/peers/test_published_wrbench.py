"""WRBench's printed numbers against the files that its authors released."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lookaway.published import CheckLine, read_paper
from lookaway.published.wrbench.check import check_lines
from lookaway.published.wrbench.release import RESULTS
from tests.command import call

pytestmark = pytest.mark.peers
PAPER = read_paper("wrbench")


@pytest.fixture(scope="module")
def lines(peer_data: Path) -> list[CheckLine]:
    return check_lines(PAPER, peer_data / "wrbench")


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


@pytest.mark.parametrize(
    ("label", "what", "count"),
    [
        ("Table 2", "cells", "200 of 200"),
        ("Table 2", "as printed", "23 of 23"),
        ("Table 2", "own Avg", "23 of 23"),
        ("Table 2", "condition types", "23 of 23"),
        ("Totals", "outputs: 9,600", "1 of 1"),
        ("Totals", "7,500", "1 of 1"),
        ("Totals", "7,800", "1 of 1"),
        ("Totals", "700", "1 of 1"),
        ("Totals", "2,073", "1 of 1"),
        ("Fig. 3 left", "shares", "18 of 18"),
        ("Fig. 3 right", "best values", "27 of 27"),
        ("Fig. 4", "without CamAlign", "21 of 21"),
        ("Fig. 5", "pooled means", "5 of 5"),
        ("Fig. 7a", "size", "14 of 14"),
        ("Fig. 7b", "support", "16 of 16"),
        ("Table 8", "Support_pct", "1 of 1"),
        ("Text", "quoted from Table 2", "55 of 55"),
        ("Text", "quoted from Fig. 4", "6 of 6"),
        ("Text", "30 and 32", "2 of 2"),
        ("Suite", "families", "3 of 3"),
    ],
)
def test_it_agrees(lines: list[CheckLine], label: str, what: str, count: str) -> None:
    found = [one for one in lines if one.label == label and what in one.what][:1]
    assert [(one.verdict, one.count, list(one.differing)) for one in found] == [("agrees", count, [])]


def test_eight_rows_are_sparse_by_the_rule_in_print_and_in_the_file(lines: list[CheckLine]) -> None:
    daggers = line(lines, "Table 2", "daggers")
    assert (daggers.verdict, daggers.count) == ("agrees", "23 of 23")
    assert daggers.remark.startswith("8 rows")


@pytest.mark.parametrize(
    ("label", "what", "named"),
    [
        ("Table 2", "unrounded", ["Wan-Fun 2.1-14B", "Lingbot World Cam", "Hunyuan WorldPlay"]),
        ("Fig. 6b", "group", ["camera: its events average 19.65 %", "interactive: its events average 17.80 %"]),
        ("Table 8", "Integ", ["its rows average 0.7867, the outputs of the file 0.7939"]),
        ("Table 8", "VisSpatial", ["its rows average 0.7632, the outputs of the file 0.7699"]),
        ("Table 9", "Support_pct", ["its rows average 21.4, the outputs of the file 21.59"]),
        ("Text", "text and a picture", ["spatia: the file says TV2V"]),
    ],
)
def test_it_contradicts_itself(lines: list[CheckLine], label: str, what: str, named: list[str]) -> None:
    found = line(lines, label, what)
    assert found.verdict == "contradicts"
    assert len(found.differing) == len(named)
    assert all(text in told for text, told in zip(named, found.differing, strict=True))


@pytest.mark.parametrize(("label", "what"), [("Fig. 4", "with CamAlign"), ("Fig. 3 right", "best CamAlign")])
def test_the_other_form_of_camera_alignment_is_not_reproducible(lines: list[CheckLine], label: str, what: str) -> None:
    assert line(lines, label, what).verdict == "not reproducible"


def test_nothing_needs_a_file_any_more(lines: list[CheckLine]) -> None:
    assert not [one for one in lines if one.verdict == "needs a file"]


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("0.445027180451", "0.446027180451", "HyDRA, ReobsState: printed 0.445, the file has 0.44603"),
        ("0.698673268222", "0.699673268222", "Gen3C, CamPrec: printed 0.699, the file has 0.69967"),
        ("0.73,false", "0.74,false", "Gen3C, Support_pct: printed 73.0, the file has 74"),
    ],
)
def test_one_number_that_was_tampered_with_is_named(
    peer_data: Path, tmp_path: Path, old: str, new: str, named: str
) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    shutil.copyfile(peer_data / "wrbench" / RESULTS, folder / RESULTS)
    text = (folder / RESULTS).read_text()
    assert text.count(old) == 1
    (folder / RESULTS).write_text(text.replace(old, new))
    done = call("published", "wrbench", "--check", "--release", str(folder))
    assert done.returncode == 0
    assert named in done.stdout
    assert "199 of 200" in done.stdout
