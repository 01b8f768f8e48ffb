"""What an answer is made of: findings, and how they become a reply in the form that was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lookaway.judges.oracle.dials import Dials
from lookaway.judges.prompting.forms import Field, Form

CANNOT_TELL = "Cannot tell"


@dataclass(frozen=True)
class KnownAnswer:
    """What is right of one question, or one row of a form: yes, no, or why neither can be said.

    `says` is None where the evidence is not among the frames (`seen` is False) or where there is no exact answer.
    `fields` go into a structured reply, `otherwise` where the opposite is said.
    """

    says: bool | None
    why: str
    seen: bool = True
    fields: Mapping[str, object] = field(default_factory=dict)
    otherwise: Mapping[str, object] = field(default_factory=dict)

    @property
    def answerable(self) -> bool:
        return self.says is not None

    def negated(self) -> KnownAnswer:
        return self if self.says is None else KnownAnswer(not self.says, self.why)


def yes(why: str, **fields: object) -> KnownAnswer:
    return KnownAnswer(True, why, fields=fields)


def no(why: str, **fields: object) -> KnownAnswer:
    return KnownAnswer(False, why, fields=fields)


def unseen(why: str = "the frames do not show it", **fields: object) -> KnownAnswer:
    """The evidence is not among the frames."""
    return KnownAnswer(None, why, seen=False, fields=fields)


def inexact(why: str, **fields: object) -> KnownAnswer:
    """There is no exact answer: near a margin, or the question does not say."""
    return KnownAnswer(None, why, fields=fields)


KnownAnswers = KnownAnswer | list[KnownAnswer]  # one, or one for every row of the form


# ---------------------------------------------------------------- into words

# What a choice is for yes, for no, and where neither can be said; where that is not on offer, no.
CHOICES: Mapping[str, tuple[str, str, str]] = {
    "answer": ("yes", "no", "cannot tell"),
    "good_answer": ("yes", "no", "no"),
    "seen": ("in view", "out of the picture", "unclear"),
    "kind": ("in one moment", "none", "none"),
}


@dataclass(frozen=True)
class Replying:
    """How the oracle replies about one clip: what its dials make of a finding, as text."""

    form: Form
    dials: Dials
    media: str
    question: str
    sample: int = 0

    def text(self, found: KnownAnswers) -> str:
        if self.form.kind == "yes_no":
            assert isinstance(found, KnownAnswer)
            said = self._said(found, self.question)
            return CANNOT_TELL if said is None else "Yes" if said else "No"
        return json.dumps(self.values(found))

    def values(self, found: KnownAnswers) -> dict[str, Any]:
        """The fields and rows of a structured reply."""
        rows = self.form.rows
        if rows is None:
            assert isinstance(found, KnownAnswer)
            return self._filled(found, self.form.fields, self.question)
        assert isinstance(found, list)
        return {
            rows.name: [
                {"id": row, **self._filled(finding, rows.fields, f"{self.question}/{row}")}
                for row, finding in zip(rows.ids, found, strict=True)
            ]
        }

    def _said(self, found: KnownAnswer, name: str) -> bool | None:
        return None if found.says is None else self.dials.turned(found.says, self.media, name, self.sample)

    def _filled(self, found: KnownAnswer, fields: tuple[Field, ...], name: str) -> dict[str, Any]:
        said = self._said(found, name)
        known = found.fields if said == found.says else found.otherwise
        values = {field.name: known.get(field.name, _value(field, said, found.why)) for field in fields}
        return values | self._flags(known, said, name)

    def _flags(self, known: Mapping[str, object], said: bool | None, name: str) -> dict[str, bool]:
        """Of a verdict by several flags: none is set for no; for yes those that are known, else any one."""
        flags = self.form.decided_by
        if len(flags) < 2 or (said and any(known.get(flag) is True for flag in flags)):
            return {}
        drawn = flags[int(self.dials.chance("flag", self.media, name) * len(flags))]
        return {flag: said is True and flag == drawn for flag in flags}


def _value(field: Field, said: bool | None, why: str) -> object:
    if field.kind == "boolean":
        return said is True
    if field.kind == "text":
        return why
    if_yes, if_no, otherwise = CHOICES[field.name]
    chosen = otherwise if said is None else if_yes if said else if_no
    return chosen if chosen in field.options else if_no


# ---------------------------------------------------------------- who finds what


Find = Callable[..., KnownAnswers]
F = TypeVar("F", bound=Find)


@dataclass(frozen=True)
class Answerer:
    """Who knows the right answer to a prompt. `made`: it writes a text of its own, which is counted apart."""

    prompt: str
    function: Find
    made: bool = False


ANSWERERS: dict[str, Answerer] = {}


def answers(*prompts: str, made: bool = False) -> Callable[[F], F]:
    """Register who answers these prompts, in all their variants."""

    def register(function: F) -> F:
        for prompt in prompts:
            ANSWERERS[prompt] = Answerer(prompt, function, made)
        return function

    return register
