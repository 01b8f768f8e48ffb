from __future__ import annotations

import numpy as np
import pytest
from brightness_metric.metric import brightness_kept
from brightness_metric.observer import Brightness

from lookaway import Abstain
from lookaway.metrics import Case


def case(*grey: float) -> Case:
    seen = Brightness(seconds=np.arange(len(grey)) / 8, grey=np.array(grey, float))
    return Case(task=None, truth=None, seen={"brightness": seen.arrays()}, answers={})  # type: ignore[arg-type]


@pytest.mark.parametrize(("grey", "kept"), [((100, 100), 1.0), ((100, 0, 50), 0.5), ((50, 100), 0.5), ((0, 80), 0.0)])
def test_a_room_that_darkens_or_lights_up_keeps_less(grey: tuple[float, ...], kept: float) -> None:
    assert brightness_kept(case(*grey)) == kept


def test_a_black_video_has_no_brightness_to_keep() -> None:
    assert isinstance(brightness_kept(case(0, 0)), Abstain)
