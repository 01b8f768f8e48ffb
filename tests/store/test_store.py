from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import polars as pl
import pytest

from lookaway.errors import MissingBlob, StoreError
from lookaway.records import Record, Score, Task
from lookaway.store import Blobs, Run, open_run
from tests.store.store_records import a_score, a_task


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "run")


def write(run: Run, *lines: tuple[str, Score], attempt: int = 0) -> Path:
    with run.writer("scores") as writer:
        for key, score in lines:
            writer.append(key, f"inputs of {key}", score, attempt)
    return writer.path


def test_records_come_back_as_they_went_in(run: Run) -> None:
    scores = {
        "a": a_score(value=0.1 + 0.2),
        "b": a_score(value=None, status="gated", gate="avoided", reason='said "no"\n – twice\\'),
        "c": a_score(value=1e-300, evidence=()),
    }
    write(run, *scores.items())
    assert run.latest("scores", Score) == scores
    assert run.done("scores")["b"] == (0, "inputs of b", "gated")
    tasks = {"lamp": a_task(), "cup": a_task("cup", world=None, twin_of="lamp")}
    with run.writer("tasks") as writer:
        for key, task in tasks.items():
            writer.append(key, "", task)
    assert open_run(run.root).latest("tasks", Task) == tasks


def test_a_line_is_in_the_file_before_the_writer_closes(run: Run) -> None:
    with run.writer("scores") as writer:
        writer.append("a", "", a_score())
        assert run.latest("scores", Score) == {"a": a_score()}
        assert writer.path.read_bytes().endswith(b"\n")


def test_a_writer_that_wrote_nothing_leaves_nothing(run: Run) -> None:
    with run.writer("scores"):
        pass
    assert list(run.log_folder("scores").iterdir()) == []


