"""MemoBench's printed tables: their marks and sums, what the text says of them, and what only its release can tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from lookaway.published import CheckLine, Paper, absent_tables, published_tables, read_paper
from lookaway.published.memobench.check import check_lines
from lookaway.published.memobench.leaders import leaders, seconds
from lookaway.published.memobench.release import BANKS, FAILURES, REAL, SYNTHETIC, read_release
from lookaway.records import Table
from lookaway.reports.drawing.marks import with_marks
from tests.command import call
from tests.published.made_memobench import write_release

PAPER = read_paper("memobench")


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


def table(name: str, release: Path | None = None) -> Table:
    (found,) = [one for one in published_tables(PAPER, release) if one.name == name]
    return found


def changed(table_name: str, title: str, **cells: str) -> Paper:
    """The paper with some cells of a row printed otherwise."""
    rows = tuple(
        dataclasses.replace(row, cells={**row.cells, **cells}) if row.title == title else row
        for row in PAPER.rows[table_name]
    )
    return dataclasses.replace(PAPER, rows={**PAPER.rows, table_name: rows})


# ---------------------------------------------------------------- tables


def test_thirteen_tables_and_two_radars_stand_in_the_papers_order() -> None:
    labels = [one.title.partition(":")[0] for one in published_tables(PAPER)]
    assert labels == [
        *(f"Table {n}" for n in (1, 2, 3)),
        *(f"Table S{n}" for n in range(1, 11)),
        *("Fig. S17a", "Fig. S17b"),
    ]


def test_the_best_and_second_are_over_all_ten_models() -> None:
    marked = with_marks(table("table2"), "whole", sparse_compete=True)
    for place, column in enumerate(marked.columns):
        found = [mark for row in marked.rows for mark in row.cells[place].marks]
        assert sorted(found) == ["best", "second"], column.name


def test_a_radar_has_the_numbers_of_its_table() -> None:
    for radar, source in (("fig-s17a", "table2"), ("fig-s17b", "table3")):
        assert table(radar).shape == "radar"
        assert [row.cells for row in table(radar).rows] == [row.cells for row in table(source).rows]


def test_rows_of_one_system_share_their_model_card() -> None:
    ids = {row.title: row.id for name in ("table2", "table3", "table-s1") for row in PAPER.rows[name]}
    assert len(set(ids.values())) == 10
    short = {row.id for name in ("table-s5", "table-s6", "table-s8") for row in PAPER.rows[name]}
    assert short == set(ids.values()) - {ids["HunyuanWorldPlay"], ids["HunyuanGameCraft"]}


def test_what_the_release_tells_is_not_here_without_it(tmp_path: Path) -> None:
    without = {one.label: one.why for one in absent_tables(PAPER, published_tables(PAPER))}
    assert without["Fig. S1a"] == f"needs {SYNTHETIC} of the release"
    made = published_tables(PAPER, write_release(tmp_path / "release"))
    assert not {"Fig. 3", "Fig. S1a"} & {one.label for one in absent_tables(PAPER, made)}


def test_scenes_paths_and_questions_are_counted_in_the_release(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release")
    counts = {
        name: {row.title: row.cells[0].value for row in table(name, release).rows}
        for name in ("fig-s1a", "table-s2-counted", "fig3")
    }
    assert counts["fig-s1a"] == {"Barn": 2, "Yard": 1}
    assert counts["table-s2-counted"] == {"Pan L→R": 2, "Pan R→L": 1, "Tilt U→D": 1, "U-turn": 2, "other": 1}
    assert [*counts["fig3"].values()] == [24, 23, 18, 16]
    assert table("fig3", release).shape == "funnel"


def test_always_yes_passes_the_positive_questions(tmp_path: Path) -> None:
    notes = table("fig3", write_release(tmp_path / "release", kept=(3, 5, 8, 13, 14))).notes
    assert any("instruction 1.000, things 0.000, memory 0.500" in note for note in notes)


# ---------------------------------------------------------------- the paper by itself


@pytest.mark.parametrize(
    ("label", "what", "count"),
    [
        ("Table 2", "underlined", "10 of 10"),
        ("Table 3", "underlined", "4 of 4"),
        ("Table S1", "seconds", "10 of 10"),
        ("Table S1", "model cards", "30 of 30"),
        ("Table S6", "rounding", "24 of 24"),
        ("Table S7", "temperature", "5 of 5"),
        ("Table S9", "adds", "4 of 4"),
        ("Fig. 4", "720", "1 of 1"),
        ("Text", "ORS of 0.6", "10 of 10"),
        ("Text", "quoted", "13 of 13"),
        ("Suite", "196 + 164", "3 of 3"),
    ],
)
def test_the_paper_agrees_with_itself(label: str, what: str, count: str) -> None:
    found = line(check_lines(PAPER, None), label, what)
    assert (found.verdict, found.count) == ("agrees", count)


@pytest.mark.parametrize(
    ("label", "what", "named"),
    [
        ("Table S6", "beside them", ["SVC, SSIM", "Matrix-Game2, SSIM", "Wan2.2, PSNR", "LTX-Video, PSNR"]),
        ("Table S1", "A.2", ["FantasyWorld, resolution: A.2 says 336x592", "Open-SoRA, resolution"]),
        ("Fig. 4", "96", ["no count of 96"]),
        ("Text", "ORS of 0.4", ["HunyuanWorldPlay: 0.582"]),
        ("Text", "below average", ["instruction: 49.7"]),
        ("Text", "what ORS", ["Reappearance", "Revisit"]),
        ("Text", "80 clips", ["CogVideoX: 45", "CogVideoX: 86", "196"]),
        ("Table S8", "part of Table 2", ["LingBot-World: Table 2 has 37.4"]),
    ],
)
def test_the_paper_contradicts_itself(label: str, what: str, named: list[str]) -> None:
    found = line(check_lines(PAPER, None), label, what)
    assert found.verdict == "contradicts"
    assert len(found.differing) == len(named)
    assert all(text in told for text, told in zip(named, found.differing, strict=True))


def test_camera_control_is_three_numbers_and_not_reproducible() -> None:
    found = line(check_lines(PAPER, None), "Table S5", "CamCtrl")
    assert found.verdict == "not reproducible"
    assert "CogVideoX: 12.0 in Table 2, 83.32 in S5, 31.15 in S8" in found.differing
    assert len(found.differing) == 8


def test_the_printed_rows_give_another_rank_correlation() -> None:
    found = line(check_lines(PAPER, None), "Table S8", "Spearman")
    # Ranks by error are 1 to 8; by score, best first: 2, 1, 4, 3, 7, 5, 6, 8. Squared differences sum to 10.
    assert found.verdict == "not reproducible"
    assert f"{-(1 - 6 * 10 / (8 * 63)):.3f}" in found.differing[0]


@pytest.mark.parametrize(
    ("table_name", "title", "cells", "label", "what", "named"),
    [
        ("table2", "CogVideoX", {"ORS": "0.400"}, "Table 2", "underlined", "ORS: LingBot-World underlined"),
        ("table2", "Wan2.2", {"PSNR": "16.00"}, "Table 2", "leads in fidelity", "PSNR: Wan2.2"),
        ("table-s6", "SVC", {"PSNR_drop": "4.22"}, "Table S6", "rounding", "SVC, PSNR: printed 4.22"),
        ("table-s1", "CogVideoX", {"fps": "8"}, "Table S1", "seconds", "CogVideoX: printed 5.1 s"),
        ("table-s1", "CogVideoX", {"fps": "8"}, "Table S1", "model cards", "CogVideoX, fps"),
        ("table-s2", "U-turn", {"clips": "67"}, "Suite", "196 + 164", "Synthetic: text 196"),
        ("table-s7", "tau = 0.05", {"kendall_tau": "0.990"}, "Table S7", "temperature", "tau = 0.05"),
        ("table-s10", "Real", {"teleport": "99"}, "Table S10", "commonest", "Real: teleport"),
        ("table-s9", "5B w/ V-frame", {"PSNR": "13.9"}, "Table S9", "adds", "5B, PSNR: says 4.2"),
    ],
)
def test_one_changed_number_is_named(
    table_name: str, title: str, cells: dict[str, str], label: str, what: str, named: str
) -> None:
    assert not [text for text in line(check_lines(PAPER, None), label, what).differing if named in text]
    found = line(check_lines(changed(table_name, title, **cells), None), label, what)
    assert [text for text in found.differing if named in text]


def test_whom_the_text_calls_first_or_last_is_so_in_the_tables() -> None:
    assert [one.what for one in leaders(PAPER) if one.verdict != "agrees"] == []


def test_a_tie_for_second_is_two_seconds() -> None:
    found = seconds(changed("table3", "Wan2.2", instruction="61.6"), "table3")
    assert found.differing == ("instruction: HunyuanWorldPlay underlined, HunyuanWorldPlay, Wan2.2 second",)


def test_every_table_and_figure_of_the_paper_has_a_line() -> None:
    labels = {one.label for one in check_lines(PAPER, None)}
    assert labels >= {one.label for one in PAPER.layouts.printed} | {one.label for one in PAPER.layouts.absent}
    assert labels >= {"Fig. S17a", "Fig. S17b"}


# ---------------------------------------------------------------- against the release


def test_without_a_release_each_check_of_it_says_which_file_it_needs() -> None:
    needing = [one for one in check_lines(PAPER, None) if one.verdict == "needs a file"]
    assert {one.remark for one in needing} == {
        f"needs {file} of the release" for file in (REAL, SYNTHETIC, FAILURES, BANKS)
    }


def test_kept_questions_that_a_failure_passes_are_counted(tmp_path: Path) -> None:
    found = line(check_lines(PAPER, write_release(tmp_path / "release")), "Question bank", "penalise")
    assert (found.verdict, found.count) == ("contradicts", "2 of 18")
    assert found.differing == ("16 of 18 kept questions pass on the failure clip",)
    assert found.remark.startswith("0 of 1 banks")


def test_a_bank_that_keeps_only_what_a_failure_fails_agrees(tmp_path: Path) -> None:
    found = line(check_lines(PAPER, write_release(tmp_path / "release", kept=(2, 3))), "Question bank", "penalise")
    assert (found.verdict, found.differing) == ("agrees", ())


def test_other_counts_than_the_printed_ones_are_named(tmp_path: Path) -> None:
    lines = check_lines(PAPER, write_release(tmp_path / "release"))
    assert line(lines, "Table S2", "real-world").differing[0] == "Pan L→R: printed 56, by the prompts 2"
    assert line(lines, "Fig. S1a", "14").differing == ("the file has 2",)
    assert line(lines, "Suite", "164 clips").differing == ("the file has 4",)
    assert "1 clips of 1 scenes" in line(lines, "Table 3", "360").differing[0]


def test_a_release_in_part_is_checked_in_part(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    (folder / REAL).unlink()
    lines = check_lines(PAPER, folder)
    assert line(lines, "Suite", "164 clips").remark == f"needs {REAL} of the release"
    assert line(lines, "Suite", "196 clips, syn").verdict == "contradicts"


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "no columns": (lambda f: (f / REAL).write_text("a,b\n1,2\n"), "has no column video_id, prompt"),
    "empty": (lambda f: (f / SYNTHETIC).write_text(""), "has no column"),
    "no rows": (lambda f: (f / REAL).write_text("video_id,prompt\n"), "has no rows"),
    "bytes": (lambda f: (f / FAILURES).write_bytes(b"\xff\xfe\x00"), "not UTF-8"),
    "short row": (lambda f: (f / REAL).write_text("video_id,prompt\n1\n"), "fields than the heading"),
    "twice": (lambda f: (f / REAL).write_text("video_id,prompt\n1,a\n1,b\n"), "lists a clip twice"),
    "no banks": (lambda f: next((f / BANKS).iterdir()).unlink(), "no file called SCENE-ID-questions.csv"),
    "bank of words": (lambda f: _bank(f, "yes"), "Start Questions: not a JSON list of questions"),
    "bank of a dict": (lambda f: _bank(f, "{}"), "not a JSON list of questions"),
    "deep": (lambda f: _bank(f, "[" * 100_000), "not a JSON list of questions"),
    "question without id": (lambda f: _bank(f, '[{""Dimension"": ""a""}]'), "ID: Field required"),
}


def _bank(folder: Path, text: str) -> None:
    path = next((folder / BANKS).iterdir())
    head = path.read_text().splitlines()[0]
    path.write_text(f'{head}\nBarn,1,"{text}",[],[],[],[]\n')


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_release_is_an_error_that_says_where(tmp_path: Path, kind: str) -> None:
    write, said = BAD[kind]
    folder = write_release(tmp_path / "release")
    write(folder)
    with pytest.raises(UsageError) as error:
        read_release(folder)
    assert said in str(error.value)
    for asked in (["--check"], []):
        done = call("published", "memobench", *asked, "--release", str(folder))
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr


# ---------------------------------------------------------------- the command


def test_every_table_is_printed_and_what_is_not_here_is_told(tmp_path: Path) -> None:
    done = call("published", "memobench", "--release", str(write_release(tmp_path / "release")))
    assert (done.returncode, done.stderr) == (0, "")
    flat = " ".join(done.stdout.split())
    assert "Fig. S1a: Synthetic clips of each scene" in flat
    assert "not here: Fig. 1" in flat
    assert "not here: Fig. 3" not in flat
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_page_has_the_best_in_bold_and_the_second_slanted() -> None:
    said = call("published", "memobench", "--table", "table2", "--format", "markdown").stdout
    (row,) = [text for text in said.splitlines() if text.startswith("| LTX-Video")]
    assert "**84.4**" in row
    assert "| *65.2* |" in next(text for text in said.splitlines() if text.startswith("| Stable Virtual Camera"))


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    done = call("published", "memobench", "--check", "--release", str(tmp_path))
    assert done.returncode == 2
    assert "holds neither synthetic_metadata.csv" in done.stderr
