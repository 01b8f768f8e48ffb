"""Workers in processes of their own do what one in this process would do."""

from __future__ import annotations

import os
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
