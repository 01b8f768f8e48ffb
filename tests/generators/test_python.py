"""A callable in this process gets the request and its media, and nothing of the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookaway.generators.python import VideoRequest, lend, python
from tests.generators.commissions import FRAMES, SIZE, commission


@pytest.fixture
def given(tmp_path: Path) -> VideoRequest:
    """What a callable gets."""
    received: list[VideoRequest] = []

    def model(request: VideoRequest) -> list[np.ndarray]:
        received.append(request)
        return [request.image()]

    lend("m", model)
    python(commission(tmp_path, "python", {}))
    return received[0]


def test_a_callable_gets_what_the_request_says_and_what_its_hashes_name(given: VideoRequest, tmp_path: Path) -> None:
    asked = commission(tmp_path / "again", "python", {}).request
    assert given.model_dump() == asked.model_dump()
    assert given.key == asked.key
    assert given.image().shape == (SIZE[1], SIZE[0], 3)
    assert (given.image() == 90).all()
    path = given.trajectory()
    assert path is not None
    assert len(path) == given.frames == FRAMES
    assert given.prefix_clip() is None
    assert given.control_files()
    assert all(file.is_file() for file in given.control_files().values())


def test_a_request_for_another_size_shows_its_first_frame_at_that_size(given: VideoRequest) -> None:
    assert given.model_copy(update={"width": 32, "height": 24}).image().shape == (24, 32, 3)


def test_a_callable_is_not_handed_the_task_or_the_truth(given: VideoRequest) -> None:
    assert not {"task", "true_clips", "card", "workdir"} & set(dir(given))
