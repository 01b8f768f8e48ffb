"""StEvo-Bench's printed tables: which denominators are possible, and what the text says of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from lookaway.errors import UsageError
from lookaway.models import load
from lookaway.published import CheckLine, Paper, printed_table, published_tables, read_paper
from lookaway.published.stevo.agreement import chance_orders, possible_cases, yes_rates
from lookaway.published.stevo.check import check_lines
from lookaway.published.stevo.counts import PossibleVideos, possible_videos
from lookaway.published.stevo.release import RECORDS, read_release
from lookaway.records import Table
from lookaway.reports.drawing.marks import with_marks
from lookaway.stats.model_orders import order_by_chance
from tests.command import call

PAPER = read_paper("stevo")
HEADING = "task,model,progress,physics,coherence,observation,action"
ROWS = ("melt,veo3,1,1,1,1,1", "melt,gen3c,1,1,1,0,1", "melt,genie3,0,1,1,1,1", "fall,veo3,1,0,1,1,0")


def line(lines: list[CheckLine], label: str, what: str) -> CheckLine:
    (found,) = [one for one in lines if one.label == label and what in one.what]
    return found


def table(name: str, release: Path | None = None) -> Table:
    (found,) = [one for one in published_tables(PAPER, release) if one.name == name]
    return found


def changed(table_name: str, title: str, group: str = "", **cells: str) -> Paper:
    """The paper with some cells of a row printed otherwise."""
    rows = tuple(
        dataclasses.replace(row, cells={**row.cells, **cells})
        if row.title == title and group in ("", row.group)
        else row
        for row in PAPER.rows[table_name]
    )
    return dataclasses.replace(PAPER, rows={**PAPER.rows, table_name: rows})


def write_release(folder: Path, *rows: str, heading: str = HEADING) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / RECORDS).write_text("\n".join([heading, *rows]) + "\n")
    return folder


# ---------------------------------------------------------------- tables


def test_five_tables_stand_in_the_papers_order_with_what_follows_from_them() -> None:
    assert [one.name for one in published_tables(PAPER)] == [
        *("table1", "table2", "table2-counts", "table3", "table4", "table4-counts", "table4-chance"),
        *("table5", "categories"),
    ]


def test_nine_models_in_two_groups_have_cards() -> None:
    for name in ("table2", "table5"):
        assert [row.group for row in PAPER.rows[name]] == ["Video models"] * 5 + ["Camera-controlled"] * 4
        assert len({load(row.id).name for row in PAPER.rows[name]}) == 9


def test_the_higher_of_verifiers_and_people_is_bold() -> None:
    (layout,) = [one for one in PAPER.layouts.printed if one.name == "table4"]
    rows = with_marks(printed_table(PAPER, layout), layout.best).rows
    for judge, people in zip(rows[:3], rows[3:], strict=True):
        assert judge.title == people.title
        for mine, theirs in zip(judge.cells, people.cells, strict=True):
            assert (mine.marks, theirs.marks) in [(("best",), ()), ((), ("best",))]
            assert ("best" in mine.marks) == (mine.value > theirs.value)


# ---------------------------------------------------------------- possible denominators


def test_a_possible_number_of_videos_gives_every_printed_rate() -> None:
    """By counting: some whole number of n prints as each rate, for each n found and for no other."""
    for each in possible_videos(PAPER):
        row = PAPER.row("table2", each.model)
        for n in range(1, 226):
            fits = all(
                any(abs(100 * k / n - row.number(name)) <= 0.05 + 1e-9 for k in range(n + 1)) for name in row.cells
            )
            assert fits == (n in each.evolution), (each.model, n)


def test_wan_can_only_be_of_221_videos_and_cogvideox_of_216() -> None:
    found = {each.model: each for each in possible_videos(PAPER)}
    assert (found["WAN 2.2"].evolution, found["WAN 2.2"].same) == ((221,), (221,))
    assert found["CogVideoX 1.5"].same == (216,)
    assert found["HY-Video 1.5"].evolution == found["Genie 3"].evolution == ()


def test_no_more_videos_are_controlled_than_the_weaker_control_lets_pass() -> None:
    """CogVideoX hides 22.2 % of at most 225: 22.25 % are 50.06."""
    assert _videos(PAPER, "CogVideoX 1.5").most_controlled == 50
    steered = changed("table5", "WAN 2.2", observation="98.9", action="99.0")
    assert _videos(steered, "WAN 2.2").controlled == (221,)


def _videos(paper: Paper, model: str) -> PossibleVideos:
    (found,) = [each for each in possible_videos(paper) if each.model == model]
    return found


def test_the_arms_of_table_3_are_of_different_numbers_of_videos() -> None:
    found = line(check_lines(PAPER, None), "Table 3", "one number")
    assert (found.verdict, found.count) == ("agrees", "2 of 2")
    assert f"Observ. Full: {', '.join(str(13 * k) for k in range(1, 18))};" in found.remark
    assert "Observ. Control: 121, 161, 178, 201, 218;" in found.remark


def test_every_criterion_has_its_own_number_of_videos() -> None:
    found = possible_cases(PAPER)
    newest = {name: fits[-1] for name, fits in found.items()}
    assert (newest["progress"], newest["physics"], newest["coherence"]) == (179, 180, 179)
    assert found["control_success"][-2:] == [172, 174]
    assert not set.intersection(*map(set, found.values()))


def test_categories_are_shares_of_86_processes() -> None:
    found = line(check_lines(PAPER, None), "Suite", "shares")
    assert found.verdict == "agrees"
    assert "86 = 23 + 14 + 14 + 15 + 11 + 9" in found.remark
    assert "not of 225 tasks" in found.remark


# ---------------------------------------------------------------- the paper by itself


@pytest.mark.parametrize(
    ("label", "what", "count"),
    [
        ("Table 4", "progress, observation and action", "3 of 3"),
        ("Table 5", "one number", "9 of 9"),
        ("Text", "quoted", "2 of 2"),
        ("Text", "less than 10 %", "9 of 9"),
        ("Text", "less than 5 %", "4 of 4"),
        ("Text", "stall", "3 of 3"),
    ],
)
def test_the_paper_agrees_with_itself(label: str, what: str, count: str) -> None:
    found = line(check_lines(PAPER, None), label, what)
    assert (found.verdict, found.count) == ("agrees", count)


@pytest.mark.parametrize(
    ("label", "what", "named"),
    [
        ("Table 2", "one number", ["HY-Video 1.5: no number", "Genie 3: no number"]),
        ("Table 3", "averages", ["progress: printed 17.4; Table 2 gives 15.25", "8.4, and lies outside of both"]),
        ("Table 4", "MRA meets", ["physics: V-H 0.743, H-H 0.757", "coherence: V-H 0.905, H-H 0.919"]),
        ("Table 4", "lags in physics only", ["coherence: V-H 0.860, H-H 0.911"]),
        ("Table 4", "hardest", ["observation: H-H 0.659"]),
        ("Table 4", "agree least", ["ROC-AUC: progress", "MRA: physics 0.757, progress"]),
        ("Table 5", "largely", ["WAN 2.2", "HY-Video 1.5", "CogVideoX 1.5", "Lingbot"]),
        ("Text", "about 60 %", ["Veo 3: 66.5", "Sora 2 Pro: 69.7"]),
        ("Text", "Hunyuan", ["HunyuanWorld 1.0", "HY-WorldPlay"]),
    ],
)
def test_the_paper_contradicts_itself(label: str, what: str, named: list[str]) -> None:
    found = line(check_lines(PAPER, None), label, what)
    assert found.verdict == "contradicts"
    assert len(found.differing) == len(named)
    assert all(text in told for text, told in zip(named, found.differing, strict=True))


@pytest.mark.parametrize(
    ("table_name", "title", "cells", "label", "what", "named"),
    [
        ("table2", "WAN 2.2", {"progress": "7.8"}, "Table 2", "one number", "WAN 2.2: no number"),
        ("table2", "WAN 2.2", {"success": "10.0"}, "Text", "less than 10 %", "WAN 2.2: 10.0"),
        ("table2", "GEN3C", {"progress": "6.0"}, "Text", "less than 5 %", "GEN3C: 6.0"),
        ("table2", "WAN 2.2", {"progress": "20.0"}, "Text", "stall", "WAN 2.2: 20.0"),
        ("table2", "Veo 3", {"progress": "18.4"}, "Text", "quoted", "says 17, printed 18.4"),
        ("table5", "GEN3C", {"action": "49.9"}, "Table 5", "largely", "GEN3C, action: 49.9"),
        ("table5", "WAN 2.2", {"action": "76.4"}, "Table 2", "same videos", "WAN 2.2: Table 2 221"),
        ("categories", "Kinematics", {"share_pct": "16.4"}, "Suite", "shares", "no number up to 225"),
    ],
)
def test_one_changed_number_is_named(
    table_name: str, title: str, cells: dict[str, str], label: str, what: str, named: str
) -> None:
    assert not [text for text in line(check_lines(PAPER, None), label, what).differing if named in text]
    found = line(check_lines(changed(table_name, title, **cells), None), label, what)
    assert [text for text in found.differing if named in text]


def test_claims_that_would_hold_of_other_numbers_agree() -> None:
    better = changed("table4", "MRA", "V-H", physics="0.757", coherence="0.919")
    assert line(check_lines(better, None), "Table 4", "MRA meets").verdict == "agrees"
    averaged = changed("table3", "Observ. Control", progress="15.2", success="8.4")
    assert line(check_lines(averaged, None), "Table 3", "averages").verdict == "agrees"


def test_every_table_and_figure_of_the_paper_has_a_line() -> None:
    labels = {one.label for one in check_lines(PAPER, None)}
    assert labels >= {one.label for one in PAPER.layouts.printed} | {one.label for one in PAPER.layouts.absent}


# ---------------------------------------------------------------- orders by chance


def test_rare_verdicts_order_models_alike_without_looking() -> None:
    found = line(check_lines(PAPER, None), "Table 4", "never look")
    assert (found.verdict, found.count) == ("not reproducible", "4 of 6")
    assert [text.partition(":")[0] for text in found.differing] == ["progress", "success"]


def test_the_least_order_by_chance_is_the_least_over_all_rates_that_accuracy_allows() -> None:
    accuracy = {"progress": 0.795, "physics": 0.700, "success": 0.810, "action": 0.903}
    for name, agreed in accuracy.items():
        rate = yes_rates(PAPER)[name]
        allowed = [step / 40_000 for step in range(40_001) if abs(step / 40_000 - rate) <= 1 - agreed]
        alike, least = chance_orders(PAPER)[name]
        assert alike == order_by_chance(rate, rate)
        assert least == pytest.approx(min(order_by_chance(rate, other) for other in allowed), abs=1e-4)  # the steps


# ---------------------------------------------------------------- public verdicts


def test_without_the_public_verdicts_a_line_says_which_file_it_needs() -> None:
    (needing,) = [one for one in check_lines(PAPER, None) if one.verdict == "needs a file"]
    assert needing.remark == f"needs {RECORDS} of the release"


def test_other_verdicts_than_those_known_are_named(tmp_path: Path) -> None:
    lines = check_lines(PAPER, write_release(tmp_path, *ROWS))
    found = line(lines, "Project page", "44 videos")
    assert found.differing == (
        "videos: known 44, in the file 4",
        "controlled: known 20, in the file 2",
        "evolving: known 3, in the file 2",
    )
    asked = line(lines, "Project page", "controlled videos only")
    assert (asked.verdict, asked.count) == ("contradicts", "2 of 4")
    assert asked.differing[1:] == ["GEN3C, melt, without observation control"]


def test_videos_that_are_all_controlled_agree_with_the_text(tmp_path: Path) -> None:
    asked = line(check_lines(PAPER, write_release(tmp_path, ROWS[0])), "Project page", "controlled videos only")
    assert (asked.verdict, asked.count) == ("agrees", "1 of 1")


def test_public_videos_are_counted_by_both_denominators(tmp_path: Path) -> None:
    made = table("table2-shown", write_release(tmp_path, *ROWS))
    names = [column.name for column in made.columns]
    found = {row.title: dict(zip(names, [cell.value for cell in row.cells], strict=True)) for row in made.rows}
    assert [found["all"][name] for name in ("control:videos", "control:both")] == [4, 2]
    assert (found["all"]["of-all-videos:success"], found["all"]["of-controlled-videos:success"]) == (2, 1)
    assert (found["GEN3C"]["of-all-videos:success"], found["GEN3C"]["of-controlled-videos:success"]) == (1, 0)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda f: f.rmdir(), "no such folder"),
    "no file": (lambda f: None, f"holds no {RECORDS}"),
    "no columns": (lambda f: write_release(f, "1,2", heading="a,b"), "has no column task, model"),
    "empty": (lambda f: (f / RECORDS).write_text(""), "has no column"),
    "no rows": (lambda f: write_release(f), "has no rows"),
    "bytes": (lambda f: (f / RECORDS).write_bytes(b"\xff\xfe\x00"), "not UTF-8"),
    "short row": (lambda f: write_release(f, "melt,veo3,1"), "line 2: has more or fewer fields"),
    "long row": (lambda f: write_release(f, ROWS[0] + ",1"), "line 2: has more or fewer fields"),
    "word": (lambda f: write_release(f, "melt,veo3,yes,1,1,1,1"), "progress is 'yes', not 0 or 1"),
    "twice": (lambda f: write_release(f, ROWS[0], ROWS[0]), "lists a video twice"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_release_is_an_error_that_says_where(tmp_path: Path, kind: str) -> None:
    write, said = BAD[kind]
    folder = tmp_path / "release"
    folder.mkdir()
    write(folder)
    with pytest.raises(UsageError) as error:
        read_release(folder)
    assert said in str(error.value)


def test_the_command_prints_and_checks(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", *ROWS)
    for words in ([], ["--release", str(folder)], ["--check"], ["--check", "--release", str(folder)]):
        done = call("published", "stevo", *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Table 5" in done.stdout
    done = call("published", "stevo", "--check", "--release", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
