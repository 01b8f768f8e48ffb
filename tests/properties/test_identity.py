"""Whoever looked, whatever was asked and whoever was run: any difference is another key."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookaway.records import Ask, Instrument, ModelCard, Record, System, together

TEXT = st.text(max_size=8)
SETTINGS = st.dictionaries(TEXT, st.one_of(TEXT, st.integers(-5, 5), st.booleans()), max_size=3)
MEMBER = st.builds(Instrument, kind=st.just("observer"), plugin=TEXT, version=st.integers(0, 3), settings=SETTINGS)
INSTRUMENTS = st.builds(
    Instrument,
    kind=st.sampled_from(["observer", "judge", "rater", "ensemble"]),
    plugin=TEXT,
    version=st.integers(0, 3),
    model=TEXT,
    settings=SETTINGS,
    members=st.lists(MEMBER, max_size=2).map(tuple),
    passport=TEXT,
)
ASKS = st.builds(
    Ask,
    prompt=TEXT,
    variant=TEXT,
    role=st.sampled_from(["scorer", "gate", "verifier", "writer"]),
    about=st.sampled_from(["clip", "first_frame", "truth", "failure"]),
    frames=TEXT,
    window=TEXT,
    reference=st.booleans(),
    showing=TEXT,
    beside=TEXT,
    given=st.one_of(st.none(), st.builds(Ask, prompt=TEXT)),
    wordings=st.lists(TEXT, max_size=3).map(tuple),
    samples=st.one_of(st.none(), st.integers(1, 3)),
    votes=TEXT,
    bank=TEXT,
)


@given(INSTRUMENTS, INSTRUMENTS)
def test_instruments_share_a_key_exactly_when_they_are_equal(one: Instrument, other: Instrument) -> None:
    assert (one.key == other.key) == (one.model_dump_json() == other.model_dump_json())


@given(ASKS, ASKS)
def test_asks_share_a_key_exactly_when_they_are_equal(one: Ask, other: Ask) -> None:
    assert (one.key == other.key) == (one == other)


CHANGES: dict[type[Record], dict[str, Any]] = {
    Instrument: {
        "kind": "judge",
        "plugin": "other",
        "version": 9,
        "model": "other weights",
        "settings": {"every": 3},
        "members": (Instrument(kind="observer", plugin="member"),),
        "passport": "a fingerprint",
    },
    Ask: {
        "prompt": "other@1",
        "variant": "other",
        "role": "gate",
        "about": "truth",
        "frames": "uniform:3",
        "window": "returned@replay",
        "reference": True,
        "beside": "truth",
        "given": Ask(prompt="before@1"),
        "showing": "shuffled",
        "wordings": ("b",),
        "samples": 5,
        "votes": "unanimous",
        "bank": "b" * 32,
    },
}
PLAIN: dict[type[Record], Record] = {
    Instrument: Instrument(kind="observer", plugin="view", version=1),
    Ask: Ask(prompt="question@1"),
}


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind in CHANGES for field in kind.model_fields])
def test_a_difference_in_any_one_field_is_another_key(kind: type[Record], field: str) -> None:
    plain = PLAIN[kind]
    changed = plain.model_copy(update={field: CHANGES[kind][field]})
    assert changed.key != plain.key  # type: ignore[attr-defined]


def test_who_looks_together_is_one_instrument_and_the_order_is_told() -> None:
    a, b = (Instrument(kind="observer", plugin=name, version=1) for name in "ab")
    both = together([a, b])
    assert both is not None
    assert both.label == "a@1+b@1"
    assert len({both.key, a.key, b.key, getattr(together([b, a]), "key", "")}) == 4
    assert together([a]) == a
    assert together([]) is None


CARD = ModelCard(name="mine", summary="", control="poses", generator="command", settings={"steps": 20})


@pytest.mark.parametrize(
    "change",
    [
        {"checkpoint": "step-2000"},
        {"card": CARD.model_copy(update={"settings": {"steps": 4}})},
        {"card": CARD.model_copy(update={"fps": 8.0})},
        {"name": "other"},
    ],
)
def test_another_checkpoint_or_setting_is_another_system(change: dict[str, Any]) -> None:
    plain = System(name="mine", card=CARD)
    assert plain.model_copy(update=change).key != plain.key
    described = CARD.model_copy(update={"summary": "in other words", "licence": "MIT"})
    assert plain.model_copy(update={"card": described}).key == plain.key, "what only describes makes no other system"
