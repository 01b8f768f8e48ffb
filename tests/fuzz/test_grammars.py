"""What is well formed is read as it was meant, and any text, bytes or JSON at all is taken or refused with a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookaway.geometry.cover import parse_cover
from lookaway.geometry.moves import MOST_DEG, MOST_M, VERBS
from lookaway.geometry.script import duration, parse
from lookaway.judges.estimators.structured import structured
from tests.fuzz.driving import Tally, Target, take
from tests.fuzz.targets import TARGETS
from tests.judges.replies import FORM

MANY = int(os.environ.get("LOOKAWAY_FUZZ_INPUTS", "5000"))
ONE_FOLDER = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large)
FEW = settings(max_examples=15, suppress_health_check=ONE_FOLDER, derandomize=True, database=None)
LONG = settings(max_examples=MANY, suppress_health_check=ONE_FOLDER, database=None)

seconds = st.floats(0.01, 100).map(lambda value: round(value, 3))
turns = st.builds(
    lambda verb, way, size, lasts: (
        f"{verb}:{VERBS[verb].more if way else VERBS[verb].less}:"
        f"{min(size, MOST_M if VERBS[verb].unit == 'metres' else MOST_DEG)}@{lasts}s"
    ),
    st.sampled_from(sorted(VERBS)),
    st.booleans(),
    st.floats(0.01, 700).map(lambda value: round(value, 2)),
    seconds,
)
holds = seconds.map(lambda lasts: f"hold@{lasts}s")
scripts = st.lists(st.one_of(turns, holds), min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
anything = st.one_of(
    st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")),
    json_values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
)  # fmt: skip
rows = [
    st.fixed_dictionaries({"id": st.just(id), "answer": st.sampled_from(("yes", "no")), "count": st.integers(-99, 99)})
    for id in ("1", "2", "3")
]
replies = st.fixed_dictionaries(
    {
        "seen": st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40).filter(str.strip),
        "progressed": st.booleans(),
        "how": st.sampled_from(("slow", "fast")),
        "answers": st.tuples(*rows).map(list),
    }
)


@FEW
@given(scripts)
def test_a_camera_script_lasts_as_long_as_its_moves(moves: list[str]) -> None:
    script = ", ".join(moves)
    assert len(parse(script)) == len(moves)
    assert duration(script) == pytest.approx(sum(float(move.partition("@")[2][:-1]) for move in moves))


@FEW
@given(st.lists(st.tuples(st.sampled_from(("close", "open")), seconds), min_size=1, max_size=6))
def test_a_cover_script_lasts_as_long_as_its_moves(steps: list[tuple[str, float]]) -> None:
    plan = parse_cover(", ".join(f"curtain:{way}@{lasts}s" for way, lasts in steps))
    assert plan.duration == pytest.approx(sum(lasts for _, lasts in steps))
    assert plan.shares[-1] == (1.0 if steps[-1][0] == "close" else 0.0)


@FEW
@given(replies, st.sampled_from(("{}", "```json\n{}\n```", "```\n{}```", "<think>is it?</think>{}", "Here it is: {}")))
def test_a_whole_reply_is_read_as_it_was_said(values: dict[str, Any], around: str) -> None:
    found = structured([(around.replace("{}", json.dumps(values)), "complete")], FORM)
    if found.status != "ok":  # what was seen may itself hold fences, braces or thoughts
        assert any(sign in values["seen"] for sign in ("`", "{", "}", "<"))
        return
    assert found.fields == values
    assert found.choice == ("yes" if values["progressed"] else "no")


def always_taken_or_refused(target: Target, folder: Path, how_often: settings) -> None:
    attempt = target.opens(folder)

    @how_often
    @given(anything)
    def holds(data: bytes) -> None:
        tally = Tally()
        take(attempt, data, tally)
        assert not tally.failures, tally.failures

    holds()


@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_anything_at_all_is_taken_or_refused(target: Target, tmp_path: Path) -> None:
    always_taken_or_refused(target, tmp_path, FEW)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))
def test_anything_at_all_is_taken_or_refused_however_often(target: Target, tmp_path: Path) -> None:
    always_taken_or_refused(target, tmp_path, LONG)
