"""Which single tokens mean yes and which mean no: a fact of the judge's tokenizer, found at run time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lookaway.errors import ObserveError

YES = ("Yes", " yes", " Yes", "yes", "YES")  # WRBench's, as released
NO = ("No", " no", " No", "no", "NO")


class Spellings(NamedTuple):
    """Token ids and how each is spelled."""

    yes: dict[int, str]
    no: dict[int, str]


def single_tokens(
    encode: Callable[[str], Sequence[int]], yes: Sequence[str] = YES, no: Sequence[str] = NO
) -> Spellings:
    """The spellings that are one token each; a token that two spellings share counts once."""
    found = Spellings(_single(encode, yes), _single(encode, no))
    if not found.yes or not found.no or found.yes.keys() & found.no.keys():
        raise ObserveError(
            f"this tokenizer has {len(found.yes)} single tokens for yes and {len(found.no)} for no, or mixes them; "
            "token scores say nothing here: ask for votes"
        )
    return found


def _single(encode: Callable[[str], Sequence[int]], forms: Sequence[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    for form in forms:
        ids = encode(form)
        if len(ids) == 1:
            found.setdefault(ids[0], form)
    return found
