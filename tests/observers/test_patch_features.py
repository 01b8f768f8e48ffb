"""Which frames the learned features are taken of; the features themselves are tested in tests/learned."""

from __future__ import annotations

import pytest

from lookaway.errors import UnknownName
from lookaway.observers.patch_features import sampled


def test_a_long_clip_is_spread_unless_the_released_rule_is_chosen() -> None:
    ours, released = sampled(241, 24.0, "rate"), sampled(241, 24.0, "released")
    assert len(ours) == len(released) == 24
    assert [index % 8 for index in released] == [0] * 24, "taken from three a second"
    assert any(index % 8 for index in ours), "spread over all frames"


def test_an_unknown_frame_rule_is_told() -> None:
    with pytest.raises(UnknownName, match="no frame rule named 'relesed'; did you mean released"):
        sampled(241, 24.0, "relesed")
