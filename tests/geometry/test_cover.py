"""Cover scripts."""

from __future__ import annotations

import numpy as np
import pytest

from lookaway.errors import UsageError
from lookaway.geometry.cover import cover_in_words, parse_cover

CURTAIN = "hold@1s, curtain:close@0.5s, hold@1.5s, curtain:open@0.5s, hold@1s"


def test_a_cover_comes_stays_and_goes() -> None:
    plan = parse_cover(CURTAIN)
    assert (plan.kind, plan.duration) == ("curtain", 4.5)
    assert plan.share_at(np.array([0, 1, 1.25, 1.5, 3, 3.25, 3.5, 9])).tolist() == [0, 0, 0.5, 1, 1, 0.5, 0, 0]


def test_a_cover_may_stop_half_way() -> None:
    plan = parse_cover("cardboard:lower:40@1s, hold@1s, cardboard:lift@1s")
    assert plan.share_at(np.array([1.5])).tolist() == [0.4]
    assert "40% of the way" in cover_in_words("cardboard:lower:40@1s, cardboard:lift@1s")


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("hold@1s, blanket:close@1s", "character 10 .* unknown cover 'blanket'"),
        ("curtain:lower@1s", "goes close or open, not 'lower'"),
        ("curtain:close:140@1s", "140 % is more than all the way"),
        ("curtain:close@0s", "'0' is not a positive number"),
        ("curtain:close@1.2.3s", "not a positive number"),
        ("curtain:close", "cannot read 'curtain:close'"),
        ("hold@1s", "at least one"),
        ("curtain:close@1s, lights:off@1s", "one kind of cover a script"),
    ],
)
def test_a_wrong_script_is_told_where(script: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        parse_cover(script)


def test_words_name_every_step() -> None:
    assert cover_in_words("hold@1s, lights:off@0.2s, hold@2s, lights:on@0.2s") == (
        "For 1 seconds everything stays like this, then within 0.2 seconds all lights go out, then for 2 seconds "
        "everything stays like this, then within 0.2 seconds the lights come back on."
    )
