"""Protocols from files and single metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway import protocols
from lookaway.errors import UnknownName, UsageError


def test_a_protocol_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('summary = "mine"\nmetrics = ["object_return"]\nheadline = ["object_return"]\n')
    assert protocols.load(str(path)).metrics == ("object_return",)
    assert protocols.load(str(path)).name == "mine"
    path.write_text('summary = "mine"\nmetrics = ["object_return"]\nhedline = []\n')
    with pytest.raises(UsageError, match=r"mine.toml: not a protocol.*"):
        protocols.load(str(path))
    path.write_text('name = "other"\nsummary = "mine"\nmetrics = []\nheadline = []\n')
    with pytest.raises(UsageError, match="leave `name` out"):
        protocols.load(str(path))
    builtin = tmp_path / "diorama.toml"
    builtin.write_text('summary = "x"\nmetrics = []\nheadline = []\n')
    with pytest.raises(UsageError, match="give the file another name"):
        protocols.load(str(builtin))
    with pytest.raises(UsageError, match="cannot read this protocol"):
        protocols.load(str(tmp_path / "none.toml"))


def test_a_single_metric_is_a_protocol() -> None:
    assert protocols.load("metric:object_return").headline == ("object_return",)
    with pytest.raises(UnknownName, match="did you mean object_return"):
        protocols.load("metric:object_retrun")


def test_a_metric_of_several_variants_is_taken_by_one() -> None:
    assert protocols.load("metric:camera_controllability:paper").metrics == ("camera_controllability:paper",)
    with pytest.raises(UsageError, match="write camera_controllability:paper or camera_controllability:sound"):
        protocols.load("metric:camera_controllability")


@pytest.mark.parametrize("name", protocols.names())
def test_no_score_is_read_without_the_flag_of_an_inactive_camera(name: str) -> None:
    assert "camera_inactivity" in protocols.load(name).metrics
