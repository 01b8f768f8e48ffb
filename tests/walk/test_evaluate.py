"""The Python door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lookaway
from lookaway.errors import UnknownName, UsageError
from lookaway.generators.python import VideoRequest


def still(request: VideoRequest) -> list[np.ndarray]:
    """A model that never moves: the first frame, held."""
    assert request.prompt
    path = request.trajectory()
    assert path is not None
    assert len(path) == request.frames
    return [request.image()] * request.frames


def test_a_callable_is_evaluated_and_a_still_image_is_gated() -> None:
    board = lookaway.evaluate(still, suite="diorama-mini", only="parlour0_ball*")
    cell = board.cell("still", "object_return")
    assert (cell.n, cell.avoided, cell.value) == (1, 1, None)
    assert board.cell("still", "turned_away").value == 0.0


def test_a_callable_that_fails_costs_its_row_only(tmp_path: Path) -> None:
    def broken(request: VideoRequest) -> Path:
        raise RuntimeError("out of memory")

    with pytest.warns(UserWarning, match=r"1 of 1 clips of 'broken' failed, .*: RuntimeError: out of memory"):
        board = lookaway.evaluate(broken, only="parlour0_ball*", out=tmp_path / "run")
    assert board.cell("broken", "object_return").failed == 1
    assert "out of memory" in (tmp_path / "run" / "report.html").read_text()


def test_a_callable_may_return_a_path_and_nonsense_is_told(tmp_path: Path) -> None:
    missing = lookaway.evaluate(lambda request: "nowhere.mp4", name="m", only="parlour0_ball*", out=tmp_path / "a")
    assert missing.cell("m", "object_return").no_output == 1
    with pytest.warns(UserWarning, match="RGB frames or a path"):
        nonsense = lookaway.evaluate(lambda request: 7, name="n", only="parlour0_ball*", out=tmp_path / "a")
    assert nonsense.cell("n", "object_return").failed == 1


def test_an_unknown_name_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean truth"):
        lookaway.evaluate("truht", out=tmp_path)
    with pytest.raises(AttributeError, match="evaluat"):
        _ = lookaway.evaluat


def test_unnamed_weights_are_run_again_and_named_ones_are_not(tmp_path: Path) -> None:
    calls = []

    def counted(request: VideoRequest) -> list[np.ndarray]:
        calls.append(request.case)
        return [request.image()] * 4

    for checkpoint, expected in ((None, 1), (None, 2), ("step-100", 3), ("step-100", 3), ("step-200", 4)):
        lookaway.evaluate(counted, only="parlour0_ball*", out=tmp_path / "run", checkpoint=checkpoint)
        assert len(calls) == expected


def test_a_planted_secret_is_never_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", "sk-planted-0123456789")

    def leaky(request: VideoRequest) -> Path:
        raise RuntimeError("refused by server: Authorization: Bearer sk-planted-0123456789")

    with pytest.warns(UserWarning, match="PLANTED_API_KEY"):
        lookaway.evaluate(leaky, only="parlour0_ball*", out=tmp_path / "run")
    written = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert any(b"$PLANTED_API_KEY" in path.read_bytes() for path in written)
    assert not any(b"sk-planted" in path.read_bytes() for path in written)


def test_evaluating_one_model_never_calls_another(tmp_path: Path) -> None:
    called = []

    def one(request: VideoRequest) -> list[np.ndarray]:
        called.append(str(request.case))
        return [request.image()] * 4

    def other(request: VideoRequest) -> list[np.ndarray]:
        return [request.image()] * 4

    lookaway.evaluate(one, only="parlour0_ball*", out=tmp_path / "run", checkpoint="a")
    board = lookaway.evaluate(other, only="[pk]*_left*", out=tmp_path / "run", checkpoint="a")
    assert len(called) == 1
    assert (board.cell("one@a", "turned_away").n, board.cell("other@a", "turned_away").n) == (1, 2)


def test_boards_compare(tmp_path: Path) -> None:
    task = "parlour0_ball*"
    true = lookaway.evaluate("truth", only=task)
    frozen = lookaway.evaluate("frozen", only=task, out=tmp_path / "run")
    found = frozen.compare(true)
    assert [arm.name for arm in found.arms] == ["truth", "frozen"]
    assert found.sentences
    assert found.sentences[0].startswith("frozen and truth cannot be told apart: all pairs are of one scene")
    clock = next(one for one in found.contrasts if "world_clock" in one.name)
    assert clock.estimate == pytest.approx(1, abs=0.1), "a whole hidden duration further off"
    again = lookaway.evaluate("frozen", only=task)
    assert again.compare(frozen).alarms == ()
    with pytest.raises(UnknownName, match="did you mean frozen"):
        frozen.compare("frozn")
    read = type(frozen).model_validate_json(frozen.model_dump_json())
    with pytest.raises(UsageError, match="holds no scores"):
        read.compare(true)