def test_logs_are_fsynced_on_close_and_every_twenty_seconds(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    now = [1000.0]
    monkeypatch.setattr("lookaway.store.logs.os.fsync", synced.append)
    monkeypatch.setattr("lookaway.store.logs.time.monotonic", lambda: now[0])
    with run.writer("scores") as writer:
        for seconds, times in [(0.0, 0), (19.9, 0), (20.1, 1), (39.0, 1), (40.2, 2)]:
            now[0] = 1000 + seconds
            writer.append("a", "", a_score())
            assert len(synced) == times, f"after {seconds} s"
    assert len(synced) == 3


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_last_line_is_as_if_never_written(run: Run, cut: int) -> None:
    path = write(run, ("a", a_score(value=0.25)), ("b", a_score(value=0.75)))
    path.write_bytes(path.read_bytes()[:-cut])
    assert run.latest("scores", Score) == {"a": a_score(value=0.25)}
    assert run.table("scores", Score)["value"].to_list() == [0.25]
    assert list(run.done("scores")) == ["a"]


@pytest.mark.parametrize(("kind", "record"), [(Score, a_score()), (Task, a_task())])
def test_a_broken_line_in_the_middle_is_named_by_file_and_number(run: Run, kind: type[Record], record: Record) -> None:
    with run.writer("log") as writer:
        for key in "abc":
            writer.append(key, "", record)
    lines = writer.path.read_bytes().splitlines(keepends=True)
    writer.path.write_bytes(lines[0] + lines[1][:30] + b"\n" + lines[2])
    for read in (run.latest, run.table, run.compact):
        with pytest.raises(StoreError, match=f"{writer.path.name}:2: not JSON"):
            read("log", kind)
    assert writer.path.exists()


def test_the_highest_attempt_wins_whatever_the_order(run: Run) -> None:
    write(run, ("a", a_score(value=0.9)), ("b", a_score(value=0.1)), attempt=2)
    write(run, ("a", a_score(value=0.3)), attempt=1)
    write(run, ("b", a_score(value=0.7)), attempt=3)
    assert {k: s.value for k, s in run.latest("scores", Score).items()} == {"a": 0.9, "b": 0.7}
    assert dict(run.table("scores", Score).select("key", "value").iter_rows()) == {"a": 0.9, "b": 0.7}
    assert run.done("scores")["a"].attempt == 2


def test_latest_and_table_agree_on_equal_attempts(run: Run) -> None:
    write(run, ("a", a_score(value=0.3)))
    write(run, ("a", a_score(value=0.9)))
    assert run.latest("scores", Score)["a"].value == 0.9
    assert run.table("scores", Score)["value"].to_list() == [0.9]


def test_a_folder_that_is_no_run_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a run folder"):
        open_run(tmp_path)


# ---------------------------------------------------------------- blobs


def test_a_blob_is_named_by_its_sha256_and_kept_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, appendix B.1
    assert run.blobs.put_bytes(b"abc", ".png") == known
    assert run.blobs.put_file(tmp_path / "x.bin") == known
    assert run.blobs.path(known).read_bytes() == b"abc"
    assert [p.name for p in run.blobs.root.rglob("*") if p.is_file()] == [f"{known}.png"]
    assert run.blobs.put_file(tmp_path / "x.bin", move=True) == known
    assert not (tmp_path / "x.bin").exists()


def test_a_folder_blob_depends_on_names_and_contents(run: Run, tmp_path: Path) -> None:
    names = []
    for number, files in enumerate([{"0.png": b"a"}, {"0.png": b"b"}, {"1.png": b"a"}, {"0.png": b"a"}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        names.append(run.blobs.put_file(folder))
    assert len(set(names)) == 3
    assert names[0] == names[3]
    assert {p.name: p.read_bytes() for p in run.blobs.path(names[1]).iterdir()} == {"0.png": b"b"}


def test_a_blob_gets_its_name_only_when_it_is_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", cut)
    with pytest.raises(StoreError, match="No space left"):
        run.blobs.put_bytes(b"abcdef", ".png")
    assert [p for p in run.blobs.root.rglob("*") if p.is_file()] == []


def test_a_missing_blob_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingBlob, match="no blob 0123456789ab"):
        Blobs(tmp_path).path("0123456789abcdef" * 4)


# ---------------------------------------------------------------- a full disk


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"needs leave to mount a tiny disk: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_is_said_and_costs_nothing_written_before(tiny_disk: Path) -> None:
    run = Run(tiny_disk / "run")
    ballast = tiny_disk / "ballast"
    ballast.write_bytes(bytes(20_000))
    written: list[str] = []

    def fill() -> None:
        for number in range(1000):
            writer.append(str(number), "", a_score(task=str(number)))
            written.append(str(number))

    with run.writer("scores") as writer:
        with pytest.raises(StoreError, match="everything written before is safe"):
            fill()
        assert len(written) > 20
        assert list(run.latest("scores", Score)) == written
        with pytest.raises(StoreError):
            run.blobs.put_bytes(bytes(50_000), ".png")
        ballast.unlink()
        writer.append("after", "", a_score(task="after"))
    assert list(run.latest("scores", Score)) == [*written, "after"]
    with run.writer("scores") as resumed:
        resumed.append("resumed", "", a_score(task="resumed"))
    assert run.table("scores", Score)["key"].to_list() == [*written, "after", "resumed"]


def test_a_line_that_fits_only_in_part_is_taken_back(tmp_path: Path) -> None:
    code = f"""
import resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from tests.store.store_records import a_score
from lookaway.errors import MissingBlob, StoreError
from lookaway.store import Run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
with Run(Path({str(tmp_path)!r})).writer("scores") as writer:
    try:
        for key in "abcdefgh":
            writer.append(key, "", a_score())
    except StoreError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    writer.append("later", "", a_score())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "disk full; everything written before is safe" in done.stdout
    kept = list(Run(tmp_path).latest("scores", Score))
    assert kept[-1] == "later"
    assert 1 <= len(kept) - 1 < 8


# ---------------------------------------------------------------- compaction


def files(run: Run, stage: str) -> list[str]:
    return sorted(p.suffix for p in run.log_folder(stage).iterdir())


def test_compaction_keeps_exactly_the_newest_records(run: Run) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=None, status="failed", reason="bug")))
    write(run, ("b", a_score(value=0.2)), ("c", a_score(evidence=())), attempt=1)
    for key, task in {"lamp": a_task(), "cup": a_task("cup", world=None, phases=(), tags=())}.items():
        with run.writer("tasks") as writer:
            writer.append(key, f"inputs {key}", task)
    scores, tasks = run.latest("scores", Score), run.latest("tasks", Task)
    known = run.done("scores"), run.done("tasks")
    for _ in range(2):
        run.compact("scores", Score)
        run.compact("tasks", Task)
        assert files(run, "scores") == files(run, "tasks") == [".parquet"]
        assert run.latest("scores", Score) == scores
        assert run.latest("tasks", Task) == tasks
        assert (run.done("scores"), run.done("tasks")) == known


def test_lines_written_after_compaction_count(run: Run) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=0.2)))
    run.compact("scores", Score)
    write(run, ("a", a_score(value=0.9)), attempt=1)
    assert {k: s.value for k, s in run.latest("scores", Score).items()} == {"a": 0.9, "b": 0.2}
    run.compact("scores", Score)
    assert dict(run.table("scores", Score).select("key", "value").iter_rows()) == {"a": 0.9, "b": 0.2}


def test_a_log_being_written_is_left_alone(run: Run) -> None:
    write(run, ("a", a_score()))
    with run.writer("scores") as empty, run.writer("scores") as busy:
        busy.append("b", "", a_score())
        run.compact("scores", Score)
        assert empty.path.exists()
        assert busy.path.exists()
        busy.append("c", "", a_score())
        empty.append("d", "", a_score())
    assert set(run.latest("scores", Score)) == set("abcd")


def test_a_log_not_yet_locked_by_its_writer_is_left_alone(run: Run) -> None:
    write(run, ("a", a_score()))
    about_to_lock = run.log_folder("scores") / "99999999999999999999-00000000.jsonl"
    about_to_lock.touch()
    run.compact("scores", Score)
    assert about_to_lock.exists()


def test_a_kill_between_rename_and_unlink_leaves_duplicates_that_fold(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=0.2)))
    before = run.latest("scores", Score)

    def killed(path: Path, missing_ok: bool = False) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", killed)
        with pytest.raises(KeyboardInterrupt):
            run.compact("scores", Score)
    assert files(run, "scores") == [".jsonl", ".parquet"]
    assert run.latest("scores", Score) == before
    assert run.table("scores", Score).height == 2
    run.compact("scores", Score)
    assert files(run, "scores") == [".parquet"]
    assert run.latest("scores", Score) == before


def test_a_compaction_while_the_files_are_listed_is_never_a_gap(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(run, ("a", a_score()))
    glob = Path.glob
    compacted: list[Path] = []

    def and_compact(path: Path, pattern: str) -> list[Path]:
        found = list(glob(path, pattern))
        if not compacted:
            compacted.append(path)
            monkeypatch.setattr(Path, "glob", glob)
            run.compact("scores", Score)
        return found

    monkeypatch.setattr(Path, "glob", and_compact)
    with contextlib.suppress(FileNotFoundError):  # loud is fine, empty is not
        assert "a" in run.latest("scores", Score)
    assert compacted


def test_nothing_half_compacted_is_read(run: Run) -> None:
    path = write(run, ("a", a_score()))
    (path.parent / "00000000000000000009.incoming").write_bytes(b"half a table")
    assert list(run.latest("scores", Score)) == ["a"]
    assert run.table("scores", Score).height == 1


# ---------------------------------------------------------------- clocks


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_000_000_000)


@pytest.mark.usefixtures("stopped_clock")
def test_compaction_under_a_stopped_clock_loses_nothing(run: Run) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=0.2)))
    before = run.latest("scores", Score)
    for _ in range(3):
        run.compact("scores", Score)
        assert run.latest("scores", Score) == before
    write(run, ("c", a_score(value=0.3)))
    run.compact("scores", Score)
    assert set(run.latest("scores", Score)) == set("abc")
    assert files(run, "scores") == [".parquet"]


@pytest.mark.usefixtures("stopped_clock")
def test_writers_under_a_stopped_clock_have_files_of_their_own(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uuid.uuid4", iter([uuid.UUID(int=n) for n in (7, 7, 7, 8)]).__next__)
    with run.writer("scores") as first, run.writer("scores") as second:
        first.append("a", "", a_score())
        second.append("b", "", a_score())
    assert set(run.latest("scores", Score)) == {"a", "b"}


def test_a_clock_that_goes_backwards_loses_no_row_and_makes_none_newer(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_700_000_000_000_000_000, 0, -1_000_000_000))
    monkeypatch.setattr("time.time_ns", clock.__next__)
    for number in range(4):
        write(run, ("a", a_score(value=number / 10)), (f"only {number}", a_score()), attempt=number)
        if number == 1:
            run.compact("scores", Score)
    write(run, ("a", a_score(value=0.9)), attempt=3)  # the same attempt again: the line written last
    for _ in range(2):
        assert run.latest("scores", Score)["a"].value == 0.9
        assert run.table("scores", Score).filter(key="a")["value"].to_list() == [0.9]
        assert set(run.latest("scores", Score)) == {"a", *(f"only {number}" for number in range(4))}
        run.compact("scores", Score)


@pytest.mark.parametrize("step", ["write_parquet", "fsync", "replace", "unlink"])
@pytest.mark.parametrize("compacted_before", [False, True])
def test_a_kill_at_any_step_of_a_compaction_costs_nothing(
    step: str, compacted_before: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=0.2)))
    if compacted_before:
        run.compact("scores", Score)
        write(run, ("b", a_score(value=0.9)), ("c", a_score(value=0.3)), attempt=1)
    before = run.latest("scores", Score)

    def killed(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    where = {"write_parquet": pl.DataFrame, "fsync": os}.get(step, Path)
    with monkeypatch.context() as patched:
        patched.setattr(where, step, killed)
        with pytest.raises(KeyboardInterrupt):
            run.compact("scores", Score)
    assert run.latest("scores", Score) == before
    assert run.table("scores", Score).height == len(before)
    run.compact("scores", Score)
    assert run.latest("scores", Score) == before
    assert files(run, "scores") == [".parquet"]


def test_logs_stay_when_the_compacted_file_does_not_read_back_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(run, ("a", a_score(value=0.1)), ("b", a_score(value=0.2)))
    kept = pl.DataFrame.write_parquet
    monkeypatch.setattr(pl.DataFrame, "write_parquet", lambda table, *given, **more: kept(table[:1], *given, **more))
    with pytest.raises(StoreError, match="read back"):
        run.compact("scores", Score)
    assert files(run, "scores") == [".jsonl"]
    assert set(run.latest("scores", Score)) == {"a", "b"}


def test_two_compactions_at_once_lose_nothing(run: Run) -> None:
    for key in "abcdef":
        write(run, (key, a_score()))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: Run(run.root).compact("scores", Score), range(8)))
    assert set(run.latest("scores", Score)) == set("abcdef")


def test_a_flipped_byte_in_a_compacted_log_is_noticed(run: Run) -> None:
    write(run, *((str(n), a_score(value=n / 1000)) for n in range(200)))
    path = run.compact("scores", Score)
    data = bytearray(path.read_bytes())
    for place in range(4, len(data), 97):
        path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
        for read in (run.latest, run.table):
            with pytest.raises(StoreError, match=f"{path.name}: damaged"):
                read("scores", Score)


# ---------------------------------------------------------------- one case among many


NAMES = ("lamp", "lamp_2", "Lampe/grün", 'a "quoted" name', "🪔")


def many(run: Run) -> dict[str, Score]:
    """Scores in a Parquet file and two logs, some done twice; returns what counts."""
    for attempt in range(3):
        scores = [(f"key{n}", a_score(name, value=attempt / 10)) for n, name in enumerate(NAMES)]
        write(run, *scores[attempt:], attempt=attempt)
        if attempt == 0:
            run.compact("scores", Score)
    return run.latest("scores", Score)


@pytest.mark.parametrize("name", NAMES)
def test_the_records_of_one_case_are_those_among_all(run: Run, name: str) -> None:
    every, key = many(run), f"key{NAMES.index(name)}"
    assert run.latest("scores", Score, task=name, system="truth", seed=0) == {key: every[key]}
    assert run.latest("scores", Score, key=key) == {key: every[key]}
    assert run.latest("scores", Score, task=name, seed=1) == {}


def test_a_line_written_by_other_means_is_found_however_its_text_is_escaped(run: Run) -> None:
    path = write(run, ("a", a_score("grün/lamp")))
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts, indent=None, separators=(" , ", " : ")).replace("/", "\\/") + "\n")
    assert "\\u00fc" in path.read_text()
    assert list(run.latest("scores", Score, task="grün/lamp")) == ["a"]


def test_a_line_that_lies_across_two_reads_is_found_and_a_torn_one_is_not(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(run, *((f"key{n}", a_score(f"task{n}")) for n in range(20)))
    path.write_bytes(path.read_bytes()[:-5])
    for size in (1, 7, 100, 1000, 100_000):
        monkeypatch.setattr("lookaway.store.logs.READ_BYTES", size)
        assert [list(run.latest("scores", Score, task=f"task{n}")) for n in (0, 9, 18)] == [
            ["key0"],
            ["key9"],
            ["key18"],
        ]
        assert run.latest("scores", Score, task="task19") == {}


def test_finding_one_case_does_not_read_the_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(run, *((f"key{n}", a_score(f"task{n:03d}")) for n in range(200)))
    parsed: list[bytes] = []
    loads = orjson.loads
    monkeypatch.setattr("orjson.loads", lambda line: parsed.append(line) or loads(line))
    assert list(run.latest("scores", Score, task="task007")) == ["key7"]
    assert len(parsed) == 1
