"""From a judge's text to JSON, by rungs that never invent a value; what was needed is told.

Replies come from outside and are read on the event loop, so every rung takes time in proportion to their length.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lookaway.judges.estimators.thinking import Unreadable, without_thinking
from lookaway.limits import REPLY_DEPTH
from lookaway.records import Finish


class Loaded(NamedTuple):
    """The object, and the rungs of the ladder that it took to read it."""

    value: dict[str, Any]
    repairs: tuple[str, ...]


_LANGUAGE = re.compile(r"[a-zA-Z0-9]*[ \t]*\n?")
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"{": "}", "[": "]"}
_STRINGS = {
    '"': re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL),
    "'": re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL),
}


def load_object(text: str, finish: Finish = "unknown") -> Loaded | Unreadable:
    """The one JSON object in a reply. A reply that was cut is not repaired: half a list looks like a whole one."""
    if finish in ("cut", "refused"):
        return Unreadable(f"the reply was {finish}")
    words = without_thinking(text)
    if isinstance(words, Unreadable):
        return words
    rungs: list[tuple[str, Callable[[str], str | None]]] = [
        ("", lambda said: said),
        ("fences", unfenced),
        ("prose around it", only_object),
        ("commas, quotes or literals", respelled),
        ("missing brackets", closed),
    ]
    done: list[str] = []
    problem = "no JSON object"
    for name, rung in rungs:
        better = rung(words)
        if better is None:
            return Unreadable("more than one JSON object")
        if name and better != words:
            done.append(name)
        words = better
        try:
            value = json.loads(words, object_pairs_hook=_unique, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            problem = str(error)
            continue
        if not isinstance(value, dict):
            return Unreadable("JSON, but not an object")
        return Unreadable("brackets too deep in brackets") if _is_deep(value) else Loaded(value, tuple(done))
    return Unreadable(problem)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(REPLY_DEPTH):
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        level = [each for each in level if isinstance(each, dict | list)]
    return bool(level)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = sorted(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
    if twice:
        raise ValueError(f"field given twice: {', '.join(twice)}")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def unfenced(text: str) -> str:
    """What stands between the fences, where there is one fenced block."""
    parts = text.split("```", 4)
    if len(parts) not in (3, 4):
        return text
    return _LANGUAGE.sub("", parts[1], count=1).strip()


class _Piece(NamedTuple):
    kind: str  # double or single for a string, or what the pattern calls it
    start: int
    end: int


_BRACKETS = re.compile(r"""(?P<quote>")|(?P<bracket>[{}\[\]])""")
_SPELLING = re.compile(
    r"""(?P<quote>["'])|(?<![A-Za-z])(?P<word>True|False|None)(?![A-Za-z])|(?P<comma>,(?=\s*+[}\]]))"""
)
_QUOTES = re.compile(r"""(?P<quote>["'])""")
_KINDS = {'"': "double", "'": "single"}


def _pieces(text: str, sign: re.Pattern[str], start: int = 0) -> Iterator[_Piece]:
    """Whole strings, and what else the pattern names, in order.

    A quote that nothing closes begins no string, and then no later one of its kind does: it is looked for once.
    """
    unclosed: set[str] = set()
    while (found := sign.search(text, start)) is not None:
        start = found.end()
        if found.lastgroup != "quote":
            yield _Piece(str(found.lastgroup), found.start(), start)
        elif (quote := found[0]) not in unclosed:
            whole = _STRINGS[quote].match(text, found.start())
            if whole is None:
                unclosed.add(quote)
            else:
                start = whole.end()
                yield _Piece(_KINDS[quote], found.start(), start)


def only_object(text: str) -> str | None:
    """From the first `{` to the bracket that closes it; None where another object follows."""
    start = text.find("{")
    if start < 0:
        return text
    depth = 0
    for piece in _pieces(text, _BRACKETS, start):
        if piece.kind == "bracket":
            depth += 1 if text[piece.start] in _CLOSES else -1
            if depth == 0:
                return None if "{" in text[piece.end :] else text[start : piece.end]
    return text[start:]


def respelled(text: str) -> str:
    """Python's quotes and literals as JSON's, and no comma before a closing bracket."""
    kept, at = [], 0
    for piece in _pieces(text, _SPELLING):
        said = text[piece.start : piece.end]
        kept += [text[at : piece.start], _as_json(piece.kind, said)]
        at = piece.end
    return "".join([*kept, text[at:]])


def _as_json(kind: str, said: str) -> str:
    if kind == "single":
        inside = said[1:-1].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', '\\"', inside) + '"'
    if kind == "comma":
        return ""
    return _LITERALS.get(said, said) if kind == "word" else said


def closed(text: str) -> str:
    """Brackets that were left open, closed; not after a number, which may have lost digits, nor inside a string."""
    bare = _without_strings(text)
    if '"' in bare or text.rstrip()[-1:].isdecimal():
        return text
    open_brackets: list[str] = []
    for sign in bare:
        if sign in _CLOSES:
            open_brackets.append(_CLOSES[sign])
        elif sign in "}]" and (not open_brackets or open_brackets.pop() != sign):
            return text
    return text.rstrip().rstrip(",") + "".join(reversed(open_brackets))


def _without_strings(text: str) -> str:
    kept, at = [], 0
    for piece in _pieces(text, _QUOTES):
        if piece.kind == "double":
            kept.append(text[at : piece.start])
            at = piece.end
    return "".join([*kept, text[at:]])
