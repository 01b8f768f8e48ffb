"""Workers in processes of their own do what one in this process would do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lookaway.executors import Group, Site
from lookaway.executors.local import local

NAME = "LOOKAWAY_TEST_OF_WORKERS"


def told(jobs: list[int]) -> tuple[int, str, str, int]:
    return jobs[0], os.environ.get(NAME, "not set"), str(Path.cwd()), os.getpid()


def asked() -> list[tuple[int, str, str, int]]:
    return sorted(local(told, [Group([k]) for k in (1, 2, 3)], Site(2)))


def test_workers_have_the_environment_and_folder_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for word in ("first", "second"):  # the process that workers are forked from knows the first only
        (tmp_path / word).mkdir()
        monkeypatch.chdir(tmp_path / word)
        monkeypatch.setenv(NAME, word)
        answers = asked()
        assert [answer[:3] for answer in answers] == [(k, word, str(tmp_path / word)) for k in (1, 2, 3)]
        assert os.getpid() not in {answer[3] for answer in answers}
    monkeypatch.delenv(NAME)
    assert {answer[1] for answer in asked()} == {"not set"}


def modules(jobs: list[int]) -> list[str]:
    return sorted(sys.modules)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each worker imports by itself")
def test_workers_start_with_what_takes_long_to_import() -> None:
    for known in local(modules, [Group([1]), Group([2])], Site(2)):
        assert {"cv2", "scipy.spatial.transform", __name__} <= set(known)


INTERRUPTED_AT_START = """
import multiprocessing.forkserver as server, os, signal
from lookaway.executors import Group, Site
from lookaway.executors.local import local

told_its_number = server.read_signed

def interrupted(pipe):
    server.read_signed = told_its_number
    TOLD
    return told_its_number(pipe)

server.read_signed = interrupted
try:
    list(local(str, [Group([1]), Group([2])], Site(2)))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers start in another way")
@pytest.mark.parametrize("told", ["os.kill(os.getpid(), signal.SIGINT)", "os.killpg(0, signal.SIGINT)"])
def test_an_interrupt_while_workers_start_leaves_none_behind(told: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_AT_START.replace("TOLD", told)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, start_new_session=True)
    assert (ended.stdout, ended.stderr) == ("interrupted\n", ""), "a worker that nobody waits for says what it misses"
