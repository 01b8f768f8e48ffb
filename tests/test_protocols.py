"""Protocols from files and single metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookaway import protocols
from lookaway.errors import UnknownName, UsageError


def test_a_protocol_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('summary = "mine"\nmetrics = ["object_return"]\nheadline = ["object_return"]\n')
    assert list(map(str, protocols.load(str(path)).metrics)) == ["object_return:sound"]
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


def test_metrics_beside_what_people_are_asked_are_the_protocols_own() -> None:
    asked = [(name, ref) for name in protocols.names() for ref in protocols.load(name).axes.values()]
    assert len(asked) >= 11
    assert all(ref in protocols.load(name).metrics for name, ref in asked)


def test_a_single_metric_is_a_protocol() -> None:
    assert list(map(str, protocols.load("metric:object_return").headline)) == ["object_return:sound"]
    with pytest.raises(UnknownName, match="did you mean object_return"):
        protocols.load("metric:object_retrun")


def test_a_metric_of_several_variants_is_taken_by_one() -> None:
    (only,) = protocols.load("metric:camera_controllability:paper").metrics
    assert str(only) == "camera_controllability:paper"
    with pytest.raises(UsageError, match="write camera_controllability:paper or camera_controllability:sound"):
        protocols.load("metric:camera_controllability")


@pytest.mark.parametrize("name", protocols.names())
def test_no_score_is_read_without_the_flag_of_an_inactive_camera(name: str) -> None:
    assert "camera_inactivity:sound" in map(str, protocols.load(name).metrics)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('metrics = ["object_return"]\nheadline = ["object_return:paper"]', "no metric named 'object_return:paper'"),
        ('metrics = ["object_return:paper"]\nheadline = []', "object_return:paper"),
        ('metrics = ["cut"]\nheadline = []\n[[ledger]]\nname = "a"\nmetric = "drift"\nat_most = 1', "ledger: 'drift'"),
        ('metrics = ["cut"]\nheadline = []\n[populations.drift]\ntwins = ["static"]', "populations: 'drift'"),
        ('metrics = ["cut"]\nheadline = []\n[population.tasks]\nvenu = ["hall"]', "no field 'venu'"),
        ('metrics = ["cut"]\nheadline = []\nanalyses = ["cels"]', "no analysis named 'cels'; did you mean cells"),
        ('metrics = ["cut"]\nheadline = []\n[population.systems]\nwheels = ["4"]', "no field 'system.wheels'"),
    ],
)
def test_a_reference_that_matches_nothing_is_an_error_at_load_time(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'summary = "mine"\n{text}\n')
    with pytest.raises((UsageError, UnknownName), match=complaint):
        protocols.load(str(path))


def test_variants_are_said_in_every_place_once_a_protocol_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'summary = "mine"\nmetrics = ["cut", "camera_controllability:paper"]\n'
        'headline = ["camera_controllability:paper"]\n'
        '[[ledger]]\nname = "a"\nmetric = "cut"\nat_most = 1\n[populations.cut]\ntwins = ["static"]\n'
    )
    loaded = protocols.load(str(path))
    assert [*map(str, loaded.metrics)] == ["cut:sound", "camera_controllability:paper"]
    assert str(loaded.ledger[0].metric) == "cut:sound"
    assert list(loaded.populations) == ["cut:sound"]
    assert loaded.population_of("cut", "sound").twins == ("static",)
