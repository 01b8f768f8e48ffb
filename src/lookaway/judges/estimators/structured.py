"""A structured reply read against its form: every field, exact counts, one more try, else invalid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lookaway.judges.estimators.repair import load_object
from lookaway.judges.estimators.thinking import Unreadable
from lookaway.judges.estimators.verdict import Verdict
from lookaway.judges.frames import SentFrame
from lookaway.judges.prompting.forms import Field, Form, Rows
from lookaway.records import Choice, Finish

TRIES = 2
LONGEST_REASON = 1000  # characters


@dataclass(frozen=True)
class FormValues:
    """Values that keep the form, and which repairs it took to read them."""

    values: dict[str, Any]
    repairs: tuple[str, ...] = ()


def read(text: str, finish: Finish, form: Form) -> FormValues | Unreadable:
    """The reply's values, or what is wrong with it."""
    loaded = load_object(text, finish)
    if isinstance(loaded, Unreadable):
        return Unreadable(_short(loaded.reason))
    wrong = problems(loaded.value, form)
    return Unreadable(_short("; ".join(wrong))) if wrong else FormValues(loaded.value, loaded.repairs)


def _short(reason: str) -> str:
    """A reason repeats words of the reply and goes into the next prompt, so it may not grow with the reply."""
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]}…"


def structured(said: Sequence[tuple[str, Finish]], form: Form) -> Verdict:
    """The first reply that keeps the form. Without one, `invalid`: never a default."""
    reasons = []
    for text, finish in said[:TRIES]:
        reading = read(text, finish, form)
        if isinstance(reading, FormValues):
            note = f"repaired: {', '.join(reading.repairs)}" if reading.repairs else ""
            return Verdict("structured", "ok", _choice(reading.values, form), note, fields=reading.values)
        reasons.append(reading.reason)
    return Verdict("structured", "invalid", reason=" | then: ".join(reasons) or "no reply")


def _choice(values: dict[str, Any], form: Form) -> Choice | None:
    if not form.decided_by:
        return None
    return "yes" if any(values[name] for name in form.decided_by) else "no"


def row_values(values: dict[str, Any], form: Form, field: str) -> dict[str, Any]:
    """One field of every row, by id."""
    assert form.rows is not None
    return {row["id"]: row[field] for row in values[form.rows.name]}


def with_seconds(values: dict[str, Any], form: Form, frames: Sequence[SentFrame]) -> dict[str, Any]:
    """The values with `seconds` in every row about a frame; those of a form without such rows as they are.

    `frames` are all that were shown: one more than there are rows where a reference frame went ahead.
    """
    rows = form.rows
    if rows is None or not rows.about_frames or rows.name not in values:
        return values
    ahead = len(frames) - len(rows.ids)
    if ahead not in (0, 1):
        raise ValueError(f"{len(frames)} frames and {len(rows.ids)} rows: no telling which row is about which frame")
    seconds = {row: frame.seconds for row, frame in zip(rows.ids, frames[ahead:], strict=True)}
    return values | {rows.name: [row | {"seconds": seconds[row["id"]]} for row in values[rows.name]]}


def may_ask_again(said: Sequence[tuple[str, Finish]], form: Form) -> str | None:
    """What to tell the judge in its one further try; None when there is nothing to gain or no try left."""
    if len(said) != 1:
        return None
    reading = read(*said[0], form)
    return reading.reason if isinstance(reading, Unreadable) else None


def second_prompt(prompt: str, reason: str) -> str:
    """The same question again, with what was wrong with the first reply."""
    return f"{prompt}\n\nAn earlier reply could not be used: {reason}. Reply again, in exactly the form asked for."


def problems(value: dict[str, Any], form: Form) -> list[str]:
    """Everything in which an object differs from its form; empty when it keeps it."""
    rows = form.rows
    names = [field.name for field in form.fields] + ([rows.name] if rows is not None else [])
    wrong = _wrong_names(value, names, "") + _wrong_values(value, form.fields, "")
    if rows is None or rows.name not in value:
        return wrong
    listed = value[rows.name]
    if not isinstance(listed, list) or not all(isinstance(row, dict) for row in listed):
        return [*wrong, f"{rows.name} must be a list of objects"]
    if len(listed) != len(rows.ids):
        wrong.append(f"{rows.name} has {len(listed)} rows, not {len(rows.ids)}")
    ids = [row.get("id") for row in listed]
    if ids != list(rows.ids):
        wrong.append(f"{rows.name} has the ids {ids}, not {list(rows.ids)}")
    for row in listed:
        where = f" of {row.get('id')}"
        wrong += _wrong_names(row, ["id", *(field.name for field in rows.fields)], where)
        wrong += _wrong_values(row, rows.fields, where)
    return wrong + _unbalanced(listed, rows)


def _unbalanced(listed: Sequence[dict[str, Any]], rows: Rows) -> list[str]:
    """Options of the balanced choice that too many or too few rows take."""
    options = next((field.options for field in rows.fields if field.name == rows.balanced), ())
    taken = [row.get(rows.balanced) for row in listed]
    counts = {option: taken.count(option) for option in options}
    if len(set(counts.values())) < 2:
        return []
    told = ", ".join(f"'{option}' {count} times" for option, count in counts.items())
    return [f"{rows.balanced} is {told}, and each is wanted as often as the others"]


def _wrong_names(value: dict[str, Any], names: Sequence[str], where: str) -> list[str]:
    missing = [f"field {name}{where} is missing" for name in names if name not in value]
    return missing + [f"unknown field {name}{where}" for name in value if name not in names]


_KEEPS: dict[str, Callable[[Any, Field], bool]] = {
    "boolean": lambda value, field: isinstance(value, bool),
    "choice": lambda value, field: isinstance(value, str) and value in field.options,
    "integer": lambda value, field: isinstance(value, int) and not isinstance(value, bool),
    "text": lambda value, field: isinstance(value, str) and bool(value.strip()),
}


def _wrong_values(value: dict[str, Any], fields: Sequence[Field], where: str) -> list[str]:
    return [
        f"{field.name}{where} is no {field.kind}"
        for field in fields
        if field.name in value and not _KEEPS[field.kind](value[field.name], field)
    ]
