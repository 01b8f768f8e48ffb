"""`lookaway share preferences` says what is wrong with a request, and why a run has no pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import call


def test_a_run_without_any_axis_says_so_and_writes_only_the_counts(small_run: Path, tmp_path: Path) -> None:
    done = call("share", "preferences", str(small_run), "--out", str(tmp_path / "new"))
    assert done.returncode == 1
    assert "no axis was scored" in done.stderr
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["preferences.json"]
    assert json.loads((tmp_path / "new" / "preferences.json").read_text())["pairs"] == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--axes", "integrety"), "did you mean integrity?"),
        (("--margin", "integrity"), "must be AXIS=LEAD"),
        (("--margin", "integrity=0"), "must be AXIS=LEAD"),
        (("--margin", "integrity=nan"), "must be AXIS=LEAD"),
        (("--margin", "beauty=1"), "no axis named 'beauty'"),
        (("--protocols", "smal"), "did you mean small?"),
    ],
)
def test_a_wrong_request_is_refused_and_nothing_written(
    small_run: Path, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    done = call("share", "preferences", str(small_run), "--out", str(tmp_path / "new"), *options)
    assert done.returncode == 2
    assert says in done.stderr
    assert not (tmp_path / "new").exists()
