"""Broken files and impossible names: one line that says where and what next, never a traceback."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from lookaway.records import Score
from lookaway.store import Run
from tests.command import invoke
from tests.generators.test_baselines import suite_of

CASE = "a/held-first-frame/0"
VERBS = {
    "run": lambda run: ("run", "--out", str(run.root)),
    "report": lambda run: ("report", str(run.root)),
    "show": lambda run: ("show", str(run.root), CASE),
    "stage analyse": lambda run: ("stage", "analyse", str(run.root)),
}
BOMB = "[" * 100_000
LONG, NUL = "n" * 300, "a\0b"


@pytest.fixture
def run(small_run: Path, tmp_path: Path) -> Run:
    shutil.copytree(small_run, tmp_path / "run")
    return Run(tmp_path / "run")


def one_line(said: str, *names: str) -> None:
    """What was said ends in one error line, and it names the file."""
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, said
    assert "Traceback" not in said
    assert len(errors[0]) < 1000
    for name in names:
        assert name in errors[0]


# ---------------------------------------------------------------- run folders


def compacted(run: Run, change: Callable[[bytes], bytes]) -> str:
    path = run.compact("scores", Score)
    path.write_bytes(change(path.read_bytes()))
    return path.name


def parquet(run: Run, data: bytes) -> str:
    (run.log_folder("scores") / "0.parquet").write_bytes(data)
    return "0.parquet"


def other_table(run: Run) -> str:
    pl.DataFrame({"a": [1]}).write_parquet(run.log_folder("scores") / "0.parquet")
    return "0.parquet"


def half_a_table(run: Run) -> str:
    table = pl.DataFrame({"key": ["k"], "inputs": ["i"], "attempt": [0]})
    table.write_parquet(run.log_folder("scores") / "0.parquet")
    return "0.parquet"


def line(run: Run, text: str | bytes, stage: str = "clips") -> str:
    path = run.log_folder(stage) / "9-other.jsonl"
    path.write_bytes((text.encode() if isinstance(text, str) else text) + b"\n")
    return path.name


def loop(path: Path) -> str:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(path.name)
    return path.name


def a_file(path: Path) -> str:
    shutil.rmtree(path)
    path.write_text("x")
    return path.name


def plan(run: Run, text: str) -> str:
    (run.root / "run.json").write_text(text)
    return "run.json"


ENVELOPE = '"key":"k","inputs":"i","attempt":0'
RUN_ATTACKS: dict[str, Callable[[Run], str]] = {
    "truncated Parquet": lambda run: compacted(run, lambda data: data[: len(data) // 2]),
    "a byte of Parquet flipped": lambda run: compacted(run, lambda data: data[:40] + b"\xff" + data[41:]),
    "Parquet of garbage": lambda run: parquet(run, b"garbage" * 999),
    "Parquet of nothing": lambda run: parquet(run, b""),
    "Parquet that only looks like it": lambda run: parquet(run, b"PAR1" + bytes(99) + b"PAR1"),
    "Parquet of another table": other_table,
    "Parquet of half a table": half_a_table,
    "Parquet that is a loop": lambda run: loop(run.log_folder("scores") / "0.parquet"),
    "a line that is a list": lambda run: line(run, "[1, 2]"),
    "a line that is a number": lambda run: line(run, "7"),
    "a line that is null": lambda run: line(run, "null"),
    "a line that is no UTF-8": lambda run: line(run, b'{"key":"\xff"}'),
    "a line that is a bomb": lambda run: line(run, BOMB),
    "a line that is a bomb of objects": lambda run: line(run, '{"key":' * 100_000),
    "a line without a key": lambda run: line(run, '{"inputs":"i","attempt":0}'),
    "a line without an attempt": lambda run: line(run, '{"key":"k","inputs":"i"}'),
    "a line without inputs": lambda run: line(run, '{"key":"k","attempt":0}'),
    "a key that is a list": lambda run: line(run, '{"key":[],"inputs":"i","attempt":0}'),
    "an attempt that is a word": lambda run: line(run, '{"key":"k","inputs":"i","attempt":"0"}'),
    "an attempt that is true": lambda run: line(run, '{"key":"k","inputs":"i","attempt":true}'),
    "inputs that are a number": lambda run: line(run, '{"key":"k","inputs":5,"attempt":0}'),
    "a line of another record": lambda run: line(run, f'{{{ENVELOPE},"colour":"red"}}'),
    "a log that is a loop": lambda run: loop(run.log_folder("clips") / "9.jsonl"),
    "a log that is a folder": lambda run: (run.log_folder("clips") / "9.jsonl").mkdir() or "9.jsonl",
    "a folder of logs that is a loop": lambda run: loop(run.log_folder("clips")),
    "a folder of logs that is a file": lambda run: a_file(run.log_folder("clips")),
    "a plan that is a bomb": lambda run: plan(run, BOMB),
    "a plan that is a list": lambda run: plan(run, "[]"),
    "a plan with a bomb inside": lambda run: plan(run, '{"suite":' + '{"a":' * 100_000),
    "a plan that is a loop": lambda run: loop(run.root / "run.json"),
    "a plan that names a path with NUL": lambda run: plan(run, '{"suite":"/a\\u0000b","suite_version":"1"}'),
    "a plan that names too long a path": lambda run: plan(run, f'{{"suite":"/{LONG}","suite_version":"1"}}'),
}
FOR_ALL_SCORES = ("report", "stage analyse", "run")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("attack", RUN_ATTACKS)
def test_a_broken_run_folder_is_told_in_one_line(attack: str, verb: str, run: Run) -> None:
    name = RUN_ATTACKS[attack](run)
    code, said = invoke(*VERBS[verb](run))
    if attack == "a plan that is a loop" and verb == "run":
        assert code == 2
        one_line(said)
        return
    if code == 0:
        assert verb == "show"  # it reads only what it needs
        return
    assert code in (1, 2)
    one_line(said, name if not attack.startswith("a plan that names") else "")


@pytest.mark.parametrize(
    "text",
    [
        '{"inputs":"i","attempt":0}',
        f"{{{ENVELOPE}}}",
        f'{{{ENVELOPE},"task":"a","seed":"x"}}',
        f'{{{ENVELOPE},"task":{{}},"value":"x"}}',
        "[1]",
        "7",
        BOMB,
    ],
)
def test_a_table_of_scores_is_refused_when_a_line_is_no_score(text: str, run: Run) -> None:
    name = line(run, text, "scores")
    for verb in ("stage analyse", "report"):
        code, said = invoke(*VERBS[verb](run))
        assert code == 1
        one_line(said, name)
    assert invoke("admin", "compact", str(run.root))[0] == 1
    assert (run.log_folder("scores") / name).exists()


@pytest.fixture
def read_only(small_run: Path, tmp_path: Path) -> Iterator[Run]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"needs leave to mount a disk: {made.stderr.strip()}")
    shutil.copytree(small_run, folder / "run")
    (folder / "run" / "detection.json").write_text("{}")
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
    yield Run(folder / "run")
    subprocess.run(["umount", folder], check=True)


def test_a_run_folder_that_is_read_only_can_be_read_and_says_why_not_written(read_only: Run, tmp_path: Path) -> None:
    for verb in ("show", "stage analyse"):
        assert invoke(*VERBS[verb](read_only))[0] == 0
    root = str(read_only.root)
    suite = str(suite_of(tmp_path / "greys", "a"))
    for arguments in (
        *(VERBS[verb](read_only) for verb in ("run", "report")),
        ("admin", "compact", root),
        ("stage", "score", root, "--fresh"),
        ("admin", "forget", root, "--model", "held-first-frame"),
        ("run", "--suite", suite, "--models", "held-first-frame", "--out", str(read_only.root.parent / "new")),
    ):
        code, said = invoke(*arguments)
        assert code == 1, (arguments, said)
        one_line(said, root.removesuffix("/run"), "Read-only file system")


# ---------------------------------------------------------------- files and names given on the command line


@pytest.mark.parametrize(
    "text",
    [
        f"a = {BOMB}",
        "a = " + "{a = " * 100_000,
        "a = " + "[" * 2000 + "]" * 2000,
        "a" + ".a" * 2_000 + " = 1",
        "[" + "a." * 2_000 + "a]",
        "a = 1" + "\0",
    ],
    ids=["arrays", "tables", "closed arrays", "dotted keys", "dotted table", "NUL"],
)
def test_toml_that_goes_too_deep_is_told_in_one_line(text: str, run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text(text)
    suite = suite_of(tmp_path / "greys", "a")
    (suite / "suite.toml").write_text(text)
    new = str(tmp_path / "new")
    for arguments, name in (
        (("run", "--out", str(run.root), "--models", str(bad)), "bad.toml"),
        (("run", "--out", str(run.root), "--protocols", str(bad)), "bad.toml"),
        (("run", "--suite", str(suite), "--models", "held-first-frame", "--out", new), "suite.toml"),
        (("plan", "--suite", str(suite), "--models", "held-first-frame"), "suite.toml"),
    ):
        code, said = invoke(*arguments)
        assert code == 2, said
        one_line(said, name)


@pytest.mark.parametrize("text", [BOMB, '{"id":' * 100_000, "[" * 600 + "]" * 600, "7", '{"id":' + BOMB + "}"])
def test_a_row_of_a_suite_that_goes_too_deep_is_told_in_one_line(text: str, tmp_path: Path) -> None:
    suite = suite_of(tmp_path / "greys", "a")
    with (suite / "tasks.jsonl").open("a") as file:
        file.write(f"\n{text}\n")
    code, said = invoke("run", "--suite", str(suite), "--models", "held-first-frame", "--out", str(tmp_path / "new"))
    assert code == 2
    one_line(said, "tasks.jsonl:2")


@pytest.mark.parametrize("text", [BOMB, '{"a":' * 100_000])
def test_other_json_that_goes_too_deep_is_told_in_one_line(text: str, run: Run, tmp_path: Path) -> None:
    answers, path = tmp_path / "answers.jsonl", tmp_path / "poses.json"
    answers.write_text(text)
    path.write_text(text)
    code, said = invoke("stage", "judge", str(run.root), "--judge", f"scripted:{answers}")
    assert code == 2
    one_line(said, "answers.jsonl")
    code, said = invoke("camera", "show", str(path))
    assert code == 2
    assert "Traceback" not in said
    code, said = invoke("run", "--out", str(run.root), "--set", f"view.note={text[:90_000]}")
    assert code in (0, 2)


@pytest.mark.parametrize("name", [LONG, NUL, f"/{LONG}", f"x/{NUL}", f"{LONG}.toml", f"{NUL}.toml"])
def test_impossible_names_are_told_in_one_line(
    name: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root, suite = str(run.root), str(suite_of(tmp_path / "greys", "a"))
    (tmp_path / "videos").mkdir()
    ingest = ("ingest", "videos", "--suite", suite, "--model", "x", "--out", root)
    before = sorted(tmp_path.iterdir())
    for arguments in (
        ("run", "--suite", name, "--models", "held-first-frame", "--out", "new"),
        ("run", "--suite", suite, "--models", name, "--out", "new"),
        ("run", "--suite", suite, "--models", "held-first-frame", "--out", name),
        ("run", "--suite", suite, "--models", "held-first-frame", "--protocols", name, "--out", "new"),
        ("run", "--out", name),
        ("plan", "--suite", name, "--models", name),
        ("report", name),
        ("stage", "analyse", name),
        ("admin", "compact", name),
        ("stage", "score", name),
        ("show", name, CASE),
        ("show", root, name),
        ("show", root, f"a/{name}/0"),
        ("show", root, CASE, "--strip", name),
        ("show", root, CASE, "--metric", name),
        ("tasks", name),
        ("ingest", name, *ingest[2:]),
        (*ingest, "--map", name),
        ("stage", "judge", root, "--judge", f"scripted:{name}"),
    ):
        code, said = invoke(*arguments)
        assert code in (1, 2), (arguments, said)
        one_line(said)
    assert sorted(tmp_path.iterdir()) == before


def test_loops_of_links_are_told_in_one_line(run: Run, tmp_path: Path) -> None:
    suite, videos = suite_of(tmp_path / "greys", "ab"), tmp_path / "videos"
    loop(tmp_path / "loop")
    end = ("--models", "held-first-frame", "--out", str(tmp_path / "new"))
    for arguments in (
        ("run", "--suite", f"{tmp_path}/loop", *end),
        ("run", "--suite", str(suite), "--models", "held-first-frame", "--out", f"{tmp_path}/loop"),
        ("run", "--suite", str(suite), "--models", f"{tmp_path}/loop/x.toml", "--out", str(tmp_path / "new")),
        ("report", f"{tmp_path}/loop"),
        ("show", f"{tmp_path}/loop", CASE),
        ("stage", "analyse", f"{tmp_path}/loop"),
        ("ingest", f"{tmp_path}/loop", "--suite", str(suite), "--model", "x", "--out", str(run.root)),
    ):
        code, said = invoke(*arguments)
        assert code in (1, 2), said
        one_line(said, "loop")
    shutil.copytree(suite, videos)
    loop(videos / "a.mp4")
    (videos / "again").symlink_to(videos)
    code, said = invoke("ingest", str(videos), "--suite", str(suite), "--model", "x", "--out", str(tmp_path / "new"))
    assert code == 1
    assert "unreadable a/x/0" in said
    assert "1 ambiguous" not in said
    for name in ("a.mp4", "a.png", "tasks.jsonl", "suite.toml"):  # the first frame is looked at before the true clip
        loop(suite / name)
        code, said = invoke("run", "--suite", str(suite), *end)
        assert code == 2
        one_line(said, name)
