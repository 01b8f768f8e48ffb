"""What `make test` leaves to `make test-worlds` is named by file or test, and every name is of one that exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import FIRST_PARAMETER, LONG_TESTS, SHORT

HERE = Path(__file__).parent


@pytest.mark.parametrize("named", [*FIRST_PARAMETER, *LONG_TESTS, *SHORT])
def test_a_long_or_short_test_exists(named: str) -> None:
    file, _, test = named.partition("::")
    assert (HERE / file).exists()
    assert not test or f"def {test}(" in (HERE / file).read_text()


def test_a_short_test_is_one_of_a_long_file() -> None:
    assert {named.partition("::")[0] for named in SHORT} <= set(LONG_TESTS)
