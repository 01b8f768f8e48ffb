"""From a judge's text to JSON, by rungs that never invent a value; what was needed is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from lookaway.judges.estimators.thinking import without_thinking
from lookaway.records import Finish


class Unreadable(NamedTuple):
    reason: str


class Loaded(NamedTuple):
    """The object, and the rungs of the ladder that it took to read it."""

    value: dict[str, Any]
    repairs: tuple[str, ...]


_FENCED = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n?(.*?)```", re.DOTALL)
_LITERALS = {"True": "true", "False": "false", "None": "null"}
_CLOSES = {"{": "}", "[": "]"}
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def load_object(text: str, finish: Finish = "unknown") -> Loaded | Unreadable:
    """The one JSON object in a reply. A reply that was cut is not repaired: half a list looks like a whole one."""
    if finish in ("cut", "refused"):
        return Unreadable(f"the reply was {finish}")
    words = without_thinking(text)
    if words is None:
        return Unreadable("the judge never stopped thinking")
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
        return Loaded(value, tuple(done)) if isinstance(value, dict) else Unreadable("JSON, but not an object")
    return Unreadable(problem)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"field given twice: {', '.join(twice)}")
    return dict(pairs)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def unfenced(text: str) -> str:
    """What stands between the fences, where there is one fenced block."""
    blocks = _FENCED.findall(text)
    return blocks[0].strip() if len(blocks) == 1 else text


def only_object(text: str) -> str | None:
    """From the first `{` to the bracket that closes it; None where another object follows."""
    start = text.find("{")
    if start < 0:
        return text
    depth = 0
    for piece in _STRING_OR_BRACKET.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(piece[0], 0)
        if depth == 0:
            return None if "{" in text[piece.end() :] else text[start : piece.end()]
    return text[start:]


_PIECE = re.compile(
    r"""(?P<double>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^'\\]|\\.)*')|(?P<word>[A-Za-z]+)|,(?P<trailing>\s*[}\]])""",
    re.DOTALL,
)


def respelled(text: str) -> str:
    """Python's quotes and literals as JSON's, and no comma before a closing bracket."""
    return _PIECE.sub(_as_json, text)


def _as_json(piece: re.Match[str]) -> str:
    if piece["single"] is not None:
        inside = piece["single"][1:-1].replace("\\'", "'")
        return '"' + re.sub(r'(?<!\\)"', '\\"', inside) + '"'
    if piece["trailing"] is not None:
        return piece["trailing"]
    return _LITERALS.get(piece[0], piece[0]) if piece["word"] is not None else piece[0]


def closed(text: str) -> str:
    """Brackets that were left open, closed; not after a number, which may have lost digits, nor inside a string."""
    bare = _PIECE.sub(lambda piece: "" if piece["double"] is not None else piece[0], text)
    if '"' in bare or re.search(r"\d\s*$", text):
        return text
    open_brackets: list[str] = []
    for sign in bare:
        if sign in _CLOSES:
            open_brackets.append(_CLOSES[sign])
        elif sign in "}]" and (not open_brackets or open_brackets.pop() != sign):
            return text
    return text.rstrip().rstrip(",") + "".join(reversed(open_brackets))
