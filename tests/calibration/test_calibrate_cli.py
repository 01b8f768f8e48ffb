"""`lookaway calibrate` as a person calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import call
from tests.test_suites import row, suite_folder


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--world", "diorama-mni"], "did you mean diorama-mini"),
        (["--world", "diorama-mini", "--faults", "forzen"], "no fault named 'forzen'; did you mean frozen?"),
        (["--world", "diorama-mini", "--metrics", "psnr_retuned"], "did you mean psnr_returned"),
        (["--world", "diorama-mini", "--protocols", "question"], "did you mean questions"),
        (
            ["--world", "diorama-mini", "--protocols", "questions", "--metrics", "psnr_all:sound"],
            "in none of the protocols",
        ),
        (["--world", "diorama-mini", "--set", "gate.model=x"], "no judge has this role"),
        (["--world", "diorama-mini", "--judge", "scriptd:x"], "did you mean scripted"),
        (["--world", "./lamp"], "has no known world; calibrate needs one, such as diorama-mini"),
    ],
)
def test_a_wrong_request_exits_with_two_and_writes_nothing(arguments: list[str], hint: str, tmp_path: Path) -> None:
    folder = tmp_path / "lamp"
    folder.mkdir()
    suite_folder(folder, row())
    done = call("calibrate", *arguments, "--out", "cal", cwd=tmp_path)
    assert hint in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "cal").exists()


def test_help_names_the_quotas(tmp_path: Path) -> None:
    said = call("calibrate", "--help", cwd=tmp_path).stdout
    for option in (
        "--world",
        "--out",
        "--faults",
        "--metrics",
        "--protocols",
        "--judge",
        "--per-fault",
        "--per-harmless",
        "--workers",
    ):
        assert option in said
