"""Odd media come to right numbers or to a named reason, and to nothing else."""

from __future__ import annotations

from pathlib import Path

import av
import pytest
from odd_media import KINDS, OddKind, wrong_with


@pytest.fixture(autouse=True)
def _quiet() -> None:
    av.logging.set_level(None)  # codecs complain about every spoilt file


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.large], ids=lambda kind: kind.name)
def test_an_odd_file_is_read_right_or_refused_with_a_reason(kind: OddKind, tmp_path: Path) -> None:
    _, wrong = wrong_with(kind, kind.make(tmp_path))
    assert not wrong


def test_more_than_a_hundred_kinds_are_tried_and_no_two_are_alike() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 100
