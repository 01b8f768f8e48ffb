"""The same input gives the same bytes: clips, evidence and boards, in any process and in any run."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lookaway
from lookaway.metrics import METRICS
from lookaway.pipeline import plans
from lookaway.records import Observation, Reference, Score
from lookaway.store import Run, open_run
from tests.conftest import finished_run

ENCODED_IN_A_FRESH_PROCESS = """
import hashlib, sys
from pathlib import Path
from lookaway.video import decode, encode
from lookaway.video.encode import REPEATABLE
clip, folder, simd, times = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
REPEATABLE["libx264"] = REPEATABLE["libx264"] | {"x264-params": ":".join(
    filter(None, [REPEATABLE["libx264"].get("x264-params"), f"asm={simd}"]))}
frames = [frame.rgb for frame in decode(clip)]
for time in range(times):
    encode(frames, folder / f"{simd}.mp4", 16.0, crf=12)
    print(hashlib.sha256((folder / f"{simd}.mp4").read_bytes()).hexdigest())
"""
INSTRUCTION_SETS = ("auto", "auto", "auto", "sse2", "sse4", "avx2")


@pytest.fixture(scope="module")
def moving(demo_run: Path) -> Path:
    """A true clip of the known world: real, moving pictures."""
    run = open_run(demo_run)
    reference = next(iter(run.latest("references", Reference).values()))
    return run.blobs.path(reference.video)


def test_real_moving_pictures_give_one_file_in_every_process_and_instruction_set(moving: Path, tmp_path: Path) -> None:
    """The macroblock tree of x264 gave others: this test failed with it on all processors, by instruction set."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", ENCODED_IN_A_FRESH_PROCESS, moving, tmp_path, simd, "4"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for simd in INSTRUCTION_SETS
    ]
    digests = [line for process in started for line in process.communicate(timeout=300)[0].split()]
    assert len(digests) == 4 * len(INSTRUCTION_SETS)
    assert len(set(digests)) == 1


def test_all_encoding_goes_through_one_function() -> None:
    """`add_stream_from_template` copies what is encoded already."""
    package = Path(lookaway.__file__).parent
    writers = {"add_stream", "VideoWriter", "mimwrite", "get_writer", "write_video"}
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in writers
    }
    assert found == {"video/encode.py"}


def test_evidence_stands_in_the_order_in_which_a_metric_names_its_observers(demo_run: Path) -> None:
    run = open_run(demo_run)
    looked_with = {o.arrays: o.observer for o in run.latest("observations", Observation).values()}
    chosen = {protocol.name: protocol.observers for protocol in plans.load(run).protocols}
    several = 0
    for score in run.latest("scores", Score).values():
        named = METRICS.get(f"{score.metric}:{score.variant}").looks_with(chosen[score.protocol])
        order = [named.index(looked_with[arrays]) for arrays in score.evidence]
        assert order == sorted(order)
        several += len(order) > 1
    assert several


@pytest.mark.every_world  # it makes a whole run
def test_another_run_of_the_same_plan_has_the_same_board_digit_by_digit(demo_run: Path, tmp_path: Path) -> None:
    other = finished_run(tmp_path / demo_run.name, workers=2)
    assert (other / "board.json").read_bytes() == (demo_run / "board.json").read_bytes()
    logged = [
        {(s.case, s.protocol, s.metric, s.variant): s for s in Run(folder).latest("scores", Score).values()}
        for folder in (demo_run, other)
    ]
    assert logged[0] == logged[1]
