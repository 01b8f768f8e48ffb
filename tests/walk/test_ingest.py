"""Bring any folder: everything found or missing is named, and no bad file stops the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway.errors import UnknownName, UsageError
from lookaway.images import png_bytes, read_image
from lookaway.pipeline import plans
from lookaway.pipeline.clips import current_clips
from lookaway.pipeline.mapping import map_folder
from lookaway.records import Board, Clip, Score
from lookaway.store import Run
from lookaway.video import encode
from tests.command import invoke
from tests.test_suites import row, suite_folder

TASKS = ["parlour0_ball_left", "parlour0_ball_left_long", "workshop1_filling_right"]


def touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    return folder


def matched(folder: Path, **how: object) -> dict[tuple[str, int], str]:
    mapping = map_folder(folder, TASKS, **how)
    return {slot: path.relative_to(folder).as_posix() for slot, path in mapping.matched.items()}


def test_names_are_guessed(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left.mp4", "parlour0_ball_left_long_3.webm", "gen/workshop1_filling_right/seed2.mov")
    assert matched(tmp_path) == {
        ("parlour0_ball_left", 0): "parlour0_ball_left.mp4",
        ("parlour0_ball_left_long", 3): "parlour0_ball_left_long_3.webm",
        ("workshop1_filling_right", 2): "gen/workshop1_filling_right/seed2.mov",
    }


def test_folders_of_frames_are_videos_too(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left/0001.png", "parlour0_ball_left/0002.png", "notes.txt")
    assert matched(tmp_path) == {("parlour0_ball_left", 0): "parlour0_ball_left"}


def test_a_pattern_is_obeyed(tmp_path: Path) -> None:
    touch(tmp_path, "run-7_workshop1_filling_right.mp4", "workshop1_filling_right.mp4")
    assert matched(tmp_path, pattern="run-{seed}_{task}.mp4") == {
        ("workshop1_filling_right", 7): "run-7_workshop1_filling_right.mp4"
    }
    with pytest.raises(UsageError, match=r"must contain \{task\}"):
        map_folder(tmp_path, TASKS, pattern="*.mp4")
    with pytest.raises(UnknownName, match="did you mean task"):
        map_folder(tmp_path, TASKS, pattern="{task}_{tsk}.mp4")


def test_a_map_is_obeyed_and_its_mistakes_are_named(tmp_path: Path) -> None:
    touch(tmp_path, "a.mp4", "b.mp4")
    table = tmp_path / "map.csv"
    table.write_text("video,task,seed\na.mp4,parlour0_ball_left,1\n")
    mapping = map_folder(tmp_path, TASKS, map_file=table)
    assert list(mapping.matched) == [("parlour0_ball_left", 1)]
    assert [p.name for p in mapping.unmatched] == ["b.mp4"]
    for wrong, complaint in {
        "video,task\na.mp4,parlour0_bal_left\n": r"map.csv:2: no task named .* did you mean parlour0_ball_left",
        "video,task\nc.mp4,parlour0_ball_left\n": r"map.csv:2: no file 'c.mp4'",
        "video,task,seed\na.mp4,parlour0_ball_left,x\n": r"map.csv:2: seed 'x'",
        "file,id\na.mp4,parlour0_ball_left\n": r"columns video,task",
    }.items():
        table.write_text(wrong)
        with pytest.raises(UsageError, match=complaint):
            map_folder(tmp_path, TASKS, map_file=table)


def test_two_files_for_one_task_are_ambiguous_and_neither_is_taken(tmp_path: Path) -> None:
    touch(tmp_path, "parlour0_ball_left.mp4", "copy/parlour0_ball_left.mp4", "holiday.mp4")
    mapping = map_folder(tmp_path, TASKS)
    assert mapping.matched == {}
    assert len(mapping.ambiguous["parlour0_ball_left", 0]) == 2
    assert [p.name for p in mapping.unmatched] == ["holiday.mp4"]
    assert ("workshop1_filling_right", 0) in mapping.without_video
    assert "2 files claim this task" in mapping.why_missing("parlour0_ball_left", 0)


def light_suite(folder: Path, count: int) -> tuple[Path, list[str]]:
    """A folder suite whose tasks cost nothing to build."""
    names = [f"scene{i}_lamp" for i in range(count)]
    rows = [row(id=name, scene=name) for name in names]
    folder.mkdir()
    return suite_folder(folder, *rows), names


def test_bad_files_become_rows_with_reasons(tmp_path: Path) -> None:
    suite, names = light_suite(tmp_path / "suite", 9)
    good, empty, cut, text, single, odd, frames, folder_cut, _ = names
    videos, out = tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    first = read_image(suite / "first.png")
    encode([first] * 30, videos / f"{good}.mp4", 16)
    whole = (videos / f"{good}.mp4").read_bytes()
    (videos / f"{empty}.mp4").write_bytes(b"")
    (videos / f"{cut}.mp4").write_bytes(whole[: len(whole) // 2])
    (videos / f"{text}.mp4").write_text("this is not a video")
    encode([first], videos / f"{single}.mp4", 16)
    encode([first[:91, :161]] * 20, videos / f"{odd}.mp4", 16)
    for name in (frames, folder_cut):
        (videos / name).mkdir()
        for i in range(6):
            (videos / name / f"{i}.png").write_bytes(png_bytes(first))
    (videos / folder_cut / "3.png").write_bytes(b"torn")
    (videos / "holiday.mp4").write_bytes(whole)
    arguments = ["ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out)]
    code, said = invoke(*arguments, "--dry-run")
    assert "8 matched, 1 unmatched videos, 1 tasks without a video, 0 ambiguous" in said
    assert not out.exists()
    code, said = invoke(*arguments)
    assert code == 1, said
    clips = {c.case.task: c for c in Run(out).latest("clips", Clip).values()}
    for broken in (empty, cut, text, folder_cut):
        assert clips[broken].status == "unreadable", broken
        assert broken in clips[broken].reason
        assert f"unreadable {broken}/x/0" in said
    assert {clips[n].status for n in (good, single, odd, frames)} == {"ok"}
    assert clips[frames].fps == 16.0  # no fps.txt: the task's rate, and it says so
    assert "the task's rate" in clips[frames].provenance.note
    assert clips[names[-1]].status == "missing"
    code, said = invoke("run", "--out", str(out))
    assert code == 0, said
    away = {s.task: s for s in Run(out).latest("scores", Score).values() if s.metric == "turned_away"}
    assert (away[good].status, away[good].value) == ("ok", 0.0)
    assert away[empty].status == away[names[-1]].status == "no_output"
    assert "0 bytes" in away[empty].reason
    assert away[single].status == "abstained"
    page = (out / "report.html").read_text()
    assert "0 bytes" in page


def test_a_changed_video_is_taken_in_again_and_replaces_its_row(tmp_path: Path) -> None:
    suite, (name,) = light_suite(tmp_path / "suite", 1)
    videos, out = tmp_path / "videos", tmp_path / "run"
    videos.mkdir()
    first = read_image(suite / "first.png")
    for length in (10, 14):
        encode([first] * length, videos / f"{name}.mp4", 16)
        code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
        assert code == 0, said
        (clip,) = Run(out).latest("clips", Clip).values()
        assert clip.frames == length


def test_a_folder_stands_for_all_of_a_models_videos_unless_it_is_added(tmp_path: Path) -> None:
    suite, names = light_suite(tmp_path / "suite", 2)
    out = tmp_path / "run"
    first = read_image(suite / "first.png")
    for folder, name in (("one", f"{names[0]}_480.mp4"), ("two", f"{names[0]}.mp4"), ("three", f"{names[1]}.mp4")):
        (tmp_path / folder).mkdir()
        encode([first] * 8, tmp_path / folder / name, 16)

    def take_in(folder: str, *more: str) -> dict[str, str]:
        arguments = ["ingest", str(tmp_path / folder), "--suite", str(suite), "--model", "x", "--out", str(out), *more]
        code, said = invoke(*arguments)
        assert code == 0, said
        run = Run(out)
        return {str(c.case): c.status for c in current_clips(run, plans.load(run))}

    assert take_in("one") == {f"{names[0]}/x/480": "ok", f"{names[1]}/x/480": "missing"}
    assert invoke("run", "--out", str(out))[0] == 0
    assert take_in("two") == {f"{names[0]}/x/0": "ok", f"{names[1]}/x/0": "missing"}
    assert take_in("three", "--add") == {f"{names[0]}/x/0": "ok", f"{names[1]}/x/0": "ok"}
    assert invoke("run", "--out", str(out))[0] == 0
    board = Board.model_validate_json((out / "board.json").read_text())
    assert board.cell("x", "turned_away").n == 2  # the withdrawn clips' scores no longer count


def test_odd_lengths_are_told_and_sizes_are_no_seeds(tmp_path: Path) -> None:
    suite, names = light_suite(tmp_path / "suite", 2)
    videos = tmp_path / "videos"
    videos.mkdir()
    first = read_image(suite / "first.png")
    encode([first] * 65, videos / f"{names[0]}.mp4", 16)
    encode([first] * 20, videos / f"{names[1]}_832x480.mp4", 16)
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(tmp_path / "run"))
    assert code == 0
    assert f"note {names[1]}/x/0: lasts 1.25 s, the task 4.00 s" in said
    assert f"note {names[0]}/x/0" not in said


def test_long_lists_are_cut_and_the_summary_stands_last(tmp_path: Path) -> None:
    suite, names = light_suite(tmp_path / "suite", 50)
    videos = touch(tmp_path / "videos", *(f"{name.upper()}.mp4" for name in names[:30]))
    encode([read_image(suite / "first.png")] * 20, videos / f"{names[0]}.mp4", 16)
    out = tmp_path / "my run"
    _, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(out))
    lines = [line for line in said.splitlines() if not line.startswith(("tasks: ", "ingest: "))]
    assert lines[-2] == "1 matched, 30 unmatched videos, 49 tasks without a video, 0 ambiguous"
    assert lines[-1] == f"next: lookaway run --out '{out}'"
    assert sum("unmatched video " in line for line in lines) == 20
    assert [line.strip() for line in lines if "more" in line] == ["… and 10 more", "… and 29 more"]
    assert "did you mean scene1_lamp?" in said
