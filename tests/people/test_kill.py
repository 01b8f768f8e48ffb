"""A server that is killed loses nothing that it acknowledged, and counts nothing twice."""

from __future__ import annotations

from pathlib import Path

from tests.people.load import found, loaded, many_pairs


def test_what_was_acknowledged_is_kept_once_however_often_the_server_dies(tmp_path: Path) -> None:
    study = many_pairs(tmp_path / "study", 8)
    load = loaded(study, raters=8, kills=2)
    after = found(study, load)
    assert (load.kills, len(load.kept)) == (2, 128)
    assert load.sent_again > 0, "nobody noticed the kills"
    assert (after.lost, after.doubled, after.rows) == (0, 0, 128)
